"""From a bond graph with causality to linear equations of all its efforts and flows.

All efforts and flows z of the bonds follow from each other and from what storage and sources
give, w = (∂H, u): z = T z + W w. Without algebraic loops T is nilpotent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.arrays import Array
from tarsus.ports.bond_elements import SOURCES, STORAGE, Element
from tarsus.ports.causality import Causality, Variable
from tarsus.ports.domains import PortError, slices

if TYPE_CHECKING:
    from tarsus.ports.bond_graph import BondGraph


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
