"""The table of docs/coriolis.md: what it says is what both libraries do."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("coriolis_table", DOCS / "coriolis_table.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["coriolis_table"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def marks(table: str) -> list[list[tuple[str, ...]]]:
    """Return for each number whether it is missing, right or wrong, beside names as they are."""

    def mark(cell: str) -> tuple[str, ...]:
        if " / " not in cell:
            return (cell,)
        parts = cell.split(" / ")
        return tuple("–" if p == "–" else "wrong" if "**" in p else "right" for p in parts)

    lines = [line for line in table.splitlines() if line.startswith("|")]
    rows = [line.strip("| ").split(" | ") for line in lines]
    return [[mark(cell.strip()) for cell in row] for row in rows]


def test_table_is_up_to_date(script: ModuleType) -> None:
    (match,) = script.BLOCK.finditer(script.PAGE.read_text(encoding="utf-8"))
    written = match[0].split("\n", 1)[1].rsplit("\n", 1)[0]
    found = script.markdown(list(script.lines()))
    print(found)
    assert marks(found) == marks(written), "run python docs/coriolis_table.py"


def test_ours_are_right_for_every_joint(script: ModuleType) -> None:
    for line in script.lines():
        ours = [value for value, _ in line.values if value is not None]
        print(line.joint, [f"{value:.0e}" for value in ours])
        assert len(ours) == (
            0 if line.joint == "ellipsoid" else 3 if "rolling" in line.joint else 4
        )
        assert all(value < 1e-9 for value in ours)


def test_composite_joints_are_the_same_in_both(script: ModuleType) -> None:
    ours, theirs = script.composite()
    q = ours.random_configuration(0)
    np.testing.assert_allclose(theirs.mass_matrix(q), ours.mass_matrix(q), atol=1e-12)
    np.testing.assert_allclose(theirs.gravity_forces(q), ours.gravity_forces(q), atol=1e-12)
