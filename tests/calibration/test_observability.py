"""What measurements do not tell is found, by name; chosen poses tell more than random ones."""

from __future__ import annotations

import numpy as np
import pytest
from calibrated import leg, panda, some_readings

import tarsus as ts
from tarsus import calibration as cal


def arm(tilt: float = 0.0) -> ts.Model:
    """Return three joints: the first two parallel about z but for a tilt, the last about x."""
    builder = ts.Builder("arm").body("upper").body("lower").body("hand")
    builder.joint("shoulder", "revolute", "world", "upper", axis="z")
    lean = (tilt, 0.0, 0.0)
    builder.joint("elbow", "revolute", "upper", "lower", position=(0.4, 0, 0), rotation=lean)
    builder.joint("wrist", "revolute", "lower", "hand", position=(0.3, 0, 0), axis="x")
    return builder.frame("tip", "hand", position=(0.1, 0.05, 0)).build()


def experiment(tilt: float = 0.0) -> cal.Experiment:
    model = arm(tilt)
    joints = [cal.JointError("shoulder", ["z"]), cal.JointError("elbow", ["x", "z"])]
    return cal.Experiment(cal.Encoders(model), cal.Position("tip"), joints)


def test_parallel_axes() -> None:
    """A shift along the common axis of two joints cannot be told to be of one or the other."""
    rng = np.random.default_rng(0)
    readings = rng.uniform(-1, 1, (20, 3))
    seen = cal.observability(experiment(), readings)
    (combination,) = seen.combinations
    print(seen)
    assert seen.rank == 2
    names = ("shoulder.z", "elbow.z")
    assert set(combination.shares) == set(names) and combination.deviation == np.inf
    assert combination.shares[names[0]] == pytest.approx(-combination.shares[names[1]])
    np.testing.assert_allclose(seen.shares, [0.5**0.5, 1.0, 0.5**0.5])
    assert np.isinf(seen.deviations[[0, 2]]).all() and np.isfinite(seen.deviations[1])
    assert [str(pair) for pair in seen.parallel] == ["axes of shoulder and elbow are parallel"]


def test_nearly_parallel_axes_are_told_badly() -> None:
    readings = np.random.default_rng(0).uniform(-1, 1, (20, 3))
    conditions = []
    for tilt in (0.3, 0.03, 0.003):
        seen = cal.observability(experiment(tilt), readings)
        assert seen.rank == 3
        conditions.append(seen.condition)
        assert [p.angle for p in seen.parallel] == ([pytest.approx(tilt)] if tilt < 0.08 else [])
        assert set(seen.weakest.shares) == {"shoulder.z", "elbow.z"} or tilt > 0.1
    print(f"conditions {np.round(conditions, 1)}")
    assert conditions[1] / conditions[0] == pytest.approx(10, rel=0.3)
    assert conditions[2] / conditions[1] == pytest.approx(10, rel=0.1)


def test_as_many_combinations_as_theory_says() -> None:
    """Four for each revolute joint, and six for where the whole stands (Everett and others 1987).

    The axes of a Panda are not parallel. Without errors of encoders nothing is missing: an offset
    is a turn about the own axis.
    """
    model = panda().stated
    parameters = [*cal.chain_parameters(model, "ball"), cal.FrameError("ball")]
    full = cal.Experiment(
        cal.Encoders(model, [f"panda_joint{k}" for k in range(1, 8)]), cal.Pose("ball"), parameters
    )
    readings = np.random.default_rng(1).uniform(-1, 1, (30, 7))
    assert cal.observability(full, readings).rank == 4 * 7 + 6
    few = cal.observability(full, readings[:5])
    print(f"five poses tell {few.rank} of 34")
    assert few.rank == 30  # six rows each
    hidden = [name for c in cal.observability(full, readings).combinations for name in c.shares]
    assert {"panda_joint3.rz", "panda_joint3.z", "frame ball.rz"} <= set(hidden)


def test_independent_parameters_tell_all() -> None:
    """Those that suffice are all told alone, and leave no more residual than all together."""
    own, rng = leg(), np.random.default_rng(5)
    readings = some_readings(own, rng, 30)
    seen = cal.observability(own, readings)
    few = own.only(seen.independent)
    assert few.names == seen.independent and len(few.names) == seen.rank
    again = cal.observability(few, readings)
    assert again.rank == seen.rank and not again.combinations
    assert np.isfinite(again.deviations).all()
    values = own.predict(readings, 1e-3 * rng.normal(size=len(own.names)))
    left = np.abs(cal.identify(few, readings, values, robust=False).after[0]).max()
    print(f"{len(few.names)} of {len(own.names)} parameters leave {left:.1e}")
    assert left < 1e-11
    with pytest.raises(ts.UnknownNameError, match="there is no parameter 'knee'"):
        own.only(["knee"])


