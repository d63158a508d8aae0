"""Virtual constraints, and a hip that switches with the stance leg."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import expect, not_negative, number, reals, vectors
from tarsus._lib.files import Array
from tarsus.control.controller import (
    ControlLaw,
    Gains,
    Setpoint,
    Source,
    checked_model,
    refuse_undriven,
)
from tarsus.control.current_motor import RE40_GP42C, CurrentMotor
from tarsus.control.curve_field import DEGREE, ExtendedSpline
from tarsus.model.model import Model

# Joints that are bound to a phase of the motion: E. R. Westervelt, J. W. Grizzle, D. E.
# Koditschek, "Hybrid zero dynamics of planar biped walkers", IEEE Transactions on Automatic Control
# 48(1), 2003.
#
# A phase θ = c·q that grows along a motion takes the place of time. Joints with a drive follow a
# function of it, y = q_a − h(θ) = 0, as if by gears that are there only in the controller; with
#
#     ẏ = J v,    J = S − h′ c,    ÿ = J a − h″ θ̇²,
#
# efforts are chosen such that ÿ = −2 ω ẏ − ω² y. What has no drive moves as it likes on y = 0.


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


# A hip that swings whichever leg is free ahead: V. Duindam, "Port-Based Modeling and Control for
# Efficient Bipedal Walking Robots", University of Twente 2006, (5.29).
#
# The current of a motor between the legs is
#
#     i = kp (± q_set − q) − kd q̇,
#
# whose sign changes with the foot that stands. Energy that the hip puts into the swing leg is what
# strikes take: the machine walks on level ground.


Side: TypeAlias = Callable[[float, Array, Array], ArrayLike]
"""(t, q, v) → 1 or −1 (…): the leg that the joint carries swings, or the other one does."""


class SwitchingHip(ControlLaw):
    """A motor on one joint that is led to one of two angles: tau = control(t, q, v).

    `kp` [A/rad] and `kd` [A s/rad] are gains of its current, `reference` [rad] the angle to which
    the swing leg is led, a number or a function of time. `side` tells from (t, q, v) which leg
    stands, for machines in which legs keep their names; without one the same leg always swings,
    as in walkers whose legs exchange names at a strike. All other joints are free.
    """

    uses_model = False

    def __init__(
        self,
        model: Model,
        kp: float,
        kd: float = 0.0,
        reference: Source = 0.3,
        *,
        joint: str = "hip",
        motor: CurrentMotor = RE40_GP42C,
        side: Side | None = None,
        effort: Gains | None = None,
        period: float | None = None,
    ) -> None:
        expect(model, Model, "model")
        expect(motor, CurrentMotor, "motor")
        at = model.joint(joint)
        if (at.nq, at.nv) != (1, 1) or len(at.own_velocities) != 1:
            raise ValueError(f"joint {joint!r} is {at.kind}, must have one coordinate of its own")
        self.joint, self.motor, self.side = joint, motor, side
        self._q, self._v = at.q_slice.start, at.v_slice.start
        self.kp, self.kd = not_negative(kp, "kp"), not_negative(kd, "kd")
        super().__init__(model, reference, effort=effort, period=period)

    def setpoint(self, value: Any) -> Setpoint:
        """Return an angle [rad], () or (…), checked."""
        given = value[0] if isinstance(value, tuple) else value
        angle = reals(given, "reference")
        if not np.isfinite(angle).all():
            raise ValueError(f"reference is {given!r}, must be finite angles [rad]")
        return angle, np.zeros(()), np.zeros(())

    def law(self, t: float, q: Array, v: Array, setpoint: Setpoint) -> Array:
        """Return efforts (…, nv) without limits but that of the current."""
        current = self._current(t, q, v, setpoint[0])
        tau = np.zeros((*current.shape, self.model.nv))
        tau[..., self._v] = self.motor.torque(current)
        return tau

    def current(self, t: float, q: ArrayLike, v: ArrayLike) -> Array:
        """Return the current of the motor (…) [A]."""
        state = vectors(q, self.model.nq, "q"), vectors(v, self.model.nv, "v")
        return self._current(t, *state, self.reference(t)[0])

    def power(self, t: float, q: ArrayLike, v: ArrayLike) -> Array:
        """Return the electrical power of the motor (…) [W]."""
        rate = vectors(v, self.model.nv, "v")[..., self._v]
        return self.motor.power(self.current(t, q, v), rate)

    def _current(self, t: float, q: Array, v: Array, angle: Array) -> Array:
        side = 1.0 if self.side is None else np.asarray(self.side(t, q, v))
        wanted = self.kp * (side * angle - q[..., self._q]) - self.kd * v[..., self._v]
        return np.asarray(np.clip(wanted, -self.motor.limit, self.motor.limit))
