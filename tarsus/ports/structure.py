"""Physical domains of ports, and structure matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import reals, suggestion
from tarsus._lib.errors import TarsusError
from tarsus._lib.files import Array

# Ports: where power flows, as an effort times a flow, and in which domain of physics.
#
# V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
# Twente 2006, table B.1. A voltage never meets a force: ports of different domains can only be
# connected through a transformer or a gyrator.


Kind: TypeAlias = Literal["effort", "flow"]
KINDS: tuple[Kind, ...] = get_args(Kind)


class PortError(TarsusError, ValueError):
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


# The matrices of a port-Hamiltonian system, and what is wrong with them if something is.
#
#     ẋ = (J − R) ∂H + (G − P) u          J, K skew,  [[R, P], [Pᵀ, S]] symmetric and ≥ 0
#     y = (G + P)ᵀ ∂H + (K + S) u
#
# Duindam 2006, (B.1), with the term P that connections of systems with feedthrough bring in
# (A. van der Schaft, D. Jeltsema, "Port-Hamiltonian Systems Theory: An Introductory Overview",
# 2014, chapter 4): with it, what is connected is of this form again. The whole is one matrix,
#
#     [ẋ; −y] = N [∂H; u],    skew part of N: [[J, G], [−Gᵀ, −K]],  the other: −[[R, P], [Pᵀ, S]].


Matrix: TypeAlias = ArrayLike | Callable[[Array], ArrayLike]
"""A constant, or a function of the state."""

ROUNDING = 1e-9
"""How far a matrix may be from its symmetry, and below zero, relative to its largest number."""


@dataclass(frozen=True)
class Structure:
    """J, R (n, n), G, P (n, m), K, S (m, m) at a state."""

    J: Array
    R: Array
    G: Array
    P: Array
    K: Array
    S: Array

    @staticmethod
    def of(total: Array, n: int) -> Structure:
        """Return the parts of N (n + m, n + m)."""
        skew, lost = (total - total.T) / 2.0, -(total + total.T) / 2.0
        return Structure(
            skew[:n, :n], lost[:n, :n], skew[:n, n:], lost[:n, n:], -skew[n:, n:], lost[n:, n:]
        )

    @property
    def total(self) -> Array:
        """N (n + m, n + m)."""
        return np.block(
            [[self.J - self.R, self.G - self.P], [-(self.G + self.P).T, -self.K - self.S]]
        )

    @property
    def losses(self) -> Array:
        """[[R, P], [Pᵀ, S]] (n + m, n + m)."""
        return np.block([[self.R, self.P], [self.P.T, self.S]])

    def faults(self, passive: bool = True) -> list[str]:
        """Return what is wrong, in words; with `passive` also where power would be made."""
        found = [
            f"{name} is not skew: {name} + {name}ᵀ has entries up to {error:.3g}"
            for name in ("J", "K")
            if (error := _asymmetry(getattr(self, name), -1.0)) > 0.0
        ]
        found += [
            f"{name} is not symmetric: {name} − {name}ᵀ has entries up to {error:.3g}"
            for name in ("R", "S")
            if (error := _asymmetry(getattr(self, name), 1.0)) > 0.0
        ]
        return found + self._negative() if passive else found

    def _negative(self) -> list[str]:
        found = [
            f"{name} is not ≥ 0: it has the eigenvalue {least:.3g}"
            for name in ("R", "S")
            if (least := _below_zero(getattr(self, name))) < 0.0
        ]
        if not found and (least := _below_zero(self.losses)) < 0.0:
            found.append(f"[[R, P], [Pᵀ, S]] is not ≥ 0: it has the eigenvalue {least:.3g}")
        return found


def _asymmetry(matrix: Array, sign: float) -> float:
    """Return the largest entry of matrix − sign matrixᵀ if that is more than rounding, else 0."""
    error = float(np.abs(matrix - sign * matrix.T).max(initial=0.0))
    return error if error > ROUNDING * np.abs(matrix).max(initial=0.0) else 0.0


def _below_zero(matrix: Array) -> float:
    """Return the least eigenvalue of the symmetric part if it is below rounding, else 0."""
    if not matrix.size:
        return 0.0
    least = float(np.linalg.eigvalsh((matrix + matrix.T) / 2.0)[0])
    return least if least < -ROUNDING * np.abs(matrix).max() else 0.0


def matrix_function(
    value: Matrix | None, shape: tuple[int, int], what: str
) -> Callable[[Array], Array]:
    """Return a function of the state for a constant, a function, or None for zeros.

    A number stands for a 1 × 1 matrix.
    """
    if callable(value):
        function = value
        return lambda x: _checked(function(x), shape, what)
    constant = np.zeros(shape) if value is None else _checked(value, shape, what)
    return lambda x: constant


def _checked(value: ArrayLike, shape: tuple[int, int], what: str) -> Array:
    array = np.array(value, float)  # a copy: it is kept
    array = array.reshape(1, 1) if array.shape == () and shape == (1, 1) else array
    if array.shape != shape:
        raise PortError(f"{what} has shape {array.shape}, must be {shape}")
    if not np.isfinite(array).all():
        raise PortError(f"{what} is not finite: {array.tolist()}")
    array.flags.writeable = False
    return array
