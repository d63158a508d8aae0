"""Interconnection of port-Hamiltonian systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from tarsus._lib.checks import find
from tarsus._lib.files import Array
from tarsus.ports.port_system import Hamiltonian, last_call
from tarsus.ports.structure import Matrix, Port, PortError, Structure, matrix_function, slices

# `ts.ports.connect`: systems joined at their ports are a port-Hamiltonian system again.
#
# A link from port a to port b with the matrix X says u_b = … + X y_a, u_a = … − Xᵀ y_b: no power is
# made or lost in it (Duindam 2006, (B.3)). All links together are a skew matrix W, and
#
#     u = W y + E u_n,   y = z + D u,   z = (G + P)ᵀ ∂H,   D = K + S,   y_n = Eᵀ y.
#
# Where D closes no circle through W, u follows from one port to the next, (1 − W D)⁻¹ is a finite
# sum, and the whole is of the form (B.1) again, with the energies added up: (B.5) is a special
# case.


@dataclass(frozen=True)
class Evaluated:
    """The matrices of connected systems at a state."""

    structure: Structure
    gives: Array
    """From ∂H to the outputs z without feedthrough."""
    feedthrough: Array
    """D, from inputs to outputs."""
    into: Array
    """From z to the inputs of all ports."""
    through: Array
    """From u to the inputs of all ports."""


class Connected(Hamiltonian):
    """Systems joined at their ports; its state is theirs, one after the other."""

    def __init__(
        self,
        systems: Mapping[str, Hamiltonian],
        links: Sequence[Link],
        ports: Sequence[str] | None,
        name: str,
    ) -> None:
        self.name, self.systems = name, dict(systems)
        self.passive = all(system.passive for system in self.systems.values())
        self.n = sum(system.n for system in self.systems.values())
        self.example = np.concatenate([system.example for system in self.systems.values()])
        self.states = tuple(f"{k}.{x}" for k, s in self.systems.items() for x in s.states)
        inner = {f"{k}.{p.name}": p for k, s in self.systems.items() for p in s.ports}
        self._inner = dict(zip(inner, slices(p.size for p in inner.values()), strict=True))
        self._state_slices = dict(
            zip(self.systems, slices(s.nx for s in self.systems.values()), strict=True)
        )
        self._links = [checked_link(each, inner) for each in links]
        self.constant = all(system.constant for system in self.systems.values())
        self.constant &= not any(callable(each.matrix) for each in links)
        self._once: Evaluated | None = None
        outer = _outer(ports, inner, links)
        total = sum(port.size for port in inner.values())
        self._E = np.zeros((total, 0))
        for key in outer:
            self._E = np.hstack([self._E, np.eye(total)[:, self._inner[key]]])
        self._set_ports(
            tuple(
                Port(key, port.domain, port.takes, port.size, port.value)
                for key in outer
                for port in [inner[key]]
            )
        )

    def part(self, x: Array, name: str) -> Array:
        """Return the state of one of the systems, from that of all."""
        return np.asarray(x[..., find(self._state_slices, name, f"system in {self.name!r}")])

    def energy(self, x: Array) -> float:
        """Return the sum of the energies [J]."""
        return sum(self.stores(x).values())

    def stores(self, x: Array) -> dict[str, float]:
        """Return the energy of each system [J]."""
        return {k: s.energy(x[self._state_slices[k]]) for k, s in self.systems.items()}

    @last_call
    def gradient(self, x: Array) -> Array:
        """Return ∂H (n,), one system after the other."""
        return np.concatenate(
            [s.gradient(x[self._state_slices[k]]) for k, s in self.systems.items()]
        )

    def lift(self, x: Array, rate: Array) -> Array:
        """Return ẋ (nx,) of a tangent rate (n,)."""
        found, first = [], 0
        for k, s in self.systems.items():
            own = x[self._state_slices[k]]
            found.append(s.lift(own, rate[first : first + s.n]))
            first += s.n
        return np.concatenate(found)

    def retract(self, x: Array) -> Array:
        """Return the state (nx,) with each system's own brought back to its manifold."""
        return np.concatenate(
            [s.retract(x[self._state_slices[k]]) for k, s in self.systems.items()]
        )

    def structure(self, x: Array) -> Structure:
        """Return the matrices of the whole."""
        return self._evaluated(x).structure

    def losses(self, x: Array, u: Array) -> dict[str, float]:
        """Return the power that each system dissipates [W]."""
        inner, _ = self.inner(x, u)
        found, first = {}, 0
        for k, s in self.systems.items():
            own = s.losses(x[self._state_slices[k]], inner[first : first + s.m])
            found[k] = sum(own.values())
            first += s.m
        return found

    def exchanges(self, x: Array, u: Array) -> dict[str, float]:
        """Return the power that each port brings into its own system [W]."""
        inner, outputs = self.inner(x, u)
        return {key: float(inner[at] @ outputs[at]) for key, at in self._inner.items()}

    @last_call
    def inner(self, x: Array, u: Array) -> tuple[Array, Array]:
        """Return inputs and outputs of all ports of all systems, one after the other."""
        at = self._evaluated(x)
        z = at.gives @ self.gradient(x)
        inputs = at.into @ z + at.through @ u
        return inputs, z + at.feedthrough @ inputs

    def _evaluated(self, x: Array) -> Evaluated:
        if not self.constant:
            return self._at(x)
        if self._once is None:
            self._once = self._at(x)
        return self._once

    @last_call
    def _at(self, x: Array) -> Evaluated:
        from scipy.linalg import block_diag  # slow to import, and only needed here

        found = [s.structure(x[self._state_slices[k]]) for k, s in self.systems.items()]
        inner = block_diag(*(s.J - s.R for s in found))
        taken, gives = (
            _stacked([s.G - s.P for s in found]),
            _stacked([s.G + s.P for s in found]).T,
        )
        D = block_diag(*(s.K + s.S for s in found))
        into, through = self._solved(x, D)
        A, B = inner + taken @ into @ gives, taken @ through
        C = self._E.T @ (gives + D @ into @ gives)
        total = np.block([[A, B], [-C, -self._E.T @ D @ through]])
        return Evaluated(Structure.of(total, len(A)), gives, D, into, through)

    def _solved(self, x: Array, D: Array) -> tuple[Array, Array]:
        """Return what makes the inner inputs of the outputs z without feedthrough, and of u."""
        W = np.zeros((len(self._E), len(self._E)))
        for a, b, matrix in self._links:
            i, j, X = self._inner[a], self._inner[b], matrix(x)
            W[j, i] += X
            W[i, j] -= X.T
        _refuse_loops(W, D, self._inner)
        solved = np.linalg.inv(np.eye(len(W)) - W @ D)
        return solved @ W, solved @ self._E


