"""Functions of gaits refuse what is no walker."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tarsus as ts

CALLS: dict[str, Callable[[Any], object]] = {
    "limit_cycle": ts.gait.limit_cycle,
    "limit_cycles": ts.gait.limit_cycles,
    "continuation": lambda walker: ts.gait.continuation(walker, "slope", to=0.1),
    "doublings": lambda walker: ts.gait.doublings(walker, "slope", to=0.1),
    "attractor": lambda walker: ts.gait.attractor(walker, "slope", [0.1], "hip"),
    "optimize": ts.gait.optimize,
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_model_is_refused_with_the_way_to_a_walker(call: Callable[[Any], object]) -> None:
    with pytest.raises(TypeError, match=r"walker is the model 'compass'.*Walker\(model, feet="):
        call(ts.robots.compass())


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_other_objects_are_refused(call: Callable[[Any], object]) -> None:
    with pytest.raises(TypeError, match=r"walker is of type int, must be a tarsus\.Walker"):
        call(3)
