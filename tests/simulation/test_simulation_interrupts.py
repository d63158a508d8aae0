"""Ctrl-C ends a run soon, whatever a step costs, and how often it is looked for changes no bit."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from movers import ARM, arm, batch, fingerprint, on_ground, stiff
from oracle import Array

import tarsus as ts
from tarsus.geometry import Collision, Ground
from tarsus.simulation import Simulation, runner

STEPS = 2_000_000
"""Steps that take at least 10 s."""


class Pressed:
    """A context in which Ctrl-C is pressed after a while; `ago` says how long ago that was."""

    def __init__(self, delay: float) -> None:
        self._timer = threading.Timer(delay, self._press)

    def _press(self) -> None:
        self._time = time.perf_counter()
        os.kill(os.getpid(), signal.SIGINT)

    def __enter__(self) -> Pressed:
        # shells start jobs in the background with SIGINT ignored
        self._before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.join()
        signal.signal(signal.SIGINT, self._before)

    @property
    def ago(self) -> float:
        return time.perf_counter() - self._time


def slab() -> tuple[ts.Model, Collision]:
    """Return a body that stands on 25 points, which is hard work for pivots."""
    b = ts.Builder("slab")
    b.body("slab", 5.0, inertia=(0.1, 0.1, 0.2)).joint("root", "free", "world", "slab")
    model = b.build()
    side = np.linspace(-0.2, 0.2, 5)
    points = np.array([(x, y, -0.02) for x in side for y in side])
    return model, Collision.from_model(model, contact_points={"slab": points})


@pytest.mark.parametrize("height", [0.02, 0.1], ids=["standing", "falling"])
def test_expensive_steps_are_interrupted_soon(height: float) -> None:
    model, collision = slab()
    sim = Simulation(model, ground=Ground(), collision=collision, contact="lemke")
    q0 = model.neutral()
    q0[2] = height
    with Pressed(0.3) as pressed:
        run = sim.run(q0, duration=1e4, record=False)
        ago = pressed.ago
    print(f"{run}, {1e3 * ago:.0f} ms after Ctrl-C")
    assert run.interrupted and 0.0 < run.t[-1] < 100.0
    assert ago < 5.0  # a minute, once


def test_a_long_run_on_two_threads_is_interrupted_soon() -> None:
    q, v = batch(64)
    with Pressed(0.3) as pressed:
        run = on_ground().run(q, v, duration=1e4, record=False, threads=2, controller=stiff())
        ago = pressed.ago
    assert run.interrupted and run.q.shape[:2] == (64, 2) and ago < 5.0


@pytest.mark.parametrize("states", [None, 5])
def test_many_steps_of_a_motion_are_interrupted_soon(states: int | None) -> None:
    """The motion stays at a step, and goes on from there with the same bits."""
    q, v = batch(states or 1)
    start = (q, v) if states else (q[0], v[0])
    first, second = on_ground(), on_ground()
    for sim in (first, second):
        sim.reset(*start)
    with first.record() as take:
        with Pressed(0.2) as pressed:
            with pytest.raises(KeyboardInterrupt):
                first.step(steps=STEPS)
            ago = pressed.ago
        made = round(first.t / first.dt)
        print(f"{made} steps, {1e3 * ago:.0f} ms after Ctrl-C")
        assert 0 < made < STEPS and ago < 5.0
        first.step(steps=3)
    second.step(steps=made)
    second.step(steps=3)
    assert np.array_equal(first.q, second.q) and np.array_equal(first.v, second.v)
    take.replay(second)
    assert np.array_equal(first.q, second.q) and second.t == first.t


@pytest.mark.parametrize("states", [None, 5])
@pytest.mark.parametrize("every", [1, 7])
def test_looking_up_changes_no_bit(
    monkeypatch: pytest.MonkeyPatch, states: int | None, every: int
) -> None:
    q, v = batch(states or 1)
    start = (q, v) if states else (q[0], v[0])
    rng = np.random.default_rng(0)
    found = set()

    def randomly(pace: float, *, few: bool) -> int:
        return int(rng.integers(1, 90))

    def seldom(pace: float, *, few: bool) -> int:
        return 10_000

    def always(pace: float, *, few: bool) -> int:
        return 1

    for chunk in (runner.chunk_of, randomly, seldom, always):
        monkeypatch.setattr(runner, "chunk_of", chunk)
        run = on_ground().run(*start, duration=0.5, controller=stiff(), every=every)
        found.add(fingerprint(run))
    assert len(found) == 1


@pytest.mark.parametrize("pace", [1e-9, 1e-7, 1e-5, 1e-3, 0.1, 10.0])
@pytest.mark.parametrize("few", [False, True])
def test_chunks_are_short_in_time(pace: float, few: bool) -> None:
    chunk = runner.chunk_of(pace, few=few)
    assert chunk == 1 or (chunk > 1 and chunk * pace <= 0.1)
    assert few or chunk <= 64


@pytest.mark.parametrize("integrator", ["rk4", "dormand_prince", "radau", "gauss", "adams"])
@pytest.mark.parametrize("states", [None, 3])
@pytest.mark.parametrize("record", [True, False])
def test_smooth_runs_are_interrupted(integrator: str, states: int | None, record: bool) -> None:
    q0 = ARM if states is None else ARM + np.linspace(0.0, 0.1, states)[:, None]
    pressed = []

    def control(t: float, q: Array, v: Array) -> Array:
        if t > 0.02 and not pressed:
            pressed.append(t)
            signal.raise_signal(signal.SIGINT)
        return np.zeros(4)

    sim = Simulation(arm(), integrator=integrator)
    run = sim.run(q0, duration=1e3 if record else 1e9, record=record, controller=control)
    assert run.interrupted and run.batch == states and "interrupted" in repr(run)
    assert len(run) == (1 + round(run.t[-1] / 1e-3) if record else 2)
    # steps of these go far beyond the samples that are read from them
    far = integrator in ("radau", "dormand_prince")
    assert (0.0 if far else 0.015) < run.t[-1] < 1.0
    whole = sim.run(q0, duration=float(run.t[-1]))
    # the last step of adaptive ones ends where the run does
    np.testing.assert_allclose(
        run.q[..., -1, :], whole.q[..., -1, :], atol=0.0 if integrator == "rk4" else 1e-6, rtol=0.0
    )


def test_a_motion_that_is_too_fast_for_its_samples_is_interrupted() -> None:
    sim = Simulation(arm(), dt=1e-2, integrator="dormand_prince")
    with Pressed(0.3) as pressed:
        run = sim.run(ARM, np.full(4, 1e7), duration=1.0)
        ago = pressed.ago
    assert run.interrupted and len(run) == 1 and ago < 5.0


def test_the_second_ctrl_c_writes_no_half_checkpoint(tmp_path: Path) -> None:
    file = tmp_path / "run.npz"

    def control(t: float, q: Array, v: Array) -> Any:
        if abs(t - 0.07) < 1e-9:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
        return np.zeros(4)

    run = Simulation(arm()).run(
        ARM, duration=1.0, controller=control, checkpoint=file, checkpoint_every=0.05
    )
    assert run.interrupted
    rest = Simulation(arm()).resume(file, lambda t, q, v: np.zeros(4))
    assert rest.t[0] == pytest.approx(0.05) and rest.t[-1] == pytest.approx(1.0)


def test_an_interrupt_before_the_first_sample_has_nothing_to_return() -> None:
    def control(t: float, q: Array, v: Array) -> Array:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Simulation(arm(), integrator="rk4").run(ARM, duration=0.1, controller=control)
