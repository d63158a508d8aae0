"""`Walker`: a hybrid model of a walking mechanism, and the section of its return map."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import count as checked_count
from tarsus._lib.checks import expect, find, number
from tarsus._lib.data import content_hash
from tarsus._lib.files import Array
from tarsus._lib.sweep_grid import Name
from tarsus.events.flow import flow
from tarsus.events.flow_result import Flowed
from tarsus.events.foothold_model import Planted
from tarsus.events.phase import Efforts, Phase
from tarsus.events.sensitivity import Parameter
from tarsus.gait.walkers.foot_groups import Feet, footed
from tarsus.gait.walkers.stance import Radius, Stance, Support
from tarsus.model.model import Model
from tarsus.model.rerooted_model import Rooted

# A machine that walks: phases from strike to strike, after each of which it has its names anew.


STIFF = 20_000
"""Steps of an integrator in a step of walking, after which the walker is too stiff to go on."""


class Walker:
    """A machine that walks, from strike to strike.

    `Walker(model, feet=["left_foot", "right_foot"], stance="flat")` makes it from a model that
    floats: it stands on one foot (welded if "flat", on an edge across its way if "line", on a tip
    if "point", rolling on a sole of `radius` [m] if "round"), the other strikes, and names of left
    and right are exchanged. `slope` [rad] is how much the ground falls along x. With
    `double_support` the rear foot stays where the other strikes, until nothing presses it any more.
    Two lists of feet stand and strike together, as in a trot: [["FL", "HR"], ["FR", "HL"]].

    `Walker(phases, start=…, ahead=…)` makes it from phases of `ts.flow`, the first of which begins
    just after a strike. Each leads to the next by its first exit, the last leads back to the
    first, with stance and swing leg exchanged: a step is over when as many events have passed as
    there are phases, or as `events` says where there are several ways through them. Other exits are
    ways to fail, and lead nowhere. A gait is a state to which a step leads back.
    """

    def __init__(
        self,
        model: Model | Phase | Sequence[Phase],
        feet: Feet = (),
        *,
        stance: str = "flat",
        radius: Radius = 0.0,
        double_support: bool = False,
        controller: Efforts | None = None,
        start: tuple[ArrayLike, ArrayLike] | None = None,
        ahead: Callable[[Array], Array] | None = None,
        slope: float = 0.0,
        name: str = "",
        numbers: Mapping[str, float] | None = None,
        recipe: Callable[..., Walker] | None = None,
        parameters: Mapping[str, Parameter] | None = None,
        section: Section | None = None,
        machine: Callable[[], Stance | Support] | None = None,
        exact: bool = True,
        kept: Callable[[Array, Array], Array] | None = None,
        clocked: bool = False,
        longest: float = 5.0,
        events: int | None = None,
        heading: bool = False,
    ) -> None:
        self.slope = number(slope, "slope")
        if not abs(self.slope) < math.pi / 2:
            raise ValueError(f"slope is {slope:g} rad, must be between -π/2 and π/2")
        """How much the ground falls along the way [rad]."""
        notes: tuple[str, ...] = ()
        given_ahead = ahead
        if not isinstance(model, Model) and (
            len(feet) or np.any(radius) or controller or double_support
        ):
            raise ValueError(
                "feet, radius, double_support and controller are for a model; phases have theirs"
            )
        if isinstance(model, Model):
            made, told = footed(model, feet, stance, radius, self.slope, double_support)
            notes, machine = (*told, *made.notes), partial(_same, made)
            start = made.start if start is None else start
            model, ahead = made.phases(controller), made.ahead if ahead is None else ahead
            events, heading = made.events, made.heading
            sole = made.sole
            # what rolls to all sides goes to places that no step leads to
            exact = exact and (sole is None or sole.in_plane)
            if recipe is None:
                recipe = partial(
                    Walker,
                    *(made.model, feet),
                    stance=stance,
                    double_support=double_support,
                    controller=controller,
                    start=start,
                    ahead=given_ahead,
                    name=name,
                    section=section,
                    exact=exact,
                    kept=kept,
                    clocked=clocked,
                    longest=longest,
                )
                numbers = {"slope": self.slope}
                if sole is not None and sole.is_ball:
                    numbers["radius"] = sole.radius
                elif sole is not None:
                    recipe = partial(recipe, radius=sole.half_axes)
        if ahead is None:
            raise ValueError("ahead is missing: how far a step leads, of states at a strike")
        self.phases = (model,) if isinstance(model, Phase) else tuple(model)
        if not self.phases:
            raise ValueError("phases is empty, must be one phase of a step or several")
        """Those of one step."""
        self.events = len(self.phases) if events is None else events
        checked_count(self.events, "events")
        """How many events a step has."""
        self.heading = heading
        """Whether it may head anywhere, on level ground: no multiplier tells about that."""
        self.notes = notes
        """What is not exact."""
        self.name = name or self.phases[0].model.name
        self.start = _started(self.phases[0].model, start)
        """A state after a strike that is about one of a gait."""
        self.ahead = ahead
        """How far a step led [m], of configurations (…, nq) of the last phase at its strike."""
        self.numbers: Mapping[str, float] = {} if numbers is None else dict(numbers)
        """What `but` can change, and its values."""
        self.recipe = recipe
        self.parameters: Mapping[str, Parameter] = {} if parameters is None else dict(parameters)
        """Which of the numbers have derivatives in flows, as `ts.parameters`."""
        self.section = section
        """Numbers by which basins choose states; all coordinates and rates unless stated."""
        self._machine = machine
        self.exact = exact
        """Whether flows have derivatives of all phases; else return maps take differences."""
        self.kept = kept
        """Numbers (…, k) of states q (…, nq), v (…, nv) that no step changes, an energy or a
        heading: they tell gaits apart that are a family. None where gaits are alone."""
        self.clocked = clocked
        """Whether controllers go by the time since the last strike: steps are taken one by one."""
        self.longest = number(longest, "longest")
        """Time after which a step that did not end has failed [s]."""

    @property
    def weight(self) -> float:
        """What it weighs [N]."""
        whole = model = self.phases[0].model
        while isinstance(whole, Rooted | Planted):
            whole = whole.original
        return float(whole.total_mass * np.linalg.norm(model.gravity))

    @cached_property
    def neutral(self) -> int:
        """How many numbers are kept: as many multipliers of its gaits are one."""
        return 0 if self.kept is None else int(np.shape(self.kept(*self.start))[-1])

    @cached_property
    def stance(self) -> Stance | Support | None:
        """The machine on its feet, with the coordinates of all phases; None if nobody said."""
        return None if self._machine is None else self._machine()

    def numbered(self) -> Section:
        """Return the section, or one that has all coordinates and rates of the first model.

        Coordinates that are no numbers of their own, such as quaternions, are steps from the start.
        """
        if self.section is not None:
            return self.section
        return all_numbers(self.phases[0].model, self.start[0])

    def but(self, **numbers: float) -> Walker:
        """Return the same walker with other numbers."""
        if self.recipe is None:
            raise ValueError(f"walker {self.name!r} has no recipe: make it anew from other phases")
        for name, value in numbers.items():
            find(self.numbers, name, "number of the walker")
            number(value, name)
        return self.recipe(**{**self.numbers, **numbers})

    def steps(
        self,
        q: Array,
        v: Array,
        count: int = 1,
        *,
        derivatives: bool = False,
        parameters: Sequence[Parameter] = (),
        **options: Any,
    ) -> Flowed:
        """Take steps from states after a strike, q (…, nq) and v (…, nv), by `ts.flow`."""
        if self.clocked and count > 1:
            raise ValueError(
                f"the efforts of {self.name!r} go by the time since a strike, and a flow of "
                f"{count} steps has one clock: take them one by one"
            )
        first = self.phases[0].model
        if isinstance(first, Planted):  # what is looked at next to a gait may be off its spots
            q, v = first.settled(q, v)
        return flow(
            self.phases,
            q,
            v,
            duration=self.longest * count,
            events=count * self.events,
            most_steps=count * STIFF,
            derivatives=derivatives,
            parameters=parameters,
            **options,
        )

    def fingerprint(self) -> str:
        """Return a hash of all that its steps depend on, by which journals know their study.

        Raises ValueError if a function has something bound to it of which nothing is known.
        """
        if self.recipe is not None:
            return content_hash(partial(self.recipe, **self.numbers), told=_known)
        parts = [self.phases, self.start, self.ahead, self.slope, self.section, self.kept]
        return content_hash(self.name, *parts, self.clocked, self.longest, told=_known)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.recipe is None:
            raise TypeError(f"walker {self.name!r} has no recipe by which another process makes it")
        return partial(self.recipe, **self.numbers), ()

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name} {value:g}" for name, value in self.numbers.items())
        phases = ", ".join(phase.name for phase in self.phases)
        return f"<tarsus.gait.Walker {self.name!r}: {phases}; {numbers or 'no numbers'}>"


def check_walker(value: object) -> None:
    """Raise `TypeError` unless `value` is a walker; for a model, say how to make one of it."""
    if isinstance(value, Model):
        raise TypeError(
            f"walker is the model {value.name!r}, must be a tarsus.gait.Walker, which has feet and "
            "impacts: use tarsus.gait.Walker(model, feet=[…], stance=…) or tarsus.gait.walkers"
        )
    expect(value, Walker, "walker")


def _known(function: Callable[..., Any]) -> str:
    """Return a function by its name and all that is bound to it."""
    name = Name(function)
    name.check()
    return name.text


def _same(stance: Stance | Support) -> Stance | Support:
    return stance


def _started(model: Model, start: tuple[ArrayLike, ArrayLike] | None) -> State:
    """Return the start, checked; the neutral configuration at rest without one."""
    if start is None:
        return model.neutral(), np.zeros(model.nv)
    q, v = (np.array(x, float) for x in start)
    if not all(np.isfinite(x).all() for x in (q, v)):
        raise ValueError("start has entries that are not finite")
    if q.shape != (model.nq,) or v.shape != (model.nv,):
        raise ValueError(
            f"start has shapes {q.shape} and {v.shape}, must be ({model.nq},) and ({model.nv},)"
        )
    return q, v


# States just after a strike by numbers of their own, as basins and searches choose them.


State = tuple[Array, Array]
"""q (nq,) and v (nv,), or many of them."""


@dataclass(frozen=True)
class Section:
    """States just after a strike by numbers of their own: `place` (…, n) → q (…, nq), v (…, nv)."""

    names: tuple[str, ...]
    place: Callable[[Array], State] = field(repr=False)
    read: Callable[[Array, Array], Array] = field(repr=False)
    """And back: states → numbers (…, n)."""


def all_numbers(model: Model, start: Array) -> Section:
    """Return the section that has all coordinates and rates of a model, but for spots of feet.

    Coordinates that are no numbers of their own, such as quaternions, are steps from the start.
    """
    if isinstance(model, Planted):
        return _with_spots(model, all_numbers(model.original, start[: model.original.nq]))
    names = [
        f"{joint.name} {k}" if len(joint.own_velocities) > 1 else joint.name
        for joint in model.joints
        for k in range(len(joint.own_velocities))
    ]
    both = (*names, *(f"{name} rate" for name in names))
    if model.nq == model.nv:
        return Section(
            both,
            lambda x: (x[..., : model.nq], x[..., model.nq :]),
            lambda q, v: np.concatenate([q, v], axis=-1),
        )

    def place(x: Array) -> State:
        begin = np.broadcast_to(start, (*x.shape[:-1], model.nq))
        return np.asarray(model.integrate(begin, x[..., : model.nv])), x[..., model.nv :]

    def read(q: Array, v: Array) -> Array:
        steps = model.difference(np.broadcast_to(start, q.shape), q)
        return np.concatenate([steps, v], axis=-1)

    return Section(both, place, read)


def _with_spots(model: Planted, section: Section) -> Section:
    """Return the section of a machine for the same on spots, which are where its feet are."""

    def place(x: Array) -> State:
        return model.strike(*section.place(x))[:2]

    return Section(section.names, place, lambda q, v: section.read(*model.lift(q, v)))
