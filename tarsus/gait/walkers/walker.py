"""A machine that walks: phases from strike to strike, after each of which it has its names anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tarsus.arrays import Array
from tarsus.events import Phase
from tarsus.events.flow import flow
from tarsus.events.parameters import Parameter
from tarsus.events.report import Flowed
from tarsus.model.checks import find, number

State = tuple[Array, Array]
"""q (nq,) and v (nv,), or many of them."""


@dataclass(frozen=True)
class Section:
    """States just after a strike by numbers of their own: `place` (…, n) → q (…, nq), v (…, nv)."""

    names: tuple[str, ...]
    place: Callable[[Array], State] = field(repr=False)
    read: Callable[[Array, Array], Array] = field(repr=False)
    """And back: states → numbers (…, n)."""


@dataclass(frozen=True, eq=False)
class Walker:
    """Phases of one step, the first of which begins just after a strike.

    Each phase but the last leads to the next by its first exit, the last leads back to the first,
    with stance and swing leg exchanged: a step is over when so many events have passed as there
    are phases. Other exits are ways to fail, and lead nowhere. Phases are models that stand on
    their stance foot, so that a gait is a state to which a step leads back.
    """

    name: str
    phases: tuple[Phase, ...]
    start: State = field(repr=False)
    """A state after a strike that is about one of a gait."""
    ahead: Callable[[Array], Array] = field(repr=False)
    """How far a step led [m], of configurations (…, nq) of the last phase at its strike."""
    slope: float = 0.0
    """How much the ground falls along the way [rad]."""
    numbers: Mapping[str, float] = field(default_factory=dict)
    """What `but` can change, and its values."""
    recipe: Callable[..., Walker] | None = field(default=None, repr=False)
    parameters: Mapping[str, Parameter] = field(default_factory=dict, repr=False)
    """Which of the numbers have derivatives in flows, as `ts.parameters`."""
    section: Section | None = field(default=None, repr=False)
    """Numbers by which basins choose states; all coordinates and rates unless stated."""
    exact: bool = True
    """Whether flows have derivatives of all phases; else return maps take differences."""
    longest: float = 5.0
    """Time after which a step that did not end has failed [s]."""

    @property
    def weight(self) -> float:
        """What it weighs [N]."""
        model = self.phases[0].model
        return float(model.total_mass * np.linalg.norm(model.gravity))

    def numbered(self) -> Section:
        """Return the section, or one that has all coordinates and rates of the first model."""
        if self.section is not None:
            return self.section
        m = self.phases[0].model
        if m.nq != m.nv:
            raise ValueError(
                f"walker {self.name!r} has coordinates that are no numbers of their own: state "
                "its section"
            )
        names = [
            f"{joint.name} {k}" if joint.nq > 1 else joint.name
            for joint in m.joints
            for k in range(joint.nq)
        ]
        return Section(
            (*names, *(f"{name} rate" for name in names)),
            lambda x: (x[..., : m.nq], x[..., m.nq :]),
            lambda q, v: np.concatenate([q, v], axis=-1),
        )

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
        return flow(
            self.phases,
            q,
            v,
            duration=self.longest * count,
            events=count * len(self.phases),
            derivatives=derivatives,
            parameters=parameters,
            **options,
        )

    def starting_at(self, q: Array, v: Array) -> Walker:
        """Return the same walker with another start."""
        return replace(self, start=(np.array(q, float), np.array(v, float)))
