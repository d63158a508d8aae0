"""Takes and snapshots of machines to which parts are put on, moved, pushed and taken off."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from movers import ARM, arm, batch, on_ground, standing, stiff
from oracle import Array

import tarsus as ts
from tarsus._lib.data import decode, encode
from tarsus.simulation import Simulation, Take


def play(sim: Simulation, q0: Array) -> None:
    """Do all that can be done to a machine with parts: a script that users might play."""
    sim.step(steps=3)
    nail = sim.add(ts.constraint.Nail("hand"))
    sim.step(steps=5)
    spring = sim.add(
        ts.forces.Spring(
            ("link_1", (0.0, 0.05, 0.0)), (0.3, 0.0, 0.5), stiffness=200.0, name="band"
        )
    )
    sim.step(steps=4)
    nail.target = np.array([0.1, 0.1, 0.7])
    spring.stiffness = 350.0
    sim.step(steps=4)
    nail.on = False
    sim.step(np.full(4, 0.2), steps=4)
    sim.remove(nail)
    grab = sim.add(ts.constraint.Grab("hand", stiffness=80.0, limit=25.0))
    grab.follow(lambda t: np.array([0.2 * np.sin(30 * t), 0.1, 0.6]))
    sim.step(steps=12)
    grab.follow(None)
    sim.step(steps=3, external=ts.Push("link_2", (0.0, 4.0, 1.0), start=0.035, duration=0.0033))
    nail = sim.add(ts.constraint.Nail("link_1", name="nail1"))  # as the first one had
    sim.step(external=lambda t, q, v: np.full((4, 6), 0.1) * np.cos(90 * t), steps=4)
    sim.remove("band")
    sim.step(steps=5)


@pytest.mark.parametrize("states", [None, 3])
def test_a_scripted_take_is_done_again_to_the_same_bits(states: int | None, tmp_path: Path) -> None:
    q0 = ARM if states is None else ARM + 0.1 * np.arange(states)[:, None]
    sim = Simulation(arm())
    sim.reset(q0)
    with sim.record() as take:
        play(sim, q0)
    end = sim.q, sim.v
    print(take, sorted({each.do for each in take.inputs}))
    assert {each.do for each in take.inputs} == {"restore", "step", "add", "remove", "numbers"}
    names = list(sim.parts)
    for _ in range(2):
        again = take.replay(sim)
        np.testing.assert_array_equal(again[0], end[0])
        np.testing.assert_array_equal(again[1], end[1])
        assert list(sim.parts) == names == ["grab1", "nail1"]
    take.save(tmp_path / "take.json")
    read = ts.load_take(tmp_path / "take.json")
    other = Simulation(arm())
    np.testing.assert_array_equal(read.replay(other)[0], end[0])
    assert list(other.parts) == names
    read.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "take.json").read_bytes()


def test_pushes_of_a_robot_in_contact_are_part_of_a_take() -> None:
    sim, (q0, v0) = on_ground(), batch(3)
    sim.reset(q0, v0, controller=stiff())
    take = sim.record()
    for k in range(10):
        kick = ts.Push("trunk", 40.0 * np.random.default_rng(k).normal(size=(3, 3)))
        sim.step(steps=4, external=kick if k % 3 == 0 else None)
    end = sim.q
    np.testing.assert_array_equal(take.replay(on_ground(), stiff())[0], end)


def test_each_state_may_have_numbers_of_its_own() -> None:
    sim = Simulation(arm())
    sim.reset(np.tile(ARM, (4, 1)))
    take = sim.record()
    nail = sim.add(ts.constraint.Nail("hand"))
    nail.on = [True, False, True, False]
    sim.step(steps=10)
    nail.target = nail.target[:, :3] + 0.02 * np.arange(4)[:, None]
    sim.step(steps=10)
    end = sim.q
    np.testing.assert_array_equal(take.replay(Simulation(arm()))[0], end)


def test_a_snapshot_has_parts_their_numbers_and_their_memory() -> None:
    sim = Simulation(arm())
    sim.reset(ARM)
    nail = sim.add(ts.constraint.Nail("hand"))
    sim.step(steps=10)
    at = sim.snapshot()
    force = nail.force
    end = sim.step(steps=10)[0]
    nail.target = (0.0, 0.0, 0.0)
    sim.add(ts.forces.Wrench("hand", (9.0, 0.0, 0.0)))
    sim.step(steps=2)
    for who in (sim, Simulation(arm())):
        who.restore(at)
        assert list(who.parts) == ["nail1"]
        np.testing.assert_array_equal(who.parts["nail1"].force, force)
        np.testing.assert_array_equal(who.step(steps=10)[0], end)
    sim.remove("nail1")
    sim.reset(ARM)
    bare = sim.snapshot()
    sim.restore(at)
    sim.restore(bare)
    assert not sim.parts


def test_what_follows_a_path_goes_on_following() -> None:
    sim = Simulation(arm())
    sim.reset(ARM)
    motor = sim.add(ts.constraint.JointMotion("joint_1"))
    motor.follow(([0.0, 0.1], [0.6, 0.9]))
    sim.step(steps=20)
    at = sim.snapshot()
    end = sim.step(steps=30)[0]
    motor.follow(None)
    sim.restore(at)
    np.testing.assert_array_equal(sim.step(steps=30)[0], end)


def test_a_hand_that_cannot_be_asked_again_is_done_again_all_the_same() -> None:
    """What a user's hand did is in the take: nobody asks the hand when it is played."""
    rng = np.random.default_rng(8)
    sim = Simulation(arm())
    sim.reset(ARM)
    sim.add(ts.constraint.Grab("hand", stiffness=90.0)).follow(lambda t: rng.normal(size=3))
    sim.step(steps=3)
    with sim.record() as take:
        sim.step(steps=20)
    end = sim.q
    for who in (sim, Simulation(arm())):
        np.testing.assert_array_equal(take.replay(who)[0], end)


