"""The check of a number of bodies, so that a slip of the keyboard does not fill the memory."""

from __future__ import annotations

import operator
from typing import SupportsIndex

LARGEST = 100_000
"""The most bodies of a mechanism made here."""


def checked_size(value: SupportsIndex, name: str, least: int = 1, most: int = LARGEST) -> int:
    """Return `value` as an integer from `least` to `most`, or raise `ValueError`."""
    try:
        size = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} is {value!r}, must be an integer") from None
    if not least <= size <= most:
        raise ValueError(f"{name} is {size}, must be from {least} to {most}")
    return size
