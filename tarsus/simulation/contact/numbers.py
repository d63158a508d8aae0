"""Checks of the numbers of contact laws."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence

from tarsus._lib.checks import LARGEST, count, suggestion


def positive(value: float, name: str, *, zero: bool = False, infinite: bool = False) -> None:
    """Raise unless `value` is a finite number above zero; zero or infinity where allowed."""
    if infinite and value == math.inf:
        return
    try:
        good = math.isfinite(value) and (value > 0.0 or (zero and value == 0.0))
    except (TypeError, OverflowError):
        good = None
    if good is None or isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}, must be a number")
    if not good:
        raise ValueError(f"{name} is {value}, must be {'zero or more' if zero else 'positive'}")
    if value > LARGEST:
        raise ValueError(f"{name} is {value}, must be at most {LARGEST:g}")


def threads_of(value: int) -> int:
    """Return the number of threads, if that is one."""
    if type(value) is not int or not 1 <= value <= 1024:
        count(value, "threads", most=1024)
    return operator.index(value)


def choice(value: str, valid: Sequence[str], name: str) -> None:
    """Raise unless `value` is one of the valid words."""
    if value not in valid:
        raise ValueError(f"unknown {name} {value!r}{suggestion(value, valid)}")
