"""Inertial parameters from recorded torques, and parameters of any simulation from its samples.

Torques are linear in masses, moments and friction: `identify_inertia` solves least squares at once
(C. G. Atkeson, C. H. An, J. M. Hollerbach, Int. J. Robotics Research 1986). Only combinations are
determined, the base parameters. `fit` takes differences of a simulation: contact, motors,
controllers.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import bounds_of, expect, number
from tarsus._lib.files import Array
from tarsus.estimation.identification.family import SHARE
from tarsus.estimation.least_squares import LeastSquares
from tarsus.estimation.observability import CUT, Estimates, told_by
from tarsus.model.model import Model
from tarsus.simulation.convergence import ConvergenceWarning

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
        bounded=(),
        trouble="",
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


@dataclass(frozen=True, eq=False)
class Fitted(Estimates):
    """Numbers of a simulation; `residuals` are samples less what it gives, in their own units."""

    residuals: Array

    def __str__(self) -> str:
        lines = [f"{self.residuals.size} rows; residuals are {self.spread:.3g} of the stated noise"]
        if self.trouble:
            lines.append(f"NOT CONVERGED: {self.trouble}")
        return "\n".join([*lines, *self.table()])


@dataclass(frozen=True, eq=False)
class _Samples:
    """Residuals of a simulation; slopes cost two simulations for each number, and wait."""

    values: Array
    residuals: Array
    differences: Callable[[Array], Array]
    gap: ClassVar[float] = 0.0

    @cached_property
    def slopes(self) -> Array:
        return self.differences(self.values)


def fit(
    simulate: Callable[..., ArrayLike],
    parameters: Mapping[str, float],
    samples: ArrayLike,
    *,
    noise: ArrayLike = 1.0,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    share: float = SHARE,
    cut: float = CUT,
) -> Fitted:
    """Return the numbers with which `simulate(**numbers)` comes nearest to samples (…).

    `parameters` are first guesses by names of its arguments. Samples have any shape, NaN where
    nothing was recorded; `noise` are their deviations, one or as they broadcast. Slopes are
    differences over `share` of the guesses, or of one for a guess of zero: a simulation in steps
    of time needs a larger share than one that is smooth. There is a `ConvergenceWarning` if the
    search ends where these slopes say that the numbers should still change.
    """
    if not isinstance(parameters, Mapping) or not parameters:
        raise TypeError(f"parameters is {parameters!r}, must be first guesses by names")
    names = tuple(parameters)
    stated = np.array([number(x, f"parameters[{name!r}]") for name, x in parameters.items()])
    measured = np.array(samples, float)
    deviations = np.broadcast_to(np.asarray(noise, float), measured.shape)
    if not (deviations > 0.0).all():
        raise ValueError(f"noise is {noise!r}, must be positive")
    there = np.isfinite(measured)
    if not number(share, "share") > 0.0:
        raise ValueError(f"share is {share:g}, must be positive")
    lower, upper = bounds_of(names, bounds)
    scales = np.where(stated == 0.0, 1.0, np.abs(stated))

    def left(values: Array) -> Array:
        made = np.asarray(simulate(**dict(zip(names, values.tolist(), strict=True))), float)
        if made.shape != measured.shape:
            raise ValueError(f"simulate made {made.shape}, must be {measured.shape} as samples")
        return np.asarray(((made - measured) / deviations)[there])

    def slopes(values: Array) -> Array:
        steps = share * scales
        columns = []
        for k, each in enumerate(np.diag(steps)):
            more = np.minimum(values + each, upper)
            less = np.maximum(values - each, lower)
            columns.append((left(more) - left(less)) / (more[k] - less[k]))
        return np.stack(columns, axis=1)

    def at(values: Array) -> _Samples:
        return _Samples(values, left(values), slopes)

    problem = LeastSquares(names, scales, lower, upper, cut)
    point, trouble = problem.solve(
        at(np.clip(stated, lower, upper)), lambda _, values, __: at(values)
    )
    if trouble:
        warnings.warn(f"fit did not converge: {trouble}", ConvergenceWarning, stacklevel=2)
    seen = problem.observability(point)
    freedom = int(there.sum()) - seen.rank
    residuals = np.full(measured.shape, np.nan)
    residuals[there] = -point.residuals * deviations[there]
    return Fitted(
        names=names,
        stated=stated,
        values=point.values,
        observability=seen,
        spread=float(np.linalg.norm(point.residuals) / np.sqrt(freedom)) if freedom > 0 else np.nan,
        freedom=freedom,
        bounded=problem.at_bounds(point.values),
        trouble=trouble,
        residuals=residuals,
    )
