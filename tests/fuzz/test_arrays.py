"""Arrays of any kind go into every algorithm: an answer or an error that is meant comes out.

Shapes, types, strides, alignment, overlap with the result, NaN and infinities. Whatever happens,
the model computes the same bits afterwards. What comes out has the same bits in another order of
the batch, on other threads and on other instruction sets with a fused multiply-add, and is as near
as roundings allow on those without.
"""

from __future__ import annotations

import math
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from instruction_sets import EPSILON, OTHERS, OWN, are_fused, same_bits, worker
from trials import outcomes, seeds

import tarsus as ts

sys.path.append(str(Path(__file__).parent.parent / "dynamics"))
from calls import Algorithm, algorithms, arguments

REFUSED = (ValueError, TypeError, ArithmeticError)
"""What wrong arrays lead to; arithmetic errors where a loop cannot be closed or mass is missing."""

NUMBERS = (0.0, -0.0, 1e-320, 1e-9, 1.0, -1e9, 1e160, 1e308, np.inf, -np.inf, np.nan)

STEP = 1e-9
"""By how much arguments are changed to find the condition of a problem."""
ROUNDINGS = 1e4
"""By how many ulp sets without a fused multiply-add may differ: some for each body, times what
ill-conditioned mass matrices add; a thousand were seen."""


@cache
def models() -> tuple[ts.Model, ...]:
    """Return small machines with every kind of joint, clusters, rotors and loops."""
    kinds = [kind for kind in ts.model.description.KINDS if kind != "fixed"]
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


def batch_of(
    model: ts.Model, algorithm: Algorithm, given: dict[str, Any]
) -> tuple[tuple[int, ...], dict[str, np.ndarray]] | None:
    """Return the batch that arguments stand for: its shape, and new arrays (N, …) of its states.

    None if they are not numbers that broadcast, so that a call with them must be refused.
    """
    cores = {"q": (model.nq,), "u": (model.nq,), "external": (model.n_bodies, 6)}
    arrays = {}
    try:
        for name in algorithm.arrays:
            if given.get(name) is not None:
                array = np.array(given[name], np.float64)
                core = cores.get("q" if name.startswith("q") else name, (model.nv,))
                if array.shape[max(0, array.ndim - len(core)) :] != core:
                    return None
                arrays[name] = array, core
        leads = [array.shape[: array.ndim - len(core)] for array, core in arrays.values()]
        lead = np.broadcast_shapes(*leads)
    except (TypeError, ValueError):
        return None
    return lead, {
        name: np.broadcast_to(array, lead + core).reshape(math.prod(lead), *core).copy()
        for name, (array, core) in arrays.items()
    }


def computed(number: int, index: int, arrays: dict[str, np.ndarray], threads: int) -> np.ndarray:
    """Return the results (N, …) of algorithm `index` of model `number` for arrays (N, …)."""
    model = models()[number]
    algorithm = algorithms(model.frame_names[0])[index]
    return np.asarray(algorithm(model, **arrays, threads=threads))


def check_other_sets(
    number: int, index: int, arrays: dict[str, np.ndarray], found: np.ndarray, sane: bool
) -> None:
    """Compute a batch on the other instruction sets.

    Sets with a fused multiply-add have the same bits. Without it products are rounded before they
    are added, as if arguments differed by some ulp: the bound is relative to the size of a result,
    at least 1 in SI units, and to its condition, found from arguments that differ by `STEP`.
    """
    for name in OTHERS:
        other, error = worker(name).compute("test_arrays", "computed", number, index, arrays, 1)
        assert error is None or not are_fused(OWN, name), f"{name}: {error}"
        if are_fused(OWN, name):
            assert same_bits(found, other), f"{name}: other bits than {OWN}"
        elif sane and found.size:
            assert error is None, f"{name}: {error}"
            near = [computed(number, index, moved(number, arrays, seed), 1) for seed in range(3)]
            axes = tuple(range(1, found.ndim))
            condition = np.max([np.abs(each - found) for each in near], axis=0) / STEP
            scale = 1.0 + np.abs(found).max(axis=axes) + condition.max(axis=axes)
            apart = np.abs(other - found).max(axis=axes) / (EPSILON * scale)
            assert (apart < ROUNDINGS).all(), f"{name}: {apart.max():.0f} roundings from {OWN}"


def moved(number: int, arrays: dict[str, np.ndarray], seed: int) -> dict[str, np.ndarray]:
    """Return arguments that differ by `STEP`."""
    model, rng = models()[number], np.random.default_rng(seed)
    near = {}
    for name, array in arrays.items():
        if name.startswith("q"):
            step = STEP * rng.normal(size=(len(array), model.nv))
            near[name] = np.asarray(model.integrate(array, step))
        else:
            near[name] = array + STEP * (1.0 + np.abs(array)) * rng.normal(size=array.shape)
    return near


def trial(rng: np.random.Generator) -> None:
    """Call one algorithm with arrays of which some are spoiled, and again in other ways.

    The second call has the states of the batch in reverse order and another number of threads, the
    third is on other instruction sets.
    """
    number = int(rng.integers(len(models())))
    model = models()[number]
    known = algorithms(model.frame_names[0])
    index = int(rng.integers(len(known)))
    algorithm: Algorithm = known[index]
    shape = tuple(rng.integers(0, 12, rng.integers(3)).tolist())
    given: dict[str, Any] = arguments(model, algorithm, shape, int(rng.integers(2**31)))
    right = np.asarray(algorithm.plain(model, **given))
    is_sane = True
    for name in given:
        if rng.random() < 0.5:
            given[name], is_sane = spoiled(rng, given[name]), False
    if rng.random() < 0.3:
        given["out"] = result(rng, given, right)
    if rng.random() < 0.2:
        given["threads"] = [0, 1, 2, 3, -1, 2**40, "x", None, 1.5][rng.integers(9)]
    sane = arguments(model, algorithm, shape, 5)
    before = np.asarray(algorithm.plain(model, **sane)).tobytes()
    batch = batch_of(model, algorithm, given)
    try:
        found = np.array(algorithm(model, **given))
    finally:
        assert np.asarray(algorithm.plain(model, **sane)).tobytes() == before
    assert batch is not None, "arrays that do not fit are accepted"
    lead, arrays = batch
    found = found.reshape(math.prod(lead), *found.shape[len(lead) :])
    backwards = {name: array[::-1].copy() for name, array in arrays.items()}
    threads = 1 + given.get("threads", 1) % 3 if isinstance(given.get("threads"), int) else 2
    assert same_bits(found, computed(number, index, backwards, threads)[::-1])
    check_other_sets(number, index, arrays, found, is_sane)


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_arrays_of_any_kind() -> None:
    found = outcomes(trial, seeds(800), REFUSED)
    assert found["fine"] > 0
    assert found["ValueError"] > 0
