"""Memory: a batch needs room for its result and a few workspaces, and models give theirs back."""

from __future__ import annotations

from pathlib import Path

import pytest
from processes import numbers_printed_by

BATCH = """
import resource, sys
import numpy as np
import tarsus as ts
sys.path.insert(0, {folder!r})
from calls import algorithms, arguments

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # KiB

model = ts.robots.tree(40)
[algorithm] = [a for a in algorithms("link_9") if str(a) == {name!r}]
arrays = arguments(model, algorithm, (4096,))
out = algorithm(model, **{{name: array[:8] for name, array in arrays.items()}}, threads=2)
out = np.ones((4096, *out.shape[1:]))
before = peak()
algorithm(model, **arrays, out=out, threads=2)
print(peak() - before)
algorithm(model, **arrays)
print(peak() - before - out.nbytes // 1024)
"""

MODELS = """
import gc
import tarsus as ts

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4  # KiB, pages of 4

description = ts.robots.chain(50).description
def build():
    for _ in range(150):
        ts.Model(description)
    gc.collect()

build()
before = resident()
build()
build()
print(resident() - before)
"""


@pytest.mark.parametrize(
    "name",
    ["inverse_dynamics", "mass_matrix", "forward_dynamics articulated", "forward_dynamics dense"],
)
def test_a_batch_needs_a_few_workspaces(name: str) -> None:
    """4096 states of 40 links: a copy of the inputs of forward dynamics would be 12 MB."""
    into_out, anew = numbers_printed_by(BATCH.format(folder=str(Path(__file__).parent), name=name))
    print(f"{name}: {into_out} KiB with out=, {anew} KiB beyond the result without")
    assert into_out < 3000
    assert anew < 3000


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_models_give_their_memory_back() -> None:
    [growth] = numbers_printed_by(MODELS)
    print(f"300 models: {growth} KiB")
    assert growth < 400
