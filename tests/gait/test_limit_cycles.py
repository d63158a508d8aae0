"""Limit cycles: gaits that others published, ledgers, multipliers by differences, and failures."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tarsus as ts
from tarsus.gait.return_map import Tolerances, moved, residual, take_step
from tarsus.gait.walkers.planar import LONG, SHORT


def test_the_passive_gaits_of_the_compass_are_found_without_a_guess() -> None:
    """AT-17 of Duindam's walker: numbers of an independent computation."""
    stable, unstable = ts.gait.limit_cycles(ts.gait.walkers.compass())
    assert stable.stable
    assert not unstable.stable
    np.testing.assert_allclose(stable.q[0], [0.299294, -0.598589], atol=1e-6)
    np.testing.assert_allclose(stable.v[0], [-1.072963, 0.708407], atol=1e-6)
    assert stable.period == pytest.approx(0.782798, abs=1e-6)
    assert stable.speed == pytest.approx(0.753314, abs=1e-6)
    assert abs(stable.multipliers[0]) == pytest.approx(0.49007, abs=1e-5)
    np.testing.assert_allclose(unstable.q[0, 0], 0.279554, atol=1e-6)
    np.testing.assert_allclose(unstable.v[0], [-1.164771, 0.569874], atol=1e-6)
    assert unstable.period == pytest.approx(0.607858, abs=1e-6)
    assert unstable.speed == pytest.approx(0.907868, abs=1e-6)
    assert abs(unstable.multipliers[0]) == pytest.approx(4.4606, abs=1e-4)


def test_slopes_give_what_strikes_take() -> None:
    for gait in ts.gait.limit_cycles(ts.gait.walkers.compass()):
        energy = gait.energy
        print(f"given less taken: {energy.closure:.1e} J of {energy.impacts:.4f} J")
        assert abs(energy.closure) < 1e-8
        assert energy.motors == energy.dampers == 0.0
        assert gait.cost_of_transport == pytest.approx(math.sin(gait.walker.slope), abs=1e-12)
    assert ts.gait.limit_cycle(ts.gait.walkers.compass()).energy.impacts == pytest.approx(
        2.1171, abs=1e-4
    )


@pytest.mark.parametrize(
    ("published", "multipliers"),
    [(LONG, (-0.190099639402167 + 0.557599274284362j)), (SHORT, 4.000)],
)
def test_the_simplest_walker(published: tuple[float, float], multipliers: complex) -> None:
    """Garcia et al. 1998, for feet without mass; ours weigh 1e-6 of the hip."""
    found = ts.gait.limit_cycles(ts.gait.walkers.simplest_walker())
    gait = found[0] if published is LONG else found[1]
    np.testing.assert_allclose([gait.q[0, 0], gait.v[0, 0]], published, atol=2e-6)
    nearest = np.abs(gait.multipliers - multipliers).min()
    print(gait, gait.multipliers)
    assert nearest < (1e-4 if published is LONG else 5e-3)


@pytest.mark.parametrize(
    ("spokes", "slope", "inertia"), [(8, 0.1, 0.0), (6, 0.2, 0.3), (12, 0.05, 1)]
)
def test_the_rimless_wheel_has_a_closed_form(spokes: int, slope: float, inertia: float) -> None:
    """McGeer 1990: the energy that a strike leaves, η², and what the slope gives between them."""
    wheel = ts.gait.walkers.rimless_wheel(spokes, slope, inertia=inertia)
    gait = ts.gait.limit_cycle(wheel)
    half, about = math.pi / spokes, inertia + 1.0
    kept = (inertia + math.cos(2 * half)) / about
    given = 4.0 * 9.81 * math.sin(half) * math.sin(slope) / about
    assert gait.v[0, 0] == pytest.approx(-math.sqrt(kept**2 * given / (1 - kept**2)), rel=1e-9)
    np.testing.assert_allclose(gait.multipliers, [kept**2], rtol=1e-8)
    assert abs(gait.energy.closure) < 1e-10


