"""Arrays of any kind go into every algorithm: an answer or an error that is meant comes out.

Shapes, types, strides, alignment, overlap with the result, NaN and infinities. Whatever happens,
the model computes the same bits afterwards.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from trials import outcomes, seeds

import tarsus as ts

sys.path.append(str(Path(__file__).parent.parent / "dynamics"))
from calls import Algorithm, algorithms, arguments

REFUSED = (ValueError, TypeError, ArithmeticError)
"""What wrong arrays lead to; arithmetic errors where a loop cannot be closed or mass is missing."""

NUMBERS = (0.0, -0.0, 1e-320, 1e-9, 1.0, -1e9, 1e160, 1e308, np.inf, -np.inf, np.nan)


@cache
def models() -> tuple[ts.Model, ...]:
    """Return small machines with every kind of joint, clusters, rotors and loops."""
    kinds = [kind for kind in ts.model.kinds.KINDS if kind != "fixed"]
    return (
        ts.robots.random_mechanism(7, 24, kinds),
        ts.robots.mini_cheetah(),
        ts.robots.strandbeest_leg(),
        ts.robots.four_bar(),
        ts.robots.chain(1),
    )


def spoiled(rng: np.random.Generator, array: np.ndarray) -> Any:
    """Return something like the array, of another value, type, shape or place in memory."""
    ways = (
        lambda: array,
        lambda: np.where(rng.random(array.shape) < 0.1, rng.choice(NUMBERS), array),
        lambda: array * rng.choice(NUMBERS),
        lambda: array.astype(rng.choice(["f4", "i8", "c16", "O", "?", "U3", ">f8", "f2"])),
        lambda: array[..., : rng.integers(array.shape[-1] + 1)],
        lambda: np.repeat(array, rng.integers(3), axis=0),
        lambda: array[None],
        lambda: array[..., ::-1],
        lambda: np.asfortranarray(array),
        lambda: np.broadcast_to(array, (3, *array.shape)),
        lambda: unaligned(array),
        lambda: array.tolist(),
        lambda: memoryview(np.ascontiguousarray(array)),
        lambda: rng.choice([None, "q", {}, 3, object()]),  # type: ignore[arg-type]
        lambda: np.zeros((0, *array.shape)),
        lambda: np.lib.stride_tricks.as_strided(array, array.shape, (0,) * array.ndim),
    )
    with np.errstate(all="ignore"):
        return ways[rng.integers(len(ways))]()


def unaligned(array: np.ndarray) -> np.ndarray:
    """Return the same numbers one byte away from where numbers belong."""
    found = np.empty(array.nbytes + 1, np.uint8)[1:].view(np.float64).reshape(array.shape)
    found[...] = array
    return found


def result(rng: np.random.Generator, given: dict[str, Any], right: np.ndarray) -> Any:
    """Return an array for the result, right or wrong, or one that is also an argument."""
    arrays = [value for value in given.values() if isinstance(value, np.ndarray)]
    ways = (
        lambda: np.empty_like(right),
        lambda: spoiled(rng, np.empty(right.shape or (1,))),
        lambda: arrays[rng.integers(len(arrays))] if arrays else None,
        lambda: np.empty(right.shape, np.float32),
    )
    return ways[rng.integers(len(ways))]()


def trial(rng: np.random.Generator) -> None:
    """Call one algorithm once with arrays of which some are spoiled."""
    model = models()[rng.integers(len(models()))]
    known = algorithms(model.frame_names[0])
    algorithm: Algorithm = known[rng.integers(len(known))]
    shape = tuple(rng.integers(0, 12, rng.integers(3)).tolist())
    given: dict[str, Any] = arguments(model, algorithm, shape, int(rng.integers(2**31)))
    right = np.asarray(algorithm.plain(model, **given))
    for name in given:
        if rng.random() < 0.5:
            given[name] = spoiled(rng, given[name])
    if rng.random() < 0.3:
        given["out"] = result(rng, given, right)
    if rng.random() < 0.2:
        given["threads"] = [0, 1, 2, 3, -1, 2**40, "x", None, 1.5][rng.integers(9)]
    sane = arguments(model, algorithm, shape, 5)
    before = np.asarray(algorithm.plain(model, **sane)).tobytes()
    try:
        algorithm.plain(model, **given)
    finally:
        assert np.asarray(algorithm.plain(model, **sane)).tobytes() == before


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_arrays_of_any_kind() -> None:
    found = outcomes(trial, seeds(800), REFUSED)
    assert found["fine"] > 0
    assert found["ValueError"] > 0
