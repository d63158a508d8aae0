"""Takes: what a user does, noted and done again to the same bits."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from movers import ARM, arm, batch, on_ground, standing, stiff
from oracle import Array
from test_snapshots import Counting

import tarsus as ts
from tarsus._lib.data import decode
from tarsus.simulation import Simulation, Take


def played(sim: Simulation, controller: Any, q0: Array) -> tuple[Take, Array]:
    """Play for a while: with and without commands, back to a snapshot, and from a new start."""
    rng = np.random.default_rng(3)
    sim.reset(q0, controller=controller)
    sim.step(steps=7)
    take = sim.record()
    for k in range(12):
        command: Any = None
        if isinstance(controller, ts.control.ControlLaw) and k % 3:
            command = q0 if k % 2 else (q0, np.zeros((*q0.shape[:-1], sim.model.nv)))
        if controller is None:
            command = rng.normal(size=sim.v.shape)
        sim.step(command, steps=1 + k % 4)
        if k == 4:
            at = sim.snapshot()
        if k == 7:
            sim.restore(at)
    sim.reset(q0, 0.01 * rng.normal(size=sim.v.shape), controller=controller)
    sim.step(steps=np.int64(20))  # type: ignore[arg-type]
    take.stop()
    return take, sim.q


def cases() -> list[tuple[Simulation, Any, Array]]:
    m = arm()
    return [
        (on_ground(), None, standing()),
        (on_ground(), stiff(), standing()),
        (on_ground(), stiff(), batch(3)[0]),
        (Simulation(m), Counting(), ARM),
    ]


@pytest.mark.parametrize("case", range(4))
def test_a_take_is_done_again_to_the_same_bits(case: int, tmp_path: Path) -> None:
    sim, controller, q0 = cases()[case]
    take, end = played(sim, controller, q0)
    print(take)
    sim.step(steps=5)  # is not part of it any more
    for _ in range(2):
        np.testing.assert_array_equal(take.replay(sim)[0], end)
    other, own, _ = cases()[case]
    np.testing.assert_array_equal(take.replay(other, own)[0], end)
    take.save(tmp_path / "take.json")
    read = ts.load_take(tmp_path / "take.json")
    assert len(read) == len(take) and [i.t for i in read.inputs] == [i.t for i in take.inputs]
    np.testing.assert_array_equal(read.replay(cases()[case][0], own)[0], end)
    read.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "take.json").read_bytes()


def test_times_are_those_of_the_motion() -> None:
    sim = Simulation(arm())
    with sim.record() as take:
        sim.reset(ARM)
        sim.step(steps=3)
        sim.step()
    assert [(i.t, i.do) for i in take.inputs] == [(0.0, "restore"), (0.0, "step"), (0.003, "step")]
    sim.step()
    assert len(take) == 3


def test_commands_are_noted_as_they_were() -> None:
    sim, tau = Simulation(arm()), np.full(4, 0.5)
    sim.reset(ARM)
    take = sim.record()
    sim.step(tau, steps=4)
    end = sim.q
    tau[:] = 9.0
    np.testing.assert_array_equal(take.replay(sim)[0], end)


def test_what_was_refused_is_not_part_of_it() -> None:
    sim = Simulation(arm())
    sim.reset(ARM)
    take = sim.record()
    for command, steps in ((np.zeros(3), 1), (None, 0), ("up", 1), (np.full(4, np.nan), 1)):
        with pytest.raises((TypeError, ValueError)):
            sim.step(command, steps)
    sim.step()
    assert [each.do for each in take.inputs] == ["restore", "step"]


def test_a_failure_is_done_again_too(tmp_path: Path) -> None:
    sim = Simulation(arm(), effort_limits=False)
    sim.reset(ARM)
    take = sim.record()
    sim.step(steps=4)
    with pytest.raises(ts.SimulationError):
        sim.step(np.full(4, 1e200), steps=5)
    sim.reset(ARM)
    end = sim.step(np.ones(4), steps=5)[0]
    take.save(tmp_path / "take.json")
    for each in (take, ts.load_take(tmp_path / "take.json")):
        assert [i.failed for i in each.inputs] == [False, False, True, False, False]
        np.testing.assert_array_equal(each.replay(Simulation(arm(), effort_limits=False))[0], end)


def test_other_bits_are_told() -> None:
    class Drifting:
        """A function that computes something else each time, and does not say so."""

        gain = 0.1

        def __call__(self, t: float, q: Array, v: Array) -> Array:
            return np.full(4, self.gain)

    sim, controller = Simulation(arm()), Drifting()
    sim.reset(ARM, controller=controller)
    take = sim.record()
    end = sim.step(steps=5)[0]
    controller.gain = 0.2
    with pytest.raises(ts.SimulationError, match="other bits"):
        take.replay(sim)
    assert (take.replay(sim, exact=False)[0] != end).any()


def test_wrong_uses_are_refused(tmp_path: Path) -> None:
    sim = on_ground()
    take = sim.record()
    with pytest.raises(RuntimeError, match="recorded already"):
        sim.record()
    with pytest.raises(ValueError, match="empty"):
        take.replay(sim)
    sim.reset(standing(), controller=stiff())
    take = sim.record()
    sim.step()
    take.save(tmp_path / "take.json")
    read = ts.load_take(tmp_path / "take.json")
    with pytest.raises(ValueError, match="pass the same"):
        read.replay(sim)
    with pytest.raises(ValueError, match="another dt"):
        read.replay(on_ground(dt=1e-3), stiff())
    with pytest.raises(ValueError, match=r"must end with \.json"):
        take.save(tmp_path / "take.txt")
    with pytest.raises(ValueError, match=r"\.json files"):
        ts.load_take(tmp_path / "take.txt")
    with pytest.raises(FileNotFoundError):
        ts.load_take(tmp_path / "none.json")


def changes() -> list[Any]:
    """Return changes that make a file wrong."""

    def put(*keys: Any) -> Any:
        *path, last, value = keys

        def change(data: Any) -> Any:
            at = data
            for key in path:
                at = at[key]
            at[last] = value
            return data

        return change

    first = ("inputs", 0, "snapshot")
    return [
        lambda data: [],
        lambda data: {},
        lambda data: {**data, "code": "import os"},
        put("version", 1),
        put("dt", "1"),
        put("inputs", []),
        put("inputs", {}),
        put("inputs", 0, "restore"),
        put("inputs", 0, "do", "exec"),
        put("inputs", 0, "do", ["restore"]),
        put("inputs", 1, "steps", 0),
        put("inputs", 1, "steps", 1.5),
        put("inputs", 1, "steps", True),
        put("inputs", 1, "command", "up"),
        put("inputs", 1, "command", {"$tuple": "up"}),
        put("inputs", 1, "command", {"$list": []}),
        put("inputs", 1, "command", [[1.0], [1.0, 2.0]]),
        put("inputs", 1, "failed", 1),
        put("inputs", 1, "t", None),
        lambda data: {**data, "inputs": data["inputs"][1:]},
        put("end", 3),
        put("end", ["a", "b"]),
        put(*first, "q", "zero"),
        put(*first, "q", [0.0]),
        put(*first, "step", -1),
        put(*first, "step", 2**60),
        put(*first, "batched", 0),
        put(*first, "content", [1]),
        put(*first, "content", {"dt": 3}),
        put(*first, "control", 3),
        put(*first, "control", "calls", {"$array": ["|O", [1], ""]}),
        put(*first, "control", "calls", {"$array": [["<i4"], [1], "AAAAAA=="]}),
        put(*first, "control", "calls", {"$array": ["<i4", [2**40], "AAAAAA=="]}),
        put(*first, "control", "calls", {"$array": ["<i4", [-1], "AAAAAA=="]}),
        put(*first, "control", "calls", {"$array": ["<i4", 1, "AAAAAA=="]}),
        put(*first, "control", "calls", {"$array": ["<c8", [1], "AAAAAAAAAAA="]}),
        put(*first, "control", "calls", {"$array": ["<i4", [1], "AAAA"]}),
        put(*first, "control", "calls", {"$array": ["<i4", [1], "*"]}),
        put(*first, "control", "calls", [1]),
    ]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> str:
    sim, file = Simulation(arm()), tmp_path_factory.mktemp("take") / "take.json"
    sim.reset(ARM, controller=Counting())
    with sim.record() as take:
        sim.step(steps=3)
    take.save(file)
    return file.read_text()


@pytest.mark.parametrize("change", changes())
def test_files_from_elsewhere_are_not_trusted(saved: str, change: Any, tmp_path: Path) -> None:
    file = tmp_path / "take.json"
    file.write_text(json.dumps(change(json.loads(saved))))
    with pytest.raises(ts.RunFileError, match=r"take\.json") as caught:
        ts.load_take(file)
    print(caught.value)


@pytest.mark.parametrize("name", ["q", "v", "memory", "parameters"])
def test_numbers_that_do_not_fit_are_found_at_the_start(
    saved: str, name: str, tmp_path: Path
) -> None:
    sim, file = Simulation(arm()), tmp_path / "take.json"
    for make in (
        lambda table: [row[:-1] for row in table],
        lambda table: table + table + table,
        lambda table: [],
        lambda table: [[1e999 for _ in row] for row in table],
    ):
        data = json.loads(saved)
        start = data["inputs"][0]["snapshot"]
        start[name] = make(decode(start[name]).tolist())
        file.write_text(json.dumps(data))
        sim.reset(ARM)
        before = sim.q
        with pytest.raises(ValueError) as caught:
            ts.load_take(file).replay(sim, Counting(), exact=False)
        np.testing.assert_array_equal(sim.q, before)
        print(f"{name}: {caught.value}")


def test_damaged_text_is_refused(saved: str, tmp_path: Path) -> None:
    file = tmp_path / "take.json"
    rng = np.random.default_rng(0)
    for _ in range(60):
        text = list(saved)
        for place in rng.integers(0, len(text), 3):
            text[place] = chr(rng.integers(32, 127))
        file.write_text("".join(text))
        with suppress(ValueError, ts.SimulationError):
            ts.load_take(file).replay(Simulation(arm()), Counting(), exact=False)
    file.write_text(saved[: len(saved) // 2])
    with pytest.raises(ts.RunFileError):
        ts.load_take(file)
