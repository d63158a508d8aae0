"""Tracking by passivity: J.-J. Slotine, W. Li, "On the adaptive control of robot manipulators",
International Journal of Robotics Research 6(3), 1987.

With e the step from the desired to the actual configuration, v_r a velocity that leads back and
s = v − v_r, the law

    τ = H a_r + C v_r + g − K_D s,      a_r = dv_r/dt,

makes H ṡ + C s + K_D s = 0. As Ḣ = C + Cᵀ, the energy V = ½ sᵀ H s falls with V̇ = −sᵀ K_D s.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus.control.arguments import checked_model, gain, vectors
from tarsus.control.joint_gains import Gains
from tarsus.control.joint_passivity import PassivityTracking
from tarsus.control.joint_reference import Target
from tarsus.model import Model
from tarsus.model.checks import suggestion
from tarsus.model.description import Array, ModelError
from tarsus.model.kinds import FACTORIZATIONS, NONHOLONOMIC, Factorization
from tarsus.spatial.groups import TURN, relative_motion


class PassivityControl:
    """Slotine and Li's law: tau = control(q, v, q_desired, v_desired, a_desired).

    `bandwidth` Λ [1/s] and `damping` K_D [N·m·s/rad, N·s/m] are numbers, diagonals (nv,) or
    matrices (nv, nv). The reference is v_r = v_d − Λ e, with the error e =
    difference(q_desired, q). On joints that turn in space (spherical, planar, free) v_d is
    first seen from where the joint is, and a_r is the exact derivative: with a Λ that is one
    number for a joint, s = 0 means ė = −Λ e exactly, for errors of any size below half a turn.

    Every coordinate needs a drive: for a floating base the law asks for forces on the base that
    no motor exerts. Joint springs and friction are not part of it.
    """

    def __init__(
        self,
        model: Model,
        bandwidth: ArrayLike,
        damping: ArrayLike,
        *,
        factorization: Factorization = "christoffel",
    ) -> None:
        if factorization not in FACTORIZATIONS:
            hint = suggestion(factorization, FACTORIZATIONS)
            raise ValueError(f"unknown factorization {factorization!r}{hint}")
        self.model = checked_model(model, "PassivityControl")
        self.bandwidth = gain(bandwidth, model.nv, "bandwidth")
        self.damping = gain(damping, model.nv, "damping")
        self.factorization = factorization
        self._groups = _groups(model)

    def __call__(
        self,
        q: ArrayLike,
        v: ArrayLike,
        q_desired: ArrayLike,
        v_desired: ArrayLike | None = None,
        a_desired: ArrayLike | None = None,
    ) -> Array:
        """Return the generalised forces (…, nv), in one pass of O(n).

        The desired velocity and acceleration are those of the desired motion, as numbers of its
        own coordinates; without them it rests.
        """
        v_r, a_r = self.reference(q, v, q_desired, v_desired, a_desired)
        s = vectors(v, self.model.nv, "v") - v_r
        tau = self.model.passive_inverse_dynamics(q, v, v_r, a_r, factorization=self.factorization)
        return np.asarray(tau - s @ self.damping)

    def reference(
        self,
        q: ArrayLike,
        v: ArrayLike,
        q_desired: ArrayLike,
        v_desired: ArrayLike | None = None,
        a_desired: ArrayLike | None = None,
    ) -> tuple[Array, Array]:
        """Return the reference velocity v_r and its time derivative a_r, both (…, nv)."""
        nv = self.model.nv
        e = self.model.difference(vectors(q_desired, self.model.nq, "q_desired"), q)
        v = vectors(v, nv, "v")
        v_d, a_d = vectors(v_desired, nv, "v_desired"), vectors(a_desired, nv, "a_desired")
        e, v, v_d, a_d = np.broadcast_arrays(e, v, v_d, a_d)
        target, target_rate, e_rate = np.array(v_d), np.array(a_d), v - v_d
        for kind, of in self._groups.items():
            relative = relative_motion(kind, e[..., of], v[..., of], v_d[..., of], a_d[..., of])
            target[..., of] = relative.target_velocity
            target_rate[..., of] = relative.target_acceleration
            e_rate[..., of] = (relative.step_rate @ relative.velocity[..., None])[..., 0]
        return target - e @ self.bandwidth, target_rate - e_rate @ self.bandwidth

    def sliding_velocity(
        self,
        q: ArrayLike,
        v: ArrayLike,
        q_desired: ArrayLike,
        v_desired: ArrayLike | None = None,
    ) -> Array:
        """Return s = v − v_r (…, nv), which the law drives to zero."""
        v_r, _ = self.reference(q, v, q_desired, v_desired)
        return np.asarray(vectors(v, self.model.nv, "v") - v_r)

    @property
    def turning(self) -> bool:
        """Whether joints turn in space (spherical, planar, free), so that their errors turn."""
        return bool(self._groups)

    def along(
        self, q_ref: Target, *, effort: Gains | None = None, period: float | None = None
    ) -> PassivityTracking:
        """Return a controller (t, q, v) → tau that follows a reference, for simulations.

        `q_ref` is a configuration, or a function of time that returns q, (q, v) or (q, v, a).
        """
        return PassivityTracking(self, q_ref, effort=effort, period=period)

    def lyapunov(
        self,
        q: ArrayLike,
        v: ArrayLike,
        q_desired: ArrayLike,
        v_desired: ArrayLike | None = None,
    ) -> Array | float:
        """Return V = ½ sᵀ H s (…) [J], which never rises."""
        return self.model.kinetic_energy(q, self.sliding_velocity(q, v, q_desired, v_desired))


def _groups(model: Model) -> dict[str, Array]:
    """Return the indices (joints, n) into v of the joints of each kind that is a group."""
    found: dict[str, list[range]] = {}
    for joint in model.joints:
        if joint.kind in NONHOLONOMIC and joint.own_velocities:
            raise ModelError(
                f"joint {joint.name!r} rolls or skates ({joint.kind}): no smooth feedback of its "
                "configuration brings it to a place (Brockett 1983)"
            )
        if joint.kind in TURN and joint.own_velocities:
            if len(joint.own_velocities) < joint.nv:
                raise ModelError(
                    f"joint {joint.name!r} ({joint.kind}) is in a loop that leaves it only some "
                    "of its velocities; make other joints independent"
                )
            found.setdefault(joint.kind, []).append(range(*joint.v_slice.indices(model.nv)))
    return {kind: np.array(indices) for kind, indices in found.items()}