def test_angles_do_not_tell_how_large_a_linkage_is() -> None:
    """Sensors at crank and rocker tell all lengths of a four-bar but for a common factor."""
    model = ts.robots.four_bar()
    loop = model.description.loops[0]
    parameters = [
        *(cal.JointError("coupler", ["x"]), cal.LoopError("pin", ["x"], end="a")),
        *(cal.LoopError("pin", ["x"], end="b"), cal.JointError("rocker", ["x"])),
    ]
    own = cal.Experiment(cal.Encoders(model), cal.JointPosition("rocker"), parameters)
    seen = cal.observability(own, np.linspace(-0.8, 0.8, 25)[:, None])
    places = [model.joint("coupler").placement, loop.placement_a, loop.placement_b]
    lengths = np.array([p[0, 3] for p in (*places, model.joint("rocker").placement)])
    (untold,) = seen.untold.T
    untold = untold * seen.scales
    print(f"untold {untold / untold[0]}, lengths {lengths / lengths[0]}")
    np.testing.assert_allclose(untold / untold[0], lengths / lengths[0], rtol=1e-6)
    assert seen.rank == 3


def test_untold_directions_change_nothing() -> None:
    """Along what is not told the residuals stay, to second order."""
    own = leg()
    readings = some_readings(own, np.random.default_rng(2), 15)
    seen = cal.observability(own, readings)
    assert seen.rank + len(seen.combinations) == len(own.names)
    (still,) = own.predict(readings)
    worst = []
    for size in (1e-3, 1e-4):
        moved = [own.predict(readings, size * seen.scales * d)[0] for d in seen.untold.T]
        worst.append(max(np.abs(m - still).max() for m in moved))
    print(f"{len(seen.combinations)} directions, along which sole moves {worst[0]:.1e} m")
    assert worst[0] < 5e-6 and worst[1] < 0.02 * worst[0]


@pytest.mark.parametrize("criterion", ["D", "E"])
def test_chosen_poses_beat_random_ones(criterion: str) -> None:
    own, rng = leg(), np.random.default_rng(3)
    candidates = some_readings(own, rng, 80)
    chosen = cal.select_poses(own, candidates, 12, criterion=criterion)
    others = [chosen.value_of(rng.choice(80, 12, replace=False)) for _ in range(200)]
    print(f"{criterion}: {chosen.value:.2f}, random {np.mean(others):.2f} to {max(others):.2f}")
    assert len(set(chosen.indices.tolist())) == 12
    assert chosen.value == chosen.value_of(chosen.indices) > max(others)
    assert list(chosen.history) == sorted(chosen.history)
    seen, random = (
        cal.observability(own, candidates[k])
        for k in (chosen.indices, rng.choice(80, 12, replace=False))
    )
    assert seen.rank == chosen.rank
    if criterion == "E":
        assert 2.0 * np.log(seen.values[seen.rank - 1]) == pytest.approx(chosen.value, abs=0.5)
        assert seen.values[seen.rank - 1] > random.values[seen.rank - 1]


def test_selection_of_few_is_the_best_there_is() -> None:
    """Among few candidates all choices can be tried."""
    from itertools import combinations

    own = experiment(0.5)
    candidates = np.random.default_rng(4).uniform(-1.5, 1.5, (9, 3))
    for criterion in ("D", "E"):
        chosen = cal.select_poses(own, candidates, 4, criterion=criterion)
        best = max(chosen.value_of(each) for each in combinations(range(9), 4))
        print(f"{criterion}: {chosen.value:.4f} of {best:.4f}")
        assert chosen.value > best - 0.02 * abs(best)


def test_wrong_selections() -> None:
    own = experiment()
    with pytest.raises(ValueError, match="criterion is 'A', must be 'D' or 'E'"):
        cal.select_poses(own, np.zeros((3, 3)), 2, criterion="A")
    with pytest.raises(ValueError, match="count is 4, must be at most 3"):
        cal.select_poses(own, np.zeros((3, 3)), 4)
    with pytest.raises(ValueError, match=r"cut is 0\.0, must be between 0 and 1"):
        cal.observability(own, np.zeros((3, 3)), cut=0.0)
