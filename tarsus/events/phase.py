"""Phases of a motion and their exits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.events.guards import Guard, JointVelocity
from tarsus.events.resets import Reset
from tarsus.events.rubbing import Rubbing, check_rubbing
from tarsus.model import Model
from tarsus.model.checks import expect

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
