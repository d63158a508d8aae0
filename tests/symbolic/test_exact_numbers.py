"""Exact numbers: only where they are meant, and never another number."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy

from tarsus.model.symbolic.joints import exact, exact_array


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0.1, "1/10"),
        (9.81, "981/100"),
        (1.015 / 12, "203/2400"),
        (1.234567e-7, "1.234567e-7"),
        (0.1 + 0.2, "3/10"),
        (math.cos(math.pi / 3), "1/2"),
        (-math.sin(math.pi / 3), "-sqrt(3)/2"),
        (math.sin(math.pi / 4), "sqrt(2)/2"),
        (1 / math.sqrt(3), "sqrt(3)/3"),
        (0.0, "0"),
    ],
)
def test_nice_numbers(number: float, expected: str) -> None:
    assert exact(number) == sympy.sympify(expected, rational=True)


def test_rounding_is_zero_beside_a_scale() -> None:
    assert exact(math.cos(math.pi / 2), 1.0) == 0
    assert exact(1e-20) == sympy.Rational("1e-20")
    turn = np.array([[math.cos(math.pi / 2), -1.0], [1.0, math.cos(math.pi / 2)]])
    assert exact_array(turn).tolist() == [[0, -1], [1, 0]]


def test_other_numbers_keep_their_value() -> None:
    """No random number is taken for a nice one, and printed digits are enough to read it back."""
    for number in np.random.default_rng(0).normal(size=2000).tolist():
        found = exact(number)
        assert found.is_Float
        assert float(str(found)) == number
