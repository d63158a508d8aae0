"""Runs as tables with named columns: CSV read by NumPy and pyarrow, names in Parquet."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from movers import batch, on_ground, quadruped, standing, stiff

import tarsus as ts
from tarsus.model.description import KINDS
from tarsus.simulation.named_columns import (
    COORDINATES,
    named_columns,
    position_names,
    velocity_names,
)


def read(file: Path) -> dict[str, np.ndarray]:
    """Return the columns of a file by name."""
    with file.open(newline="", encoding="utf-8") as stream:
        names = next(csv.reader(stream))
    numbers = np.genfromtxt(file, delimiter=",", skip_header=1)
    return dict(zip(names, numbers.T, strict=True))


def test_csv_has_names_units_and_all_bits(tmp_path: Path) -> None:
    run = on_ground().run(standing(), duration=0.1, controller=stiff())
    run.save(tmp_path / "run.csv")
    table = read(tmp_path / "run.csv")
    assert list(table) == list(named_columns(run))
    np.testing.assert_array_equal(table["t [s]"], run.t)
    model = run.model
    knee, base = model.joint("front_left_knee"), model.base
    assert base is not None
    np.testing.assert_array_equal(table["q:front_left_knee [rad]"], run.q[:, knee.q_slice][:, 0])
    np.testing.assert_array_equal(table["v:front_left_knee [rad/s]"], run.v[:, knee.v_slice][:, 0])
    np.testing.assert_array_equal(
        table["tau:front_left_knee [N m]"], run.tau[:, knee.v_slice][:, 0]
    )
    np.testing.assert_array_equal(table[f"q:{base.name}.z [m]"], run.q[:, base.q_slice][:, 2])
    np.testing.assert_array_equal(table[f"q:{base.name}.qw [1]"], run.q[:, base.q_slice][:, 6])
    np.testing.assert_array_equal(table["energy:residual [J]"], run.energy.residual)
    np.testing.assert_array_equal(table["ground_force.z [N]"], run.contacts.ground_force()[:, 2])
    trunk = run.model.forward_kinematics(run.q)[:, model.body("trunk").index, :3, 3]
    np.testing.assert_array_equal(table["position:trunk.x [m]"], trunk[:, 0])


def test_pyarrow_reads_the_states_of_a_batch(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow.csv")
    q, v = batch(3)
    run = on_ground().run(q, v, duration=0.02)
    run.save(tmp_path / "run.csv")
    table = arrow.read_csv(tmp_path / "run.csv")
    assert table.num_rows == 3 * len(run)
    states = table.column("state").to_numpy()
    knee = table.column("q:front_left_knee [rad]").to_numpy()
    index = quadruped().joint("front_left_knee").q_slice.start
    for state in range(3):
        np.testing.assert_array_equal(knee[states == state], run.q[state, :, index])


def test_only_what_was_recorded_is_there(tmp_path: Path) -> None:
    run = on_ground().run(standing(), duration=0.02, record=("v",))
    run.save(tmp_path / "run.csv")
    names = list(read(tmp_path / "run.csv"))
    assert names[0] == "t [s]"
    assert all(name.startswith("v:") for name in names[1:])
    assert len(names) == 1 + run.model.nv


def test_parts_and_odd_names_have_columns(tmp_path: Path) -> None:
    b = ts.Builder("odd")
    b.body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    b.joint('a "b", c\nd', "revolute", "world", "rod", axis="y")
    b.force(ts.forces.Spring("rod", (1.0, 0.0, 0.0), 30.0, 0.2, name="coil"))
    run = ts.Simulation(b.build(), dt=1e-3).run([0.3], duration=0.05)
    run.save(tmp_path / "run.csv")
    with (tmp_path / "run.csv").open(newline="") as stream:
        rows = list(csv.reader(stream))
    table = dict(zip(rows[0], np.array(rows[1:], float).T, strict=True))
    np.testing.assert_array_equal(table['q:a "b", c\nd [rad]'], run.q[:, 0])
    np.testing.assert_array_equal(table["part:coil.energy [J]"], run.parts["coil"].energy)
    np.testing.assert_array_equal(table["part:coil.force.x [N]"], run.parts["coil"].force[:, 0])


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "fixed"])
def test_every_kind_has_a_name_for_each_coordinate(kind: str) -> None:
    model = ts.robots.random_mechanism(0, 1, kinds=[kind])
    assert (model.nq, model.nv) == KINDS[kind]
    assert len(set(position_names(model))) == model.nq
    assert len(set(velocity_names(model))) == model.nv
    assert len(set(velocity_names(model, efforts=True))) == model.nv
    angles = [name for name in position_names(model) if name.endswith("[rad]")]
    lengths = [name for name in position_names(model) if name.endswith("[m]")]
    numbers = [name for name in position_names(model) if name.endswith("[1]")]
    assert len(numbers) in (0, 4)
    # twice as large a world has twice as long lengths, and the same angles
    assert len(angles) + len(lengths) + len(numbers) == model.nq
    assert set(COORDINATES) == set(KINDS)


def test_loops_and_gears_have_columns_of_their_own_coordinates() -> None:
    for model in (ts.robots.four_bar(), ts.robots.mini_cheetah(), ts.robots.lola()):
        assert len(position_names(model)) == model.nq
        assert len(velocity_names(model)) == model.nv


def test_parquet_tells_names_and_units(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    run = on_ground().run(standing(), duration=0.02)
    run.save(tmp_path / "run.parquet")
    stated = json.loads(parquet.read_schema(tmp_path / "run.parquet").metadata[b"tarsus"])
    assert stated["q"] == position_names(run.model)
    assert stated["v"] == velocity_names(run.model)
    assert stated["tau"][-1].endswith("[N m]")
