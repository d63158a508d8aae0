"""The port-Hamiltonian system of a bond graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus._lib.files import Array
from tarsus.ports.causality import SOURCES, STORAGE, Causality, Element, Variable
from tarsus.ports.port_system import Hamiltonian, last_call
from tarsus.ports.structure import Kind, Port, PortError, Structure, slices

if TYPE_CHECKING:
    from tarsus.ports.bond_graph import BondGraph


# The explicit equations of a bond graph with causality, as a port-Hamiltonian system.
#
# The rates of what is stored and the outputs at the sources are rows of the efforts and flows of
# the bonds, which follow from what storage and sources give: [ẋ; −y] = N (∂H, u), of which
# `Structure` takes the skew and the dissipating part.


class BondSystem(Hamiltonian):
    """A bond graph as explicit equations; its states have the names of the storage elements."""

    def __init__(self, graph: BondGraph, causality: Causality, *, solve: bool) -> None:
        _refuse(graph, causality, solve)
        self.graph, self.causality, self.name = graph, causality, graph.name
        self._assembly = assembly = Assembly(graph, causality)
        self._stored = {e.name: assembly.w[e.name] for e in assembly.storage}
        self.n = assembly.n
        self.states = tuple(
            name if at.stop - at.start == 1 else f"{name}[{k - at.start}]"
            for name, at in self._stored.items()
            for k in range(at.start, at.stop)
        )
        self.example = np.ones(self.n)
        self._set_ports(tuple(_port(element) for element in assembly.sources))
        self._rows = assembly.rows()
        moving = any(e.modulated or e.kind == "RS" for e in graph.elements.values())
        self.constant = not moving
        self._fixed = None if moving else assembly.variables({}, np.zeros(self.n))
        fixed = self._fixed
        self._constant = None if fixed is None else Structure.of(self._rows @ fixed, self.n)
        self.check(self.example)

    def energy(self, x: Array) -> float:
        """Return the sum of what all storage has [J]."""
        return sum(self.stores(x).values())

    def stores(self, x: Array) -> dict[str, float]:
        """Return the energy of each storage element [J]."""
        return {
            e.name: float(e.energy(x[self._stored[e.name]]))
            for e in self._assembly.storage
            if e.energy is not None
        }

    def gradient(self, x: Array) -> Array:
        """Return what storage gives: flows of I, efforts of C."""
        parts = [e.gradient(x[self._stored[e.name]]) for e in self._assembly.storage if e.gradient]
        return np.concatenate([np.zeros(0), *parts])

    def structure(self, x: Array) -> Structure:
        """Return the matrices at a state."""
        if self._constant is not None:
            return self._constant
        return Structure.of(self._rows @ self._variables(x), self.n)

    def losses(self, x: Array, u: Array) -> dict[str, float]:
        """Return the power that each resistance takes [W]."""
        powers, assembly = self.bond_powers(x, u), self._assembly
        names = [e.name for e in assembly.elements.values() if e.kind == "R"]
        return {name: float(powers[assembly.at[name][0]]) * assembly.sign(name) for name in names}

    def bond_powers(self, x: Array, u: Array) -> Array:
        """Return eᵀ f of each bond [W], positive in its direction."""
        z = self._variables(x) @ np.concatenate([self.gradient(x), u])
        half, starts = (
            len(z) // 2,
            [self._assembly.z[k, "e"].start for k in range(len(self._assembly.bonds))],
        )
        return np.add.reduceat(z[:half] * z[half:], starts)  # all efforts, then all flows

    def signals(self, x: Array) -> dict[str, Any]:
        """Return the states by the names of their elements, as modulation is given them."""
        parts = {name: x[at] for name, at in self._stored.items()}
        return {name: float(own[0]) if len(own) == 1 else own for name, own in parts.items()}

    def equations(self) -> str:
        """Return the assignments in an order in which they can be computed, as text."""
        if self.causality.loops:
            raise PortError(f"{self.name!r} has algebraic loops: there is no such order")
        lines = [self._assignment(variable) for variable in self.causality.order()]
        for e in self._assembly.storage:
            for k in self._assembly.at[e.name]:
                what = "e" if e.kind == "I" else "f"
                rate = _signed(self._assembly.sign(e.name, k), self._text((k, what)))
                lines.append(f"d {e.name}/dt = {rate.removeprefix('+')}")
        return "\n".join(lines)

    @last_call
    def _variables(self, x: Array) -> Array:
        """Return the efforts and flows of all bonds for each of (∂H, u)."""
        if self._fixed is not None:
            return self._fixed
        return self._assembly.variables(self.signals(x), self.gradient(x))

    def _text(self, variable: Variable) -> str:
        k, what = variable
        bond = self._assembly.bonds[k]
        return f"{what}({bond.tail}→{bond.head})"

    def _assignment(self, variable: Variable) -> str:
        k, what = variable
        element = self._assembly.maker(variable)
        left, needed = self._text(variable), self.causality.needs[variable]
        if element.kind in STORAGE:
            return f"{left} = ∂H/∂{element.name}"
        if element.kind in SOURCES:
            return f"{left} = {element.name}"
        if element.kind in ("0", "1"):
            same = what == ("e" if element.kind == "0" else "f")
            own = -self._assembly.sign(element.name, k)
            signs = [1.0 if same else own * self._assembly.sign(element.name, j) for j, _ in needed]
            terms = [_signed(s, self._text(v)) for s, v in zip(signs, needed, strict=True)]
            return f"{left} = {' '.join(terms).removeprefix('+')}"
        inner = ", ".join(map(self._text, needed))
        return f"{left} = {element.label} {element.name}({inner})"


def _signed(sign: float, text: str) -> str:
    return f"{'+' if sign > 0.0 else '−'}{text}"


def _port(element: Element) -> Port:
    takes: Kind = "effort" if element.kind == "Se" else "flow"
    value = element.value if element.value is not None else 0.0
    if callable(value):
        raise PortError(f"{element.kind} {element.name!r}: give functions of time to simulate")
    return Port(element.name, element.domains[0], takes, element.sizes[0], value)


def _refuse(graph: BondGraph, causality: Causality, solve: bool) -> None:
    if causality.derivative:
        names = ", ".join(map(repr, causality.derivative))
        raise PortError(
            f"derivative causality in {graph.name!r}: {names} cannot integrate, others say already "
            "what it stores; join it with them, or put a spring or a resistance between"
        )
    if causality.loops and not solve:
        loops = "; ".join(", ".join(map(repr, loop)) for loop in causality.loops)
        raise PortError(
            f"algebraic loop in {graph.name!r} through {loops}; put storage into it, or solve it "
            "with loops='solve'"
        )


# From a bond graph with causality to linear equations of all its efforts and flows.
#
# All efforts and flows z of the bonds follow from each other and from what storage and sources
# give, w = (∂H, u): z = T z + W w. Without algebraic loops T is nilpotent.


class Assembly:
    """The equations of a graph: where its variables are, and what they are made from."""

    def __init__(self, graph: BondGraph, causality: Causality) -> None:
        self.name, self.causality = graph.name, causality
        self.elements, self.bonds = dict(graph.elements), list(graph.bonds)
        self.at = {name: graph.bonds_of(name) for name in graph.elements}
        self.storage = [e for e in self.elements.values() if e.kind in STORAGE]
        self.sources = [e for e in self.elements.values() if e.kind in SOURCES]
        given = {e.name: e.sizes[0] * len(self.at[e.name]) for e in (*self.storage, *self.sources)}
        self.w = dict(zip(given, slices(given.values()), strict=True))
        """Where storage and sources are in (∂H, u)."""
        self.n = sum(given[e.name] for e in self.storage)
        self.width = sum(given.values())
        variables = [(k, what) for what in "ef" for k in range(len(self.bonds))]
        where = slices(self.bonds[k].size for k, _ in variables)
        self.z = dict(zip(variables, where, strict=True))
        """Where the variables are in z."""
        self.count = 2 * sum(bond.size for bond in self.bonds)

    def maker(self, variable: Variable) -> Element:
        """Return the element that computes a variable."""
        k, what = variable
        bond, to = self.bonds[k], self.causality.effort_to[k]
        other = bond.tail if to == bond.head else bond.head
        return self.elements[other if what == "e" else to]

    def sign(self, name: str, k: int | None = None) -> float:
        """Return 1 where positive power of a bond, the first unless told, goes into an element."""
        return self.bonds[self.at[name][0] if k is None else k].sign(name)

    def rows(self) -> Array:
        """Return which variables are rates of storage, and −y of sources, (n + m, variables)."""
        rows = np.zeros((self.width, self.count))
        for element in (*self.storage, *self.sources):
            first = self.w[element.name].start
            for k in self.at[element.name]:
                # of efforts in, the other variable comes out: e goes into I, f into C
                what = "e" if element.kind in ("I", "Sf") else "f"
                one = self.sign(element.name, k) * np.eye(self.bonds[k].size)
                rows[first : first + len(one), self.z[k, what]] = one
                first += len(one)
        return rows

    def variables(self, signals: dict[str, Any], slope: Array) -> Array:
        """Return z (variables, n + m) for each of (∂H, u), at states and a gradient."""
        if not any(element.kind == "RS" for element in self.elements.values()):
            return self._solved(signals, None)
        return self._solved(signals, self._entropy_ratios(signals, slope))

    def _solved(self, signals: dict[str, Any], ratios: dict[str, float] | None) -> Array:
        T, W = np.zeros((self.count, self.count)), np.zeros((self.count, self.width))
        for variable in self.z:
            self._assign(T, W, variable, signals, ratios)
        try:
            return np.asarray(np.linalg.solve(np.eye(self.count) - T, W))
        except np.linalg.LinAlgError:
            loops = "; ".join(", ".join(map(repr, loop)) for loop in self.causality.loops)
            raise PortError(f"the algebraic loops of {self.name!r} are singular: {loops}") from None

    def _assign(
        self,
        T: Array,
        W: Array,
        variable: Variable,
        signals: dict[str, Any],
        ratios: dict[str, float] | None,
    ) -> None:
        """Write the row of a variable: what it is of other variables, or of storage and sources."""
        k, what = variable
        row, bond, element = self.z[variable], self.bonds[k], self.maker(variable)
        needed, one = self.causality.needs[variable], np.eye(bond.size)
        if element.name in self.w:
            first = self.w[element.name].start + bond.size * self.at[element.name].index(k)
            W[row, first : first + bond.size] = one
        elif element.kind in ("0", "1"):
            same = what == ("e" if element.kind == "0" else "f")
            for j, _ in needed:
                turn = -bond.sign(element.name) * self.bonds[j].sign(element.name)
                T[row, self.z[j, what]] += one if same else turn * one
        elif element.kind == "RS" and ratios is not None:
            self._assign_entropy(T, variable, element, ratios)
        else:
            for each in needed:
                T[row, self.z[each]] += self._passed(element, variable, each, signals)

    def _passed(
        self, element: Element, to: Variable, source: Variable, signals: dict[str, Any]
    ) -> Array:
        """Return the matrix by which R, TF or GY makes one variable of another."""
        (k, what), (j, _), X = to, source, element.matrix(signals)
        if element.kind in ("R", "RS"):
            sign = self.bonds[k].sign(element.name)
            if element.kind == "RS" and sign < 0.0:
                return np.zeros((1, 1))  # entropy: when R f / T is known
            return sign * (X if what == "e" else _inverse(X, element))
        if j == k:
            return self.bonds[k].sign(element.name) * X  # a gyrator with one bond
        out = self.bonds[k].tail == element.name
        if element.kind == "GY":
            if what == "e":
                return X if out else X.T
            return _inverse(X.T, element) if out else _inverse(X, element)
        forward = (what == "f") == (element.given == "flow")
        if forward:
            return X if out else _inverse(X, element)
        return _inverse(X.T, element) if out else X.T

    def _assign_entropy(
        self,
        T: Array,
        variable: Variable,
        element: Element,
        ratios: dict[str, float],
    ) -> None:
        """Write a row of RS as what it is: a transformer, or gyrator, modulated by itself."""
        k, _ = variable
        into = next(j for j in self.at[element.name] if self.bonds[j].head == element.name)
        out = next(j for j in self.at[element.name] if j != into)
        by_flow = self.causality.effort_to[into] != element.name
        source = (out, "e") if k == into else (into, "f" if by_flow else "e")
        T[self.z[variable], self.z[source]] += ratios[element.name]

    def _entropy_ratios(self, signals: dict[str, Any], slope: Array) -> dict[str, float]:
        """Return R f / T, or e / (R T), of each RS: first its R alone gives f or e."""
        elements = [e for e in self.elements.values() if e.kind == "RS"]
        z = self._solved(signals, None)
        found = {}
        for element in elements:
            into, out = sorted(
                self.at[element.name], key=lambda j: self.bonds[j].head != element.name
            )
            by_flow = self.causality.effort_to[into] != element.name
            own = z[self.z[into, "f" if by_flow else "e"]][0]
            temperature = z[self.z[out, "e"]][0]
            if own[self.n :].any() or temperature[self.n :].any():
                raise PortError(
                    f"RS {element.name!r} depends on a source at once: put an I or C between them"
                )
            kelvin = float(temperature[: self.n] @ slope)
            if kelvin <= 0.0:
                raise PortError(f"RS {element.name!r} is given the temperature {kelvin:.3g} K")
            R, value = float(element.matrix(signals)[0, 0]), float(own[: self.n] @ slope)
            if R < 0.0:
                raise PortError(f"RS {element.name!r} would make energy of heat: R is {R:.3g}")
            found[element.name] = R * value / kelvin if by_flow else value / (R * kelvin)
        return found


def _inverse(X: Array, element: Element) -> Array:
    try:
        return np.asarray(np.linalg.inv(X))
    except np.linalg.LinAlgError:
        raise PortError(
            f"{element.label} {element.name!r} must be turned round: {X.tolist()} has no inverse"
        ) from None
