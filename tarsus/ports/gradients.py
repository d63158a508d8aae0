"""Gradients of energies: given, by complex steps or by differences, and checked when stated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.differences import derivative
from tarsus._lib.files import Array
from tarsus.ports.structure import PortError

Energy: TypeAlias = Callable[[Array], float]
Gradient: TypeAlias = Callable[[Array], ArrayLike] | Literal["differences", "complex"]

GradientFunction: TypeAlias = Callable[[Array], Array]

AGREEMENT = 1e-6
"""How far a gradient may be from differences, relative to its size and that of the energy."""


def by_differences(energy: Energy) -> GradientFunction:
    """Return the gradient by central differences of sixth order."""

    def gradient(x: Array) -> Array:
        def along(k: int) -> Array:
            unit = np.zeros(len(x))
            unit[k] = max(1.0, abs(x[k]))  # steps are relative to large numbers
            return np.asarray(derivative(lambda step: energy(x + float(step) * unit)) / unit[k])

        return np.array([float(along(k)) for k in range(len(x))])

    return gradient


def by_complex_step(energy: Energy) -> GradientFunction:
    """Return the gradient by complex steps: exact, if the energy is analytic as it is written.

    J. Lyness, C. Moler, "Numerical differentiation of analytic functions", SIAM Journal on
    Numerical Analysis 4(2), 1967.
    """

    def gradient(x: Array) -> Array:
        tiny = 1e-200
        steps = np.eye(len(x)) * (tiny * 1j)
        return np.array([np.imag(energy(x + step)) / tiny for step in steps])

    return gradient


def gradient_of(energy: Energy, gradient: Gradient, states: Array, what: str) -> GradientFunction:
    """Return the gradient as a function, checked against differences at states (k, n)."""
    compared = by_differences(energy)
    if gradient == "differences":
        for x in states:
            _finite(compared(x), x, f"the energy of {what} by differences")
        return compared
    if gradient == "complex":
        function: Callable[[Array], ArrayLike] = by_complex_step(energy)
    elif callable(gradient):
        function = gradient
    else:
        raise PortError(f"gradient is {gradient!r}, must be a function, 'differences' or 'complex'")
    for x in states:
        value, expected = np.asarray(function(x), float), compared(x)
        if value.shape != x.shape:
            raise PortError(f"the gradient of {what} has shape {value.shape}, must be {x.shape}")
        _finite(value, x, f"the gradient of {what}")
        error = np.abs(value - expected)
        scale = max(float(np.abs(expected).max(initial=0.0)), 1e-3 * abs(float(energy(x))), 1e-12)
        if error.max(initial=0.0) > AGREEMENT * scale:
            k = int(np.argmax(error))
            raise PortError(
                f"the gradient of {what} is wrong: ∂H/∂x[{k}] is {value[k]:.9g} at "
                f"x = {np.array2string(x, precision=4)}, differences give {expected[k]:.9g}"
            )
    return lambda x: np.asarray(function(x), float)


def _finite(value: Array, x: Array, what: str) -> None:
    if not np.isfinite(value).all():
        raise PortError(
            f"{what} is not finite at x = {np.array2string(x, precision=4)}; "
            f"state with at=… where it is"
        )
