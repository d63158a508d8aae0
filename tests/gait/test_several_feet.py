"""Phases with several feet on the ground: double support of springy legs, trots of quadrupeds."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from springy_legs import sprung

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.gait.return_map import moved, residual, take_step
from tarsus.gait.step_contact import pieces
from tarsus.gait.walkers.foot_groups import Groups
from tarsus.gait.walkers.stance import DoubleSupport

PAIRS = [["front_left_tip", "hind_right_tip"], ["front_right_tip", "hind_left_tip"]]
START = (
    [0.3260529, -0.0001762, -0.6445242, 0.0023526, -0.6327413, 0.0],
    [-1.0872159, 0.8204728, -0.2782093, 0.0025401, 0.0, 0.0],
)
"""About a gait of the springy compass, just after its strike."""


@cache
def springy() -> ts.gait.LimitCycle:
    """Return a gait with double support, down a slope."""
    walker = ts.gait.Walker.from_model(
        sprung(20_000.0, 200.0, 9.8),
        ["left_foot", "right_foot"],
        stance="line",
        double_support=True,
        slope=0.0524,
        start=START,
        longest=3.0,
    )
    return ts.gait.limit_cycle(walker, walker.start)


@cache
def trotting() -> ts.gait.LimitCycle:
    """Return the trot of the quadruped."""
    walker = ts.gait.walkers.trot()
    q, v = walker.start
    for _ in range(20):  # it comes nearer by itself
        flowed = walker.steps(q, v)
        q, v = flowed.q, flowed.v
    return ts.gait.limit_cycle(walker, (q, v))


def slope_along(gait: ts.gait.LimitCycle, way: Array, h: float) -> Array:
    """Return the derivative of the return map along a way (2 nv,), by differences of order six."""
    walker = gait.walker
    sizes = h * np.array([1, -1, 2, -2, 3, -3])
    weights = np.array([45, -45, -9, 9, 1, -1]) / (60.0 * h)
    q, v = (np.repeat(x[:1], 6, axis=0) for x in (gait.q, gait.v))
    then = take_step(walker, *moved(walker, q, v, sizes[:, None] * way))
    assert then.walked.all()
    return weights @ residual(walker, q, v, then.q, then.v)


def test_double_support_is_a_gait_with_a_ledger_that_closes() -> None:
    gait = springy()
    assert gait.error < 1e-9
    assert [event.name for event in gait.flowed.events] == ["lift-off", "strike"]
    assert abs(gait.energy.closure) < 1e-5 * gait.energy.slope  # a spline through samples
    both, swing = pieces(gait.walker, gait.flowed)
    model, support = both.phase.model, gait.walker.stance
    assert isinstance(model, ts.Planted) and isinstance(support, DoubleSupport)
    loads = model.loads(both.q, both.v)[:, 0, 2]
    assert loads[:-1].min() > 0.0
    assert abs(loads[-1]) < 1e-6  # it leaves where nothing presses it
    np.testing.assert_allclose(both.q[:, 4:], np.tile(both.q[0, 4:], (len(both.q), 1)), atol=1e-14)
    foot = support.stance.standing.frame_pose(both.q[:, :4], "right_foot")[:, :3, 3]
    np.testing.assert_allclose(foot, np.tile(foot[0], (len(foot), 1)), atol=1e-11)
    np.testing.assert_allclose(swing.q[0], both.q[-1, :4], atol=0.0)


def test_multipliers_know_where_the_foot_landed() -> None:
    """Variational equations through strike and lift-off against differences of the return map."""
    gait = springy()
    for k in (0, 2, 3, 4, 6, 8):
        way = np.eye(12)[k]
        np.testing.assert_allclose(gait.slopes[0] @ way, slope_along(gait, way, 1e-4), atol=1e-6)


def test_stiff_legs_walk_like_those_of_a_compass() -> None:
    """Springs that hardly give take what a strike of rigid legs takes, as heat of their dampers."""
    rigid = ts.gait.Walker.from_model(
        rigid_legs(),
        ["left_foot", "right_foot"],
        stance="line",
        slope=0.0524,
        start=([START[0][0], START[0][2]], [-1.08, -0.28]),
    )
    slow = ts.gait.limit_cycle(rigid, rigid.start)
    gait = springy()
    assert gait.speed == pytest.approx(slow.speed, rel=0.02)
    lost = gait.energy.impacts + gait.energy.dampers
    assert lost == pytest.approx(slow.energy.impacts, rel=0.05)


def rigid_legs() -> ts.Model:
    """Return the same walker with legs that do not give."""
    editor = ts.Editor(sprung(20_000.0, 200.0, 9.8))
    for side in ("left", "right"):
        editor.change("joint", f"{side}_leg", kind="fixed")
    return editor.build()


def test_a_rear_foot_that_would_be_pulled_ends_the_step() -> None:
    gait = springy()
    walker, strike = gait.walker, gait.flowed.events[-1]
    start = strike.q.copy()
    start[1] = -0.004  # a leg that is stretched pulls at its foot
    flowed = ts.flow(walker.phases[::-1], start, strike.v, duration=3.0, events=2)
    support = walker.stance
    assert isinstance(support, DoubleSupport)
    assert flowed.ended == "left by an exit"
    assert flowed.events[-1].name == "strike that the rear foot leaves"
    assert support.stays(None, 0.0, flowed.q, flowed.v) < 0.0


def test_the_quadruped_trots() -> None:
    gait = trotting()
    assert gait.stable and gait.walker.heading
    assert gait.violations == ()
    assert {each.foot for each in gait.footings} > {"front_left_tip", "hind_right_tip"}
    assert gait.speed == pytest.approx(0.4343, abs=1e-3)
    assert abs(gait.energy.closure) < 1e-3 * gait.energy.positive
    names = [event.name for event in gait.flowed.events]
    assert len(names) == 2 and names[0].endswith("lands") and names[1] == "strike"


def test_the_trot_has_the_heading_for_a_multiplier_of_minus_one() -> None:
    """Which is left out; and the map along a way is that of differences, spots among it."""
    gait = trotting()
    every = np.linalg.eigvals(gait.slopes[0])
    assert np.abs(every + 1.0).min() < 1e-6
    assert np.abs(gait.multipliers + 1.0).min() > 0.01
    way = np.random.default_rng(0).normal(size=len(every))
    way /= np.linalg.norm(way)
    found = slope_along(gait, way, 2e-4)
    np.testing.assert_allclose(gait.slopes[0] @ way, found, atol=1e-5 * np.abs(found).max())


def test_landings_are_impacts_onto_all_feet_that_stand() -> None:
    """Against dense equations of the machine that floats, and its momentum."""
    gait = trotting()
    event = gait.flowed.events[0]
    support = gait.walker.stance
    assert isinstance(support, Groups)
    rooted = support.stance.standing
    landed = event.name.removesuffix(" lands")
    before = rooted.to_original(*support.tree(event.q, event.v))
    after = rooted.to_original(*support.tree(event.next_q, event.next_v))
    model = rooted.original
    feet = [*PAIRS[0], landed]
    rows = np.concatenate(
        [model.frame_jacobian(before.q, f, "local_world_aligned")[:3] for f in feet]
    )
    inertia = np.asarray(model.mass_matrix(before.q))
    whole = np.block([[inertia, -rows.T], [rows, np.zeros((9, 9))]])
    wanted = np.linalg.solve(whole, np.concatenate([inertia @ before.v, np.zeros(9)]))
    np.testing.assert_allclose(after.v, wanted[: model.nv], atol=1e-9)
    spots = support.met(frozenset({(0, 1)[landed in PAIRS[1][1]]}), event.q, event.v)[2]
    np.testing.assert_allclose(spots[-1], wanted[-3:], rtol=1e-7, atol=1e-8)


def test_bad_groups_are_refused() -> None:
    model = ts.robots.quadruped()
    with pytest.raises(ts.ModelError, match="is no image of"):
        ts.gait.Walker.from_model(model, [PAIRS[0], PAIRS[1][::-1]], stance="point")
    with pytest.raises(ValueError, match="groups of 2 and of 1"):
        ts.gait.Walker.from_model(model, [PAIRS[0], PAIRS[1][:1]], stance="point")
    with pytest.raises(ValueError, match="double_support is for two feet"):
        ts.gait.Walker.from_model(model, PAIRS, stance="point", double_support=True)
    with pytest.raises(ValueError, match="soles that roll stand alone"):
        ts.gait.Walker.from_model(
            sprung(), ["left_foot", "right_foot"], stance="round", radius=0.1, double_support=True
        )
    with pytest.raises(ValueError, match="posture is missing"):
        ts.gait.walkers.trot(model)
    with pytest.raises(ts.ModelError, match="does not reach"):
        ts.gait.walkers.trot(step=3.0)


def test_branches_and_basins_of_several_feet() -> None:
    gait = springy()
    branch = ts.gait.continuation(gait.walker, "slope", gait, to=0.051, kinds=())
    assert branch.values[-1] == pytest.approx(0.051)
    assert all(each.error < 1e-8 for each in branch.gaits)
    lean = gait.q[0, 0]
    basin = ts.gait.basin(gait, {"left_foot_root": [lean, lean - 0.3]}, steps=2)
    assert basin.steps.tolist()[0] == 2 and basin.steps[1] < 2
    trot = trotting()
    section = trot.walker.numbered()
    assert section.names[:3] == tuple(f"front_left_tip_root {k}" for k in range(3))
    name = "front_left_tip_root 1 rate"
    rate = section.read(*trot.state)[section.names.index(name)]
    basin = ts.gait.basin(trot, {name: [rate, rate + 0.05]}, steps=2)
    assert basin.survived.all() and basin.distance[0] < 1e-6 < basin.distance[1]


def test_runs_of_trots_stand_where_they_landed() -> None:
    """The root stays in place over a step, and the next one is where it landed, side for side."""
    gait = trotting()
    run = gait.run(3, every=0.01)
    model, step = run.model, gait.period
    for k, pair in enumerate((PAIRS[0], PAIRS[1], PAIRS[0])):
        during = (run.t > k * step + 1e-6) & (run.t < (k + 1) * step - 1e-6)
        for foot in pair:
            places = model.frame_pose(run.q[during], foot)[:, :3, 3]
            assert np.ptp(places, axis=0).max() < 1e-8
            assert np.abs(places[:, 2]).max() < 1e-8
