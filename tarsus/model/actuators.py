"""Actuators: from control signals to joint torques and back."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus import _core
from tarsus._lib.checks import LARGEST, check_name, find, number, numbers, read_only, reals
from tarsus._lib.errors import ModelError, Source
from tarsus._lib.files import Array
from tarsus.model.actuator_map import SINGULAR, Motors, MotorSearch, least, listed
from tarsus.model.couplings import check_coupled
from tarsus.model.description import Actuator, Body, Joint
from tarsus.model.inertia import moment
from tarsus.model.views import BodyView, Cluster, JointView

# The actuators of a model: what they are checked for, and what they do to its coordinates.
#
# With gears T and the coupling matrix G of all joints, velocities of the drives are M v, M = T G,
# and forces f at the drives are the forces Mᵀ f on the coordinates.


RANGE_FIELDS = ("control_range", "force_range")
"""What an actuator has two limits of."""


def checked_actuator(actuator: Actuator, joints: Mapping[str, Joint]) -> Actuator:
    """Return a checked copy of an actuator, whose joints must be among `joints`."""
    check_name(actuator.name, "an actuator", actuator.source)
    what, source = f"actuator {actuator.name!r}", actuator.source
    if not isinstance(actuator.joints, Mapping) or not actuator.joints:
        stated = actuator.joints
        raise ModelError(f"{what}: joints is {stated!r}, must have gears by name of joint", source)
    gears = {}
    for name, gear in actuator.joints.items():
        check_coupled(name, joints, what, source)
        gears[name] = number(gear, f"{what}: gear of joint {name!r}", source)
    if not any(gears.values()):
        raise ModelError(f"{what}: all gears are zero, it would move nothing", source)
    ranges: dict[str, Any] = {
        key: _range(getattr(actuator, key), f"{what}: {key}", source) for key in RANGE_FIELDS
    }
    return dataclasses.replace(
        actuator,
        joints=gears,
        gain=numbers(actuator.gain, (3,), f"{what}: gain", source),
        bias=numbers(actuator.bias, (3,), f"{what}: bias", source),
        **ranges,
    )


def _range(value: Any, what: str, source: Source | None) -> Array | None:
    if value is None:
        return None
    found = numbers(value, (2,), what, source, infinite=True)
    if not found[0] <= found[1]:
        raise ModelError(f"{what} is {found.tolist()}, must rise", source)
    return found if np.isfinite(found).any() else None


def with_law(
    name: str,
    kind: str,
    *,
    kp: float | None,
    kd: float | None,
    gain: ArrayLike | None,
    bias: ArrayLike | None,
) -> tuple[Array, Array]:
    """Return gain (3,) and bias (3,) of an actuator that was stated by its kind."""
    what = f"actuator {name!r}"
    given = {"kp": kp, "kd": kd, "gain": gain, "bias": bias}
    allowed = {
        "motor": ("gain",),
        "position": ("kp", "kd"),
        "velocity": ("kd",),
        "general": ("gain", "bias"),
    }
    if kind not in allowed:
        raise ModelError(f"{what}: kind is {kind!r}, must be one of {', '.join(allowed)}")
    for key, value in given.items():
        if value is not None and key not in allowed[kind]:
            takes = ", ".join(allowed[kind])
            raise ModelError(f"{what}: {key} is not for kind {kind!r}, which takes {takes}")
    needed = {"position": ("kp",), "velocity": ("kd",)}.get(kind, ())
    for key in needed:
        if given[key] is None:
            raise ModelError(f"{what}: kind {kind!r} needs {key}")
    if kind == "position":
        stiff, damp = (
            number(kp, f"{what}: kp", None),
            number(0.0 if kd is None else kd, f"{what}: kd", None),
        )
        return np.array([stiff, 0.0, 0.0]), np.array([0.0, -stiff, -damp])
    if kind == "velocity":
        damp = number(kd, f"{what}: kd", None)
        return np.array([damp, 0.0, 0.0]), np.array([0.0, 0.0, -damp])
    return _three(gain, 1.0, f"{what}: gain"), _three(bias, 0.0, f"{what}: bias")


def _three(value: ArrayLike | None, usual: float, what: str) -> Array:
    """Return three numbers; one is that which holds everywhere."""
    if value is None or np.ndim(value) == 0:
        return np.array([number(usual if value is None else value, what, None), 0.0, 0.0])
    return numbers(value, (3,), what, accepted="(), one number, or (3,)", source=None)


class Actuators:
    """The laws of all actuators side by side, and how they sit on the joints."""

    def __init__(
        self,
        stated: Sequence[Actuator],
        joints: Mapping[str, JointView],
        clusters: Sequence[Cluster],
    ) -> None:
        self.stated = tuple(stated)
        views = joints.values()
        places = max((view.position_slice.stop for view in views), default=0)
        rates = max((view.velocity_slice.stop for view in views), default=0)
        self.lengths, self.gears = np.zeros((len(stated), places)), np.zeros((len(stated), rates))
        for row, actuator in enumerate(stated):
            for name, gear in actuator.joints.items():
                self.lengths[row, joints[name].position_slice.start] = gear
                self.gears[row, joints[name].velocity_slice.start] = gear
        numbers_of = [np.reshape([getattr(a, key) for a in stated], (-1, 3)).T for key in LAWS]
        self.gain, self.bias = (read_only(np.array(rows, float)) for rows in numbers_of)
        self.control, self.force = (
            np.reshape([_both(getattr(a, key)) for a in stated], (-1, 2)).T for key in RANGE_FIELDS
        )
        driven = {name for actuator in stated for name in actuator.joints}
        self.varies = any(
            c.closure not in ("", "linear") and not driven.isdisjoint(c.joints) for c in clusters
        )
        """Whether M depends on the configuration."""
        self.feels_length, self.feels_rate = (
            bool(self.gain[k].any() or self.bias[k].any()) for k in (1, 2)
        )

    def controls(self, u: ArrayLike) -> Array:
        """Return controls (…, nu), checked."""
        array, count = reals(u, "u"), len(self.stated)
        if array.shape[-1:] != (count,):
            hint = "" if count else ": the model has no actuators, state them with b.actuator(…)"
            raise ValueError(f"u has shape {array.shape}, must be (…, {count}){hint}")
        if not (np.abs(array) <= LARGEST).all():
            raise ValueError("u has entries that are not finite")
        return array


LAWS = ("gain", "bias")


def _both(limits: Array | None) -> Sequence[float]:
    return (-np.inf, np.inf) if limits is None else limits.tolist()


# Motors of a model, both ways: from its coordinates to its motors, and back.
#
# With φ(q) the positions of the motors and M(q) their rows of the coupling matrix, velocities are
# M v, and torques t at the motors are the forces Mᵀ t on the coordinates: the power is the same.


SPINNING = {"revolute": (1.0, 0.0), "prismatic": (0.0, 1.0), "screw": (1.0, 1.0)}
"""Kinds of joints of one coordinate -> whether their bodies turn, and whether they slide."""


class Driven(_core.Model):
    """What a `Model` knows about its motors.

    `motors` names joints of one coordinate that are driven, of any kind: joints, rotors of gears,
    screws, members of loops. Without it they are those that gears and couplings state.
    """

    clusters: tuple[Cluster, ...]
    _joints: Mapping[str, JointView]
    _bodies: Mapping[str, BodyView]
    _motors: Motors
    _named_motors: dict[tuple[str, ...], Motors]

    def motor_positions(self, q: ArrayLike, *, motors: Sequence[str] | None = None) -> Array:
        """Return the positions (…, motors) of the motors, rotors on their mounts [rad or m]."""
        return np.asarray(self.joint_positions(q)[..., self._driven(motors).positions])

    def motor_velocities(
        self, q: ArrayLike, v: ArrayLike, *, motors: Sequence[str] | None = None
    ) -> Array:
        """Return the velocities (…, motors) of the motors, rotors on their mounts."""
        return np.asarray(self.joint_velocities(q, v)[..., self._driven(motors).velocities])

    def motor_torques(
        self, q: ArrayLike, tau: ArrayLike, *, motors: Sequence[str] | None = None
    ) -> Array:
        """Return torques (…, motors) that do the same work as the generalised forces tau (…, nv).

        Where several motors share a coordinate, the solution of least norm; forces on
        coordinates that no motor moves are left out.
        """
        return self._driven(motors).torques(self.motor_matrix(q, motors=motors), tau)

    def motor_matrix(self, q: ArrayLike, *, motors: Sequence[str] | None = None) -> Array:
        """Return M (…, motors, nv), from velocities v to those of the motors."""
        return np.asarray(self.coupling_matrix(q)[..., self._driven(motors).velocities, :])

    def from_motor_positions(
        self, positions: ArrayLike, q: ArrayLike, *, motors: Sequence[str] | None = None
    ) -> Array:
        """Return the configuration (…, nq) with motors at `positions` (…, motors), near q.

        The search starts at q, such as the last configuration, and stays on its branch.
        Coordinates that no motor moves stay as they are. Positions out of reach are an
        `ArithmeticError` that tells which, and by how much.
        """
        own = self._driven(motors)
        wanted, start = own.values(positions, "positions"), reals(q, "q")
        if start.shape[-1:] != (self.nq,):
            raise ValueError(f"q has shape {start.shape}, must be (…, {self.nq})")
        if not (np.abs(start) <= LARGEST).all():
            raise ValueError("q has entries that are not finite")
        lead = np.broadcast_shapes(wanted.shape[:-1], start.shape[:-1])
        wanted = np.broadcast_to(wanted, (*lead, len(own.names))).reshape(-1, len(own.names))
        start = np.broadcast_to(start, (*lead, self.nq)).reshape(-1, self.nq)
        return MotorSearch(self, own, wanted, start).run().reshape(*lead, self.nq)

    def from_motor_velocities(
        self,
        q: ArrayLike,
        velocities: ArrayLike,
        v: ArrayLike | None = None,
        *,
        motors: Sequence[str] | None = None,
    ) -> Array:
        """Return v (…, nv) at which the motors have `velocities` (…, motors).

        Coordinates that no motor moves have what the given `v` has, zero without it. Where
        several motors share a coordinate, contradicting velocities are an `ArithmeticError`.
        """
        return self._driven(motors).rates(self.motor_matrix(q, motors=motors), velocities, v)

    def from_motor_torques(
        self, q: ArrayLike, torques: ArrayLike, *, motors: Sequence[str] | None = None
    ) -> Array:
        """Return the generalised forces tau (…, nv) of `torques` (…, motors) at the motors."""
        matrix, t = (
            self.motor_matrix(q, motors=motors),
            self._driven(motors).values(torques, "torques"),
        )
        return np.asarray((np.swapaxes(matrix, -1, -2) @ t[..., None])[..., 0])

    def motor_inertia(self, q: ArrayLike, *, motors: Sequence[str] | None = None) -> Array:
        """Return the inertia (…, motors, motors) that the motors feel, all else free to move.

        Accelerations of the motors from rest need torques Λ φ̈, Λ = (M H⁻¹ Mᵀ)⁻¹ (the
        operational-space inertia of O. Khatib 1987). Motors that cannot move independently of
        each other have none: an `ArithmeticError`.
        """
        own, matrix = self._driven(motors), self.motor_matrix(q, motors=motors)
        for group, _, columns in own.groups:
            size = np.linalg.svd(matrix[..., group, columns], compute_uv=False)
            if size.shape[-1] < len(group) or (size[..., -1] <= SINGULAR * size[..., 0]).any():
                raise ArithmeticError(
                    f"motor_inertia: {own.titled(group)} cannot move independently of each other"
                )
        mobility = matrix @ self.inverse_mass_matrix(q) @ np.swapaxes(matrix, -1, -2)
        return np.asarray(np.linalg.inv(mobility))

    def reflected_inertia(self, q: ArrayLike, *, motors: Sequence[str] | None = None) -> Array:
        """Return what the bodies on motors add to the mass matrix by spinning (…, nv, nv).

        Mᵀ diag(J) M, J the moments of inertia about the motors' axes, or masses on slides, and
        the armatures there: the ratio² J of textbooks, without the gyroscopic coupling to
        mounts, which `mass_matrix` has.
        """
        own, matrix = self._driven(motors), self.motor_matrix(q, motors=motors)
        moments = np.array([self._moment(name) for name in own.names])
        return np.asarray(np.swapaxes(matrix, -1, -2) @ (moments[:, None] * matrix))

    def _moment(self, name: str) -> float:
        joint = self._joints[name]
        body = next(body for body in self._bodies.values() if body.joint == name)
        if joint.kind not in SPINNING:
            raise ValueError(
                f"joint {name!r} is {joint.kind}: no rotor turns or slides on it alone"
            )
        turning, sliding = SPINNING[joint.kind]
        own = moment(Body(body.name, body.mass, body.com, body.inertia), joint.axis)
        slope = joint.pitch if joint.kind == "screw" else 1.0
        return float(turning * own + sliding * slope**2 * body.mass + joint.armature[0])

    def _driven(self, motors: Sequence[str] | None) -> Motors:
        """Return the motors of these names, which are known from their second use on."""
        if motors is None:
            return self._motors
        key = listed(motors)
        if key not in self._named_motors:
            self._named_motors[key] = Motors(key, self._joints, self.clusters)
        return self._named_motors[key]


def motors_of(model: Driven, names: Sequence[str] | None = None) -> Motors:
    """Return motors of a model by their names, by default those that it states."""
    return model._driven(names)


# From controls to generalised forces and back: what a `Model` knows about its actuators.


class Actuation(Driven):
    """A mechanism whose actuators have controls u (nu,).

    Their lengths l and rates l̇ = M v are in units of the joints times the gears.
    """

    actuator_names: tuple[str, ...]
    """Names of the actuators, in the order of u."""
    _actuators: Actuators
    _gear_matrix: Array | None
    """M (nu, nv) where it is the same everywhere."""
    _neutral: Array

    @property
    def nu(self) -> int:
        """Number of controls: one for each actuator, zero if none was stated."""
        return len(self.actuator_names)

    @property
    def actuators(self) -> tuple[Actuator, ...]:
        """The actuators: names, gears by joint, kind, gain, bias and limits."""
        return tuple(self._actuators.stated)

    @property
    def actuators_feel(self) -> bool:
        """Whether `actuation` depends on the state, and not only on the controls."""
        return self._gear_matrix is None or any(each.kind != "motor" for each in self.actuators)

    def actuator(self, name: str) -> Actuator:
        """Return the actuator `name`."""
        by_name: Mapping[str, Actuator] = {each.name: each for each in self.actuators}
        return find(by_name, name, "actuator")

    def actuator_matrix(self, q: ArrayLike) -> Array:
        """Return M (…, nu, nv), from velocities v to those of the actuators."""
        if self._gear_matrix is not None:
            lead = _vectors(q, self.nq, "q").shape[:-1]
            return np.array(np.broadcast_to(self._gear_matrix, (*lead, self.nu, self.nv)))
        return np.asarray(self._actuators.gears @ self.coupling_matrix(q))

    def actuator_forces(self, q: ArrayLike, v: ArrayLike, u: ArrayLike) -> Array:
        """Return the forces (…, nu) of the actuators [N or N·m], within their limits."""
        own = self._actuators
        gain, bias = self._laws(q, v)
        return np.asarray(np.clip(gain * np.clip(own.controls(u), *own.control) + bias, *own.force))

    def actuation(self, q: ArrayLike, v: ArrayLike, u: ArrayLike) -> Array:
        """Return the generalised forces tau (…, nv) of controls u (…, nu).

        Controls and forces are cut at the limits of the actuators; limits of joints
        (`effort_limit`) are kept by simulations.
        """
        forces = self.actuator_forces(q, v, u)
        matrix = self.actuator_matrix(q) if self._gear_matrix is None else self._gear_matrix
        return _summed(forces, matrix)

    def controls(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Array:
        """Return controls u (…, nu) whose `actuation` is tau (…, nv), whatever their limits.

        Where several actuators share a coordinate, the forces of least norm; forces on
        coordinates that no actuator moves are left out. An actuator whose gain is zero there
        answers to no control: an `ArithmeticError`.
        """
        wanted = _vectors(tau, self.nv, "tau")
        matrix = self.actuator_matrix(q) if self._gear_matrix is None else self._gear_matrix
        gain, bias = self._laws(q, v)
        dead = np.argwhere(gain == 0.0)
        if dead.size:
            name = self.actuator_names[int(dead[0][-1])]
            raise ArithmeticError(f"actuator {name!r} has no gain there: no control moves it")
        return (least(np.swapaxes(matrix, -1, -2), wanted) - bias) / gain

    def _laws(self, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
        """Return gain and bias (…, nu) of all actuators at a state."""
        own = self._actuators
        at, speed = _vectors(q, self.nq, "q"), _vectors(v, self.nv, "v")
        length, rate = np.zeros(self.nu), np.zeros(self.nu)
        if own.feels_length:
            length = _summed(self.joint_positions(at), own.lengths.T)
        if own.feels_rate:
            matrix = self.actuator_matrix(at) if self._gear_matrix is None else self._gear_matrix
            rate = _summed(speed, np.swapaxes(matrix, -1, -2))
        gain, bias = (a + b * length + c * rate for a, b, c in (own.gain, own.bias))
        return np.asarray(gain), np.asarray(bias)


def _vectors(value: ArrayLike, size: int, what: str) -> Array:
    array = reals(value, what)
    if array.shape[-1:] != (size,):
        raise ValueError(f"{what} has shape {array.shape}, must be (…, {size})")
    return array


def _summed(weights: Array, rows: Array) -> Array:
    """Return Σ weights (…, n) rows (…, n, m), added in order: the same bits for one or many."""
    return np.asarray((weights[..., None] * rows).sum(axis=-2))
