"""Walkers from models and their feet: gaits, round feet, pushes, footing and what is told."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tarsus as ts
from tarsus.gait.walkers.stance import Stance
from tarsus.robots.load import example

FEET = (("left_foot", np.eye(4)), ("right_foot", np.eye(4)))


def machine(stance: str = "line", radius: float = 0.0) -> ts.gait.Walker:
    """Return the compass walker from its model alone."""
    sign = -1.0 if stance == "round" else 1.0  # a sole that rolls ahead leans ahead
    (lean, hip), (lean_rate, hip_rate) = ts.gait.walkers.compass().start
    return ts.gait.Walker.from_model(
        ts.robots.compass(gravity=9.8),
        ["left_foot", "right_foot"],
        stance=stance,
        radius=radius,
        slope=math.radians(3.0),
        start=([sign * lean, hip], [sign * lean_rate, hip_rate]),
    )


def test_a_model_and_its_feet_have_the_gaits_of_the_phases_by_hand() -> None:
    ours, theirs = (
        ts.gait.limit_cycles(walker) for walker in (machine(), ts.gait.walkers.compass())
    )
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one.q, other.q, atol=1e-9)
        np.testing.assert_allclose(one.v, other.v, atol=1e-9)
        np.testing.assert_allclose(one.multipliers, other.multipliers, atol=1e-6)
        assert one.speed == pytest.approx(other.speed, abs=1e-9)


def test_strikes_by_momenta_are_projections() -> None:
    """Falling onto a root, in NumPy, is the impact of the core onto a point that is held."""
    stance = Stance(ts.robots.compass(2.0, 3.0), FEET, "line", None, 0.1)
    walker = ts.gait.walkers.compass(2.0, 3.0, 0.1, 9.81)
    flowed = walker.steps(*walker.start, 3)
    for event in flowed.events:
        q, v = stance.landed(event.q, event.v)
        np.testing.assert_allclose(q, event.next_q, atol=1e-12)
        np.testing.assert_allclose(v, event.next_v, atol=1e-12)


def test_soles_that_are_hardly_round_are_points() -> None:
    walker = machine("round", 1e-3)
    gait, point = ts.gait.limit_cycle(walker, walker.start), ts.gait.limit_cycle(machine())
    assert gait.speed == pytest.approx(point.speed, rel=1e-2)
    assert abs(gait.multipliers[0]) == pytest.approx(abs(point.multipliers[0]), rel=1e-2)


def test_round_feet_walk_faster_and_lose_less() -> None:
    """McGeer 1990, section 5: speed rises with the radius of the feet, and a strike takes less."""
    walker = machine("round", 0.05)
    gait = ts.gait.limit_cycle(walker, walker.start)
    branch = ts.gait.continuation(walker, "radius", gait, to=0.3, kinds=())
    gaits = [branch.cycle(k) for k in (0, len(branch) // 2, -1)]
    speeds = [gait.speed for gait in gaits]
    taken = [gait.energy.impacts / _kinetic(gait) for gait in gaits]
    print(branch, speeds, taken)
    assert branch.values[-1] == pytest.approx(0.3)
    assert speeds == sorted(speeds)
    assert taken == sorted(taken, reverse=True)
    for gait in gaits:
        assert abs(gait.energy.closure) < 1e-8


def _kinetic(gait: ts.gait.LimitCycle) -> float:
    event = gait.flowed.events[-1]
    return float(gait.walker.phases[0].model.kinetic_energy(event.q, event.v))


def test_what_is_not_symmetric_is_refused_or_told() -> None:
    assert "differ by" in ts.gait.Walker.from_model(example("bolt"), stance="point").notes[0]
    assert machine().notes == ()
    b = ts.Builder("lame")
    b.body("trunk", 10.0, inertia=(1.0, 1.0, 1.0)).joint("base", "free", "world", "trunk")
    for side, y, length in (("left", 0.1, 0.8), ("right", -0.1, 0.5)):
        b.body(f"{side}_leg", 2.0, (0, 0, -length / 2), inertia=(0.1, 0.1, 0.01))
        b.joint(f"{side}_hip", "revolute", "trunk", f"{side}_leg", axis="y", position=(0, y, 0))
        b.frame(f"{side}_foot", f"{side}_leg", position=(0, 0, -length))
    with pytest.raises(ts.ModelError, match="is not its own image"):
        ts.gait.Walker.from_model(b.build(), ["left_foot", "right_foot"], stance="point")


def test_bad_arguments_of_walkers_are_named() -> None:
    model = ts.robots.compass()
    with pytest.raises(ValueError, match="must be two frames"):
        ts.gait.Walker.from_model(model, ["left_foot"])
    with pytest.raises(KeyError, match="left_fot"):
        ts.gait.Walker.from_model(model, ["left_fot", "right_foot"])
    with pytest.raises(KeyError, match="stance"):
        ts.gait.Walker.from_model(model, ["left_foot", "right_foot"], stance="soft")
    with pytest.raises(ValueError, match="soles that are round have one"):
        ts.gait.Walker.from_model(model, ["left_foot", "right_foot"], stance="round")


def test_steps_down_and_pushes() -> None:
    """Duindam's passive walker survives 2.0 cm, falls at 2.2 cm."""
    gait = ts.gait.limit_cycle(ts.gait.walkers.compass())
    down = ts.gait.survival(gait, "step_down", [0.01, 0.02, 0.022, 0.03])
    assert down.share.tolist() == [1.0, 1.0, 0.0, 0.0]
    pushed = ts.gait.survival(gait, "push", [0.0, 0.02, 0.3], trials=60)
    assert pushed.share[0] == pushed.share[1] == 1.0
    assert pushed.share[2] < 0.6
    low, high = pushed.confidence
    assert (low < pushed.share + 1e-12).all()
    assert (pushed.share < high + 1e-12).all()
    again = ts.gait.survival(gait, "push", [0.0, 0.02, 0.3], trials=60, threads=2)
    np.testing.assert_array_equal(pushed.survived, again.survived)
    scattered = ts.gait.survival(gait, "hip_mass", [0.01, 0.8], trials=10)
    assert scattered.share[0] == 1.0
    with pytest.raises(ValueError, match="disturbance is 'wind'"):
        ts.gait.survival(gait, "wind", [1.0])


