"""A motion without contacts as rates of change: accelerations, powers, and norms of errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tarsus import _core
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.simulation.energy import FIXED

RECORD = 14
"""Numbers of a part in a sample: energy, work, push (6), values (6)."""

Effort: TypeAlias = Callable[[float, Array, Array], Array] | Array
"""(t, q, v) → efforts (…, nv), within their limits; or such efforts, held."""


class SmoothMotion:
    """Motion of a model under efforts, parts, and springs, damping and dry friction of joints."""

    def __init__(
        self,
        model: Model,
        *,
        friction: bool = True,
        threads: int = 1,
        parts: _core.Parts | None = None,
        numbers: Array | None = None,
        held: bool = False,
    ) -> None:
        self.model = model
        self.friction = friction
        self.parts, self.numbers = parts, numbers
        """What acts beside the joints, and its numbers (1 or B, n)."""
        self.held = held
        """Whether some of the parts are held."""
        self.works = 3 * model.nv + (0 if parts is None else len(parts))
        """How many works there are: of efforts, damping and friction, and of each part."""
        self.n_numbers = model.nq + model.nv + self.works
        """Of y = (q, v, works)."""
        self.batch: Mapping[str, Any] = {} if threads == 1 else {"threads": threads}
        """What calls of the model are given; without it one state takes the short way."""
        n = model.joints[-1].velocity_slice.stop if model.joints else 0
        self._damping, self._dry = np.zeros(n), np.zeros(n)
        for joint in model.joints:
            self._damping[joint.velocity_slice] = joint.damping
            self._dry[joint.velocity_slice] = joint.friction
        self._passive = bool(
            self._damping.any()
            or self._dry.any()
            or any(np.any(joint.stiffness) for joint in model.joints)
        )

    def of_state(self, k: int) -> SmoothMotion:
        """Return the motion of one state, with its own numbers of parts."""
        if self.numbers is None or len(self.numbers) == 1:
            return self
        own = copy(self)
        own.numbers = self.numbers[k : k + 1]
        return own

    def rates(self, t: float, q: Array, v: Array, effort: Effort) -> tuple[Array, Array]:
        """Return accelerations (…, nv) and the powers of efforts, damping, friction, parts."""
        if not np.isfinite(v).all():
            raise ArithmeticError("the velocities are not finite any more")
        tau = effort if isinstance(effort, np.ndarray) else effort(t, q, v)
        if not self._passive:
            nothing = np.zeros((*v.shape[:-1], 2 * self.model.nv))
            a, records = self.accelerated(q, v, tau)
            return a, np.concatenate([tau * v, nothing, records[..., 1::RECORD]], axis=-1)
        damping, dry = self._braking(q, v)
        passive = self.model.passive_forces(q, v, **self.batch)
        passive = passive - (0.0 if self.friction else dry)
        a, records = self.accelerated(q, v, tau + passive)
        dry = dry if self.friction else 0.0 * dry
        powers = [tau * v, damping * v, dry * v, records[..., 1::RECORD]]
        return a, np.concatenate(powers, axis=-1)

    def accelerated(self, q: Array, v: Array, tau: Array) -> tuple[Array, Array]:
        """Return accelerations (…, nv) under tau and parts, and records of these, with powers."""
        m, lead = self.model, v.shape[:-1]
        pushed, records = self.pushed(q, v)
        tau = np.broadcast_to(tau + pushed, v.shape)
        if not self.held or self.parts is None or self.numbers is None:
            return np.asarray(m.forward_dynamics(q, v, tau, **self.batch)), records
        states = q.reshape(-1, m.nq), v.reshape(-1, m.nv), tau.reshape(-1, m.nv)
        a, holding = _core.held_accelerations(m, self.parts, self.numbers[0], *states)
        return a.reshape(v.shape), records + holding.reshape(*lead, -1)

    def pushed(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return generalised forces (…, nv) of parts, and their records, with powers for works."""
        lead = v.shape[:-1]
        if self.parts is None or self.numbers is None:
            return np.zeros(v.shape), np.zeros((*lead, 0))
        m, size = self.model, self.parts.record_size
        tau, records = _core.part_forces(
            m, self.parts, self.numbers[0], q.reshape(-1, m.nq), v.reshape(-1, m.nv)
        )
        return tau.reshape(v.shape), records.reshape(*lead, size)

    def part_records(self, q: Array, v: Array, tau: Array, work: Array) -> Array:
        """Return what parts did (B, T, n) at samples with these efforts and works."""
        if self.held and self._passive:  # what joints do by themselves is held, too
            dry = 0.0 if self.friction else self._braking(q, v)[1]
            tau = tau + self.model.passive_forces(q, v, **self.batch) - dry
        states = enumerate(zip(q, v, tau, strict=True))
        found = np.stack([self.of_state(k).accelerated(*each)[1] for k, each in states])
        found[..., 1::RECORD] = work[..., 3 * self.model.nv :]
        return found

    def split(self, y: Array) -> tuple[Array, Array, Array]:
        """Return q, v and works of y = (q, v, works)."""
        q, v, work = np.split(y, np.cumsum([self.model.nq, self.model.nv]))
        return q, v, work

    def on_group(self, y: Array) -> tuple[Array, Array, Array]:
        """Return q, v and works of y with unit quaternions and closed loops.

        Loops outside the clusters, and parts that are held at once, are closed in the metric of
        the mass matrix.
        """
        q, v, work = self.split(y)
        numbers = None if self.numbers is None else self.numbers[0]
        return *_core.project_state(self.model, q, v, self.parts, numbers), work

    def rates_of(self, effort: Effort) -> Callable[[float, Array], Array]:
        """Return the rate of y = (q, v, works) of one state, as a function of t and y."""

        def rates(t: float, y: Array) -> Array:
            q, v, _ = self.split(y)
            a, power = self.rates(t, q, v, effort)
            return np.concatenate([np.asarray(self.model.configuration_rate(q, v)), a, power])

        return rates

    def careful_rates_of(self, effort: Effort) -> CarefulRates:
        """Return the same for libraries that no exception may pass through."""
        return CarefulRates(self.rates_of(effort))

    def ledger(self, q: Array, v: Array, work: Array) -> Array:
        """Return rows of the ledger (…, T, n) for states (…, T) and their works (…, T, n)."""
        m, batch = self.model, self.batch
        stored = [
            m.kinetic_energy(q, v, **batch),
            m.potential_energy(q, **batch),
            m.elastic_energy(q, **batch),
        ]
        zeros = np.zeros(q.shape[:-1])
        fixed = np.stack([*map(np.asarray, stored), *[zeros] * (FIXED - 3)], axis=-1)
        bodies = np.zeros((*q.shape[:-1], m.n_bodies))
        return np.concatenate([fixed, work[..., : 3 * m.nv], bodies], axis=-1)

    def _braking(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return generalised forces of damping and of dry friction (…, nv)."""
        w = np.asarray(self.model.joint_velocities(q, v, **self.batch))
        forces = np.stack([-self._damping * w, -self._dry * np.sign(w)], axis=-2)
        if len(self._damping) > self.model.nv:
            forces = forces @ self.model.coupling_matrix(q, **self.batch)
        return forces[..., 0, :], forces[..., 1, :]


class CarefulRates:
    """Rates that never raise: after an error they are zero, and `check` raises it."""

    def __init__(self, rates: Callable[[float, Array], Array]) -> None:
        self._rates = rates
        self._raised: BaseException | None = None

    def __call__(self, t: float, y: Array) -> Array:
        """Return the rate of y."""
        if self._raised is None:
            try:
                return self._rates(t, np.array(y))
            except BaseException as error:
                self._raised = error
        return np.zeros(len(y))

    def check(self) -> None:
        """Raise what was raised."""
        if self._raised is not None:
            raise self._raised


# Which numbers of a state belong together. A norm over all numbers of a state would let bodies at
# rest loosen the tolerance of moving ones; so an error is the root mean square within a linkage,
# and the largest of these.

Indices = NDArray[np.int64]


def linkages(model: Model) -> tuple[Indices, Indices]:
    """Return the number of the linkage of each q (nq,) and of each v (nv,).

    A linkage is what hangs on one joint of the world, and what loops connect to it.
    """
    root = {WORLD: -1}
    for cluster in model.clusters:
        at = cluster.index if cluster.parent == WORLD else root[cluster.parent]
        root.update(dict.fromkeys(cluster.bodies, at))
    for constraint in model.constraints:
        a, b = (root[body] for body in constraint.bodies)
        if min(a, b) >= 0:
            root = {body: min(a, b) if at in (a, b) else at for body, at in root.items()}
    numbers = {at: k for k, at in enumerate(sorted({at for at in root.values() if at >= 0}))}
    of_q, of_v = np.zeros(model.nq, np.int64), np.zeros(model.nv, np.int64)
    for cluster in model.clusters:
        of_q[cluster.q_slice] = of_v[cluster.v_slice] = numbers[root[cluster.bodies[0]]]
    return of_q, of_v


class LinkageNorm:
    """The norm of errors of y = (q, v, works); works are groups of their own."""

    def __init__(self, model: Model, works: int) -> None:
        of_q, of_v = linkages(model)
        first = 1 + int(max(of_q, default=0))
        of_joints = first + np.tile(of_v, 3)
        of_parts = first + int(max(of_v, default=0)) + 1 + np.arange(works - 3 * model.nv)
        self._of = np.concatenate([of_q, of_v, of_joints, of_parts])
        self._size = np.maximum(np.bincount(self._of), 1)

    def __call__(self, error: Array) -> float:
        """Return the largest of the linkages' root mean squares of scaled errors."""
        squares = np.bincount(self._of, np.square(error))
        return float(np.sqrt((squares / self._size).max(initial=0.0)))

    @property
    def weights(self) -> Array:
        """Factors on tolerances for solvers that take root mean squares over all numbers.

        Then their norm is the root of the sum of all linkages' mean squares: at least the largest.
        """
        return np.asarray(np.sqrt(self._size[self._of] / len(self._of)))
