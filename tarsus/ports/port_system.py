"""What all systems with ports have in common, and the explicit ones: Duindam 2006, (B.1), (B.2)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.model.checks import ByName
from tarsus.ports.domains import Port, PortError, distinct, slices
from tarsus.ports.structure import Structure


@dataclass(frozen=True)
class Balance:
    """Powers at a state [W]: stored = supplied − lost + residual."""

    stored: float
    """Rate of the energy along the motion."""
    supplied: Mapping[str, float]
    """What each port brings in."""
    lost: Mapping[str, float]
    """What each part dissipates; below zero where it makes power."""

    @property
    def residual(self) -> float:
        """What comes from nowhere: zero but for rounding if the structure is right."""
        return self.stored - sum(self.supplied.values()) + sum(self.lost.values())


class PortSystem(ABC):
    """A system with a state x (nx,), an energy H(x) [J] and power ports u, y (m,)."""

    name: str
    ports: tuple[Port, ...]
    states: tuple[str, ...]
    """Names of the numbers of x."""

    def _set_ports(self, ports: tuple[Port, ...]) -> None:
        distinct([port.name for port in ports], "port")
        self.ports = ports
        self.m = sum(port.size for port in ports)
        """How many inputs there are."""
        where = zip(ports, slices(port.size for port in ports), strict=True)
        self._inputs = ByName(f"port of {self.name}", ((port.name, at) for port, at in where))

    @property
    def nx(self) -> int:
        """How many numbers the state has."""
        return len(self.states)

    def port(self, name: str) -> Port:
        """Return the port `name`."""
        return ByName(f"port of {self.name}", ((port.name, port) for port in self.ports))[name]

    def at(self, name: str) -> slice:
        """Return where the port `name` is in u and y."""
        return self._inputs[name]

    @abstractmethod
    def energy(self, x: Array) -> float:
        """Return H [J] of a state (nx,)."""

    @abstractmethod
    def rates(self, x: ArrayLike, u: ArrayLike | None = None) -> Array:
        """Return ẋ (nx,); without u (m,) the inputs are the values of the ports."""

    @abstractmethod
    def outputs(self, x: ArrayLike, u: ArrayLike | None = None) -> Array:
        """Return y (m,)."""

    @abstractmethod
    def losses(self, x: Array, u: Array) -> dict[str, float]:
        """Return the power that each part dissipates [W]."""

    def stores(self, x: Array) -> dict[str, float]:
        """Return the energy of each part [J]."""
        return {self.name: self.energy(x)}

    def retract(self, x: Array) -> Array:
        """Return the state (nx,) brought back to its manifold after a step."""
        return x

    def intakes(self, u: Array, y: Array) -> dict[str, float]:
        """Return the power that each port brings in [W]."""
        return {name: float(y[at] @ u[at]) for name, at in self._inputs.items()}

    def exchanges(self, x: Array, u: Array) -> dict[str, float]:
        """Return the power that ports inside bring into their own part [W]."""
        return {}

    def state(self, x: ArrayLike) -> Array:
        """Return x as finite numbers (nx,)."""
        array = np.asarray(x, float)
        if array.shape != (self.nx,):
            names = ", ".join(self.states)
            raise PortError(
                f"x has shape {array.shape}, must be ({self.nx},) for {self.name!r}: {names}"
            )
        if not np.isfinite(array).all():
            where = self.states[int(np.argmin(np.isfinite(array)))]
            raise PortError(f"x of {self.name!r} is not finite: {where} is {array.tolist()}")
        return array

    def inputs(self, u: ArrayLike | None) -> Array:
        """Return u as numbers (m,), the values of the ports for None."""
        if u is None:
            return np.concatenate([port.input() for port in self.ports] or [np.zeros(0)])
        array = np.asarray(u, float)
        array = array.reshape(1) if array.shape == () and self.m == 1 else array
        if array.shape != (self.m,):
            names = ", ".join(map(str, self.ports))
            raise PortError(
                f"u has shape {array.shape}, must be ({self.m},) for {self.name!r}: {names}"
            )
        return array

    def __repr__(self) -> str:
        ports = ", ".join(map(str, self.ports)) or "none"
        return (
            f"<tarsus.ports.{type(self).__name__} {self.name!r}: {self.nx} states, ports {ports}>"
        )


class Hamiltonian(PortSystem):
    """An explicit port-Hamiltonian system: an energy, its gradient, and matrices at a state.

    Gradients (n,) and matrices are along tangent steps, as many as the state has freedom; `lift`
    makes rates of the state from them. For vector states both are the same.
    """

    passive: bool = True
    """Whether losses must not be negative."""
    constant: bool = False
    """Whether the matrices are the same at all states."""
    n: int
    """How many tangent steps there are."""
    example: Array
    """A state (nx,) at which everything can be evaluated."""

    @abstractmethod
    def gradient(self, x: Array) -> Array:
        """Return ∂H (n,) along tangent steps."""

    @abstractmethod
    def structure(self, x: Array) -> Structure:
        """Return J, R, G, P, K and S at a state."""

    def lift(self, x: Array, rate: Array) -> Array:
        """Return ẋ (nx,) of a tangent rate (n,)."""
        return rate

    def rates(self, x: ArrayLike, u: ArrayLike | None = None) -> Array:
        """Return ẋ (nx,); without u (m,) the inputs are the values of the ports."""
        x, u = self.state(x), self.inputs(u)
        s = self.structure(x)
        return self.lift(x, (s.J - s.R) @ self.gradient(x) + (s.G - s.P) @ u)

    def outputs(self, x: ArrayLike, u: ArrayLike | None = None) -> Array:
        """Return y (m,)."""
        x, u = self.state(x), self.inputs(u)
        s = self.structure(x)
        return np.asarray((s.G + s.P).T @ self.gradient(x) + (s.K + s.S) @ u)

    def losses(self, x: Array, u: Array) -> dict[str, float]:
        """Return the power that is dissipated [W]."""
        both = np.concatenate([self.gradient(x), u])
        return {self.name: float(both @ self.structure(x).losses @ both)}

    def balance(self, x: ArrayLike, u: ArrayLike | None = None) -> Balance:
        """Return Ḣ = yᵀu − losses, each term computed by itself (Duindam 2006, (B.2))."""
        x, u = self.state(x), self.inputs(u)
        s, slope = self.structure(x), self.gradient(x)
        stored = float(slope @ ((s.J - s.R) @ slope + (s.G - s.P) @ u))
        return Balance(stored, self.intakes(u, self.outputs(x, u)), self.losses(x, u))

    def check(self, x: ArrayLike) -> None:
        """Raise `PortError` that says what of the structure is wrong at a state (nx,)."""
        found = self.structure(self.state(x)).faults(self.passive)
        if found:
            raise PortError(f"{self.name!r} at x = {np.asarray(x).tolist()}: {'; '.join(found)}")

    def classes(self, x: ArrayLike) -> tuple[str, ...]:
        """Return which special classes it is of at a state.

        "conserving": nothing is lost; "strictly proper": y does not depend on u directly;
        "static": no state, y = (K + S) u.
        """
        s = self.structure(self.state(x))
        tests = {
            "conserving": not s.losses.any(),
            "strictly proper": not (s.K.any() or s.S.any()),
            "static": not self.nx,
        }
        return tuple(name for name, holds in tests.items() if holds)
