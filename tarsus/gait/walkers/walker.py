"""`Walker`: a hybrid model of a walking mechanism, and the section of its return map."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import count as checked_count
from tarsus._lib.checks import expect, find, number, suggestion
from tarsus._lib.data import content_hash
from tarsus._lib.files import Array
from tarsus._lib.sweep_grid import Name
from tarsus.events.flow import flow
from tarsus.events.flow_result import Flowed
from tarsus.events.foothold_model import Planted
from tarsus.events.parameters import Parameter
from tarsus.events.phase import Efforts, Phase
from tarsus.gait.walkers.foot_groups import Feet, footed
from tarsus.gait.walkers.stance import Radius, Stance, Support
from tarsus.model.model import Model
from tarsus.model.rerooted_model import Rooted

STIFF = 20_000
"""Steps of an integrator in a step of walking, after which the walker is too stiff to go on."""


@dataclass(frozen=True)
class Factory:
    """Function that makes a walker from numbers, by which it can be made anew with other numbers.

    `create(**numbers)` returns the walker; `numbers` are the values that it has, by name, and
    `parameters` are those of them that have derivatives in flows, as `ts.parameters`.
    """

    create: Callable[..., Walker]
    numbers: Mapping[str, float]
    parameters: Mapping[str, Parameter] = field(default_factory=dict)


class StepOptions(TypedDict, total=False):
    """Arguments of `Walker.from_phases` that `Walker.from_model` has, too."""

    clocked: bool
    longest: float
    exact: bool
    kept: Callable[[Array, Array], Array] | None
    section: Section | None


OPTIONS = tuple(StepOptions.__annotations__)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Walker:
    """A hybrid model of a walking machine: the phases of one step, from strike to strike.

    `Walker.from_model(model, feet=[…])` makes it from a floating model and the names of its feet,
    `Walker.from_phases(phases, …)` from phases of `ts.flow`; `ts.gait.walkers` has some that are
    ready. Fields are as those two set them, and cannot be changed.
    """

    phases: tuple[Phase, ...]
    """Those of one step."""
    events: int
    """How many events a step has."""
    start: State
    """A state after a strike that is about one of a gait."""
    ahead: Callable[[Array], Array]
    """How far a step led [m], of configurations (…, nq) of the last phase at its strike."""
    name: str
    slope: float = 0.0
    """How much the ground falls along the way [rad]."""
    longest: float = 5.0
    """Time after which a step that did not end has failed [s]."""
    clocked: bool = False
    """Whether controllers go by the time since the last strike: steps are taken one by one."""
    exact: bool = True
    """Whether flows have derivatives of all phases; else return maps take differences."""
    heading: bool = False
    """Whether it may head anywhere, on level ground: no multiplier tells about that."""
    kept: Callable[[Array, Array], Array] | None = None
    """Numbers (…, k) of states q (…, nq), v (…, nv) that no step changes, an energy or a
    heading: they tell gaits apart that are a family. None where gaits are alone."""
    section: Section | None = None
    """Numbers by which basins choose states; all coordinates and rates unless stated."""
    notes: tuple[str, ...] = ()
    """What is not exact."""
    factory: Factory | None = None
    """How it is made with other numbers, if it can be."""
    machine: Callable[[], Stance | Support] | None = None
    """Returns `stance`, if that is known."""
    _made: Mapping[str, Any] = field(default_factory=dict)
    """Settings as they were at first: `dataclasses.replace` may have changed them."""

    def __post_init__(self) -> None:
        if not self._made:
            object.__setattr__(self, "_made", self._settings)

    def __new__(cls, *arguments: object, **fields: Any) -> Walker:
        """Refuse arguments that are no fields, such as those of `from_model`."""
        if arguments or not fields.keys() <= cls.__dataclass_fields__.keys():
            raise TypeError(
                "Walker(…) takes only its fields, by name; make one from a model with "
                "ts.gait.Walker.from_model(model, feet=[…]) or from phases with "
                "ts.gait.Walker.from_phases(phases, start=…, ahead=…)"
            )
        return super().__new__(cls)

    @classmethod
    def from_model(
        cls,
        model: Model,
        feet: Feet = (),
        *,
        stance: str = "flat",
        radius: Radius = 0.0,
        double_support: bool = False,
        slope: float = 0.0,
        controller: Efforts | None = None,
        start: tuple[ArrayLike, ArrayLike] | None = None,
        name: str = "",
        factory: Factory | None = None,
        **options: Unpack[StepOptions],
    ) -> Walker:
        """Return a walker from a floating model, which stands on one foot while the other swings.

        Where the other foot strikes, it becomes the stance foot, and names of left and right are
        exchanged.

        - `model`: a model whose base is free or, in the plane, planar.
        - `feet`: frames of the left and the right foot, those of the anatomy unless stated. Two
          lists of frames stand and strike together, as in a trot: [["FL", "HR"], ["FR", "HL"]].
        - `stance`: how a foot stands: "flat" (welded to the ground), "line" (on an edge across its
          way), "point" (on a tip) or "round" (rolling on a sole).
        - `radius`: of a round sole, or half axes (3,) of an ellipsoid [m].
        - `double_support`: whether the rear foot stays where the other strikes, until nothing
          presses it any more.
        - `slope`: how much the ground falls along x [rad].
        - `controller`: efforts (t, q, v) → tau (nv,) in all phases.
        - `start`: a state q (nq,), v (nv,) just after a strike, near one of a gait; at rest unless
          stated.
        - `name`: that of the model unless stated.
        - `factory`: how the walker is made with other numbers; slope and radius can be changed
          unless stated.
        - `options`: `clocked`, `longest`, `exact`, `kept` and `section` as for `from_phases`.
        """
        if not isinstance(model, Model):
            raise TypeError(
                f"model is {kind_of(model)}, must be a tarsus.Model: use {walker_call(model)}"
            )
        for option in options:
            if option not in OPTIONS:
                hint = suggestion(option, OPTIONS)
                raise TypeError(f"Walker.from_model has no argument {option!r}{hint}")
        tilt = _checked_slope(slope)
        made, told = footed(model, feet, stance, radius, tilt, double_support)
        if factory is None:
            again = partial(
                cls.from_model,
                *(made.model, feet),
                stance=stance,
                double_support=double_support,
                controller=controller,
                start=made.start if start is None else start,
                name=name,
                **options,
            )
            numbers = {"slope": tilt}
            if made.sole is not None and made.sole.is_ball:
                numbers["radius"] = made.sole.radius
            elif made.sole is not None:
                again = partial(again, radius=made.sole.half_axes)
            factory = Factory(again, numbers)
        walker = on_feet(
            *(made, controller),
            start=start,
            slope=tilt,
            name=name,
            factory=factory,
            **options,
        )
        return replace(walker, notes=(*told, *walker.notes))

    @classmethod
    def from_phases(
        cls,
        phases: Phase | Sequence[Phase],
        *,
        ahead: Callable[[Array], Array],
        start: tuple[ArrayLike, ArrayLike] | None = None,
        slope: float = 0.0,
        name: str = "",
        events: int | None = None,
        clocked: bool = False,
        longest: float = 5.0,
        exact: bool = True,
        kept: Callable[[Array, Array], Array] | None = None,
        section: Section | None = None,
        factory: Factory | None = None,
        machine: Callable[[], Stance | Support] | None = None,
    ) -> Walker:
        """Return a walker from phases of `ts.flow`, the first of which begins just after a strike.

        Each leads to the next by its first exit, the last leads back to the first, with stance and
        swing leg exchanged. Other exits are ways to fail, and lead nowhere. A gait is a state to
        which a step leads back.

        - `phases`: the phases of one step.
        - `ahead`: how far a step led [m], of configurations (…, nq) of the last phase at its
          strike.
        - `start`: a state q (nq,), v (nv,) just after a strike, near one of a gait; the neutral one
          at rest unless stated.
        - `slope`: how much the ground falls along the way [rad].
        - `name`: that of the first model unless stated.
        - `events`: how many events a step has; as many as there are phases unless stated.
        - `clocked`: whether controllers go by the time since the last strike: steps are taken one
          by one.
        - `longest`: time after which a step that did not end has failed [s].
        - `exact`: whether flows have derivatives of all phases; else return maps take differences.
        - `kept`: numbers (…, k) of states q (…, nq), v (…, nv) that no step changes, such as an
          energy: they tell gaits of a family apart.
        - `section`: numbers by which basins choose states; all coordinates and rates unless stated.
        - `factory`: how the walker is made with other numbers.
        - `machine`: returns the machine on its feet, in coordinates of all phases, for forces and
          clearance of feet.
        """
        listed = (phases,) if isinstance(phases, Phase) else phases
        if isinstance(listed, str | Model) or not isinstance(listed, Sequence):
            raise TypeError(
                f"phases is {kind_of(phases)}, must be a ts.Phase or several: "
                f"use {walker_call(phases)}"
            )
        if not listed:
            raise ValueError("phases is empty, must be one phase of a step or several")
        for phase in listed:
            expect(phase, Phase, "phases")
        first, events = listed[0].model, len(listed) if events is None else events
        checked_count(events, "events")
        return cls(
            phases=tuple(listed),
            events=events,
            start=_started(first, start),
            ahead=ahead,
            name=name or first.name,
            slope=_checked_slope(slope),
            longest=number(longest, "longest"),
            clocked=clocked,
            exact=exact,
            kept=kept,
            section=section,
            factory=factory,
            machine=machine,
        )

    @property
    def numbers(self) -> Mapping[str, float]:
        """What `but` can change, and its values."""
        return {} if self.factory is None else self.factory.numbers

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """Which of the numbers have derivatives in flows, as `ts.parameters`."""
        return {} if self.factory is None else self.factory.parameters

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
        """The machine on its feet, with the coordinates of all phases; None if it is not known."""
        return None if self.machine is None else self.machine()

    def numbered(self) -> Section:
        """Return the section, or one that has all coordinates and rates of the first model.

        Coordinates that are no numbers of their own, such as quaternions, are steps from the start.
        """
        if self.section is not None:
            return self.section
        return all_numbers(self.phases[0].model, self.start[0])

    def but(self, **numbers: float) -> Walker:
        """Return the same walker with other numbers."""
        if self.factory is None:
            raise ValueError(f"walker {self.name!r} has no factory: make it anew from other phases")
        for name, value in numbers.items():
            find(self.numbers, name, "number of the walker")
            number(value, name)
        changed = {k: v for k, v in self._settings.items() if v != self._made[k]}
        return replace(self.factory.create(**{**self.numbers, **numbers}), **changed)

    @property
    def _settings(self) -> dict[str, Any]:
        """Fields that change steps and can be replaced on a walker that has a factory."""
        return {name: getattr(self, name) for name in ("longest", "clocked", "exact")}

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
        if self.factory is not None:
            made = partial(self.factory.create, **self.numbers)
            return content_hash(made, self._settings, told=_known)
        parts = [self.phases, self.start, self.ahead, self.slope, self.section, self.kept]
        return content_hash(self.name, *parts, self.clocked, self.longest, told=_known)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.factory is None:
            raise TypeError(
                f"walker {self.name!r} has no factory by which another process makes it"
            )
        made = partial(self.factory.create, **self.numbers)
        return _remade, (made, {"start": self.start, **self._settings})

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name} {value:g}" for name, value in self.numbers.items())
        phases = ", ".join(phase.name for phase in self.phases)
        return f"<tarsus.gait.Walker {self.name!r}: {phases}; {numbers or 'no numbers'}>"


def _remade(create: Callable[[], Walker], settings: Mapping[str, Any]) -> Walker:
    """Return a walker of a factory with settings that were changed after it was made."""
    return replace(create(), **settings)


def on_feet(
    made: Stance | Support,
    controller: Efforts | None,
    *,
    start: tuple[ArrayLike, ArrayLike] | None = None,
    exact: bool = True,
    **fields: Any,
) -> Walker:
    """Return the walker of a machine on its feet; `fields` are arguments of `from_phases`."""
    walker = Walker.from_phases(
        made.phases(controller),
        ahead=made.ahead,
        start=made.start if start is None else start,
        events=made.events,
        # what rolls to all sides goes to places that no step leads to
        exact=exact and (made.sole is None or made.sole.in_plane),
        machine=lambda: made,
        **fields,
    )
    return replace(walker, heading=made.heading, notes=made.notes)


# What to do with an argument that is no walker.


FOOT = re.compile("foot|sole", re.IGNORECASE)
"""Names of frames that are taken for feet in the advice of an error."""


def check_walker(value: object) -> None:
    """Raise `TypeError` unless `value` is a walker; the error says how to make one of it."""
    if not isinstance(value, Walker):
        raise TypeError(
            f"walker is {kind_of(value)}, must be a tarsus.gait.Walker: use {walker_call(value)}"
        )


def kind_of(value: object) -> str:
    """Return what an argument is, in the words of an error message."""
    if isinstance(value, Model | Walker):
        return f"the {'model' if isinstance(value, Model) else 'walker'} {value.name!r}"
    return repr(value) if isinstance(value, str) else f"of type {type(value).__name__}"


def walker_call(value: object) -> str:
    """Return the call that makes a walker of an argument, for an error message."""
    if isinstance(value, str):
        from tarsus.gait.walkers import SHIPPED  # which are made of walkers

        if value in SHIPPED:
            return f"ts.gait.walkers.{value}()"
        return f'ts.gait.Walker.from_model(ts.load("{value}", base="free"), feet=[…])'
    if isinstance(value, Model):
        found = [name for name in value.frame_names if FOOT.search(name)]
        feet = found if len(found) == 2 else "[…]"
        in_plane = not any(joint.kind == "free" for joint in value.joints)
        stance = ', stance="line"' if in_plane else ""
        return f"ts.gait.Walker.from_model(model, feet={feet}{stance})"
    phases = value if isinstance(value, Sequence) else [value]
    if len(phases) and all(isinstance(each, Phase) for each in phases):
        return "ts.gait.Walker.from_phases(phases, start=…, ahead=…)"
    if isinstance(getattr(value, "walker", None), Walker):
        return "its attribute walker"
    return "ts.gait.Walker.from_model(model, feet=[…]) or one of ts.gait.walkers"


def _known(function: Callable[..., Any]) -> str:
    """Return a function by its name and all that is bound to it."""
    name = Name(function)
    name.check()
    return name.text


def _checked_slope(slope: float) -> float:
    if not abs(number(slope, "slope")) < math.pi / 2:
        raise ValueError(f"slope is {slope:g} rad, must be between -π/2 and π/2")
    return float(slope)


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
