"""Models as port-Hamiltonian systems in momenta."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import expect
from tarsus._lib.differences import derivative
from tarsus._lib.files import Array
from tarsus.model.model import Model
from tarsus.model.views import JointView
from tarsus.ports.gradients import by_differences
from tarsus.ports.port_system import Hamiltonian, last_call
from tarsus.ports.structure import Matrix, Port, PortError, Structure, distinct, matrix_function

# Mechanisms in configurations and momenta: H = ½ pᵀ M⁻¹ p + V (Duindam 2006, theorem 2.17).
#
# Along tangent steps φ of the configuration, with velocities v = M⁻¹ p that are collocated with the
# forces, the equations are
#
#     φ̇ = v,      ṗ = −∂H/∂φ + Γ v − D v + B u,      y = Bᵀ v,
#
# with the gyroscopic matrix Γ(q, p), skew, zero for vector coordinates: (2.61), (2.69) to (2.75).


class Mechanism(Hamiltonian):
    """A mechanism with the state x = (q, p), configurations (nq,) and momenta (nv,)."""

    nq: int
    nv: int

    @abstractmethod
    def mass_matrix(self, q: Array) -> Array:
        """Return M (nv, nv)."""

    @abstractmethod
    def potential(self, q: Array) -> float:
        """Return V [J]."""

    @abstractmethod
    def slope(self, q: Array, p: Array) -> Array:
        """Return ∂H/∂φ (nv,) along tangent steps, the momentum being held."""

    @abstractmethod
    def gyroscopic(self, q: Array, p: Array) -> Array:
        """Return Γ (nv, nv), skew."""

    @abstractmethod
    def damping(self, q: Array, p: Array) -> Array:
        """Return D (nv, nv), ≥ 0."""

    @abstractmethod
    def input_matrix(self, q: Array) -> Array:
        """Return B (nv, m)."""

    @abstractmethod
    def momentum_rate(self, q: Array, p: Array, u: Array) -> Array:
        """Return ṗ (nv,)."""

    def configuration_rate(self, q: Array, v: Array) -> Array:
        """Return q̇ (nq,)."""
        return v

    def step(self, q: Array, tangent: Array) -> Array:
        """Return the configuration (nq,) that a tangent step (nv,) leads to."""
        return q + tangent

    def rate_along(self, q: Array, v: Array, function: Callable[[Array], Array]) -> Array:
        """Return the time derivative of a function of q while it moves with v, by differences."""
        fast = max(1.0, float(np.abs(v).max(initial=0.0)))
        return derivative(lambda t: function(self.step(q, float(t) / fast * v))) * fast

    def mass_matrix_rate(self, q: Array, v: Array) -> Array:
        """Return Ṁ (nv, nv) while q moves with v."""
        return self.rate_along(q, v, self.mass_matrix)

    def split(self, x: Array) -> tuple[Array, Array]:
        """Return q and p."""
        return x[: self.nq], x[self.nq :]

    @last_call
    def velocity(self, q: Array, p: Array) -> Array:
        """Return v = M⁻¹ p (nv,)."""
        return np.asarray(np.linalg.solve(self.mass_matrix(q), p))

    def momentum(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Return p = M v (nv,)."""
        return np.asarray(self.mass_matrix(np.asarray(q, float)) @ np.asarray(v, float))

    def state_of(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Return x = (q, p) of a configuration and its velocity."""
        return np.concatenate([np.asarray(q, float), self.momentum(q, v)])

    def energy(self, x: Array) -> float:
        """Return ½ pᵀ M⁻¹ p + V [J]."""
        q, p = self.split(x)
        return float(0.5 * p @ self.velocity(q, p) + self.potential(q))

    def stores(self, x: Array) -> dict[str, float]:
        """Return kinetic and potential energy [J]."""
        potential = self.potential(x[: self.nq])
        return {"kinetic": self.energy(x) - potential, "potential": potential}

    def gradient(self, x: Array) -> Array:
        """Return (∂H/∂φ, v), 2 nv numbers."""
        q, p = self.split(x)
        return np.concatenate([self.slope(q, p), self.velocity(q, p)])

    def structure(self, x: Array) -> Structure:
        """Return the matrices of (φ, p)."""
        q, p = self.split(x)
        n, one, none = self.nv, np.eye(self.nv), np.zeros((self.nv, self.nv))
        J = np.block([[none, one], [-one, self.gyroscopic(q, p)]])
        R = np.block([[none, none], [none, self.damping(q, p)]])
        G = np.vstack([np.zeros((n, self.m)), self.input_matrix(q)])
        through = np.zeros((self.m, self.m))
        return Structure(J, R, G, np.zeros_like(G), through, through)

    def lift(self, x: Array, rate: Array) -> Array:
        """Return ẋ (nx,) of (φ̇, ṗ)."""
        rates = self.configuration_rate(x[: self.nq], rate[: self.nv])
        return np.concatenate([rates, rate[self.nv :]])

    def rates(self, x: ArrayLike, u: ArrayLike | None = None) -> Array:
        """Return (q̇, ṗ)."""
        x, u = self.state(x), self.inputs(u)
        q, p = self.split(x)
        return self.lift(x, np.concatenate([self.velocity(q, p), self.momentum_rate(q, p, u)]))

    def outputs(self, x: ArrayLike, u: ArrayLike | None = None) -> Array:
        """Return y = Bᵀ v (m,)."""
        q, p = self.split(self.state(x))
        return np.asarray(self.input_matrix(q).T @ self.velocity(q, p))

    def losses(self, x: Array, u: Array) -> dict[str, float]:
        """Return vᵀ D v [W]."""
        q, p = self.split(x)
        v = self.velocity(q, p)
        return {self.name: float(v @ self.damping(q, p) @ v)}


# `ts.ports.mechanical`: any model as a port-Hamiltonian system in (q, p), globally.
#
# Duindam 2006, theorem 2.17. With a Coriolis matrix C, Ṁ = C + Cᵀ, the kernels of the core give
#
#     ṗ = Cᵀ v − g + passive forces + B u
#
# in O(n) for every joint, gear and loop of a cluster, and that is what `rates` computes. The
# structure says the same in another way, from Christoffel symbols C_ij = Σ Γ_ijk v_k:
#
#     ∂H/∂φ_k = −Σ Γ_ijk v_i v_j + g_k,       gyroscopic matrix_kj = Σ v_i (Γ_ikj − Γ_ijk),
#
# which is skew: it is the Lie bracket of the joints' frames, ad_vᵀ p for joints on groups. That
# both agree is what makes the energy balance an audit.


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


# `ts.ports.Canonical`: a mechanism in vector coordinates, stated by M(q) and V(q).


class Canonical(Mechanism):
    """q̇ = ∂H/∂p, ṗ = −∂H/∂q − D q̇ + B u, y = Bᵀ q̇ (Duindam 2006, (2.61)).

    `coordinates` are names. `mass` M, `damping` D (n, n) and `inputs` B (n, m) are constants or
    functions of q; `potential` V(q) [J]. Without `inputs` a force acts on each coordinate.
    `ports` divide u and y; without them there is one for each input. Slopes are by differences.
    """

    def __init__(
        self,
        coordinates: Sequence[str],
        mass: Matrix,
        potential: Callable[[Array], float] | None = None,
        *,
        inputs: Matrix | None = None,
        damping: Matrix | None = None,
        ports: Sequence[Port] | None = None,
        at: ArrayLike | None = None,
        name: str = "mechanism",
    ) -> None:
        distinct(coordinates, "coordinate")
        self.name = name
        n = self.nq = self.nv = len(coordinates)
        self.n = 2 * n
        self.states = (*coordinates, *(f"p_{name}" for name in coordinates))
        q = np.zeros(n) if at is None else np.asarray(at, float)
        if q.shape != (n,):
            raise PortError(f"at has shape {q.shape}, must be ({n},)")
        self.example = np.concatenate([q, np.ones(n)])
        stated = np.eye(n) if inputs is None else inputs
        width = np.shape(stated(q) if callable(stated) else stated)[-1]
        given = [Port(f"u{k}") for k in range(width)] if ports is None else ports
        self._set_ports(tuple(given))
        self._moving = callable(mass)
        self._mass = matrix_function(mass, (n, n), "mass")
        self._inputs_at = matrix_function(stated, (n, self.m), "inputs")
        self._damping = matrix_function(damping, (n, n), "damping")
        self._potential = potential
        least = float(np.linalg.eigvalsh(self._mass(q))[0])
        if least <= 0.0 or np.abs(self._mass(q) - self._mass(q).T).max() > 1e-12 * least:
            raise PortError(f"mass at q = {q.tolist()} is not symmetric and positive definite")
        self.check(self.example)

    def mass_matrix(self, q: Array) -> Array:
        """Return M (n, n)."""
        return self._mass(q)

    def potential(self, q: Array) -> float:
        """Return V [J]."""
        return 0.0 if self._potential is None else float(self._potential(q))

    def mass_matrix_rate(self, q: Array, v: Array) -> Array:
        """Return Ṁ (n, n) while q moves with v."""
        return super().mass_matrix_rate(q, v) if self._moving else np.zeros((self.nv, self.nv))

    def slope(self, q: Array, p: Array) -> Array:
        """Return ∂H/∂q (n,)."""
        if not self._moving:
            return (
                np.zeros(self.nv) if self._potential is None else by_differences(self.potential)(q)
            )
        return by_differences(lambda place: self.energy(np.concatenate([place, p])))(q)

    def gyroscopic(self, q: Array, p: Array) -> Array:
        """Return zeros: rates of coordinates have no gyroscopic forces."""
        return np.zeros((self.nv, self.nv))

    def damping(self, q: Array, p: Array) -> Array:
        """Return D (n, n)."""
        return self._damping(q)

    def input_matrix(self, q: Array) -> Array:
        """Return B (n, m)."""
        return self._inputs_at(q)

    def momentum_rate(self, q: Array, p: Array, u: Array) -> Array:
        """Return ṗ (n,)."""
        brake = self._damping(q) @ self.velocity(q, p)
        return np.asarray(-self.slope(q, p) - brake + self._inputs_at(q) @ u)
