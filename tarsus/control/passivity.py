"""Tracking by passivity: J.-J. Slotine, W. Li, "On the adaptive control of robot manipulators",
International Journal of Robotics Research 6(3), 1987.

With e the step from the desired to the actual configuration, v_r a velocity that leads back and
s = v − v_r, the law

    τ = H a_r + C v_r + g − K_D s,      a_r = dv_r/dt,

makes H ṡ + C s + K_D s = 0. As Ḣ = C + Cᵀ, the energy V = ½ sᵀ H s falls with V̇ = −sᵀ K_D s.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus.control.arguments import checked_model, gain, vectors
from tarsus.control.control_law import ControlLaw
from tarsus.control.joint_gains import Gains, check_driven
from tarsus.control.reference import Setpoint, Source, joint_setpoint
from tarsus.model import Model
from tarsus.model.checks import suggestion
from tarsus.model.description import Array, ModelError
from tarsus.model.kinds import FACTORIZATIONS, NONHOLONOMIC, Factorization
from tarsus.spatial.groups import TURN, relative_motion


class PassivityControl(ControlLaw):
    """Slotine and Li's law: tau = control(t, q, v).

    `bandwidth` Λ [1/s] and `kd` K_D [N·m·s/rad, N·s/m] are numbers, diagonals (nv,) or matrices
    (nv, nv). The velocity that leads back is v_r = v_d − Λ e, with the error e =
    difference(q_d, q). On joints that turn in space (spherical, planar, free) v_d is first seen
    from where the joint is, and a_r is the exact derivative: with a Λ that is one number for a
    joint, s = 0 means ė = −Λ e exactly, for errors of any size below half a turn.

    `reference` is a configuration, the neutral one unless stated, or a function of time that
    returns q, (q, v) or (q, v, a). Every coordinate needs a drive: for a base that floats, state in
    `effort` what drives it. Joint springs and friction are not part of the law. With diagonal
    gains, and where no joint turns in space, simulations run it in the core.
    """

    name = "passivity"

    def __init__(
        self,
        model: Model,
        bandwidth: ArrayLike,
        kd: ArrayLike,
        reference: Source | None = None,
        *,
        factorization: Factorization = "christoffel",
        effort: Gains | None = None,
        period: float | None = None,
    ) -> None:
        if factorization not in FACTORIZATIONS:
            hint = suggestion(factorization, FACTORIZATIONS)
            raise ValueError(f"unknown factorization {factorization!r}{hint}")
        checked_model(model, "PassivityControl")
        self.bandwidth = gain(bandwidth, model.nv, "bandwidth")
        self.kd = gain(kd, model.nv, "kd")
        self.factorization = factorization
        self._groups = _groups(model)
        start = model.neutral() if reference is None else reference
        super().__init__(model, start, effort=effort, period=period)
        check_driven(model, self.effort, type(self).__name__)

    def setpoint(self, value: Any) -> Setpoint:
        """Return q, (q, v) or (q, v, a) as a checked setpoint; what is missing is zero."""
        return joint_setpoint(self.model, value)

    @property
    def core_gains(self) -> tuple[Array, Array, Array] | None:
        """Bandwidth, kd and zeros (nv,) where the core computes the same law, else None."""
        if self.factorization != "christoffel" or self._groups:
            return None
        gains = np.diagonal(self.bandwidth), np.diagonal(self.kd)
        if (self.bandwidth != np.diag(gains[0])).any() or (self.kd != np.diag(gains[1])).any():
            return None
        return *gains, np.zeros(self.model.nv)

    def law(self, t: float, q: Array, v: Array, setpoint: Setpoint) -> Array:
        """Return the generalised forces (…, nv) without limits, in one pass of O(n)."""
        v_r, a_r = self._leading(q, v, setpoint)
        tau = self.model.passive_inverse_dynamics(q, v, v_r, a_r, factorization=self.factorization)
        return np.asarray(tau - (v - v_r) @ self.kd)

    def reference_motion(
        self, t: float, q: ArrayLike, v: ArrayLike, reference: Any = None
    ) -> tuple[Array, Array]:
        """Return the velocity v_r that leads back and its time derivative a_r, both (…, nv)."""
        state = vectors(q, self.model.nq, "q"), vectors(v, self.model.nv, "v")
        return self._leading(*state, self.reference.at(t, reference))

    def sliding_velocity(
        self, t: float, q: ArrayLike, v: ArrayLike, reference: Any = None
    ) -> Array:
        """Return s = v − v_r (…, nv), which the law drives to zero."""
        v_r, _ = self.reference_motion(t, q, v, reference)
        return np.asarray(vectors(v, self.model.nv, "v") - v_r)

    def lyapunov(
        self, t: float, q: ArrayLike, v: ArrayLike, reference: Any = None
    ) -> Array | float:
        """Return V = ½ sᵀ H s (…) [J], which never rises."""
        return self.model.kinetic_energy(q, self.sliding_velocity(t, q, v, reference))

    def _leading(self, q: Array, v: Array, setpoint: Setpoint) -> tuple[Array, Array]:
        q_d, v_d, a_d = setpoint
        e = self.model.difference(q_d, q)
        e, v, v_d, a_d = np.broadcast_arrays(e, v, v_d, a_d)
        target, target_rate, e_rate = np.array(v_d), np.array(a_d), v - v_d
        for kind, of in self._groups.items():
            relative = relative_motion(kind, e[..., of], v[..., of], v_d[..., of], a_d[..., of])
            target[..., of] = relative.target_velocity
            target_rate[..., of] = relative.target_acceleration
            e_rate[..., of] = (relative.step_rate @ relative.velocity[..., None])[..., 0]
        return target - e @ self.bandwidth, target_rate - e_rate @ self.bandwidth


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
