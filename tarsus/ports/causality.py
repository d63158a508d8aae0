"""Elements of bond graphs, and their causality."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.files import Array
from tarsus.ports.structure import PortError

if TYPE_CHECKING:
    from tarsus.ports.bond_graph import BondGraph


# Causality of bond graphs: which end of a bond computes the effort, and which the flow.
#
# Sequential causality assignment (D. Karnopp, D. Margolis, R. Rosenberg, "System Dynamics", 1999,
# chapter 5): what sources give is fixed; storage integrates wherever it can; what is then open is
# chosen at resistances. After each choice all that follows from it is assigned: one bond alone
# brings the flow to a 1-junction, or the effort to a 0-junction; transformers pass causality on,
# gyrators turn it round. From this, who depends on whom is a graph, and its circles are algebraic
# loops.


Variable: TypeAlias = tuple[int, str]
"""A bond, and "e" or "f"."""


class CausalityError(PortError):
    """Two elements that want to say the same thing."""


@dataclass(frozen=True)
class Causality:
    """A graph with causality: who computes what, from what."""

    effort_to: tuple[str, ...]
    """For each bond the element that the effort goes to: there is the causal stroke."""
    derivative: tuple[str, ...]
    """Storage that cannot integrate: others, or sources, say already what it stores."""
    loops: tuple[tuple[str, ...], ...]
    """Algebraic loops, each by the names of the elements in it."""
    needs: dict[Variable, tuple[Variable, ...]]
    """For each variable those it is computed from."""

    def order(self) -> list[Variable]:
        """Return the variables so that each comes after those it needs; there must be no loop."""
        done: dict[Variable, None] = {}

        def visit(variable: Variable) -> None:
            if variable not in done:
                for needed in self.needs[variable]:
                    visit(needed)
                done[variable] = None

        for variable in self.needs:
            visit(variable)
        return list(done)


def assign(graph: BondGraph) -> Causality:
    """Return the causality of a graph; raise `CausalityError` if sources contradict each other."""
    work = _Assignment(graph)
    for name, element in graph.elements.items():
        for k in graph.bonds_of(name):
            wanted = _fixed(graph, element, k)
            if wanted is not None:
                work.set(k, name, effort=wanted)
    storage = [e for e in graph.elements.values() if e.kind in STORAGE]
    for element in storage:
        for k in graph.bonds_of(element.name):
            if k not in work.effort_to:
                work.prefer(k, element.name, effort=element.kind == "I")
    for element in graph.elements.values():
        if element.kind in ("R", "RS"):
            k = graph.bonds_of(element.name)[0]
            if k not in work.effort_to:
                work.prefer(k, element.name, effort=False)
    for k, bond in enumerate(graph.bonds):
        if k not in work.effort_to:
            work.prefer(k, bond.head, effort=True)
    effort_to = tuple(work.effort_to[k] for k in range(len(graph.bonds)))
    derivative = tuple(
        element.name
        for element in storage
        if any(
            (effort_to[k] == element.name) != (element.kind == "I")
            for k in graph.bonds_of(element.name)
        )
    )
    needs = _needs(graph, effort_to)
    return Causality(effort_to, derivative, _loops(graph, needs), needs)


def _fixed(graph: BondGraph, element: Element, k: int) -> bool | None:
    """Return whether an element must be given the effort on a bond, None if it does not mind."""
    into = graph.bonds[k].head == element.name
    if element.kind in ("Se", "Sf"):
        return element.kind == "Sf"
    if element.kind == "GY" and (element.ports == 1 or element.one_way):
        return False
    if element.kind == "TF" and element.one_way:
        return (not into) if element.given == "flow" else into
    if element.kind == "RS" and not into:
        return True  # the temperature comes from outside
    return None


class _Assignment:
    """Bonds that are assigned so far, and what follows from them."""

    def __init__(self, graph: BondGraph) -> None:
        self.graph = graph
        self.effort_to: dict[int, str] = {}

    def prefer(self, k: int, name: str, *, effort: bool) -> None:
        """Assign a bond as an element would like it, or the other way if that contradicts."""
        before = dict(self.effort_to)
        try:
            self.set(k, name, effort=effort)
        except CausalityError:
            self.effort_to = before
            self.set(k, name, effort=not effort)

    def set(self, k: int, name: str, *, effort: bool) -> None:
        """Assign a bond so that `name` is given the effort, or the flow, and all that follows."""
        open_bonds = [(k, name, effort)]
        while open_bonds:
            k, name, effort = open_bonds.pop()
            bond = self.graph.bonds[k]
            to = name if effort else (bond.tail if name == bond.head else bond.head)
            if self.effort_to.get(k, to) != to:
                raise CausalityError(self._contradiction(k, name, effort))
            if k not in self.effort_to:
                self.effort_to[k] = to
                for node in (bond.tail, bond.head):
                    open_bonds += self._follows(node)

    def _contradiction(self, k: int, name: str, effort: bool) -> str:
        bond, what = self.graph.bonds[k], "effort" if effort else "flow"
        other = bond.tail if name == bond.head else bond.head
        told = [
            self.graph.bonds[j].tail
            if self.graph.bonds[j].head == other
            else self.graph.bonds[j].head
            for j in self.graph.bonds_of(other)
            if j != k and j in self.effort_to
        ]
        also = f", as {', '.join(map(repr, told))} say" if told else ""
        return (
            f"causal conflict on the bond {bond.tail!r} → {bond.head!r} of {self.graph.name!r}: "
            f"{name!r} must be given the {what}, and so must {other!r}{also}"
        )

    def _follows(self, node: str) -> list[tuple[int, str, bool]]:
        """Return what is known of the bonds at a node, those that contradict included."""
        element, bonds = self.graph.elements[node], self.graph.bonds_of(node)
        if element.kind in JUNCTIONS:
            return self._at_junction(element, bonds)
        if element.kind in ("TF", "GY") and len(bonds) == 2:
            known = [k for k in bonds if k in self.effort_to]
            turned = element.kind == "TF"
            return [
                (other, node, (self.effort_to[k] == node) != turned)
                for k in known
                for other in bonds
                if other != k
            ]
        return []

    def _at_junction(self, element: Element, bonds: list[int]) -> list[tuple[int, str, bool]]:
        # the one bond that tells is given as flow to a 1-junction and as effort to a 0-junction
        told_by_effort = element.kind == "0"
        telling = [
            k
            for k in bonds
            if k in self.effort_to and (self.effort_to[k] == element.name) == told_by_effort
        ]
        if telling:
            others = [k for k in bonds if k != telling[0]]
            return [(k, element.name, not told_by_effort) for k in others]
        rest = [k for k in bonds if k not in self.effort_to]
        if len(rest) == 1:
            return [(rest[0], element.name, told_by_effort)]
        if not rest:
            what = "effort" if told_by_effort else "flow"
            raise CausalityError(
                f"causal conflict at {element.name!r}: no bond brings it the {what}"
            )
        return []


def _needs(graph: BondGraph, effort_to: tuple[str, ...]) -> dict[Variable, tuple[Variable, ...]]:
    """Return for each variable of each bond those from which it is computed."""
    needs: dict[Variable, tuple[Variable, ...]] = {}
    for k in range(len(graph.bonds)):
        for what in "ef":
            given_to = effort_to[k] if what == "e" else _other(graph, k, effort_to[k])
            computed_by = _other(graph, k, given_to)
            needs[k, what] = tuple(_inputs(graph, effort_to, computed_by, k, what))
    return needs


def _other(graph: BondGraph, k: int, name: str) -> str:
    bond = graph.bonds[k]
    return bond.tail if name == bond.head else bond.head


def _inputs(
    graph: BondGraph, effort_to: tuple[str, ...], node: str, k: int, what: str
) -> list[Variable]:
    """Return what a node computes a variable of bond k from."""
    element, bonds = graph.elements[node], graph.bonds_of(node)
    if element.kind in (*STORAGE, "Se", "Sf"):
        return []
    if element.kind == "R" or len(bonds) == 1:
        return [(k, "f" if what == "e" else "e")]
    others = [each for each in bonds if each != k]
    if element.kind in JUNCTIONS:
        same = "f" if element.kind == "1" else "e"
        if what != same:
            return [(each, what) for each in others]
        given = (
            effort_to
            if same == "e"
            else tuple(_other(graph, j, x) for j, x in enumerate(effort_to))
        )
        return [(each, same) for each in others if given[each] == node]
    (other,) = others
    if element.kind == "TF":
        return [(other, what)]
    if element.kind == "GY":
        return [(other, "f" if what == "e" else "e")]
    into = graph.bonds[k].head == node  # RS: R on the bond in, entropy on the bond out
    first = k if into else other
    known = "e" if effort_to[first] == node else "f"
    return [(first, known)] if into else [(first, known), (k, "e")]


def _loops(
    graph: BondGraph, needs: dict[Variable, tuple[Variable, ...]]
) -> tuple[tuple[str, ...], ...]:
    """Return the circles of who needs whom, by the elements whose bonds all are in them."""
    from scipy.sparse.csgraph import connected_components  # slow to import, and only needed here

    place = {variable: i for i, variable in enumerate(needs)}
    depends = np.zeros((len(place), len(place)), bool)
    for variable, needed in needs.items():
        for each in needed:
            depends[place[variable], place[each]] = True
    count, member = connected_components(depends, directed=True, connection="strong")
    found = []
    for circle in range(count):
        inside = [v for v, i in place.items() if member[i] == circle]
        if len(inside) > 1:
            nodes = [n for k, _ in inside for n in (graph.bonds[k].tail, graph.bonds[k].head)]
            names = dict.fromkeys(n for n in nodes if graph.elements[n].kind not in JUNCTIONS)
            found.append(tuple(names) or tuple(dict.fromkeys(nodes)))
    return tuple(found)


# Elements of bond graphs: what they store, lose, give and pass on (Duindam 2006, appendix B.2).


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
