"""Ports: where power flows, as an effort times a flow, and in which domain of physics.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, table B.1. A voltage never meets a force: ports of different domains can only be
connected through a transformer or a gyrator.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.model.checks import reals, suggestion

Kind: TypeAlias = Literal["effort", "flow"]
KINDS: tuple[Kind, ...] = get_args(Kind)


class PortError(ValueError):
    """Ports that do not fit, or a structure that would make or lose power; says which and why."""


@dataclass(frozen=True)
class Domain:
    """A domain of physics: what effort and flow are, and their units."""

    name: str
    effort: str
    flow: str
    units: tuple[str, str]
    """Of effort and flow; their product is a power [W]."""


DOMAINS = {
    domain.name: domain
    for domain in (
        Domain("translation", "force", "velocity", ("N", "m/s")),
        Domain("rotation", "torque", "angular velocity", ("N m", "rad/s")),
        Domain("spatial", "wrench", "twist", ("N, N m", "m/s, rad/s")),
        Domain("electric", "voltage", "current", ("V", "A")),
        Domain("magnetic", "current", "voltage", ("A", "V")),
        Domain("hydraulic", "pressure", "volume flow", ("Pa", "m³/s")),
        Domain("thermal", "temperature", "entropy flow", ("K", "W/K")),
        Domain("generalized", "generalised force", "generalised velocity", ("–", "–")),
    )
}
"""Table B.1, and generalised coordinates, whose units may differ from one to the next."""


def domain_of(name: str, what: str) -> Domain:
    """Return the domain `name`; the error says of `what`."""
    if name not in DOMAINS:
        raise PortError(f"{what} is in no domain {name!r}{suggestion(name, DOMAINS)}")
    return DOMAINS[name]


@dataclass(frozen=True)
class Port:
    """A power port (u, y): one of effort and flow goes in as u, the other comes out as y.

    `takes` says which goes in. `value` (size,) is the input where a simulation states none.
    """

    name: str
    domain: str = "generalized"
    takes: Kind = "effort"
    size: int = 1
    value: ArrayLike = 0.0

    def __post_init__(self) -> None:
        domain_of(self.domain, f"port {self.name!r}")
        if self.takes not in KINDS:
            hint = suggestion(self.takes, KINDS)
            raise PortError(f"port {self.name!r} takes no {self.takes!r}{hint}")
        if self.size < 1:
            raise PortError(f"port {self.name!r} has the size {self.size}, must be 1 or more")
        value = reals(self.value, f"the value of port {self.name!r}")
        if value.shape not in ((), (self.size,)):
            raise PortError(
                f"the value of port {self.name!r} has shape {value.shape}, must be ({self.size},)"
            )

    @property
    def quantity(self) -> str:
        """What goes in, as "torque"."""
        domain = DOMAINS[self.domain]
        return domain.effort if self.takes == "effort" else domain.flow

    @property
    def answer(self) -> str:
        """What comes out, as "angular velocity"."""
        domain = DOMAINS[self.domain]
        return domain.flow if self.takes == "effort" else domain.effort

    def input(self) -> Array:
        """Return the input (size,) where none is stated."""
        return np.broadcast_to(np.asarray(self.value, float), (self.size,)).copy()

    def __str__(self) -> str:
        return f"{self.name!r} ({self.domain}, takes {self.quantity})"


def slices(sizes: Iterable[int]) -> list[slice]:
    """Return where blocks of these sizes are, one after the other."""
    ends = np.cumsum([0, *sizes]).tolist()
    return [slice(a, b) for a, b in pairwise(ends)]


def distinct(names: Sequence[str], what: str) -> None:
    """Raise if a name is there twice."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise PortError(f"there are two {what}s of the name {twice[0]!r}")
