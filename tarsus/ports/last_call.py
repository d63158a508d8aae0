"""A method that remembers its last result: rates, outputs and losses of one state share it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from tarsus.arrays import Array

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