@pytest.mark.parametrize("kind", [*ts.forces.FORCES, *ts.constraint.CONSTRAINTS])
def test_every_kind_of_part_is_kept_in_a_file(kind: str, tmp_path: Path) -> None:
    made: dict[str, dict[str, Any]] = {
        "brake": {"where": "hand", "damping": 3.0},
        "damper": {"a": "hand", "b": (0.0, 0.0, 1.0), "damping": 2.0},
        "damping": {"where": "hand", "linear": 2.0},
        "drag": {"where": "hand", "quadratic": 2.0},
        "gravity": {"acceleration": (0.0, 1.0, 0.0)},
        "joint_spring": {"joints": {"joint_0": 1.0, "joint_2": -2.0}, "stiffness": 5.0},
        "motor": {"joint": "joint_1", "constant": 0.1, "resistance": 1.0, "voltage": 6.0},
        "rubber": {"a": "hand", "b": (0.0, 0.0, 0.2), "stiffness": 50.0},
        "spring": {"a": ("hand", (0.0, 0.0, 0.1)), "b": "link_0", "stiffness": 50.0},
        "string": {"a": "hand", "b": "link_0", "stiffness": 50.0},
        "support": {"where": "hand", "stiffness": 50.0},
        "wrench": {"where": "hand", "force": (1.0, 0.0, 0.0), "axes": "local"},
        "weight": {"where": "link_1"},
        "distance": {"a": "hand", "b": (0.0, 0.0, 1.5)},
        "grab": {"where": "hand", "target": (0.1, 0.0, 0.5)},
        "joint": {"joint": "spherical", "a": "hand", "b": "world", "where_they_are": True},
        "joint_motion": {"joint": "joint_1"},
        "body_motion": {"where": "hand"},
        "move_to": {"where": "hand", "target": (0.1, 0.1, 0.6), "time_constant": 0.1},
        "nail": {"where": "hand", "limit": 30.0},
        "orientation": {"where": "hand"},
        "point_in_plane": {"where": "hand"},
        "point_on_path": {
            "where": "hand",
            "path": [(0.0, 0.0, 0.0), (0.1, 0.0, 0.4), (0.2, 0.3, 0.8)],
        },
        "point_to_point": {"a": "hand", "b": "world"},
        "weld": {"a": "hand", "b": "world"},
    }
    part = {**ts.forces.FORCES, **ts.constraint.CONSTRAINTS}[kind](**made[kind])
    sim = Simulation(arm())
    sim.reset(ARM)
    take = sim.record()
    sim.add(part)
    end = sim.step(steps=5)[0]
    take.save(tmp_path / "take.json")
    np.testing.assert_array_equal(ts.load_take(tmp_path / "take.json").replay(sim)[0], end)


