"""What contact laws have in common, and how they are chosen by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

from tarsus import _core
from tarsus._lib.checks import suggestion
from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.simulation.contact.compliant import Compliant
from tarsus.simulation.contact.event import Event
from tarsus.simulation.contact.exact import Exact
from tarsus.simulation.contact.lemke import Lemke
from tarsus.simulation.contact.penalty import Penalty


class ContactLaw(Protocol):
    """What a contact law has; a new one is one file with these, and its part in the core."""

    name: ClassVar[str]
    """What the core calls it."""

    @property
    def ignores(self) -> tuple[str, ...]:
        """Numbers of shapes that it has no use for."""

    @property
    def numbers(self) -> Mapping[str, float]:
        """What the core needs to know, by name."""

    def start_depth(self, model: Model, softest: float | None = None) -> float:
        """Return how deep shapes may be in each other when a run starts [m].

        `softest` is the least stiffness [N/m] of contacts, if shapes state some.
        """

    def check(self, world: _core.World, q: Array, dt: float) -> tuple[str, ...]:
        """Return warnings about a run with steps of dt [s] from a configuration (nq,)."""


class IgnoredNumbersWarning(UserWarning):
    """Shapes state numbers that a contact law has no use for."""


class StabilityWarning(UserWarning):
    """A run that is likely to explode: its step is too long for its stiffness or its gains."""


LAWS: Mapping[str, type[Any]] = {law.name: law for law in (Exact, Lemke, Penalty, Event, Compliant)}
"""Contact laws by name."""


def law_of(value: str | ContactLaw) -> ContactLaw:
    """Return the law of that name with its default numbers, or the law itself."""
    if isinstance(value, str):
        if value not in LAWS:
            raise ValueError(f"unknown contact law {value!r}{suggestion(value, LAWS)}")
        law: ContactLaw = LAWS[value]()
        return law
    if not isinstance(value, tuple(LAWS.values())):
        names = ", ".join(f"{law.__name__}(…)" for law in LAWS.values())
        raise TypeError(
            f"contact is of type {type(value).__name__}, must be a name "
            f"({', '.join(LAWS)}) or one of ts.contact.{names}"
        )
    return value


def refuse_law(law: ContactLaw, **given: bool) -> None:
    """Raise if anything was given that a law which locates events does not know."""
    names = [name for name, is_given in given.items() if is_given]
    if names:
        raise ValueError(
            f"contact {law.name!r} makes steps of its own and takes no {' and no '.join(names)}; "
            "use 'exact' for that"
        )
