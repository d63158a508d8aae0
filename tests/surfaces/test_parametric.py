"""Surfaces by formulas: what is wrong with one is said by name."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from saddle import saddle, saddle_first, saddle_second

from tarsus._lib.files import Array
from tarsus.geometry import surfaces as sf

Formula = Callable[[Array], Array]


def changed(function: Formula, entry: tuple[int, ...], by: float) -> Formula:
    def other(u: Array) -> Array:
        found = function(u)
        found[(..., *entry)] += by
        return found

    return other


def made(first: Formula = saddle_first, second: Formula = saddle_second) -> sf.Parametric:
    return sf.Parametric(saddle, first, second, low=[-1, -1], high=[1, 1])


@pytest.mark.parametrize("entry", [(0, 0), (1, 0), (2, 1)])
@pytest.mark.parametrize("by", [1e-4, -0.3])
def test_a_wrong_first_derivative_is_named(entry: tuple[int, int], by: float) -> None:
    axis, k = entry
    name = rf"first\[{axis}, {k}\], ∂{'xyz'[axis]}/∂u{k}, is .* off by {abs(by):.3g}"
    with pytest.raises(ValueError, match=name):
        made(first=changed(saddle_first, entry, by))


@pytest.mark.parametrize("entry", [(0, 0, 0), (2, 0, 1), (2, 1, 1)])
def test_a_wrong_second_derivative_is_named(entry: tuple[int, int, int]) -> None:
    axis, i, k = entry
    name = rf"second\[{axis}, {i}, {k}\], ∂²{'xyz'[axis]}/∂u{i}∂u{k}, is .* off by 0.001"
    with pytest.raises(ValueError, match=name):
        made(second=changed(saddle_second, entry, 1e-3))


def test_what_is_not_a_number_is_named() -> None:
    with pytest.raises(ValueError, match=r"second\[2, 1, 1\] is nan at u = \["):
        made(second=changed(saddle_second, (2, 1, 1), np.nan))
    with pytest.raises(ValueError, match=r"function\[0\] is inf at u = \["):
        sf.Parametric(
            changed(saddle, (0,), np.inf), saddle_first, saddle_second, low=[-1, -1], high=[1, 1]
        )


def test_a_number_that_is_lost_later_is_named_too() -> None:
    def hollow(u: Array) -> Array:
        return np.where(np.abs(u[:, :1] - 0.123) < 1e-9, np.nan, saddle(u))

    surface = sf.Parametric(hollow, saddle_first, saddle_second, low=[-1, -1], high=[1, 1])
    with pytest.raises(ValueError, match=r"function\[0\] is nan at u = \[0.123, 0.0\]"):
        surface.point([0.123, 0.0])


def test_shapes_and_charts_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match=r"first returned shape \(24, 3\)"):
        made(first=saddle)
    with pytest.raises(TypeError, match="second is 3, must be a function"):
        made(second=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="low must be below high"):
        sf.Parametric(saddle, saddle_first, saddle_second, low=[1, 1], high=[-1, 1])

    def line(u: Array) -> Array:
        return np.repeat(u.sum(axis=1, keepdims=True), 3, axis=1)

    def line_first(u: Array) -> Array:
        return np.ones((len(u), 3, 2))

    def line_second(u: Array) -> Array:
        return np.zeros((len(u), 3, 2, 2))

    with pytest.raises(ValueError, match="the chart is singular at u"):
        sf.Parametric(line, line_first, line_second, low=[0, 0], high=[1, 1])
