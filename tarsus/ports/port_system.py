"""Port-Hamiltonian systems: the base class, and explicit systems."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import ByName
from tarsus._lib.files import Array
from tarsus.ports.gradients import Energy, Gradient, gradient_of
from tarsus.ports.structure import (
    Matrix,
    Port,
    PortError,
    Structure,
    distinct,
    matrix_function,
    slices,
)

# What all systems with ports have in common, and the explicit ones: Duindam 2006, (B.1), (B.2).


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


# `ts.ports.System`: a port-Hamiltonian system stated by its energy and its matrices.


TRIED = 4
"""At how many random states a system is checked when it is made, unless told where."""


class System(Hamiltonian):
    """ẋ = (J − R) ∂H + (G − P) u, y = (G + P)ᵀ ∂H + (K + S) u (Duindam 2006, (B.1)).

    `energy` is H(x) [J], or a symmetric matrix Q (n, n) for ½ xᵀ Q x, or None for nothing stored.
    `states` are names, or how many there are. J, R (n, n), G, P (n, m), K, S (m, m) are constants
    or functions of x, zero unless stated. `gradient` is ∂H/∂x as a function, or "differences"
    (sixth order), or "complex" steps. `ports` divide u and y; without them there is one, "u".

    Shapes, symmetries, signs and the gradient are checked at the states `at` (k, n), random ones
    near zero unless stated. `passive=False` allows R and S that make power: audits tell how much.
    """

    def __init__(
        self,
        energy: Energy | ArrayLike | None,
        states: Sequence[str] | int,
        *,
        J: Matrix | None = None,
        R: Matrix | None = None,
        G: Matrix | None = None,
        P: Matrix | None = None,
        K: Matrix | None = None,
        S: Matrix | None = None,
        gradient: Gradient = "differences",
        ports: Sequence[Port] | None = None,
        at: ArrayLike | None = None,
        passive: bool = True,
        name: str = "system",
    ) -> None:
        self.name, self.passive = name, passive
        self.states = (
            tuple(f"x{k}" for k in range(states)) if isinstance(states, int) else tuple(states)
        )
        distinct(self.states, "state")
        n = self.n = len(self.states)
        tried = np.random.default_rng(0).normal(size=(TRIED, n)) if at is None else _states(at, n)
        self.example = tried[0]
        self._set_ports(_ports(ports, G, K, S, self.example))
        shapes = {"J": (n, n), "R": (n, n), "G": (n, self.m), "P": (n, self.m)}
        shapes |= {"K": (self.m, self.m), "S": (self.m, self.m)}
        stated = zip("JRGPKS", (J, R, G, P, K, S), strict=True)
        self._matrices = [matrix_function(value, shapes[key], key) for key, value in stated]
        self.constant = not any(map(callable, (J, R, G, P, K, S)))
        self._fixed = self._evaluated(tried[0])
        self._energy, gradient = _energy(energy, n, gradient)
        self._gradient = gradient_of(self._energy, gradient, tried, f"{name!r}")
        for x in tried:
            self.check(x)

    def energy(self, x: Array) -> float:
        """Return H [J] of a state (nx,)."""
        return float(self._energy(x))

    def gradient(self, x: Array) -> Array:
        """Return ∂H/∂x (n,)."""
        return self._gradient(x)

    def structure(self, x: Array) -> Structure:
        """Return J, R, G, P, K and S at a state."""
        return self._fixed if self.constant else self._evaluated(x)

    def _evaluated(self, x: Array) -> Structure:
        return Structure(*(matrix(x) for matrix in self._matrices))


def _states(at: ArrayLike, n: int) -> Array:
    tried = np.atleast_2d(np.asarray(at, float))
    if tried.shape[-1] != n or tried.ndim != 2:
        raise PortError(f"at has shape {tried.shape}, must be (…, {n})")
    return tried


def _ports(
    ports: Sequence[Port] | None,
    G: Matrix | None,
    K: Matrix | None,
    S: Matrix | None,
    x: Array,
) -> tuple[Port, ...]:
    """Return the ports, or one that is as large as the matrices say."""
    if ports is not None:
        return tuple(ports)
    for value in (G, K, S):
        if value is not None:
            shape = np.shape(value(x) if callable(value) else value)
            return (Port("u", size=shape[-1] if shape else 1),)
    return ()


def _energy(
    energy: Energy | ArrayLike | None, n: int, gradient: Gradient
) -> tuple[Energy, Gradient]:
    """Return the energy as a function, with its gradient where that is known."""
    if energy is None:
        return (lambda x: 0.0), (lambda x: np.zeros(n))
    if callable(energy):
        return energy, gradient
    Q = np.asarray(energy, float)
    Q = Q.reshape(1, 1) if Q.shape == () and n == 1 else Q
    if Q.shape != (n, n):
        raise PortError(f"energy has shape {Q.shape}, must be a function or a matrix ({n}, {n})")
    if np.abs(Q - Q.T).max(initial=0.0) > 1e-12 * np.abs(Q).max(initial=0.0):
        raise PortError(f"energy is a matrix that is not symmetric: {Q.tolist()}")
    return (lambda x: 0.5 * (x @ Q @ x)), (lambda x: Q @ x)


# A method that remembers its last result: rates, outputs and losses of one state share it.


Result = TypeVar("Result")


def last_call(method: Callable[..., Result]) -> Callable[..., Result]:
    """Return a method of arrays that computes nothing anew while they have the same numbers."""
    key = f"_last_{method.__name__}"

    @wraps(method)
    def called(self: Any, *arrays: Array) -> Result:
        numbers = tuple(array.tobytes() for array in arrays)
        before = self.__dict__.get(key)
        if before is not None and before[0] == numbers:
            result: Result = before[1]
            return result
        found = method(self, *arrays)
        for array in found if isinstance(found, tuple) else (found,):
            if isinstance(array, np.ndarray):
                array.flags.writeable = False  # it may be given out again
        self.__dict__[key] = numbers, found
        return found

    return called
