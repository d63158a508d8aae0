"""From floating-point numbers to exact ones, where it is safe."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from numpy.typing import ArrayLike

from tarsus.symbolic.recursions import Values

ROUNDING = 1e-15
"""Relative errors that are taken for rounding."""
DENOMINATOR = 10_000
DIGITS = 12


def exact(value: float, scale: float = 0.0) -> Any:
    """Return a number of SymPy: r, r√2 or r√3 with a simple fraction r, if there is one.

    Sines and cosines of π/6, π/4, π/3 and π/2 become exact this way. Other decimals of few digits
    become fractions, too, and the rest stays a floating-point number with all its digits. What is
    rounding beside `scale` is zero.
    """
    number = float(value)
    if abs(number) <= ROUNDING * scale or number == 0.0:
        return sympy.Integer(0)
    for root in (1, 2, 3):
        ratio = Fraction(number / math.sqrt(root)).limit_denominator(DENOMINATOR)
        if abs(float(ratio) * math.sqrt(root) - number) <= ROUNDING * abs(number):
            return sympy.Rational(ratio.numerator, ratio.denominator) * sympy.sqrt(root)
    mantissa = repr(number).partition("e")[0]
    if sum(character.isdigit() for character in mantissa) <= DIGITS:
        return sympy.Rational(repr(number))
    return sympy.Float(number, 17)


def exact_array(values: ArrayLike, scale: float = 1.0) -> Values:
    """Return an array of exact numbers; `scale` as for `exact`."""
    array = np.asarray(values, dtype=np.float64)
    flat = [exact(value, scale) for value in array.ravel()]
    return np.array(flat, dtype=object).reshape(array.shape)
