"""Joints that are bound to a phase of the motion: E. R. Westervelt, J. W. Grizzle, D. E.
Koditschek, "Hybrid zero dynamics of planar biped walkers", IEEE Transactions on Automatic Control
48(1), 2003.

A phase θ = c·q that grows along a motion takes the place of time. Joints with a drive follow a
function of it, y = q_a − h(θ) = 0, as if by gears that are there only in the controller; with

    ẏ = J v,    J = S − h′ c,    ÿ = J a − h″ θ̇²,

efforts are chosen such that ÿ = −2 ω ẏ − ω² y. What has no drive moves as it likes on y = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.control.arguments import checked_model, vectors
from tarsus.control.control_law import ControlLaw
from tarsus.control.extended_spline import DEGREE, ExtendedSpline
from tarsus.control.joint_gains import Gains, refuse_undriven
from tarsus.control.reference import Setpoint, Source
from tarsus.model import Model
from tarsus.model.checks import number


class VirtualConstraints(ControlLaw):
    """Bind `joints` to a phase of the motion through samples (K, nq): tau = control(t, q, v).

    `phase` (nv,) is c, or the name of the one joint whose angle it is; it must rise or fall
    all along the samples, beyond which the bound joints go on straight. `bandwidth` ω [1/s] is the
    rate at which offsets fade, `reference` (m,) [rad] how far the joints shall be from where they
    are bound, nothing unless stated. Other joints have no efforts: they may lack a drive. Springs
    and dampers of joints are part of the model that is controlled.
    """

    def __init__(
        self,
        model: Model,
        samples: ArrayLike,
        bandwidth: float,
        reference: Source = 0.0,
        *,
        joints: str | Sequence[str],
        phase: str | ArrayLike,
        effort: Gains | None = None,
        period: float | None = None,
    ) -> None:
        checked_model(model, "VirtualConstraints")
        if model.nq != model.nv:
            raise ValueError(
                f"virtual constraints need as many positions as velocities, but {model.name!r} "
                f"has nq, nv = {model.nq}, {model.nv}"
            )
        self.joints = (joints,) if isinstance(joints, str) else tuple(joints)
        self._bound = _coordinates(model, self.joints)
        for name in self.joints:
            if self.joints.count(name) > 1:
                raise ValueError(f"joints has {name!r} twice, must bind each joint once")
        self.phase = np.zeros(model.nv)
        if isinstance(phase, str):
            self.phase[_coordinates(model, (phase,))] = 1.0
        else:
            self.phase += vectors(phase, model.nv, "phase")
        free = np.delete(self.phase, self._bound)
        if self.phase.any() and not free.any():
            raise ValueError(
                f"phase is of bound joints alone ({', '.join(self.joints)}), which would follow "
                "themselves: it needs a joint that is not among joints"
            )
        self.bandwidth = number(bandwidth, "bandwidth")
        if self.bandwidth <= 0.0:
            raise ValueError(f"bandwidth is {self.bandwidth}, must be positive")
        points = vectors(samples, model.nq, "samples")
        if points.ndim != 2 or len(points) <= DEGREE:
            raise ValueError(f"samples has shape {points.shape}, must be (K, {model.nq}), K >= 6")
        theta = points @ self.phase
        way = np.sign(theta[-1] - theta[0])
        if not (way * np.diff(theta) > 0.0).all():
            raise ValueError("phase does not rise or fall all along the samples: choose another")
        order = np.argsort(theta)
        self._follow = ExtendedSpline(theta[order], points[order][:, self._bound])
        super().__init__(model, reference, effort=effort, period=period)
        for k in self._bound:
            refuse_undriven(model, self.effort, "an effort", np.eye(model.nv)[k])

    def setpoint(self, value: Any) -> Setpoint:
        """Return offsets of the joints (…, m), checked."""
        given = value[0] if isinstance(value, tuple) else value
        each = np.asarray(given, float)
        offsets = np.full(len(self._bound), each) if each.ndim == 0 else each
        offsets = vectors(offsets, len(self._bound), "reference")
        return offsets, np.zeros(()), np.zeros(())

    def law(self, t: float, q: Array, v: Array, setpoint: Setpoint) -> Array:
        """Return efforts (…, nv) without limits, zero for joints that are not bound."""
        y, rate, rows, drift = self._outputs(q, v)
        model, drives = self.model, np.eye(self.model.nv)[:, self._bound]
        free = np.asarray(model.forward_dynamics(q, v, model.passive_forces(q, v)))
        moved = np.linalg.solve(np.asarray(model.mass_matrix(q)), drives)
        wanted = -2.0 * self.bandwidth * rate - self.bandwidth**2 * (y - setpoint[0])
        missing = wanted - drift - (rows @ free[..., None])[..., 0]
        efforts = np.linalg.solve(rows @ moved, missing[..., None])
        return np.asarray((drives @ efforts)[..., 0])

    def offsets(self, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
        """Return how far joints are from where they are bound, and their rates (…, m)."""
        state = vectors(q, self.model.nq, "q"), vectors(v, self.model.nv, "v")
        return self._outputs(*state)[:2]

    def _outputs(self, q: Array, v: Array) -> tuple[Array, Array, Array, Array]:
        """Return y, ẏ, J (…, m, nv) and −h″ θ̇²."""
        theta, speed = q @ self.phase, (v @ self.phase)[..., None]
        value, slope, bend = self._follow(theta)
        rows = np.eye(self.model.nv)[self._bound] - slope[..., None] * self.phase
        y = q[..., self._bound] - value
        return y, (rows @ v[..., None])[..., 0], rows, -bend * speed**2


def _coordinates(model: Model, names: Sequence[str]) -> list[int]:
    """Return where the velocities of joints with one coordinate are."""
    found = []
    for name in names:
        joint = model.joint(name)
        if len(joint.own_velocities) != 1:
            raise ValueError(f"joint {name!r} is {joint.kind}, must have one coordinate of its own")
        found.append(joint.v_slice.start)
    if not found:
        raise ValueError("joints is empty: name those that are bound")
    return found
