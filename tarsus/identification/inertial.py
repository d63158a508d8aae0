"""Masses, moments and friction from recorded positions, velocities, accelerations and efforts.

Efforts are linear in them: least squares are solved at once (C. G. Atkeson, C. H. An, J. M.
Hollerbach, Int. J. Robotics Research 1986). Only combinations are told, the base parameters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import expect
from tarsus._lib.files import Array
from tarsus.calibration.observability import CUT, told_by
from tarsus.identification.estimates import Estimates
from tarsus.model import Model

MOMENTS = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
"""Numbers of a body in the order of `Model.inertial_parameters`."""


@dataclass(frozen=True, eq=False)
class InertialFit(Estimates):
    """Numbers by which efforts are linear, as near to those of the model as efforts allow.

    `residuals` (N, nv) are efforts that they do not explain.
    """

    residuals: Array

    def __str__(self) -> str:
        lines = [f"{len(self.residuals)} samples, {self.observability.rank} base parameters"]
        return "\n".join([*lines, *self.table()])


def identify_inertia(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    tau: ArrayLike,
    *,
    noise: ArrayLike = 1.0,
    friction: bool = False,
    cut: float = CUT,
) -> InertialFit:
    """Return masses and moments of all bodies by efforts tau (N, nv) at q (N, nq), v, a (N, nv).

    With `friction` also viscous and dry friction of every velocity, by v and its sign; without it
    what the model states of them is taken away. `noise` are deviations of efforts, one or (nv,).
    Springs and motor inertias are as stated.
    """
    expect(model, Model, "model")
    rows = [
        _rows(x, n, name)
        for x, n, name in (
            (q, model.nq, "q"),
            (v, model.nv, "v"),
            (a, model.nv, "a"),
            (tau, model.nv, "tau"),
        )
    ]
    if len({len(x) for x in rows}) > 1:
        raise ValueError(f"q, v, a and tau have {[len(x) for x in rows]} rows, must be as many")
    at, rates, accelerations, efforts = rows
    slopes = np.asarray(model.inertial_regressor(at, rates, accelerations))
    stated = np.asarray(model.inertial_parameters).ravel()
    # what is beside the bodies: motor inertias, and forces that do not depend on them
    explained = np.asarray(model.inverse_dynamics(at, rates, accelerations))
    names = [f"{body}.{each}" for body in model.body_names for each in MOMENTS]
    if friction:
        diagonal = np.eye(model.nv)
        slopes = np.concatenate(
            [slopes, rates[:, :, None] * diagonal, np.sign(rates)[:, :, None] * diagonal], axis=2
        )
        stated = np.concatenate([stated, np.zeros(2 * model.nv)])
        names += [f"{kind} {k}" for kind in ("damping", "friction") for k in range(model.nv)]
    deviations = np.broadcast_to(np.asarray(noise, float), (model.nv,))
    if not (deviations > 0.0).all():
        raise ValueError(f"noise is {noise!r}, must be positive")
    scales = _scales(model, len(stated))
    matrix = (slopes / deviations[:, None]).reshape(-1, len(stated))
    left = ((efforts - explained) / deviations).ravel()
    seen = told_by(tuple(names), matrix, scales, cut)
    change = scales * (
        seen.told @ np.linalg.lstsq((matrix * scales) @ seen.told, left, rcond=None)[0]
    )
    after = left - matrix @ change
    freedom = len(left) - seen.rank
    return InertialFit(
        names=tuple(names),
        stated=stated,
        values=stated + change,
        observability=seen,
        spread=float(np.sqrt(after @ after / freedom)) if freedom > 0 else float("nan"),
        freedom=freedom,
        residuals=after.reshape(efforts.shape) * deviations,
    )


def _scales(model: Model, count: int) -> Array:
    """Return natural sizes: the mass of the machine, its moments at its reach; one for friction."""
    poses = np.asarray(model.forward_kinematics(model.neutral()))
    reach = max(float(np.linalg.norm(poses[:, :3, 3], axis=1).max(initial=0.0)), 0.1)
    mass = float(model.total_mass)
    own = mass * np.array([1.0, *[reach] * 3, *[reach**2] * 6])
    scales = np.ones(count)
    bodies = np.tile(own, len(model.body_names))
    scales[: len(bodies)] = bodies
    return scales


def _rows(given: ArrayLike, size: int, name: str) -> Array:
    array = np.array(given, float)
    if array.ndim != 2 or array.shape[1] != size or not np.isfinite(array).all():
        raise ValueError(f"{name} has shape {array.shape}, must be (N, {size}) of finite numbers")
    return array
