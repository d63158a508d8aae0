"""Results that would not fit into memory are refused with their size, before they are computed."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

import numpy as np
import pytest

import tarsus as ts
from tarsus._lib import files as memory
from tarsus.view.frame_sequence import Stage


def test_sizes_and_the_remedy_are_stated() -> None:
    memory.check_result_size(memory.SMALL_BYTES, "this", "do that")
    with pytest.raises(ValueError, match=r"^this would take 1e\+03 GiB, .*; do that$"):
        memory.check_result_size(1000 << 30, "this", "do that")


def test_what_is_available_is_less_than_the_address_space() -> None:
    assert 0 < memory.available_bytes() <= sys.maxsize


def test_a_limit_of_the_process_counts() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (1 << 30), hard))
    try:
        assert memory.available_bytes() <= 1 << 30
        with pytest.raises(ValueError, match=r"this would take 2 GiB, .* are available; do that"):
            memory.check_result_size(2 << 30, "this", "do that")
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def test_a_smooth_run_counts_the_objects_of_its_samples() -> None:
    """The numbers of such a run take 1 GiB, the objects around them ten times as much."""
    simulation = ts.Simulation(ts.robots.chain(1), dt=1e-6, integrator="radau")
    with pytest.raises(ValueError, match=r"recording every sample would take .* GiB"):
        simulation.run([0.1], duration=9.0)


def test_a_grid_of_too_many_cells() -> None:
    values = list(range(1000))
    with pytest.raises(ValueError, match="1000 × 1000 × 1000 = 1000000000 cells would"):
        ts.sweep(lambda a, b, c: a, {"a": values, "b": values, "c": values})


@pytest.mark.parametrize("fps", [1e12, 1e308])
def test_a_film_of_too_many_pictures(fps: float) -> None:
    run = ts.Simulation(ts.robots.chain(1)).run(np.array([0.1]), duration=0.01)
    with pytest.raises(ValueError, match=r"the poses of .* pictures would take .*lower fps"):
        Stage(run, fps=fps)
