"""Random states for checks, identities as records, and identities of closed loops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.differences import STEP, rate, steps
from tarsus._lib.files import Array
from tarsus.model.description import NONHOLONOMIC
from tarsus.model.loops import n_rows
from tarsus.model.model import Model

# Random states of a model, and residuals over a batch of them.


LARGEST_COORDINATE = 10.0
"""Configurations are tested up to so many radians and metres."""
MOST_HALVINGS = 20
MOST_NEWTON_STEPS, LARGEST_STEP = 60, 0.5
MOST_STATES, MOST_NUMBERS = 8, 4_000_000
"""Matrices are computed for so many states, or fewer, of so many numbers together."""
CLOSED = 1e-12
"""Gap [m, or sine of an angle] up to which a constraint counts as closed."""


@dataclass(frozen=True)
class States:
    """Random states of a model: q (n, nq), and v, a, tau (n, nv)."""

    model: Model
    q: Array
    v: Array
    a: Array
    tau: Array

    @classmethod
    def random(cls, model: Model, n: int, seed: int) -> States:
        """Return n states: configurations within the limits, the rest normally distributed.

        Some files have limits such as 1e16 rad, where nothing can be computed: these are cut.
        Loops that are constraints are closed, and the velocities keep them closed.
        """
        rng = np.random.default_rng(seed)
        q = _cut(model, _configurations(model, n, rng))
        v, a, tau = rng.standard_normal((3, n, model.nv))
        if model.constraints:
            q = closed(model, q)
            v = permitted(model, q, v)
        return cls(model, q, v, a, tau)

    def first(self, n: int) -> States:
        """Return the first n states."""
        return States(self.model, self.q[:n], self.v[:n], self.a[:n], self.tau[:n])

    def few(self, dimensions: int = 2) -> States:
        """Return so few states that arrays with so many dimensions of size nv stay small."""
        return self.first(max(1, min(MOST_STATES, MOST_NUMBERS // self.model.nv**dimensions)))

    def directions(self, n: int) -> Array:
        """Return random directions (n, states, nv), along which derivatives are compared."""
        return np.random.default_rng(1).standard_normal((n, *self.v.shape))

    def frames(self, at_most: int = 12) -> list[str]:
        """Return frames spread over the model."""
        names = self.model.frame_names
        return [names[i] for i in sorted({*np.linspace(0, len(names) - 1, at_most, dtype=int)})]

    def step(self) -> Array:
        """Return large steps (n, nv) along v that leave loops closable, and on their branch.

        No joint moves by much more than 1 rad or m, those of loops that nearly lock by less.
        """
        largest = np.abs(self.v).max(axis=-1, initial=1.0) * STEP
        most = (steps(self.model, self.q, self.v) / largest)[:, None] * self.v
        for halvings in range(MOST_HALVINGS):
            step = most / 2**halvings
            try:
                self.model.integrate(self.q, step)
            except ArithmeticError:
                continue
            break
        return np.asarray(step)


def _configurations(model: Model, n: int, rng: np.random.Generator) -> Array:
    """Return random configurations; near to where a loop locks, all accelerations lose digits."""
    if not model.description.loops:
        return model.random_configuration(rng, n)
    q = model.random_configuration(rng, 2 * n)
    fastest = np.abs(model.coupling_matrix(q)).max(axis=(1, 2))
    return np.asarray(q[np.sort(np.argsort(fastest)[:n])])


def _cut(model: Model, q: Array) -> Array:
    """Return configurations whose independent joints are not farther out than can be computed."""
    own = np.zeros(model.nq, dtype=bool)
    for joint in model.joints:
        own[joint.q_slice] = joint.dependent == ""
    near = np.where(own, np.clip(q, -LARGEST_COORDINATE, LARGEST_COORDINATE), q)
    return q if np.array_equal(near, q) else np.asarray(model.close(near))


def closed(model: Model, q: Array) -> Array:
    """Return configurations like q (n, nq) in which the constraints are closed.

    Where that fails, another of them or the neutral configuration takes the place.
    """
    found = [closer for start in q if (closer := _closed_from(model, start)) is not None]
    return np.asarray(
        np.resize([*found, model.neutral()], q.shape) if len(found) < len(q) else found
    )


def _closed_from(model: Model, q: Array) -> Array | None:
    """Return the configuration that Newton's method finds from q, if it finds one."""
    rows = constraint_rows(model)
    for _ in range(MOST_NEWTON_STEPS):
        gaps = model.loop_gaps(q)[rows]
        if np.abs(gaps).max() < CLOSED:
            return q
        step = -_inverse(model.constraint_jacobian(q)) @ gaps
        try:
            q = model.integrate(q, step * min(1.0, LARGEST_STEP / np.abs(step).max(initial=1e-9)))
        except ArithmeticError:  # a loop in a cluster does not reach as far
            return None
    return None


def constraint_rows(model: Model) -> NDArray[np.bool_]:
    """Return which rows of `Model.loop_gaps` belong to constraints."""
    names = {constraint.name for constraint in model.constraints}
    loops = model.description.loops
    return np.concatenate([np.full(n_rows(loop.kind), loop.name in names) for loop in loops])


def permitted(model: Model, q: Array, vectors: Array) -> Array:
    """Return the part of velocities or forces (n, nv) that is along motions without constraint."""
    jacobian = np.asarray(model.constraint_jacobian(q))
    return np.asarray(vectors - times(_inverse(jacobian), times(jacobian, vectors)))