def saved(tmp_path: Path) -> tuple[Path, Any]:
    sim = Simulation(arm())
    sim.reset(ARM)
    take: Take = sim.record()
    sim.add(ts.constraint.Nail("hand", name="n"))
    sim.step(steps=3)
    sim.remove("n")
    sim.step()
    take.save(tmp_path / "take.json")
    return tmp_path / "take.json", json.loads((tmp_path / "take.json").read_text())


def test_parts_from_elsewhere_are_not_trusted(tmp_path: Path) -> None:
    file, data = saved(tmp_path)
    add = next(k for k, each in enumerate(data["inputs"]) if each["do"] == "add")

    def refused(change: Any) -> None:
        wrong = json.loads(json.dumps(data))
        change(wrong["inputs"])
        file.write_text(json.dumps(wrong))
        sim = Simulation(arm())
        with pytest.raises((ValueError, TypeError, RuntimeError)) as caught:
            ts.load_take(file).replay(sim)
        print(type(caught.value).__name__, caught.value)

    refused(lambda inputs: inputs[add]["part"].update({"$kind": "os.system"}))
    refused(lambda inputs: inputs[add]["part"].update({"$kind": ["nail"]}))
    refused(lambda inputs: inputs[add]["part"].update(where="nowhere"))
    refused(lambda inputs: inputs[add]["part"].update(where=None))
    refused(lambda inputs: inputs[add]["part"].update(where={"$tuple": ["hand", "up"]}))
    refused(lambda inputs: inputs[add]["part"].update(limit={"$number": "1e3"}))
    refused(lambda inputs: inputs[add]["part"].update(limit=-1.0))
    refused(lambda inputs: inputs[add]["part"].update(name=3))
    refused(lambda inputs: inputs[add]["part"].pop("where"))
    refused(lambda inputs: inputs[add]["part"].update(more=1))
    refused(lambda inputs: inputs[add + 1].update(part="m"))
    refused(lambda inputs: inputs[add + 1].update(part=["n"]))
    refused(lambda inputs: inputs[add + 1].update(rows=[[1.0]]))
    refused(lambda inputs: inputs[add + 1].update(rows=None))
    refused(lambda inputs: inputs[add + 1].update(rows="up"))
    rows = decode(data["inputs"][add + 1]["rows"])
    refused(lambda inputs: inputs[add + 1].update(rows=encode(np.concatenate([rows, rows]))))
    nan = {"$number": "nan"}
    refused(lambda inputs: inputs[add + 1].update(rows=[[nan] * rows.shape[1]]))
    start = 0
    refused(lambda inputs: inputs[start]["snapshot"].update(parts=[3]))
    refused(lambda inputs: inputs[start]["snapshot"].update(parts=None))
    refused(lambda inputs: inputs[start]["snapshot"].update(parts=[inputs[add]["part"]]))
    refused(lambda inputs: inputs[start]["snapshot"].update(run_numbers=[[1.0]]))
    refused(lambda inputs: inputs[start]["snapshot"].update(run_numbers=None))
    refused(lambda inputs: inputs[start]["snapshot"].update(part_numbers=[[1.0]]))
    refused(
        lambda inputs: inputs[start]["snapshot"].update(part_numbers=[[1.0]], part_memory=[[1.0]])
    )


def test_a_part_of_ones_own_is_done_again_but_not_saved(tmp_path: Path) -> None:
    class Peg(ts.constraint.Nail):
        """A kind of nail that no file knows."""

    sim = Simulation(arm())
    sim.reset(ARM)
    take = sim.record()
    sim.add(Peg("hand"))
    end = sim.step(steps=5)[0]
    np.testing.assert_array_equal(take.replay(sim)[0], end)
    with pytest.raises(TypeError, match="no file can hold it"):
        take.save(tmp_path / "take.json")


def test_standing_robots_are_nailed_and_let_go() -> None:
    sim = on_ground()
    sim.reset(standing(), controller=stiff())
    with sim.record() as take:
        for k in range(6):
            nail = sim.add(ts.constraint.Nail("trunk"))
            sim.step(steps=5)
            if k % 2:
                sim.remove(nail)
            sim.step(steps=3)
    end = sim.q
    np.testing.assert_array_equal(take.replay(on_ground(), stiff())[0], end)
