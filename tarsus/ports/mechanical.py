"""`ts.ports.mechanical`: any model as a port-Hamiltonian system in (q, p), globally.

Duindam 2006, theorem 2.17. With a Coriolis matrix C, Ṁ = C + Cᵀ, the kernels of the core give

    ṗ = Cᵀ v − g + passive forces + B u

in O(n) for every joint, gear and loop of a cluster, and that is what `rates` computes. The
structure says the same in another way, from Christoffel symbols C_ij = Σ Γ_ijk v_k:

    ∂H/∂φ_k = −Σ Γ_ijk v_i v_j + g_k,       gyroscopic matrix_kj = Σ v_i (Γ_ikj − Γ_ijk),

which is skew: it is the Lie bracket of the joints' frames, ad_vᵀ p for joints on groups. That
both agree is what makes the energy balance an audit.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.arrays import Array
from tarsus.model import Model
from tarsus.model.checks import expect
from tarsus.model.views import JointView
from tarsus.ports.domains import Port, PortError
from tarsus.ports.last_call import last_call
from tarsus.ports.mechanism import Mechanism

DOMAINS_OF_JOINTS = {
    "revolute": "rotation",
    "prismatic": "translation",
    "spherical": "rotation",
    "free": "spatial",
}
"""Joints whose velocities are of one domain; the others are generalised."""


class Mechanical(Mechanism):
    """A model in (q, p) form; made by `mechanical`."""

    def __init__(
        self, model: Model, joints: Sequence[str] | None, frames: Sequence[str], *, loops: bool
    ) -> None:
        expect(model, Model, "model")
        if model.constraints and not loops:
            names = ", ".join(repr(each.name) for each in model.constraints)
            raise PortError(
                f"these loops of {model.name!r} are constraints: {names}; "
                "use ts.ports.multipliers(model) or ts.ports.reduced(model)"
            )
        self.model, self.name = model, model.name
        self.nq, self.nv, self.n = model.nq, model.nv, 2 * model.nv
        self.states = (*_names(model, "q_slice", "q"), *_names(model, "v_slice", "p"))
        self.example = np.concatenate([model.neutral(), np.zeros(model.nv)])
        self._viscous, self._dry = (_by_joint(model, key) for key in ("damping", "friction"))
        own = [joint for joint in model.joints if _width(joint)]
        chosen = own if joints is None else [model.joint(name) for name in joints]
        for joint in chosen:
            if not _width(joint):
                raise PortError(
                    f"joint {joint.name!r} has no velocity of its own: it follows others"
                )
        self._frames = [model.frame(name).name for name in frames]
        self._columns = [np.eye(self.nv)[:, joint.v_slice] for joint in chosen]
        kinds = [DOMAINS_OF_JOINTS.get(joint.kind, "generalized") for joint in chosen]
        ports = [Port(j.name, kind, size=_width(j)) for j, kind in zip(chosen, kinds, strict=True)]
        self._set_ports((*ports, *(Port(name, "spatial", size=6) for name in self._frames)))

    def mass_matrix(self, q: Array) -> Array:
        """Return M (nv, nv)."""
        return np.asarray(self.model.mass_matrix(q))

    def mass_matrix_rate(self, q: Array, v: Array) -> Array:
        """Return Ṁ (nv, nv) while q moves with v."""
        return np.asarray(self.model.mass_matrix_rate(q, v))

    def momentum(self, q: Array, v: Array) -> Array:  # type: ignore[override]
        """Return p = M v (nv,) in O(n)."""
        return np.asarray(self.model.generalized_momentum(q, v))

    def potential(self, q: Array) -> float:
        """Return the energy of gravity and joint springs [J]."""
        return float(self.model.potential_energy(q) + self.model.elastic_energy(q))

    @last_call
    def christoffel_symbols(self, q: Array) -> Array:
        """Return Γ (nv, nv, nv)."""
        return np.asarray(self.model.christoffel_symbols(q))

    def slope(self, q: Array, p: Array) -> Array:
        """Return ∂H/∂φ (nv,) along tangent steps."""
        v, symbols = self.velocity(q, p), self.christoffel_symbols(q)
        springs = self.model.passive_forces(q, np.zeros(self.nv))
        kinetic = np.einsum("ijk,i,j->k", symbols, v, v)
        return np.asarray(-kinetic + self.model.gravity_forces(q) - springs)

    def gyroscopic(self, q: Array, p: Array) -> Array:
        """Return the gyroscopic matrix (nv, nv), skew; zero where velocities are rates."""
        turned = np.einsum("i,ikj->kj", self.velocity(q, p), self.christoffel_symbols(q))
        return np.asarray(turned - turned.T)

    @last_call
    def damping(self, q: Array, p: Array) -> Array:
        """Return D (nv, nv) of all joints, also of those that follow others.

        Dry friction f is D = f / abs(w) of a joint's velocity w, and nothing at rest.
        """
        G, w = self.model.coupling_matrix(q), self.model.joint_velocities(q, self.velocity(q, p))
        dry = np.divide(self._dry, np.abs(w), where=w != 0.0, out=np.zeros_like(self._dry))
        return np.asarray(G.T @ np.diag(self._viscous + dry) @ G)

    def input_matrix(self, q: Array) -> Array:
        """Return B (nv, m): of joints, then of wrenches in the axes of frames."""
        frames = [np.asarray(self.model.frame_jacobian(q, name)).T for name in self._frames]
        return np.hstack([np.zeros((self.nv, 0)), *self._columns, *frames])

    def momentum_rate(self, q: Array, p: Array, u: Array) -> Array:
        """Return ṗ (nv,) from the kernels of the core."""
        v, model = self.velocity(q, p), self.model
        inner = model.coriolis_transpose_forces(q, v) - model.gravity_forces(q)
        return np.asarray(inner + model.passive_forces(q, v) + self.input_matrix(q) @ u)

    def configuration_rate(self, q: Array, v: Array) -> Array:
        """Return q̇ (nq,)."""
        return np.asarray(self.model.configuration_rate(q, v))

    def step(self, q: Array, tangent: Array) -> Array:
        """Return the configuration (nq,) that a tangent step (nv,) leads to."""
        return np.asarray(self.model.integrate(q, tangent))

    def retract(self, x: Array) -> Array:
        """Return the state with unit quaternions and closed loops."""
        q, p = self.split(x)
        return np.concatenate([self.step(q, np.zeros(self.nv)), p])


def mechanical(
    model: Model, *, joints: Sequence[str] | None = None, frames: Sequence[str] = ()
) -> Mechanical:
    """Return a model as a port-Hamiltonian system in (q, p), for every joint of the library.

    Each of the `joints`, all unless stated, is a port that takes a force or torque and gives its
    velocity; each of the `frames` a port that takes a wrench (6,) in its own axes, linear first.
    Springs, damping and dry friction of joints are part of it; friction at rest, which needs a
    complementarity, is not. Loops that are constraints are refused by name.
    """
    return Mechanical(model, joints, frames, loops=False)


def _width(joint: JointView) -> int:
    return joint.v_slice.stop - joint.v_slice.start if joint.own_velocities else 0


def _names(model: Model, where: str, letter: str) -> list[str]:
    """Return a name for each number of q or p."""
    found = [""] * (model.nq if letter == "q" else model.nv)
    for joint in model.joints:
        at = getattr(joint, where)
        wide = at.stop - at.start > 1
        for k in range(at.start, at.stop):
            found[k] = f"{letter}_{joint.name}" + (f"[{k - at.start}]" if wide else "")
    return found


def _by_joint(model: Model, key: str) -> Array:
    """Return a number of joints for each velocity of all of them, followers too."""
    joints = sorted(model.joints, key=lambda joint: joint.velocity_slice.start)
    return np.concatenate([np.zeros(0), *(getattr(joint, key) for joint in joints)])
