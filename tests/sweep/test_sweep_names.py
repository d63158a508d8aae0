"""Journals tell studies apart by all that is bound to their functions, or refuse them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tarsus as ts

GRID = {"a": [1, 2]}


class Thing:
    """An object whose repr has its address."""

    def __init__(self, factor: float = 1.0) -> None:
        self.factor = factor

    def times(self, a: int) -> float:
        return self.factor * a

    def __call__(self, a: int) -> float:
        return self.factor * a


class Known(Thing):
    """One that says what it is."""

    def fingerprint(self) -> str:
        return f"factor {self.factor!r}"


@dataclass(frozen=True)
class Said:
    """One whose repr has its content."""

    factor: float

    def __call__(self, a: int) -> float:
        return self.factor * a


def scaled(a: int, thing: Any) -> float:
    return float(thing.factor * a)


def first(a: int, things: Any) -> float:
    return float(next(iter(things)).factor * a)


def closure(factor: Any) -> Callable[[int], float]:
    return lambda a: float(np.sum(factor)) * a


def defaults(factor: float) -> Callable[[int], float]:
    return lambda a, factor=factor: factor * a


def wrapped(factor: float) -> Callable[[int], float]:
    inner = closure(factor)

    @functools.wraps(scaled)
    def outer(a: int) -> float:
        return inner(a)

    del outer.__wrapped__  # type: ignore[attr-defined]  # its arguments are others
    return outer


MAKERS: dict[str, Callable[[float], Callable[[int], float]]] = {
    "closure": closure,
    "closure over an array": lambda factor: closure(np.array([factor, 0.0])),
    "defaults": defaults,
    "closure over a function": wrapped,
    "cache": lambda factor: functools.lru_cache(closure(factor)),
    "callable that is known": Known,
    "callable that says what it is": Said,
    "method": lambda factor: Known(factor).times,
    "partial": lambda factor: functools.partial(scaled, thing=Known(factor)),
    "partial with a list": lambda factor: functools.partial(first, things=[Said(factor)]),
    "partial of a closure": lambda factor: functools.partial(closure(factor)),
}


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS.keys())
def test_other_studies_are_refused(
    maker: Callable[[float], Callable[[int], float]], tmp_path: Path
) -> None:
    assert ts.sweep(maker(2.0), GRID, checkpoint=tmp_path).results == [2.0, 4.0]
    again = ts.sweep(maker(2.0), GRID, checkpoint=tmp_path)  # another object with this content
    assert (again.resumed, again.results) == (2, [2.0, 4.0])
    with pytest.raises(ts.JournalError, match="its function is"):
        ts.sweep(maker(3.0), GRID, checkpoint=tmp_path)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (Thing(2.0), "the object that is called, of type Thing"),
        (Thing(2.0).times, "the object of the method, of type Thing"),
        (functools.partial(scaled, thing=Thing(2.0)), "thing, of type Thing"),
        (functools.partial(first, things=[Thing(2.0)]), "things, entry 0, of type Thing"),
        (functools.partial(first, things={Thing(2.0): 1}), "things, of type Thing"),
        ((lambda thing: lambda a: thing.factor * a)(Thing(2.0)), "thing, of type Thing"),
    ],
    ids=["callable", "method", "partial", "list", "dictionary", "closure"],
)
def test_what_nothing_is_known_of_needs_another_way(
    function: Callable[[int], float], words: str, tmp_path: Path
) -> None:
    assert ts.sweep(function, GRID).results == [2.0, 4.0]  # without a journal it does not matter
    folder = tmp_path / "study"
    with pytest.raises(ValueError, match=f"checkpoint: .*{words}.*fingerprint"):
        ts.sweep(function, GRID, checkpoint=folder)
    assert not folder.exists()


def test_models_that_are_bound_are_told_apart(tmp_path: Path) -> None:
    def bodies(a: int, model: ts.Model) -> int:
        return a * model.n_bodies

    lola, other = ts.robots.lola(), ts.robots.random_mechanism(0, 4)
    bound = functools.partial(bodies, model=lola)
    assert ts.sweep(bound, GRID, checkpoint=tmp_path).results[0] == lola.n_bodies
    again = functools.partial(bodies, model=ts.robots.lola())
    assert ts.sweep(again, GRID, checkpoint=tmp_path).resumed == 2
    with pytest.raises(ts.JournalError, match="its function is"):
        ts.sweep(functools.partial(bodies, model=other), GRID, checkpoint=tmp_path)


def test_functions_that_call_themselves_have_names(tmp_path: Path) -> None:
    def factorial(a: int) -> int:
        return a * factorial(a - 1) if a else later

    later = 1
    assert ts.sweep(factorial, {"a": [4]}, checkpoint=tmp_path).results == [24]


def test_fingerprints_are_texts(tmp_path: Path) -> None:
    class Wrong(Thing):
        def fingerprint(self) -> int:
            return 3

    with pytest.raises(TypeError, match=r"fingerprint\(\) of .*Wrong is 3"):
        ts.sweep(Wrong(), GRID, checkpoint=tmp_path)
