"""The explicit equations of a bond graph with causality, as a port-Hamiltonian system.

The rates of what is stored and the outputs at the sources are rows of the efforts and flows of
the bonds, which follow from what storage and sources give: [ẋ; −y] = N (∂H, u), of which
`Structure` takes the skew and the dissipating part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.arrays import Array
from tarsus.ports.bond_assembly import Assembly
from tarsus.ports.bond_elements import SOURCES, STORAGE, Element
from tarsus.ports.causality import Causality, Variable
from tarsus.ports.domains import Kind, Port, PortError
from tarsus.ports.last_call import last_call
from tarsus.ports.port_system import Hamiltonian
from tarsus.ports.structure import Structure

if TYPE_CHECKING:
    from tarsus.ports.bond_graph import BondGraph


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
