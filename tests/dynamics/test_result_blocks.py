"""Memory of large results is used again, and only after nobody can see it any more."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import numpy as np
import pytest
from oracle import Array

import tarsus as ts
from tarsus import _core

STATES = 4096


@pytest.fixture(autouse=True)
def emptied() -> Iterator[None]:
    gc.collect()
    _core.free_blocks()
    yield
    gc.collect()
    _core.free_blocks()
    assert _core.block_bytes()[0] == 0


def states(model: ts.Model, seed: int = 0) -> Array:
    return model.random_configuration(np.random.default_rng(seed), STATES)


def address(array: Array) -> int:
    return int(array.__array_interface__["data"][0])


def test_results_are_ordinary_arrays() -> None:
    model = ts.robots.quadruped()
    result = model.mass_matrix(states(model))
    assert type(result) is np.ndarray and result.nbytes > 1 << 20
    assert result.flags.writeable and result.flags.c_contiguous and result.flags.aligned
    assert result.dtype == np.float64 and address(result) % 64 == 0
    result += 1.0


def test_a_block_is_used_again_after_its_array_is_gone() -> None:
    model = ts.robots.quadruped()
    q = states(model)
    first = model.mass_matrix(q)
    expected, where = first.copy(), address(first)
    second = model.mass_matrix(q)
    assert address(second) != where, "both are alive"
    part = first[5:7]
    del first
    third = model.mass_matrix(q)
    assert address(third) != where, "a view keeps it alive"
    del part
    fourth = model.mass_matrix(q)
    assert address(fourth) == where
    for result in (second, third, fourth):
        assert result.tobytes() == expected.tobytes()


def test_results_stay_while_others_come_and_go() -> None:
    model = ts.robots.quadruped()
    rng = np.random.default_rng(1)
    alive: list[tuple[Array, bytes]] = []
    for k in range(60):
        q = states(model, k)[: int(rng.integers(64, STATES))]
        result = model.mass_matrix(q) if k % 2 else model.forward_kinematics(q)
        alive.append((result, result.tobytes()))
        if len(alive) > 6:
            del alive[int(rng.integers(len(alive)))]
        assert all(array.tobytes() == known for array, known in alive)


def test_what_waits_is_bounded() -> None:
    most = _core.block_bytes()[1]
    arrays = [_core.new_array((most // 8 // 5,)) for _ in range(9)]
    assert _core.block_bytes()[0] == 0, "nothing waits while it is in use"
    while arrays:
        arrays.pop()
        kept, bound = _core.block_bytes()
        assert kept <= bound == most
    assert kept > most // 2
    # what is larger than all that may wait is left to the system
    large = _core.new_array((most // 8 + 1,))
    del large
    assert _core.block_bytes()[0] == kept


def test_small_arrays_do_not_take_large_blocks() -> None:
    large = _core.new_array((4 << 20,))
    del large
    kept = _core.block_bytes()[0]
    small = _core.new_array((64 << 10,))
    assert _core.block_bytes()[0] == kept and small.nbytes == 8 * (64 << 10)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (2, 3, 4)])
def test_new_arrays_of_any_shape(shape: tuple[int, ...]) -> None:
    assert _core.new_array(shape).shape == shape


def test_bad_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="shape"):
        _core.new_array((-1,))
    with pytest.raises((ValueError, MemoryError)):
        _core.new_array((1 << 40, 1 << 40))


def test_threads_share_the_blocks() -> None:
    model = ts.robots.quadruped()
    inputs = [states(model, k) for k in range(4)]
    expected = [model.mass_matrix(q).tobytes() for q in inputs]
    wrong: list[int] = []

    def work(k: int) -> None:
        kept: list[Array] = []
        for _ in range(12):
            kept.append(model.mass_matrix(inputs[k]))
            if len(kept) > 2:
                kept.pop(0)
            if any(result.tobytes() != expected[k] for result in kept):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