def test_footing_tells_scuffs_and_forces() -> None:
    """Straight legs scuff; the ground carries the weight in the mean over a step."""
    gait = ts.gait.limit_cycle(ts.gait.walkers.compass())
    assert "scuffs" in gait.violations[0]
    assert len(gait.violations) == 1
    (found,) = gait.footings
    assert found.normal_force.min() > 40.0
    # over a period impulses of the ground and of the strike make up for the weight
    model = gait.walker.stance.standing  # type: ignore[union-attr]
    assert found.normal_force[0] < model.total_mass * 9.8 * 1.05


def test_runs_of_gaits_stand_on_their_feet() -> None:
    gait = ts.gait.limit_cycle(ts.gait.walkers.compass())
    run = gait.run(4, every=0.02)
    model, slope = run.model, gait.walker.slope
    normal = np.array([math.sin(slope), 0.0, math.cos(slope)])
    feet = np.stack(
        [model.frame_pose(run.q, foot)[:, :3, 3] for foot in ("left_foot", "right_foot")]
    )
    heights = np.sort(feet @ normal, axis=0)
    assert np.abs(heights[0]).max() < 0.02  # one stands, or the other scuffs a little below it
    standing = feet[:, -1, 0].min()  # the last strike is after the last sample
    assert standing == pytest.approx(3 * gait.step_length * math.cos(slope), abs=1e-9)


def test_feet_feel_springs_and_every_step() -> None:
    """Forces of the ground by Newton for the centre of mass, whose motion is differenced."""
    gait = ts.gait.limit_cycle(ts.gait.walkers.compass(stiffness=2.0))
    (found,) = gait.footings
    model, slope = gait.walker.stance.standing, gait.walker.slope  # type: ignore[union-attr]
    t, q, _ = gait.flowed.samples
    h = t[1] - t[0]
    heights = np.asarray(model.center_of_mass(q[:40])) @ [math.sin(slope), 0.0, math.cos(slope)]
    rise = (heights[20 - 5] - 2 * heights[20] + heights[20 + 5]) / (5 * h) ** 2
    wanted = model.total_mass * (rise + 9.8 * math.cos(slope))
    at = int(np.argmin(np.abs(found.t - t[20])))
    print(found.normal_force[at], wanted)
    assert found.normal_force[at] == pytest.approx(wanted, rel=2e-4)
    limping = ts.gait.limit_cycles(
        ts.gait.walkers.compass(5.0, 10.0, math.radians(4.6), 9.81), steps=2
    )[0]
    assert [each.step for each in limping.footings] == [1, 2]
    assert len(limping.violations) == 2


def test_what_was_not_looked_at_is_told() -> None:
    wheel = ts.gait.limit_cycle(ts.gait.walkers.rimless_wheel())
    assert "feet were not looked at" in wheel.violations[0]


def test_walkers_keep_what_they_were_given() -> None:
    walker = ts.gait.Walker.from_model(
        ts.robots.compass(), ["left_foot", "right_foot"], stance="line", longest=1.5, name="mine"
    )
    other = walker.but(slope=0.02)
    assert (other.longest, other.name, other.slope) == (1.5, "mine", 0.02)


def test_clocks_begin_with_each_step() -> None:
    gait = ts.gait.optimize(ts.gait.walkers.compass(), 0.8, starts=1)
    with pytest.raises(ValueError, match="take them one by one"):
        ts.gait.replayed(gait).steps(*gait.state, 2)


def test_branches_begin_at_gaits() -> None:
    gait = ts.gait.limit_cycle(ts.gait.walkers.compass())
    with pytest.raises(ts.gait.NoGaitError, match="another walker"):
        ts.gait.continuation(ts.gait.walkers.simplest_walker(), "slope", gait, to=0.06)
    with pytest.raises(ValueError, match="is already"):
        ts.gait.continuation(gait.walker, "slope", gait, to=gait.walker.slope)
    for wrong in ({"step": 0.0}, {"scale": 0.0}):
        with pytest.raises(ValueError, match="must be positive"):
            ts.gait.continuation(gait.walker, "slope", gait, to=0.06, **wrong)
    with pytest.raises(KeyError, match="kind of bifurcation"):
        ts.gait.continuation(gait.walker, "slope", gait, to=0.06, until="flop")
    with pytest.raises(ts.gait.NoGaitError, match="repeats after 1 already"):
        ts.gait.limit_cycle(gait.walker, gait.state, steps=2)
    with pytest.raises(ValueError, match="does not scatter"):
        ts.gait.survival(gait, "damping", [0.1])
