"""The study of contact measures what it promises, on the same robots; no time is asserted."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from tarsus import convert
from tarsus.bench import Plan

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import contact
import readme_table
import run
import slope
import targets
from mujoco_walker import MujocoWalker
from tarsus_walker import TarsusWalker
from walkers import Walker

SIZES = contact.Sizes(
    states=3,
    steps=4,
    lead=8,
    links=(4, 8),
    contacts=(1, 2),
    seconds_on_slope=0.02,
    scenes=("slide", "incline"),
)


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    sections: list[str] = []

    def progress(section: str, share: float) -> None:
        sections.append(section)
        assert 0.0 <= share <= 1.0

    measured = contact.measure_contact(Plan(batch=1, rounds=2, seconds=1e-6), SIZES, progress)
    assert list(dict.fromkeys(sections)) == [
        *("one state in contact", "batches in contact", "contact operator", "creep and ledgers"),
    ]
    return measured


def test_results_have_all_rows(results: dict[str, Any]) -> None:
    json.dumps(results, allow_nan=False)
    assert [(row["model"], row["motion"], row["contacts"]) for row in results["steps"]] == [
        ("anymal", "stands", 4),
        ("anymal", "trots", 4),
        ("solo12", "stands", 4),
        ("solo12", "trots", 4),
        ("talos_reduced", "stands", 8),
        ("talos_reduced", "twists its feet", 8),
        ("talos_reduced, smooth joints", "stands", 8),
        ("talos_reduced, smooth joints", "twists its feet", 8),
    ]
    for row in results["steps"]:
        assert {"per_state", "mujoco_per_state", "throughput_ratio"} <= set(row)
        assert ({"one", "mujoco", "one_ratio"} <= set(row)) == (row["motion"] != "twists its feet")
    assert set(results["operator"]) >= {"links_slope", "contacts_slope"}
    assert max(results["ledger"].values()) < 1e-6
    assert [row["model"] for row in results["agreement"]] == list(contact.ROBOTS)


def test_every_target_finds_its_numbers(results: dict[str, Any]) -> None:
    own = [target for target in targets.TARGETS if target.values({"contact": results})]
    assert len(own) == 8
    console = Console(width=170, record=True, file=io.StringIO())
    console.print(run.judged({"contact": results}))
    text = console.export_text()
    for target in own:
        print(target.what, target.values({"contact": results}))
        assert target.what in text
        assert target.values({}) == {}


def test_table_of_the_readme(results: dict[str, Any]) -> None:
    lines = readme_table.contact_table(results)
    print("\n".join(lines))
    assert all(line.count("|") == 6 for line in lines[:11])
    assert len(lines) == 13


@pytest.mark.parametrize("name", contact.ROBOTS)
def test_both_sides_have_the_same_robot(name: str) -> None:
    found = contact.agreement(Walker(name), contact.Sizes())
    print(found)
    assert found["mass"] < 1e-12
    assert found["gravity"] < 1e-12
    assert found["tarsus_load"] < 1e-3
    assert found["mujoco_load"] < 1e-2


@pytest.mark.parametrize("name", ["anymal", "solo12", "talos_reduced, smooth joints"])
def test_both_sides_move_alike_in_the_air(name: str) -> None:
    walker = Walker(name)
    model, ours, theirs = walker.model, TarsusWalker(walker, 0.7), MujocoWalker(walker, 0.7)
    ours.q[0, 2] += 1.0
    theirs.states[0, 3] += 1.0
    rows = walker.stand(1, 25)
    rows[:, :, 7 : model.nq] += 0.02
    for side in (ours, theirs):
        side.follow(rows)
    qpos, qvel = np.split(theirs.states[0, 1:], [theirs.model.nq])
    q, v = convert.from_mujoco(model, qpos, qvel, peer=theirs.model)
    apart = np.abs(model.difference(ours.q[0], q)).max(), np.abs(ours.v[0] - v).max()
    moved = np.abs(ours.q[0] - walker.stance)[7:].min()
    print(f"apart {apart[0]:.1e} m or rad, {apart[1]:.1e} m/s or rad/s; joints moved {moved:.1e}")
    assert moved > 1e-3
    assert max(apart) < 1e-9


@pytest.mark.parametrize("name", ["anymal", "solo12"])
def test_trots_walk_on_both_sides(name: str) -> None:
    walker = Walker(name)
    way = []
    for side in (TarsusWalker(walker, 0.7), MujocoWalker(walker, 0.7)):
        for _ in range(4):
            side.follow(walker.trot(1, 0, len(walker.period)))
        place = side.q[0, :3] if isinstance(side, TarsusWalker) else side.states[0, 1:4]
        way.append(float(place[0]))
        assert abs(place[2] - walker.stance[2]) < 0.15 * walker.stance[2]
    print(way)
    assert min(way) > 0.0


@pytest.mark.parametrize("name", contact.ROBOTS)
def test_stances_are_within_the_limits(name: str) -> None:
    walker = Walker(name)
    joints = walker.stance[7:]
    assert (walker.model.lower[7:] < joints).all()
    assert (joints < walker.model.upper[7:]).all()
    poses = walker.model.forward_kinematics(walker.stance)
    lowest = [poses[b, 2, :3] @ centre + poses[b, 2, 3] - r for b, centre, r in walker.spheres]
    assert abs(min(lowest)) < 1e-12


def test_a_timed_rollout_starts_again_from_the_same_state() -> None:
    walker = Walker("solo12")
    side = TarsusWalker(walker, 0.7, 2)
    side.follow(walker.trot(2, 0, 5))
    contender = side.rollout(walker.trot(2, 5, 4))
    ends = []
    for _ in range(2):
        exec(contender.call, contender.names)
        ends.append(contender.names["record"]["q"].copy())
    assert np.array_equal(*ends)
    assert np.array_equal(ends[0][:, -1], contender.names["q"])


def test_mujoco_creeps_as_is_known() -> None:
    assert abs(slope.mujoco_creep(0.7, 1.0) - 669e-6) < 5e-6


def test_a_box_on_a_slope_stays_where_it_is() -> None:
    moved = slope.tarsus_creep(0.7, 1.0)
    print(f"{moved:.1e} m")
    assert abs(moved) <= 1e-9
    assert slope.tarsus_creep(0.1, 0.2) > 1e-3  # too slippery: it slides
