"""Four bars with a couple, free and nailed, against their oracle (Schröder 1990, section 7.5)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from bar_chains import Bars
from numpy.typing import NDArray

import tarsus as ts

CASES = {None: (0, False), "root": (0, True), "tip": (3, True)}


def oracle(nailed: str | None) -> Bars:
    return Bars(4, *CASES[nailed], (0.0, 1.0, 0.0, 0.0))


def angles(run: ts.Trajectory) -> NDArray[np.float64]:
    """Return the angles of all bars (T, 4), without jumps."""
    poses = run.model.forward_kinematics(run.q)
    return np.unwrap(np.arctan2(poses[..., 1, 0], poses[..., 0, 0]), axis=0)


@pytest.mark.parametrize("nailed", CASES)
def test_accelerations_at_the_start(nailed: str | None) -> None:
    dt = 1e-7
    scene = ts.scenes.four_bars(nailed).but(dt=dt)  # type: ignore[arg-type]
    run = scene.run(duration=dt)
    model, (q, v) = run.model, (run.q[-1], run.v[-1])
    found = [model.frame_velocity(q, v, f"bar_{k}", reference="world")[5] / dt for k in range(4)]
    expected = oracle(nailed).accelerations(np.zeros(4), np.zeros(4))[2:]
    assert found == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("nailed", CASES)
def test_bars_turn_as_the_oracle_says(nailed: str | None) -> None:
    """Errors halve with the step; what three steps extrapolate to is right to 1e-6."""
    rest = np.zeros(6)
    exact = oracle(nailed).run(rest, rest, np.array([5.0, 15.0]))[0][:, 2:]
    found = []
    for dt in (1e-2, 5e-3, 2.5e-3, 1.25e-3):
        run = ts.scenes.four_bars(nailed).but(dt=dt).run()  # type: ignore[arg-type]
        found.append(angles(run)[[round(5.0 / dt), -1]])
        if nailed:
            nail, end = run.parts["nail"], 0 if nailed == "root" else 3
            place = run.model.frame_pose(run.q, f"bar_{end}_center")[..., :3, 3]
            moved = np.abs(place - place[0]).max()
            print(f"dt {dt}: moved by {moved:.1e} m, gap {np.abs(nail.gap).max():.1e}")
            assert moved < 1e-6
            assert np.abs(run.energy.by_part()["nail"][1]).max() < 1e-5
    errors = [np.abs(each - exact).max() for each in found]
    assert errors[1] < 0.52 * errors[0]
    while len(found) > 1:  # Richardson's scheme: each column takes one order away
        weight = 2.0 ** (5 - len(found))
        found = [(weight * b - a) / (weight - 1) for a, b in pairwise(found)]
    print(f"{nailed}: errors {errors}, extrapolated {np.abs(found[0] - exact).max():.1e}")
    assert found[0] == pytest.approx(exact, abs=1e-6)


def test_the_work_of_the_couple_is_what_the_bars_have() -> None:
    run = ts.scenes.four_bars("tip").but(dt=2e-3).run()
    work = angles(run)[-1, 1]  # of a couple of 1 N m
    assert run.energy.kinetic[-1] == pytest.approx(work, rel=1e-3)
    assert run.energy.by_part()["couple"][1][-1] == pytest.approx(work, rel=1e-3)


def test_a_nail_holds_with_the_force_that_the_oracle_needs() -> None:
    """Of a nailed root: what accelerates all centres, in the plane of the bars."""
    dt = 1e-3
    run = ts.scenes.four_bars("root").but(dt=dt).run(duration=8.0)
    centers = [run.model.frame_pose(run.q, f"bar_{k}_center")[..., :3, 3] for k in range(4)]
    momentum = np.diff(np.sum(centers, axis=0), axis=0) / dt
    force = np.diff(momentum, axis=0) / dt
    found = run.parts["nail"].force[2:]
    assert found[:, :2] == pytest.approx(force[:, :2], abs=2e-3 * np.abs(force).max())
    assert np.abs(found[:, :2]).max() > 0.05


def test_a_couple_that_is_switched_off_is_two_runs() -> None:
    """At 5 s: the same bits as a run with it, and one without from where that ended."""
    scene = ts.scenes.four_bars()
    sim = scene.simulation()
    sim.reset(scene.q0, scene.v0)
    sim.step(steps=500)
    sim.parts["couple"].on = False
    q, v = sim.step(steps=500)
    first = scene.run(duration=5.0)
    second = scene.but(forces=()).simulation().run(first.q[-1], first.v[-1], duration=5.0)
    assert np.array_equal(q, second.q[-1])
    assert np.array_equal(v, second.v[-1])
    momentum = (second.model.centroidal_momentum_matrix(second.q) @ second.v[..., None])[:, 5, 0]
    assert momentum[0] == pytest.approx(5.0, rel=3e-3)  # 1 N m for 5 s, in steps of 10 ms
    assert momentum == pytest.approx(momentum[0], rel=5e-3)


def test_removing_a_nail_lets_the_bar_go_as_it_was() -> None:
    scene = ts.scenes.four_bars("root")
    sim = scene.simulation()
    sim.reset(scene.q0, scene.v0)
    sim.step(steps=300)
    q, v = sim.q.copy(), sim.v.copy()
    sim.remove("nail")
    assert np.array_equal(sim.q, q)
    assert np.array_equal(sim.v, v)
    sim.step(steps=300)
    free = ts.scenes.four_bars().simulation().run(q, v, duration=3.0)
    assert np.array_equal(sim.q, free.q[-1])
    assert np.abs(sim.v[:2]).max() > 1e-3
