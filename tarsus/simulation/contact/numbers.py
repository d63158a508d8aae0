"""Checks of the numbers of contact laws."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence

import numpy as np

from tarsus.model.checks import suggestion

COUNTED = 2**53
"""Integers up to this are numbers, too."""


def positive(value: float, name: str, *, zero: bool = False) -> None:
    """Raise unless `value` is a finite number above zero, or zero where that is allowed."""
    try:
        good = math.isfinite(value) and (value > 0.0 or (zero and value == 0.0))
    except (TypeError, OverflowError):
        good = None
    if good is None or isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}, must be a number")
    if not good:
        raise ValueError(f"{name} is {value}, must be {'zero or more' if zero else 'positive'}")


def count(value: int, name: str, least: int = 1, most: int = COUNTED) -> None:
    """Raise unless `value` is an integer from `least` to `most`."""
    try:
        found = operator.index(value)
    except TypeError:
        found = None
    if found is None or isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}, must be an integer")
    if found < least:
        raise ValueError(f"{name} is {value}, must be at least {least}")
    if found > most:
        raise ValueError(f"{name} is {value}, must be at most {most}")


def flag(value: bool, name: str) -> bool:
    """Return `value`, if it is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {value!r}, must be True or False")
    return bool(value)


def threads_of(value: int) -> int:
    """Return the number of threads, if that is one."""
    count(value, "threads", most=1024)
    return operator.index(value)


def choice(value: str, valid: Sequence[str], name: str) -> None:
    """Raise unless `value` is one of the valid words."""
    if value not in valid:
        raise ValueError(f"unknown {name} {value!r}{suggestion(value, valid)}")