def test_multipliers_are_those_of_extrapolated_differences() -> None:
    walker = ts.gait.walkers.compass(leg_mass=1.3, hip_mass=4.0, stiffness=0.4, damping=0.02)
    gait = ts.gait.limit_cycle(walker)
    tight = Tolerances(1e-13, 1e-14)
    wanted = []
    for column in range(4):
        slopes = []
        for h in (2e-4, 1e-4):
            ends = []
            for way in (h, -h):
                push = np.zeros((1, 4))
                push[0, column] = way
                then = take_step(walker, *moved(walker, gait.q, gait.v, push), tight)
                ends.append(residual(walker, gait.q, gait.v, then.q, then.v)[0])
            slopes.append((ends[0] - ends[1]) / (2 * h))
        wanted.append((4 * slopes[1] - slopes[0]) / 3)
    error = np.abs(gait.slopes[0] - np.array(wanted).T).max()
    print(f"variational less differences: {error:.1e}")
    assert error < 1e-6
    assert abs(gait.energy.closure) < 1e-8
    assert gait.energy.dampers > 1e-4


def test_steps_stay_on_the_gait() -> None:
    gait = ts.gait.limit_cycle(ts.gait.walkers.compass())
    walked = gait.walker.steps(*gait.state, 100)
    away = np.abs(np.concatenate([walked.q - gait.q[0], walked.v - gait.v[0]])).max()
    print(f"after 100 steps {away:.1e} away")
    assert away < 1e-6


def test_gaits_of_two_steps_are_no_gaits_of_one() -> None:
    walker = ts.gait.walkers.compass(5.0, 10.0, math.radians(4.6), 9.81)
    (limping,) = ts.gait.limit_cycles(walker, steps=2)
    assert limping.stable
    assert limping.shortest == 2
    assert abs(limping.q[0, 0] - limping.q[1, 0]) > 1e-3
    once, *_ = ts.gait.limit_cycles(walker)
    assert not once.stable
    assert abs(limping.energy.closure) < 1e-8


def test_what_has_no_gait_says_so() -> None:
    walker = ts.gait.walkers.compass(slope=0.0)
    with pytest.raises(ts.gait.NoGaitError, match="no gait of 1 steps around its start"):
        ts.gait.limit_cycle(walker)
    with pytest.raises(ts.gait.NoGaitError, match="the step left by an exit") as caught:
        ts.gait.limit_cycle(walker, ([0.1, -0.2], [2.0, 0.0]))
    assert caught.value.best is not None


def test_bad_arguments_are_named() -> None:
    walker = ts.gait.walkers.compass()
    with pytest.raises(ValueError, match="q of the guess has shape"):
        ts.gait.limit_cycle(walker, ([0.1], [0.1, 0.2]))
    with pytest.raises(ValueError, match="not finite"):
        ts.gait.limit_cycle(walker, ([0.1, np.nan], [0.1, 0.2]))
    with pytest.raises(ValueError, match="tolerance is 0"):
        ts.gait.limit_cycle(walker, tolerance=0.0)
    with pytest.raises(KeyError, match="slop"):
        walker.but(slop=0.1)


def test_gaits_are_saved(tmp_path) -> None:  # type: ignore[no-untyped-def]
    gait = ts.gait.limit_cycle(ts.gait.walkers.compass())
    gait.save(tmp_path / "gait.npz")
    with np.load(tmp_path / "gait.npz", allow_pickle=False) as file:
        np.testing.assert_array_equal(file["q"], gait.q)
        assert dict(zip(file["names"], file["values"], strict=True))["slope"] == gait.walker.slope
    again = ts.gait.LimitCycle.load(tmp_path / "gait.npz", ts.gait.walkers.compass())
    np.testing.assert_array_equal(again.multipliers, gait.multipliers)
    assert again.speed == gait.speed
    with pytest.raises(ValueError, match="gait of a walker with"):
        ts.gait.LimitCycle.load(tmp_path / "gait.npz", ts.gait.walkers.compass(slope=0.05))
    np.savez_compressed(tmp_path / "bomb.npz", q=np.zeros(1000))
    with pytest.raises(ts.simulation.RunFileError, match=r"not a limit cycle.*compressed"):
        ts.gait.LimitCycle.load(tmp_path / "bomb.npz", gait.walker)
    np.savez(tmp_path / "other.npz", q=gait.q)
    with pytest.raises(ts.simulation.RunFileError, match="has no names, slopes, times, v, values"):
        ts.gait.LimitCycle.load(tmp_path / "other.npz", gait.walker)
