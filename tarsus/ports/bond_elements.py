"""Elements of bond graphs: what they store, lose, give and pass on (Duindam 2006, appendix B.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.ports.domains import PortError

ElementKind: TypeAlias = Literal["I", "C", "R", "RS", "Se", "Sf", "TF", "GY", "0", "1"]
Signals: TypeAlias = Mapping[str, Any]
"""States by name: numbers, or arrays where an element has several."""
Modulated: TypeAlias = ArrayLike | Callable[[Signals], ArrayLike]
"""A constant, or a function of the states of the graph."""

STORAGE, SOURCES, TWO_PORTS = ("I", "C"), ("Se", "Sf"), ("TF", "GY", "RS")
JUNCTIONS = ("0", "1")


@dataclass(frozen=True, eq=False)
class Element:
    """A node of a bond graph."""

    name: str
    kind: ElementKind
    domains: tuple[str, str]
    """Of the bonds that come in and go out; the same for all but those with two ports."""
    sizes: tuple[int, int] = (1, 1)
    """How many numbers these bonds have."""
    ports: int | None = 1
    """How many bonds it has; None for any number."""
    value: Modulated | None = None
    """Resistance, ratio, or what a source gives."""
    given: Literal["effort", "flow"] = "flow"
    """Of a transformer: which of both on the bond out is the ratio times that on the bond in."""
    energy: Callable[[Array], float] | None = None
    gradient: Callable[[Array], Array] | None = None

    @property
    def modulated(self) -> bool:
        """Whether the value depends on states."""
        return callable(self.value)

    @property
    def label(self) -> str:
        """The symbol, M before it where it is modulated."""
        return ("M" if self.modulated else "") + self.kind

    def matrix(self, signals: Signals) -> Array:
        """Return the value as a matrix (out, in); a number is a multiple of the identity."""
        value = self.value(signals) if callable(self.value) else self.value
        array = np.asarray(value, float)
        rows, columns = self.sizes[1], self.sizes[0]
        if array.shape == () and rows == columns:
            array = float(array) * np.eye(rows)
        if array.shape != (rows, columns):
            raise PortError(
                f"{self.label} {self.name!r} has shape {array.shape}, must be {rows, columns}"
            )
        if not np.isfinite(array).all():
            raise PortError(f"{self.label} {self.name!r} is not finite: {array.tolist()}")
        return array

    @property
    def one_way(self) -> bool:
        """Whether a transformer or gyrator cannot be turned round: its matrix has no inverse, or
        may lose it when it is modulated."""
        if self.kind not in ("TF", "GY"):
            return False
        if self.modulated or self.sizes[0] != self.sizes[1]:
            return True
        matrix = self.matrix({})
        return bool(np.linalg.matrix_rank(matrix) < len(matrix))


@dataclass(frozen=True)
class Bond:
    """A bond; power is positive from `tail` to `head`."""

    tail: str
    head: str
    size: int
    domain: str

    def sign(self, node: str) -> float:
        """Return 1 where positive power goes into a node, −1 where it comes out of it."""
        return 1.0 if node == self.head else -1.0


def quadratic(
    name: str, kind: str, value: ArrayLike | None, stiffness: ArrayLike | None, size: int
) -> Array:
    """Return Q of the energy ½ xᵀ Q x: the inverse of an inertia or capacity, or a stiffness."""
    given = stiffness if value is None else value
    if callable(given):
        raise PortError(
            f"{kind} {name!r} cannot be modulated: its energy would change while no power flows; "
            "change what is stored through a port (Duindam 2006, appendix B.2)"
        )
    array = np.asarray(given, float)
    array = float(array) * np.eye(size) if array.shape == () else array
    what = "stiffness" if value is None else {"I": "inertia", "C": "capacity"}[kind]
    if array.shape != (size, size):
        raise PortError(
            f"the {what} of {kind} {name!r} has shape {array.shape}, must be {size, size}"
        )
    if not np.isfinite(array).all() or np.abs(array - array.T).max() > 1e-12 * np.abs(array).max():
        raise PortError(f"the {what} of {kind} {name!r} is not symmetric: {array.tolist()}")
    if np.linalg.eigvalsh(array)[0] <= 0.0:
        raise PortError(f"the {what} of {kind} {name!r} is not positive: {array.tolist()}")
    return array if value is None else np.linalg.inv(array)
