"""Phases of a hybrid system, changed parameters, and resets between phases of other coordinates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import expect
from tarsus._lib.differences import STEP, WEIGHTS
from tarsus._lib.files import Array
from tarsus.events.friction import Rubbing, check_rubbing
from tarsus.events.guards import Guard, JointVelocity
from tarsus.events.parameters import Parameter
from tarsus.events.resets import Function, Impact, Linear, Reset
from tarsus.model.model import Model

# Phases of a motion and their exits.


CROSSINGS = {"falling": -1, "any": 0, "rising": 1}
"""How a guard passes zero."""

Efforts = Callable[[float, Array, Array], ArrayLike]
"""A controller: (t, q, v) → tau (nv,)."""


@dataclass(frozen=True, eq=False)
class Exit:
    """A way out of a phase: where `guard` passes zero, if all of `when` are positive there.

    `crossing` is "falling", "rising" or "any". The state is `reset`, and goes on in the phase `to`;
    without one the flow ends. `name` is how events tell it.
    """

    guard: Guard
    to: str | None = None
    reset: Reset | Sequence[Reset] = ()
    when: Guard | Sequence[Guard] = ()
    crossing: str = "falling"
    name: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.guard, Guard):
            raise TypeError(f"guard is {self.guard!r}, must be one of ts.guards")
        for name, kind in (("reset", Reset), ("when", Guard)):
            given = getattr(self, name)
            listed = (given,) if isinstance(given, kind) else tuple(given)
            for each in listed:
                if not isinstance(each, kind):
                    raise TypeError(f"{name} has {each!r}, must be of ts.{kind.__name__.lower()}s")
            object.__setattr__(self, name, listed)
        if self.crossing not in CROSSINGS:
            raise ValueError(
                f"crossing is {self.crossing!r}, must be one of {', '.join(map(repr, CROSSINGS))}"
            )


@dataclass(frozen=True, eq=False)
class Phase:
    """A smooth motion of a model, with the forces that it has, until one of its `exits`.

    What is held in a phase is a constraint of its model (`ts.held`). `controller` is a function
    (t, q, v) → tau (nv,), beside the efforts that the flow is given; if it has a `derivative`, a
    function (t, q, v) → (nv, 2 nv + 1) by steps of q, by v and by t, flows take no differences.

    Dry friction jumps where a joint turns. `rubbing` says how joints turn in this phase, 1 or −1,
    or 0 for those that stand: {"knee": −1}. Their friction is constant then, and the phase ends
    where one of them turns, by an exit of its own if `exits` has none at its `JointVelocity`.
    """

    model: Model
    exits: Exit | Sequence[Exit] = ()
    name: str = "phase"
    controller: Efforts | None = field(default=None, repr=False)
    rubbing: Rubbing = field(default_factory=dict)

    def __post_init__(self) -> None:
        expect(self.model, Model, "model")
        listed = (self.exits,) if isinstance(self.exits, Exit) else tuple(self.exits)
        for each in listed:
            if not isinstance(each, Exit):
                raise TypeError(f"exits has {each!r}, must be ts.Exit")
        object.__setattr__(self, "exits", (*listed, *self._turns(listed)))
        if self.controller is not None and not callable(self.controller):
            raise TypeError(f"controller is {self.controller!r}, must be a function of (t, q, v)")

    def _turns(self, exits: Sequence[Exit]) -> list[Exit]:
        """Return an exit for each joint that rubs and may turn without one."""
        check_rubbing(self.model, self.rubbing)
        watched = {each.guard.joint for each in exits if isinstance(each.guard, JointVelocity)}
        named = {each.name for each in exits}  # those of a phase that is copied are there already
        found = []
        for name, way in self.rubbing.items():
            if way and name not in watched and f"{name} turns" not in named:
                found.append(Exit(way * JointVelocity(name), name=f"{name} turns"))
        return found


# Phases of other machines: the same motion with other masses, springs, lengths.


Changes: TypeAlias = Sequence[tuple[Parameter, float]]
"""Parameters, and by how much they are larger."""


def changed_model(model: Model, by: Changes) -> Model:
    """Return a model whose parameters are larger by some numbers."""
    for parameter, more in by:
        if more:
            model = parameter.changed(model, more)
    return model


def changed_phases(phases: Sequence[Phase], by: Changes) -> tuple[Phase, ...]:
    """Return phases whose models, those of impacts as well, have larger parameters."""
    return tuple(
        replace(
            phase,
            model=changed_model(phase.model, by),
            exits=tuple(_exit(each, by) for each in phase.exits),  # type: ignore[union-attr]
        )
        for phase in phases
    )


def _exit(exit: Exit, by: Changes) -> Exit:
    return replace(exit, reset=tuple(_reset(each, by) for each in exit.reset))  # type: ignore[union-attr]


def _reset(reset: Reset, by: Changes) -> Reset:
    if isinstance(reset, Impact):
        return replace(reset, model=changed_model(reset.model, by))
    return reset


# Resets in NumPy: what an event makes of states, one or many, and its derivatives.
#
# The core does the same within flows; this serves those who state events as equations.


Inertia = Callable[[int, Array], Array]
"""From the number of a reset and q (…, nq) to mass matrices (…, nv, nv)."""

SMALL = 1e-12
"""Directions that so little of the largest inverse inertia holds are held by none."""


def resets_of(phase: Phase) -> tuple[Reset, ...]:
    """Return what the first exit of a phase does to states."""
    listed: Sequence[Exit] = phase.exits  # type: ignore[assignment]
    return tuple(listed[0].reset)  # type: ignore[arg-type]


def mapped(
    resets: Sequence[Reset], q: Array, v: Array, inertia: Inertia | None = None
) -> tuple[Array, Array]:
    """Return states q (…, nq) and v (…, nv) after resets, one after the other.

    `inertia` gives mass matrices at q by the number of the reset, instead of those of its model.
    """
    for k, reset in enumerate(resets):
        if isinstance(reset, Linear):
            q, v = _renamed(reset, q, v)
        elif isinstance(reset, Impact):
            own = np.asarray(reset.model.mass_matrix(q)) if inertia is None else inertia(k, q)
            v = struck(np.asarray(reset.model.constraint_jacobian(q)), own, v)[0]
        elif isinstance(reset, Function):
            q, v = _each(reset, q, v)
        else:
            raise TypeError(f"{reset!r} is no reset of ts.resets")
    return q, v


def mapped_derivatives(
    resets: Sequence[Reset], q: Array, v: Array, inertia: Inertia | None = None
) -> tuple[Array, Array]:
    """Return how q⁺ and v⁺ change with q and v: (nq⁺, 2 nv) and (nv⁺, 2 nv), of one state.

    Positions are those of vector coordinates, nq = nv. Differences of sixth order are within
    1e-12 of what is exact for maps as smooth as impacts.
    """
    n = len(v)
    steps = np.eye(2 * n)
    ways = np.array([way * k for k, _ in WEIGHTS for way in (1.0, -1.0)]) * STEP
    by = (ways[:, None, None] * steps).reshape(-1, 2 * n)
    after_q, after_v = mapped(resets, q + by[:, :n], v + by[:, n:], inertia)
    after = np.concatenate([after_q, after_v], axis=-1).reshape(len(WEIGHTS), 2, 2 * n, -1)
    weights = np.array([weight for _, weight in WEIGHTS]) / STEP
    slopes = np.einsum("k,kij->ji", weights, after[:, 0] - after[:, 1])
    size = after_q.shape[-1]
    return slopes[:size], slopes[size:]


def struck(rows: Array, inertia: Array, v: Array) -> tuple[Array, Array]:
    """Return v⁺ (…, nv) with J v⁺ = 0 and the impulses λ (…, m) that make it so.

    `rows` are J (…, m, nv), `inertia` H (…, nv, nv); H (v⁺ − v) = Jᵀ λ. Of impulses that do the
    same the smallest are taken.
    """
    change, impulses = toward(rows, inertia, -(rows @ v[..., None])[..., 0])
    return v + change, impulses


def toward(rows: Array, inertia: Array, wanted: Array) -> tuple[Array, Array]:
    """Return the least x (…, nv) in the metric H with J x = wanted (…, m), and λ: H x = Jᵀ λ."""
    across = np.linalg.solve(inertia, np.swapaxes(rows, -1, -2))
    impulses = _least(rows @ across, wanted[..., None])
    return (across @ impulses)[..., 0], impulses[..., 0]


def _least(inverse_inertia: Array, closing: Array) -> Array:
    """Return the smallest impulses (…, m, 1) that close as fast as (…, m, 1), by (…, m, m)."""
    sizes, ways = np.linalg.eigh(inverse_inertia)
    held = sizes > SMALL * sizes[..., -1:]
    inverse = np.where(held, 1.0 / np.where(held, sizes, 1.0), 0.0)
    return np.asarray(ways @ (inverse[..., None] * (np.swapaxes(ways, -1, -2) @ closing)))


def _renamed(reset: Linear, q: Array, v: Array) -> tuple[Array, Array]:
    matrix = np.asarray(reset.matrix, float)
    rates = matrix if reset.rates is None else np.asarray(reset.rates, float)
    shift = 0.0 if reset.shift is None else np.asarray(reset.shift, float)
    return q @ matrix.T + shift, v @ rates.T


def _each(reset: Function, q: Array, v: Array) -> tuple[Array, Array]:
    lead = q.shape[:-1]
    pairs = [
        reset.function(0.0, a, b)
        for a, b in zip(q.reshape(-1, q.shape[-1]), v.reshape(-1, v.shape[-1]), strict=True)
    ]
    after = [np.array([np.asarray(pair[k], float) for pair in pairs]) for k in (0, 1)]
    return after[0].reshape(*lead, -1), after[1].reshape(*lead, -1)
