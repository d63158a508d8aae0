"""The numbers of a model: exact, or symbols with a dictionary back to the exact numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy

from tarsus.arrays import Array
from tarsus.model.description import Coupling
from tarsus.symbolic.exact import exact, exact_array
from tarsus.symbolic.recursions import Values

AXES = "xyz"


class Parameters:
    """Makes numbers exact; `symbolic` ones become symbols, but zeros stay: they are structure."""

    def __init__(self, *, symbolic: bool) -> None:
        self.symbolic = symbolic
        self.values: dict[Any, Any] = {}

    def __call__(
        self, name: str, value: float, scale: float = 0.0, *, positive: bool = False
    ) -> Any:
        """Return a number as `exact` makes it, or the symbol `name` for it."""
        number = exact(value, scale)
        if not self.symbolic or number == 0:
            return number
        # "n_a_b" may be the ratio of joint a to joint b, or that of a joint a_b
        while name in {symbol.name for symbol in self.values}:
            name += "_"
        symbol = sympy.Symbol(name, positive=True) if positive else sympy.Symbol(name, real=True)
        self.values[symbol] = number
        return symbol

    def vector(self, name: str, values: Array) -> Values:
        """Return a vector (3,) of lengths."""
        numbers = [self(f"{name}_{x}", value, 1.0) for x, value in zip(AXES, values, strict=True)]
        return np.array(numbers, dtype=object)

    def symmetric(self, name: str, values: Array) -> Values:
        """Return a symmetric matrix (3, 3)."""
        result, scale = np.zeros((3, 3), dtype=object), float(np.abs(values).max())
        for i in range(3):
            for j in range(i, 3):
                number = self(f"{name}_{AXES[i]}{AXES[j]}", values[i, j], scale)
                result[i, j] = result[j, i] = number
        return result

    def gravity(self, values: Array) -> Values:
        """Return the acceleration of free fall (3,), g times a direction."""
        size = float(np.linalg.norm(values))
        if size == 0.0:
            return exact_array(values)
        return np.asarray(exact_array(values / size) * self("g", size, positive=True))

    def ratios(self, coupling: Coupling, leaders: Values) -> Values:
        """Return the positions of followers by a linear coupling."""
        assert coupling.matrix is not None
        matrix = np.zeros(coupling.matrix.shape, dtype=object)
        for i, follower in enumerate(coupling.followers):
            for j, leader in enumerate(coupling.leaders):
                name = f"n_{follower}" + (f"_{leader}" if len(coupling.leaders) > 1 else "")
                matrix[i, j] = self(name, coupling.matrix[i, j])
        follow = matrix @ leaders
        return follow if coupling.offset is None else follow + exact_array(coupling.offset)
