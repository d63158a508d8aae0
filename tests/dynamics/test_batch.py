"""A batch gives the bits of a loop: for every algorithm, kind of joint, size and thread count."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from calls import Algorithm, algorithms, arguments, core_ndim, states

import tarsus as ts

SIZES = (0, 1, 2, 3, 5, 8, 17)
EVERY = algorithms()
each_algorithm = pytest.mark.parametrize("algorithm", EVERY, ids=str)


def mechanism(seed: int, bodies: int = 13) -> ts.Model:
    return ts.robots.random_mechanism(seed, bodies, armature=True, springs=True, limits=True)


MODELS = [mechanism(seed) for seed in range(3)]
SINGLES = [
    ts.robots.random_mechanism(1, 3, [kind], armature=True, springs=True)
    for kind in ts._core.joint_kinds()
]


def same_bits(found: Any, expected: Any) -> bool:
    """Whether two results are equal to the last bit, signs of zeros included."""
    a, b = np.asarray(found), np.asarray(expected)
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


def loop(model: ts.Model, algorithm: Algorithm, arrays: dict[str, np.ndarray]) -> np.ndarray:
    return np.array([algorithm(model, **state) for state in states(arrays)])


@each_algorithm
def test_a_batch_is_a_loop(algorithm: Algorithm) -> None:
    for model in MODELS:
        arrays = arguments(model, algorithm, (17,))
        expected = loop(model, algorithm, arrays)
        for size in SIZES:
            part = {name: array[:size] for name, array in arrays.items()}
            found = algorithm(model, **part)
            assert found.shape == (size, *expected.shape[1:])
            assert same_bits(found, expected[:size]), f"batch of {size}"


@pytest.mark.parametrize("model", SINGLES, ids=lambda m: m.joint(m.joint_names[0]).kind)
def test_each_kind_of_joint(model: ts.Model) -> None:
    for algorithm in EVERY:
        arrays = arguments(model, algorithm, (11,))
        assert same_bits(algorithm(model, **arrays), loop(model, algorithm, arrays)), algorithm


@each_algorithm
def test_threads_do_not_change_bits(algorithm: Algorithm) -> None:
    model = MODELS[0]
    arrays = arguments(model, algorithm, (61,))
    expected = algorithm(model, **arrays)
    for threads in (2, 3, 7, 100):
        assert same_bits(algorithm(model, **arrays, threads=threads), expected)


@each_algorithm
def test_neighbours_do_not_change_bits(algorithm: Algorithm) -> None:
    model = MODELS[1]
    arrays = arguments(model, algorithm, (17,))
    order = np.random.default_rng(0).permutation(17)
    shuffled = {name: array[order] for name, array in arrays.items()}
    assert same_bits(algorithm(model, **shuffled), algorithm(model, **arrays)[order])


@each_algorithm
def test_leading_dimensions(algorithm: Algorithm) -> None:
    model = MODELS[2]
    flat = arguments(model, algorithm, (12,))
    expected = algorithm(model, **flat)
    for lead in ((12, 1), (3, 4), (2, 3, 2), (1, 12)):
        shaped = {name: array.reshape(*lead, *array.shape[1:]) for name, array in flat.items()}
        found = algorithm(model, **shaped)
        assert same_bits(found, expected.reshape(*lead, *expected.shape[1:]))


@each_algorithm
def test_broadcasting(algorithm: Algorithm) -> None:
    """(3, 1), (4,), () and (2, 1, 1) broadcast as NumPy does, in any order of arguments."""
    model = MODELS[0]
    patterns = [(3, 1), (4,), (), (2, 1, 1)]
    for shift in range(len(algorithm.arrays)):
        leads = [patterns[(i + shift) % 4] for i in range(len(algorithm.arrays))]
        arrays = {
            name: arguments(model, algorithm, lead, seed)[name]
            for seed, (name, lead) in enumerate(zip(algorithm.arrays, leads, strict=True))
        }
        common = np.broadcast_shapes(*leads)
        full = {
            name: np.broadcast_to(array, (*common, *array.shape[array.ndim - core_ndim(name) :]))
            for name, array in arrays.items()
        }
        spelled = {name: array.copy() for name, array in full.items()}
        found = algorithm(model, **arrays)
        assert np.shape(found)[: len(common)] == common
        assert same_bits(found, algorithm(model, **spelled))
        assert same_bits(algorithm(model, **full), found)


@each_algorithm
def test_out(algorithm: Algorithm) -> None:
    for lead in ((), (1,), (5,), (2, 3), (0,)):
        arrays = arguments(MODELS[0], algorithm, lead)
        found = algorithm.plain(MODELS[0], **arrays)
        expected = np.asarray(found)
        if isinstance(found, tuple):
            for made in (type(found)(*np.full(expected.shape, np.nan)), found):
                assert algorithm.plain(MODELS[0], **arrays, out=made) is made
                assert same_bits(np.asarray(made), expected)
            apart = [np.full(expected.shape[1:], np.nan) for _ in found]
            written = algorithm.plain(MODELS[0], **arrays, out=apart)
            assert type(written) is type(found)
            assert all(a is b for a, b in zip(written, apart, strict=True))
            assert same_bits(np.asarray(apart), expected)
        else:
            out = np.full(expected.shape, np.nan)
            assert algorithm.plain(MODELS[0], **arrays, out=out) is out
            assert same_bits(out, expected)


@each_algorithm
def test_arrays_of_a_result_have_the_batch_in_front(algorithm: Algorithm) -> None:
    arrays = arguments(MODELS[0], algorithm, (2, 3))
    found = algorithm.plain(MODELS[0], **arrays)
    for each in found if isinstance(found, tuple) else (found,):
        assert each.shape[:2] == (2, 3)
        assert each.flags.c_contiguous and each.flags.writeable


@pytest.mark.parametrize(
    "algorithm", [algorithm for algorithm in EVERY if "external" in algorithm.arrays], ids=str
)
def test_no_external_wrenches_are_zeros(algorithm: Algorithm) -> None:
    arrays = arguments(MODELS[0], algorithm, (5,))
    arrays["external"][:] = 0.0
    expected = algorithm(MODELS[0], **arrays)
    del arrays["external"]
    np.testing.assert_allclose(algorithm(MODELS[0], **arrays), expected, rtol=1e-12, atol=1e-12)
    assert same_bits(algorithm(MODELS[0], **arrays, external=None), algorithm(MODELS[0], **arrays))


def test_many_threads_call_one_model() -> None:
    """Python threads with states of their own, one at a time and in batches."""
    model, workers, failures = MODELS[0], 6, []
    jobs = [
        (algorithm, arguments(model, algorithm, (9,), seed))
        for seed in range(workers)
        for algorithm in EVERY
    ]
    expected = [algorithm(model, **arrays) for algorithm, arrays in jobs]
    start = threading.Barrier(workers)

    def work(worker: int) -> None:
        start.wait()
        for _ in range(3):
            for k in range(worker, len(jobs), workers):
                algorithm, arrays = jobs[k]
                right = same_bits(algorithm(model, **arrays, threads=1 + k % 3), expected[k])
                right &= same_bits(loop(model, algorithm, arrays), expected[k])
                if not right:
                    failures.append(str(algorithm))

    team = [threading.Thread(target=work, args=(worker,)) for worker in range(workers)]
    for member in team:
        member.start()
    for member in team:
        member.join()
    assert failures == []
