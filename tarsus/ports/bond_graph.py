"""`ts.ports.BondGraph`: elements and bonds, put together by name.

    g = ts.ports.BondGraph("mass on a spring")
    g.one("v", "translation")
    g.I("mass", "translation", 2.0)
    g.C("spring", "translation", stiffness=50.0)
    g.bond("v", "mass")
    g.bond("v", "spring")
    system = g.system()

Duindam 2006, appendix B.2; D. Karnopp, D. Margolis, R. Rosenberg, "System Dynamics", 1999.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import find
from tarsus._lib.files import Array
from tarsus.ports.causality import (
    JUNCTIONS,
    TWO_PORTS,
    Bond,
    Causality,
    Element,
    Modulated,
    assign,
    quadratic,
)
from tarsus.ports.gradients import Gradient, gradient_of
from tarsus.ports.structure import PortError, domain_of

if TYPE_CHECKING:
    from tarsus.ports.bond_system import BondSystem


class BondGraph:
    """A graph of elements and the bonds through which they exchange power."""

    def __init__(self, name: str = "graph") -> None:
        self.name = name
        self.elements: dict[str, Element] = {}
        self.bonds: list[Bond] = []

    def I(  # noqa: E743
        self,
        name: str,
        domain: str,
        inertia: ArrayLike | None = None,
        *,
        energy: Callable[[Array], float] | None = None,
        gradient: Gradient = "differences",
        size: int = 1,
        ports: int = 1,
    ) -> None:
        """Add an inertia: ẋ = e, f = ∂H/∂x, with ½ xᵀ I⁻¹ x or an `energy` of your own.

        With several `ports` the state has the momenta of all of them, in the order of the bonds.
        """
        self._store("I", name, domain, inertia, None, energy, gradient, size, ports)

    def C(
        self,
        name: str,
        domain: str,
        capacity: ArrayLike | None = None,
        *,
        stiffness: ArrayLike | None = None,
        energy: Callable[[Array], float] | None = None,
        gradient: Gradient = "differences",
        size: int = 1,
        ports: int = 1,
    ) -> None:
        """Add a spring or capacitor: ẋ = f, e = ∂H/∂x, with ½ xᵀ x / capacity, ½ stiffness xᵀ x or
        an `energy` of your own."""
        self._store("C", name, domain, capacity, stiffness, energy, gradient, size, ports)

    def Q(self, name: str, domain: str, *, size: int = 1) -> None:
        """Add a displacement: the integral of a flow, for modulation; it stores nothing."""
        zero = (lambda x: 0.0), (lambda x: np.zeros(size))
        self._store("C", name, domain, None, None, *zero, size, 1)

    def R(self, name: str, domain: str, resistance: Modulated, *, size: int = 1) -> None:
        """Add a resistance e = R f, R ≥ 0: a number, a matrix, or a function of states."""
        self._add(Element(name, "R", (domain, domain), (size, size), value=resistance))

    def RS(self, name: str, domain: str, resistance: Modulated) -> None:
        """Add a resistance e = R f whose heat goes out as entropy, R f² / T, on a thermal bond."""
        self._add(Element(name, "RS", (domain, "thermal"), (1, 1), 2, resistance))

    def Se(self, name: str, domain: str, value: ArrayLike = 0.0, *, size: int = 1) -> None:
        """Add a source of effort: a port of the system; `value` is its input unless stated."""
        self._add(Element(name, "Se", (domain, domain), (size, size), value=value))

    def Sf(self, name: str, domain: str, value: ArrayLike = 0.0, *, size: int = 1) -> None:
        """Add a source of flow: a port of the system; `value` is its input unless stated."""
        self._add(Element(name, "Sf", (domain, domain), (size, size), value=value))

    def TF(
        self,
        name: str,
        domains: tuple[str, str],
        *,
        flow: Modulated | None = None,
        effort: Modulated | None = None,
        sizes: tuple[int, int] = (1, 1),
    ) -> None:
        """Add a transformer between a bond in and a bond out.

        With `flow` X: f_out = X f_in, e_in = Xᵀ e_out. With `effort` X: e_out = X e_in,
        f_in = Xᵀ f_out. X is a number, a matrix (out, in), or a function of states.
        """
        if (flow is None) == (effort is None):
            raise PortError(f"TF {name!r} needs one of flow= and effort=")
        given: Literal["effort", "flow"] = "effort" if flow is None else "flow"
        self._add(Element(name, "TF", domains, sizes, 2, effort if flow is None else flow, given))

    def GY(
        self,
        name: str,
        domains: tuple[str, str],
        ratio: Modulated,
        *,
        sizes: tuple[int, int] = (1, 1),
        one_port: bool = False,
    ) -> None:
        """Add a gyrator: e_out = X f_in, e_in = Xᵀ f_out, X = `ratio` (out, in).

        With `one_port` it has one bond, e = X f, and X is skew: no power at all.
        """
        element = Element(name, "GY", domains, sizes, 1 if one_port else 2, ratio)
        if one_port and not element.modulated:
            X = element.matrix({})
            if np.abs(X + X.T).max() > 1e-12 * np.abs(X).max(initial=1.0):
                raise PortError(f"GY {name!r} with one port is not skew: {X.tolist()}")
        self._add(element)

    def zero(self, name: str, domain: str, *, size: int = 1) -> None:
        """Add a 0-junction: one effort for all, flows add up to zero."""
        self._add(Element(name, "0", (domain, domain), (size, size), None))

    def one(self, name: str, domain: str, *, size: int = 1) -> None:
        """Add a 1-junction: one flow for all, efforts add up to zero."""
        self._add(Element(name, "1", (domain, domain), (size, size), None))

    def bond(self, tail: str, *heads: str) -> None:
        """Add bonds from one element to others; power is positive in this direction."""
        for head in heads:
            a, b = (find(self.elements, name, "element") for name in (tail, head))
            if tail == head:
                raise PortError(f"{tail!r} cannot be bonded to itself")
            # the bond leaves `a` by its second side and enters `b` by its first
            sides = (a.domains[1], a.sizes[1]), (b.domains[0], b.sizes[0])
            if sides[0][0] != sides[1][0]:
                raise PortError(
                    f"{a.label} {tail!r} gives {_power(sides[0][0])}, {b.label} {head!r} takes "
                    f"{_power(sides[1][0])}: only TF or GY join different domains"
                )
            if sides[0][1] != sides[1][1]:
                raise PortError(
                    f"a bond of {tail!r} has {sides[0][1]} numbers, of {head!r} {sides[1][1]}"
                )
            self.bonds.append(Bond(tail, head, sides[0][1], sides[0][0]))

    def bonds_of(self, name: str) -> list[int]:
        """Return the numbers of the bonds at an element, in the order in which they were added."""
        return [k for k, bond in enumerate(self.bonds) if name in (bond.tail, bond.head)]

    def causality(self) -> Causality:
        """Return which way efforts and flows are computed, and what stands in the way."""
        self._check()
        return assign(self)

    def system(self, *, loops: Literal["refuse", "solve"] = "refuse") -> BondSystem:
        """Return the explicit equations as a port-Hamiltonian system, a port for each source.

        Storage that depends on other storage is refused by name, and so are algebraic loops, which
        `loops="solve"` solves instead: they are linear.
        """
        from tarsus.ports.bond_system import BondSystem

        if loops not in ("refuse", "solve"):
            raise PortError(f"loops is {loops!r}, must be 'refuse' or 'solve'")
        return BondSystem(self, self.causality(), solve=loops == "solve")

    def plot(self, path: str | Path | None = None, **options: Any) -> Any:
        """Draw the graph with half arrows and causal strokes; `path` writes a picture."""
        from tarsus.ports.plots import draw_bond_graph as draw

        return draw(self, path, **options)

    def _store(
        self,
        kind: Literal["I", "C"],
        name: str,
        domain: str,
        value: ArrayLike | None,
        stiffness: ArrayLike | None,
        energy: Callable[[Array], float] | None,
        gradient: Gradient,
        size: int,
        ports: int,
    ) -> None:
        if sum(each is not None for each in (value, stiffness, energy)) != 1:
            raise PortError(f"{kind} {name!r} needs one of a value, a stiffness and an energy")
        if domain == "thermal" and kind == "I":
            raise PortError(f"I {name!r}: heat has no inertia")
        total = size * ports
        if energy is None:
            Q = quadratic(name, kind, value, stiffness, total)
            energy, slope = (lambda x: 0.5 * float(x @ Q @ x)), (lambda x: Q @ x)
        else:
            tried = np.random.default_rng(0).normal(size=(3, total))
            tried = np.abs(tried) + 1.0 if domain == "thermal" else tried
            slope = gradient_of(energy, gradient, tried, f"{kind} {name!r}")
        element = Element(
            name, kind, (domain, domain), (size, size), ports, energy=energy, gradient=slope
        )
        self._add(element)

    def _add(self, element: Element) -> None:
        if element.name in self.elements:
            raise PortError(f"there are two elements of the name {element.name!r}")
        for domain in element.domains:
            domain_of(domain, f"{element.label} {element.name!r}")
        if element.kind == "R" and not element.modulated:
            R = element.matrix({})
            if np.linalg.eigvalsh((R + R.T) / 2.0)[0] < 0.0:
                raise PortError(f"R {element.name!r} is not ≥ 0: {R.tolist()}")
        self.elements[element.name] = element

    def _check(self) -> None:
        for name, element in self.elements.items():
            bonds = [self.bonds[k] for k in self.bonds_of(name)]
            into = sum(bond.head == name for bond in bonds)
            if element.ports is not None and len(bonds) != element.ports:
                raise PortError(
                    f"{element.label} {name!r} has {len(bonds)} bonds, must have {element.ports}"
                )
            if element.kind in TWO_PORTS and element.ports == 2 and into != 1:
                raise PortError(f"{element.label} {name!r} needs one bond in and one bond out")
            if element.kind in JUNCTIONS and len(bonds) < 2:
                raise PortError(f"{element.label}-junction {name!r} has {len(bonds)} bonds")
        if not self.bonds:
            raise PortError(f"{self.name!r} has no bonds")


def _power(domain: str) -> str:
    found = domain_of(domain, "a bond")
    return f"{found.effort} and {found.flow}"
