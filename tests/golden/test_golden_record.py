"""Runs of all engines have the bits of the golden record."""

from __future__ import annotations

import golden_record
import pytest

from tarsus import _core

SETS = _core.instruction_sets()


@pytest.mark.parametrize("instruction_set", SETS)
def test_runs_have_the_recorded_bits(instruction_set: str) -> None:
    """`python tests/golden/golden_record.py` records changes that are meant."""
    now = golden_record.computed(instruction_set)
    recorded = golden_record.read(instruction_set)
    assert recorded["runs"].keys() == now["runs"].keys()
    assert not list(golden_record.differences(recorded, now))


@pytest.mark.parametrize("instruction_set", ["baseline", "avx2", "avx512"])
def test_threads_do_not_change_bits(instruction_set: str) -> None:
    runs = golden_record.read(instruction_set)["runs"]
    threaded = {name: run for name, run in runs.items() if "batch" in run}
    refused = [name for name, run in threaded.items() if run["threads"] == "refused"]
    assert refused == ["chain adams"]
    assert not [n for n in threaded.keys() - refused if runs[n]["batch"] != runs[n]["threads"]]


def test_instruction_sets_with_fused_multiply_add_have_equal_bits() -> None:
    assert golden_record.read("avx2")["runs"] == golden_record.read("avx512")["runs"]