def _inverse(jacobian: Array) -> Array:
    """Return the pseudo-inverse of Jacobians of constraints, of which rows may be redundant."""
    return np.asarray(np.linalg.pinv(jacobian, rcond=1e-8))


def relative(left: Array, right: Array, *terms: Array) -> float:
    """Return the largest |left − right| relative to the largest |term| of the same state."""
    n = len(left)
    if left.size == 0:
        return 0.0
    error = np.abs(left - right).reshape(n, -1).max(axis=1)
    sizes = [np.abs(term).reshape(n, -1).max(axis=1) for term in (left, right, *terms)]
    scale = np.max(sizes, axis=0)
    return float(np.max(np.divide(error, scale, out=np.zeros(n), where=error != 0.0)))


def transposed(matrix: Array) -> Array:
    """Return the transposes of a batch of matrices."""
    return matrix.swapaxes(-1, -2)


def times(matrix: Array, vector: Array) -> Array:
    """Return the products of a batch of matrices with a batch of vectors."""
    return np.asarray((matrix @ vector[..., None])[..., 0])


# What an identity is: a text, a limit, and the function that computes its residual.


EXACT = 1e-10
DIFFERENCES = 1e-7
"""Limit of identities with finite differences."""


@dataclass(frozen=True)
class Identity:
    """An identity of a quantity (a method of the model, written with spaces).

    `applies` tells whether a model has what the identity is about, `topic` is the title of the
    table that it stands in ("" for the first). What is `asked` of other libraries uses only
    methods that these have.
    """

    quantity: str
    text: str
    limit: float
    residual: Callable[[States], float]
    applies: Callable[[Model], bool] = lambda model: True
    topic: str = ""
    asked: bool = False


# Identities of couplings, loops and constraints.


def has_followers(model: Model) -> bool:
    """Return whether some joints move by couplings or loops, as others do."""
    return any(cluster.kind != "joint" for cluster in model.clusters)


def has_loops(model: Model) -> bool:
    """Return whether there are loops in clusters."""
    return len(model.description.loops) > len(model.constraints)


def has_constraints(model: Model) -> bool:
    """Return whether there are loops that are in no cluster."""
    return bool(model.constraints)


def steps_lead_back(model: Model) -> bool:
    """Return whether `difference` finds any step again that `integrate` made.

    It does not where loops move a joint that rolls, or has other velocities of its own: then the
    path that Newton's method takes counts, too.
    """
    on_loops = [joint for joint in model.joints if joint.dependent == "loop"]
    return not any(joint.own_velocities or joint.kind in NONHOLONOMIC for joint in on_loops)


def coupling(s: States) -> float:
    """Velocities of all joints against the coupling matrix."""
    m = s.model
    return relative(times(m.coupling_matrix(s.q), s.v), m.joint_velocities(s.q, s.v))


def coupling_rate(s: States) -> float:
    """Accelerations of all joints against differences of the coupling matrix."""
    m, s = s.model, s.first(8)
    along = times(m.coupling_matrix(s.q), s.a)
    drift = times(rate(m, s.q, s.v, m.coupling_matrix), s.v)
    actual = m.joint_accelerations(s.q, s.v, s.a)
    return relative(actual, along + drift, along, drift, m.joint_velocities(s.q, s.v))


def gaps(s: States) -> float:
    """The widest gap [m, or sine of an angle] of loops in clusters, before and after a step."""
    m = s.model
    inside = ~constraint_rows(m)
    both = [np.abs(m.loop_gaps(q)[:, inside]).max() for q in (s.q, m.integrate(s.q, s.step()))]
    return float(max(both))


def gap_rate(s: States) -> float:
    """The Jacobian of the constraints against differences of their gaps, for any velocity."""
    m = s.model
    holonomic = _holonomic(m)
    jacobian = m.constraint_jacobian(s.q)[:, holonomic]
    gaps = rate(m, s.q, s.a, lambda q: m.loop_gaps(q)[:, constraint_rows(m)][:, holonomic])
    return relative(times(jacobian, s.a), gaps, jacobian)


def constrained(s: States) -> float:
    """The accelerations that forward dynamics finds keep to the constraints."""
    m = s.model
    along = times(m.constraint_jacobian(s.q), m.forward_dynamics(s.q, s.v, s.tau))
    drift = times(rate(m, s.q, s.v, m.constraint_jacobian), s.v)
    free = times(m.constraint_jacobian(s.q), s.a)
    return relative(along, -drift, free)


def _holonomic(model: Model) -> NDArray[np.bool_]:
    """Return which rows of the constraints have a gap: knife edges have velocities only."""
    rows = [[c.kind != "knife_edge"] * c.rows for c in model.constraints]
    return np.concatenate(rows).astype(bool)


CLOSURES = (
    Identity("joint velocities", "w = G v", EXACT, coupling, has_followers),
    Identity("joint accelerations", "ẇ = G a + Ġ v", DIFFERENCES, coupling_rate, has_followers),
    Identity("loop gaps", "loops are closed", EXACT, gaps, has_loops),
    Identity("constraint jacobian", "J v = d gap/dt", DIFFERENCES, gap_rate, has_constraints),
    Identity("", "J a + J̇ v = 0", DIFFERENCES, constrained, has_constraints),
)