def connect(
    systems: Mapping[str, Hamiltonian],
    links: Sequence[Link],
    *,
    ports: Sequence[str] | None = None,
    name: str = "connected",
) -> Connected:
    """Return systems joined at their ports as one system.

    `links` name ports as "system.port". `ports` are those that stay open, the ones without a link
    unless stated; a port with links may stay open, too: then its input adds to theirs. Ports of
    different domains, ports that take the same, and algebraic loops are refused by name.
    """
    if not systems:
        raise PortError("there are no systems to connect")
    for key, system in systems.items():
        if not isinstance(system, Hamiltonian):
            raise TypeError(f"{key!r} is of type {type(system).__name__}, must be a ports.System")
    whole = Connected(systems, links, ports, name)
    whole.check(whole.example)
    return whole


def _stacked(blocks: Sequence[Array]) -> Array:
    """Return blocks (n, m) on a diagonal, also where n or m is zero."""
    rows, columns = (sum(block.shape[k] for block in blocks) for k in (0, 1))
    found, i, j = np.zeros((rows, columns)), 0, 0
    for block in blocks:
        found[i : i + block.shape[0], j : j + block.shape[1]] = block
        i, j = i + block.shape[0], j + block.shape[1]
    return found


def _outer(
    ports: Sequence[str] | None, inner: Mapping[str, Port], links: Sequence[Link]
) -> list[str]:
    if ports is None:
        linked = {name for each in links for name in (each.a, each.b)}
        return [key for key in inner if key not in linked]
    for key in ports:
        find(inner, key, "port")
    return list(ports)


