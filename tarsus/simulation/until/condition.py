"""The base of all conditions, and the samples that they look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.checks import number
from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.model.description import Record
from tarsus.simulation.contact_record import Place

Mask = NDArray[np.bool_]


class Samples(NamedTuple):
    """K samples of B states, as a run makes them."""

    t: Array
    """(K,) [s]."""
    recorded: dict[str, Array]
    """What conditions need of "q" (B, K, nq) and "v" (B, K, nv)."""
    contacts: tuple[Array, NDArray[np.int64]] | None
    """Rows (N, 13) of contacts, with the state and the sample of each (2, N)."""
    states: int
    batched: bool


@dataclass(frozen=True, eq=False)
class Condition(Record):
    """Something that ends a run when it holds, for each state of a batch on its own.

    Each kind is a file with its numbers, `check`, and `holds`, which looks at many samples at once.
    """

    needs: ClassVar[tuple[str, ...]] = ("q",)
    """What of a sample it looks at."""

    def check(self, model: Model, places: Sequence[Place]) -> None:
        """Raise if it names what is not in the model, or can not touch."""

    def holds(self, samples: Samples, model: Model, places: Sequence[Place]) -> Mask:
        """Return whether it holds (B, K)."""
        raise NotImplementedError


def check_bounds(below: Any, above: Any) -> None:
    """Raise unless there is one of two bounds, or both and apart."""
    if below is None and above is None:
        raise ValueError("state below= or above=, or both")
    for name, value in (("below", below), ("above", above)):
        if value is not None:
            number(value, name)
    if below is not None and above is not None and below >= above:
        raise ValueError(f"below is {below:g} and above {above:g}: one of them always holds")


def beyond(value: Array, below: float | None, above: float | None) -> Mask:
    """Return where values are below or above bounds."""
    low = value < (-np.inf if below is None else below)
    return np.asarray(low | (value > (np.inf if above is None else above)))


def bounds_text(below: float | None, above: float | None) -> str:
    """Return bounds in words."""
    stated = (("below", below), ("above", above))
    return " or ".join(f"{word} {value:g}" for word, value in stated if value is not None)
