"""Checks of the numbers of contact laws."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence

from tarsus.model.checks import suggestion


def positive(value: float, name: str, *, zero: bool = False) -> None:
    """Raise unless `value` is a finite number above zero, or zero where that is allowed."""
    try:
        good = math.isfinite(value) and (value > 0.0 or (zero and value == 0.0))
    except TypeError:
        raise TypeError(f"{name} is {value!r}, must be a number") from None
    if not good:
        raise ValueError(f"{name} is {value}, must be {'zero or more' if zero else 'positive'}")


def count(value: int, name: str, least: int = 1) -> None:
    """Raise unless `value` is an integer of at least `least`."""
    try:
        good = operator.index(value) >= least
    except TypeError:
        raise TypeError(f"{name} is {value!r}, must be an integer") from None
    if not good:
        raise ValueError(f"{name} is {value}, must be at least {least}")


def choice(value: str, valid: Sequence[str], name: str) -> None:
    """Raise unless `value` is one of the valid words."""
    if value not in valid:
        raise ValueError(f"unknown {name} {value!r}{suggestion(value, valid)}")