def _refuse_loops(W: Array, D: Array, inner: Mapping[str, slice]) -> None:
    """Raise if an input depends on itself by feedthrough alone."""
    from scipy.sparse.csgraph import connected_components  # slow to import, and only needed here

    depends = (W != 0.0) @ (D != 0.0)
    count, member = connected_components(depends, directed=True, connection="strong")
    for k in range(count):
        circle = np.flatnonzero(member == k)
        if len(circle) > 1 or depends[circle[0], circle[0]]:
            names = [
                key for key, at in inner.items() if set(range(at.start, at.stop)) & set(circle)
            ]
            raise PortError(
                f"an algebraic loop: the inputs of {', '.join(map(repr, names))} depend on "
                f"themselves at once; one system of a link must be strictly proper (K = S = 0)"
            )


# Links of ports: none makes or loses power, and none joins what does not fit.
#
# A link from port a to port b with the matrix X says u_b = … + X y_a, u_a = … − Xᵀ y_b: the power
# that goes in at one comes out at the other (Duindam 2006, (B.3)).


LinkKind: TypeAlias = Literal["link", "transformer", "gyrator"]


@dataclass(frozen=True, eq=False)
class Link:
    """Two ports joined, "system.port" each; made by `link`, `transformer` and `gyrator`."""

    a: str
    b: str
    matrix: Matrix
    kind: LinkKind


def link(a: str, b: str, *, sign: float = 1.0) -> Link:
    """Return a link of two ports of one domain, of which one takes what the other gives.

    u_b = sign · y_a and u_a = −sign · y_b. Several links at one port add up.
    """
    if sign not in (1.0, -1.0):
        raise PortError(f"the sign of the link of {a!r} and {b!r} is {sign}, must be 1 or −1")
    return Link(a, b, sign, "link")


def transformer(a: str, b: str, ratio: Matrix) -> Link:
    """Return a link u_b = X y_a, u_a = −Xᵀ y_b with X = `ratio`, a number or a matrix, or a
    function of the state of all systems. One port takes efforts, the other flows."""
    return Link(a, b, ratio, "transformer")


def gyrator(a: str, b: str, ratio: Matrix) -> Link:
    """Return a link u_b = X y_a, u_a = −Xᵀ y_b of two ports that both take efforts, or flows."""
    return Link(a, b, ratio, "gyrator")


def checked_link(
    each: Link, inner: Mapping[str, Port]
) -> tuple[str, str, Callable[[Array], Array]]:
    """Return a link's ports and its matrix as a function of the state of all."""
    a, b = find(inner, each.a, "port"), find(inner, each.b, "port")
    pair = (
        f"{each.a!r} ({a.domain}, gives {a.answer}) and {each.b!r} ({b.domain}, takes {b.quantity})"
    )
    if each.a == each.b:
        raise PortError(f"port {each.a!r} cannot be joined to itself")
    if each.kind == "link" and a.domain != b.domain:
        raise PortError(
            f"{pair} are of different domains: only a transformer or gyrator joins them"
        )
    if each.kind != "gyrator" and a.takes == b.takes:
        raise PortError(
            f"{pair} both take {a.takes}s: one of two joined ports must take what the other gives"
        )
    if each.kind == "gyrator" and a.takes != b.takes:
        raise PortError(f"{pair}: a gyrator joins two ports that both take efforts, or flows")
    if each.kind == "link":
        if a.size != b.size:
            raise PortError(f"{pair} have the sizes {a.size} and {b.size}")
        constant = float(np.asarray(each.matrix)) * np.eye(a.size)
        return each.a, each.b, lambda x: constant
    matrix: Matrix = each.matrix
    if not callable(matrix) and np.ndim(matrix) == 0 and a.size == b.size:
        matrix = float(np.asarray(matrix)) * np.eye(a.size)
    what = f"the ratio of the {each.kind} of {each.a!r} and {each.b!r}"
    return each.a, each.b, matrix_function(matrix, (b.size, a.size), what)
