"""Runs as files: what is read is what was written."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from movers import arm, batch, fingerprint, on_ground, quadruped, standing, stiff

import tarsus as ts
from tarsus.geometry import Ground, HeightField, Profile, Steps, Terrain
from tarsus.sensors.recorded import Recorded
from tarsus.simulation import Simulation, Trajectory, load_run
from tarsus.simulation.convergence import Unsolved
from tarsus.simulation.ended import Ended
from tarsus.simulation.trajectory import Failure


def short(states: int | None = None, **options: object) -> Trajectory:
    q, v = (standing(), None) if states is None else batch(states)
    return on_ground().run(q, v, duration=0.2, controller=stiff(), **options)  # type: ignore


@pytest.mark.parametrize("states", [None, 1, 3])
def test_a_run_comes_back(tmp_path: Path, states: int | None) -> None:
    run = short(states)
    run.save(tmp_path / "run.npz")
    back = load_run(tmp_path / "run.npz")
    assert fingerprint(back) == fingerprint(run)
    assert back.batch == run.batch and back.model == run.model and back.ground == run.ground
    assert back.settings == run.settings and back.interrupted == run.interrupted
    assert len(run.contacts) > 50
    np.testing.assert_array_equal(back.contacts.ground_force(), run.contacts.ground_force())
    np.testing.assert_array_equal(back.contacts.links, run.contacts.links)
    np.testing.assert_array_equal(back.energy.residual, run.energy.residual)


def test_parts_come_back_as_parts(tmp_path: Path) -> None:
    short(record=("q",), every=5).save(tmp_path / "run.npz")
    back = load_run(tmp_path / "run.npz")
    assert set(back.recorded) == {"q"} and len(back) == 21
    with pytest.raises(ValueError, match="contacts was not recorded"):
        back.contacts  # noqa: B018


@pytest.mark.parametrize(
    "ground",
    [
        None,
        Ground(slope=0.1, friction=np.array([0.5, 0.6])),
        Profile(np.array([[0.0, 0.0], [1.0, 0.1]])),
        Steps(),
        HeightField(np.zeros((3, 4)), 0.5, (-1.0, -1.0)),
    ],
    ids=["free space", "slope", "profile", "steps", "field"],
)
def test_grounds_come_back(tmp_path: Path, ground: Terrain | None) -> None:
    q0 = np.tile(standing(), (2, 1))
    q0[:, 2] += 2.0
    run = Simulation(quadruped(), ground=ground).run(q0, duration=0.002)
    run.save(tmp_path / "run.npz")
    assert load_run(tmp_path / "run.npz").ground == ground


def test_other_programs_read_the_columns(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    run = short()
    run.save(tmp_path / "run.parquet")
    table = parquet.read_table(tmp_path / "run.parquet").to_pylist()
    assert len(table) == len(run)
    last = table[-1]
    np.testing.assert_array_equal(last["q"], run.q[-1])
    first = last["contacts"][0]
    assert first["link"] == "front_left_foot" and first["other"] == "ground"
    assert first["state"] in ("stick", "slip") and len(first["force"]) == 3


def test_mcap_messages_are_there(tmp_path: Path) -> None:
    reader = pytest.importorskip("mcap.reader")
    run = short(every=5)
    run.save(tmp_path / "run.mcap")
    with open(tmp_path / "run.mcap", "rb") as file:
        messages = [
            (channel.topic, message.log_time, json.loads(message.data))
            for _, channel, message in reader.make_reader(file).iter_messages()
        ]
    assert {topic for topic, _, _ in messages} == {"state", "poses", "contacts", "energy"}
    assert len(messages) == 4 * len(run)
    _, time, data = next(m for m in reversed(messages) if m[0] == "state")
    assert time == round(1e9 * run.t[-1])
    np.testing.assert_array_equal(data["q"]["front_left_knee"], run.q[-1, 9:10])
    with pytest.raises(ValueError, match="one state"):
        short(2).save(tmp_path / "batch.mcap")


def test_wrong_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"unknown format.*\.npz.*\.parquet"):
        short().save(tmp_path / "run.txt")
    for name in ("run.mcap", "run.parquet", "run.csv"):
        with pytest.raises(ValueError, match=r"only \.npz files.*save the run as run\.npz"):
            load_run(tmp_path / name)
    with pytest.raises(ValueError, match=r"only \.npz files can be read$"):
        load_run(tmp_path / "run.txt")
    with pytest.raises(FileNotFoundError):
        load_run(tmp_path / "none.npz")
    np.savez(tmp_path / "other.npz", t=np.zeros(3))
    with pytest.raises(ts.RunFileError, match=r"other\.npz.*no run that was saved by tarsus"):
        load_run(tmp_path / "other.npz")


def test_numpy_reads_the_arrays(tmp_path: Path) -> None:
    run = short(3)
    run.save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as arrays:
        for name in run.recorded:
            np.testing.assert_array_equal(arrays[name], run.recorded[name])
        np.testing.assert_array_equal(arrays["contact_rows"], run.contacts.rows)


def test_what_is_beside_the_numbers_comes_back(tmp_path: Path) -> None:
    """Settings, failures, ends, names, statistics of integrators: with their types and bits."""
    run = replace(
        short(2),
        settings={"tuple": (1, 2.5), "$odd": {"inf": -np.inf}, "array": np.arange(3)},
        interrupted=True,
        failures=(Failure(1, 0.1, "trunk", "too fast"), Failure(0, 1 / 3, None, "why")),
        ended=Ended(np.array([np.inf, 0.1]), ("", "it fell")),
        unsolved=Unsolved(np.array([0, 3]), np.array([0.0, 1e-5])),
        parts_recorded=(("$band", 3), ("b/c", 0)),
        sensed={"../imu": np.random.default_rng(0).normal(size=(2, 101, 2))},
        sensing={"../imu": Recorded(("a", "b"), "m")},
    )
    run.save(tmp_path / "run.npz")
    back = load_run(tmp_path / "run.npz")
    assert fingerprint(back) == fingerprint(run)
    assert back.settings["tuple"] == (1, 2.5) and back.settings["$odd"] == {"inf": -np.inf}
    assert back.settings["array"].tolist() == [0, 1, 2] and back.interrupted
    for name in ("failures", "ended", "unsolved", "parts_recorded"):
        assert getattr(back, name) == getattr(run, name), name
    assert dict(back.sensing) == dict(run.sensing)
    np.testing.assert_array_equal(back.sensors["../imu"], run.sensors["../imu"])


@pytest.mark.parametrize("states", [None, 2])
def test_statistics_of_integrators_come_back(tmp_path: Path, states: int | None) -> None:
    q = np.full(4, 0.1) if states is None else np.full((states, 4), 0.1)
    run = Simulation(arm(), integrator="dormand_prince").run(q, duration=0.1)
    run.save(tmp_path / "run.npz")
    back = load_run(tmp_path / "run.npz")
    assert run.integration is not None and str(back.integration) == str(run.integration)


@pytest.mark.parametrize("states", [None, 1, 3])
@pytest.mark.parametrize("name", ["contacts", "q", "v", "tau", "energy", "statistics", "limits"])
def test_each_part_alone_is_shown_and_saved(tmp_path: Path, name: str, states: int | None) -> None:
    run = short(states, record=(name,), every=4)
    assert f"{'' if states is None else f'{states} × '}26 samples" in repr(run)
    run.save(tmp_path / "run.npz")
    back = load_run(tmp_path / "run.npz")
    assert fingerprint(back) == fingerprint(run) and repr(back) == repr(run)
    assert back.batch == run.batch == states
    one = run if states is None else run[0]
    assert one.batch is None and len(one) == 26
    one.save(tmp_path / "run.mcap")
    if name in ("statistics", "limits"):
        with pytest.raises(ValueError, match="there is nothing to draw"):
            one.plot()
    else:
        one.plot(tmp_path / "run.png")


def test_contacts_alone_where_nothing_touched(tmp_path: Path) -> None:
    q0 = standing()
    q0[2] += 1.0
    run = on_ground().run(q0, duration=0.02, record=("contacts",))
    run.save(tmp_path / "run.npz")
    run.save(tmp_path / "run.mcap")
    assert len(load_run(tmp_path / "run.npz").contacts) == 0
    with pytest.raises(ValueError, match="nothing touched"):
        run.plot()
    with pytest.raises(ValueError, match=r"record=\('contacts', 'q'\)"):
        run.q  # noqa: B018


@pytest.mark.parametrize("states", [None, 2])
def test_events_come_back(tmp_path: Path, states: int | None) -> None:
    """Of contacts, limits and dry friction, with their names; those of a batch state by state."""
    b = ts.Builder("door").body("door", 1.0, (0.5, 0, 0), inertia=(0.01, 0.1, 0.1))
    b.joint("hinge", "revolute", "world", "door", axis="y", lower=-1.0, upper=0.6, friction=0.2)
    door = ts.Simulation(b.build(), contact="event", dt=0.01, limit_restitution=0.4)
    q = np.zeros(1) if states is None else np.array([[0.0], [0.2]])
    ball = ts.scenes.bounce(0.5).but(contact="event", dt=0.01)
    for run in (door.run(q, duration=2.0), ball.run(duration=1.0)):
        run.save(tmp_path / "run.npz")
        back = load_run(tmp_path / "run.npz")
        assert len(run.events) > 1
        np.testing.assert_array_equal(back.events.rows, run.events.rows)
        np.testing.assert_array_equal(back.events.state_index, run.events.state_index)
        assert [(e.body, e.other) for e in back.events] == [(e.body, e.other) for e in run.events]


def test_deformations_come_back(tmp_path: Path) -> None:
    """And what compliant surfaces had left when they parted."""
    run = ts.scenes.bounce(0.0, height=0.02).but(contact="compliant", dt=1e-3).run(duration=0.2)
    run.save(tmp_path / "run.npz")
    back = load_run(tmp_path / "run.npz")
    assert len(run.events) and len(run.contacts)
    np.testing.assert_array_equal(back.contacts.deformation, run.contacts.deformation)
    np.testing.assert_array_equal(back.events.rows, run.events.rows)
