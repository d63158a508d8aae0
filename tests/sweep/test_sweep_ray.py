"""A real Ray cluster of several worker processes, one of which is killed, and its head."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from killing import check_resumes, environment, stopped_study
from swept_functions import GRID, computed, deadly, logging, same, serial

import tarsus as ts

ray = pytest.importorskip("ray")


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """A cluster of this machine with two workers."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment().items():
            patch.setenv(name, value)
        ray.init(
            "local",
            num_cpus=2,
            include_dashboard=False,
            log_to_driver=False,
            logging_level="error",
            object_store_memory=80 * 2**20,
        )
        yield
        ray.shutdown()


@pytest.mark.usefixtures("cluster")
def test_a_killed_worker_costs_the_cell_at_which_it_was(tmp_path: Path) -> None:
    log = tmp_path / "log"
    found = ts.sweep(logging(deadly, log, pause=0.02), GRID, executor="ray", checkpoint=tmp_path)
    assert same(found.results, serial())
    assert len(computed(log)) == 24
    assert set(computed(log).values()) == {1}
    assert len(Path(f"{log}.deaths").read_text()) == 2
    assert ray.is_initialized()  # the cluster is not ours to end


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize(
    "how", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.slow)]
)
def test_a_killed_head_costs_what_was_on_its_way(how: signal.Signals, tmp_path: Path) -> None:
    """It has its own cluster, whose workers end with it; another cluster goes on."""
    code, _ = stopped_study("ray", tmp_path, tmp_path / "log", how)
    assert code == -how
    check_resumes("ray", tmp_path, tmp_path / "log")


@pytest.mark.usefixtures("cluster")
def test_functions_without_a_module_and_batches_run_on_clusters() -> None:
    found = ts.sweep(lambda a, b: a + b, GRID, executor="ray", batch=5)
    assert found.results == [a + b for a in GRID["a"] for b in GRID["b"]]
