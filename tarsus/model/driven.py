"""Motors of a model, both ways: from its coordinates to its motors, and back.

With φ(q) the positions of the motors and M(q) their rows of the coupling matrix, velocities are
M v, and torques t at the motors are the forces Mᵀ t on the coordinates: the power is the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from tarsus import _core
from tarsus.arrays import Array
from tarsus.model.checks import LARGEST, reals
from tarsus.model.cluster_views import Cluster
from tarsus.model.description import Body
from tarsus.model.inertia import moment
from tarsus.model.motor_search import MotorSearch
from tarsus.model.motors import SINGULAR, Motors, listed
from tarsus.model.views import BodyView, JointView

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
