"""Round feet in space: the walker in the plane as a limit, strikes by dense projections, a gait."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import tarsus as ts
from tarsus.gait.return_map import moved, residual, take_step
from tarsus.gait.walkers.feet import RoundSole
from tarsus.gait.walkers.spatial import standing

NUMBERS = {"radius": 0.3, "leg_mass": 1.0, "hip_mass": 5.0, "slope": math.radians(3.0)}


def test_without_width_it_is_the_walker_in_the_plane() -> None:
    """Gait and multipliers of `round_feet` are among those in space, whatever its axle is."""
    plane = ts.gait.limit_cycle(ts.gait.walkers.round_feet(**NUMBERS, center=0.5))
    walker = ts.gait.walkers.ball_feet(**NUMBERS, center=0.5, width=0.0, axle=0.2)
    (lean, hip), (rate, hip_rate) = plane.state
    guess = standing((0.0, lean + 0.01, 0.0), hip), [0.0, rate, 0.0, hip_rate + 0.01]
    gait = ts.gait.limit_cycle(walker, guess)
    off = [gait.period - plane.period, gait.speed - plane.speed]
    off += (gait.q[0] - standing((0.0, lean, 0.0), hip)).tolist()
    off += (gait.v[0] - [0.0, rate, 0.0, hip_rate]).tolist()
    apart = [np.abs(gait.multipliers - each).min() for each in plane.multipliers]
    print(f"{np.abs(off).max():.1e}, multipliers {max(apart):.1e}")
    assert np.abs(off).max() < 1e-8
    assert max(apart) < 1e-8
    # nothing holds it upright: it falls to a side, turns hardly
    assert abs(gait.multipliers[0]) > 5.0 and not gait.stable


@pytest.fixture(scope="module")
def gait() -> ts.gait.LimitCycle:
    walker = ts.gait.walkers.ball_feet()
    return ts.gait.limit_cycle(walker, walker.start)


def test_it_walks_without_falling_or_scuffing(gait: ts.gait.LimitCycle) -> None:
    print(gait, gait.energy)
    assert gait.stable and gait.error < 1e-10
    assert gait.violations == ()
    assert abs(gait.energy.closure) < 1e-9
    assert gait.speed == pytest.approx(0.9611, abs=1e-3)
    np.testing.assert_array_equal(gait.q[0, :2], 0.0)
    # pushes die out in twenty steps and are nearly gone in two hundred
    pushed = gait.v + [0.0, 0.01, 0.01, 0.0]
    away = []
    for steps in (20, 200):
        flowed = gait.walker.steps(gait.q, pushed, steps, rtol=1e-9, atol=1e-10)
        off = residual(gait.walker, gait.q, gait.v, flowed.q, flowed.v)
        away.append(float(np.abs(off).max()))
    print(away)
    assert away[1] < 0.02 * away[0]


def test_multipliers_are_those_of_differences(gait: ts.gait.LimitCycle) -> None:
    """Central differences of second order with steps of another size."""
    walker, size = gait.walker, 8
    found, h = [], 2e-6
    for push in np.eye(size):
        ends = [
            take_step(walker, *moved(walker, gait.q, gait.v, way * h * push[None]))
            for way in (1, -1)
        ]
        found.append(residual(walker, ends[1].q, ends[1].v, ends[0].q, ends[0].v)[0] / (2.0 * h))
    error = np.abs(gait.slopes[0] - np.array(found).T).max()
    print(f"{error:.1e}")
    assert error < 1e-6


def test_a_step_by_newton_and_euler(gait: ts.gait.LimitCycle) -> None:
    """The step in SciPy: two rigid bodies that stay on a ball and on an axle, by multipliers.

    Accelerations are those of least constraint: M a = f + Jᵀ λ, J a = −J̇ v, with J̇ v by differences
    of the constraints' velocities along the motion; coordinates are poses of both bodies.
    """
    event = gait.flowed.events[0]
    model, slope = gait.walker.stance.model, gait.walker.slope  # type: ignore[union-attr]
    n = gait.walker.numbers
    m = gait.walker.phases[0].model
    bodies = [model.body(name) for name in ("left", "right")]
    normal = np.array([math.sin(slope), 0.0, math.cos(slope)])
    weight = np.array([0.0, 0.0, -n["gravity"]])

    def cross(a: np.ndarray) -> np.ndarray:
        return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])

    def rows(turns: list[np.ndarray]) -> np.ndarray:
        """Velocities of what touches, and of the axle's parts against each other."""
        left, right = turns
        jacobian = np.zeros((8, 12))
        # the point of the sole that touches is at rest; velocities are of centres of mass
        touches = left @ ([0.0, 0.0, n["radius"]] - bodies[0].com) - n["radius"] * normal
        jacobian[:3, :3], jacobian[:3, 3:6] = np.eye(3), -cross(touches)
        ends = left @ ([0.0, -n["width"], 1.0] - bodies[0].com), right @ -bodies[1].com
        jacobian[3:6, :3], jacobian[3:6, 3:6] = np.eye(3), -cross(ends[0])
        jacobian[3:6, 6:9], jacobian[3:6, 9:] = -np.eye(3), cross(ends[1])
        for k, axis in enumerate((left[:, 0], left[:, 2])):
            across = np.cross(axis, right[:, 1])  # axis ⟂ the axle: its rate vanishes
            jacobian[6 + k, 3:6], jacobian[6 + k, 9:] = across, -across
        return jacobian

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        turns = [Rotation.from_quat(y[6 + 4 * k : 10 + 4 * k]) for k in range(2)]
        v = y[14:]
        spins = [v[3:6], v[9:12]]
        matrices = [turn.as_matrix() for turn in turns]
        mass, force = np.zeros((12, 12)), np.zeros(12)
        for k, (body, turn) in enumerate(zip(bodies, matrices, strict=True)):
            own = turn @ body.inertia @ turn.T
            mass[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = body.mass * np.eye(3)
            mass[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = own
            force[6 * k : 6 * k + 3] = body.mass * weight
            force[6 * k + 3 : 6 * k + 6] = -np.cross(spins[k], own @ spins[k])
        h = 1e-5
        pairs = list(zip(spins, turns, strict=True))
        ahead, back = (
            rows([(Rotation.from_rotvec(way * h * s) * r).as_matrix() for s, r in pairs])
            for way in (1, -1)
        )
        jacobian = rows(matrices)
        bent = (ahead - back) @ v / (2.0 * h)
        saddle = np.block([[mass, jacobian.T], [jacobian, np.zeros((8, 8))]])
        a = np.linalg.solve(saddle, np.concatenate([force, -bent]))[:12]
        quats = [
            0.5 * np.array([*(np.cross(s, q[:3]) + q[3] * s), -s @ q[:3]])
            for s, q in ((spins[0], y[6:10]), (spins[1], y[10:14]))
        ]
        return np.concatenate([v[:3], v[6:9], *quats, a])

    def state(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        poses = [np.asarray(m.frame_pose(q, name)) for name in ("left", "right")]
        twists = [
            np.asarray(m.frame_velocity(q, v, name, "local_world_aligned"))
            for name in ("left", "right")
        ]
        centers, speeds, quats = [], [], []
        for body, pose, twist in zip(bodies, poses, twists, strict=True):
            arm = pose[:3, :3] @ body.com
            centers.append(pose[:3, 3] + arm)
            speeds += [twist[:3] + np.cross(twist[3:], arm), twist[3:]]
            quats.append(Rotation.from_matrix(pose[:3, :3]).as_quat())
        return np.concatenate([*centers, *quats, *speeds])

    begin, end = state(gait.q[0], gait.v[0]), state(event.q, event.v)
    found = solve_ivp(rate, (0.0, event.t), begin, rtol=1e-9, atol=1e-10).y[:, -1]
    for part in (slice(6, 10), slice(10, 14)):
        found[part] *= np.sign(found[part] @ end[part])
    error = np.abs(found - end).max()
    print(f"{error:.1e}")
    assert error < 1e-6


def dense_strike(walker: ts.gait.Walker, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return the rates of the machine that floats after its second sole was caught, in NumPy."""
    machine = walker.stance
    assert machine is not None and machine.sole is not None
    model, m = machine.model, machine.standing
    floats = m.to_original(q, v)
    name, placement = machine.feet[1]
    pose = np.asarray(model.frame_pose(floats.q, name)) @ placement
    axes, normal = np.array(machine.sole.half_axes), machine.at[:3, 2]
    # the lowest point of an ellipsoid: all points on it, roughly, and then by a search around
    middle = pose[:3, 3] + pose[:3, :3] @ [0.0, 0.0, axes[2]]

    def height(angles: np.ndarray) -> float:
        a, b = angles
        on = axes * [np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), -np.cos(a)]
        return float((middle + pose[:3, :3] @ on) @ normal)

    best = min(
        (minimize(height, [0.3, b], tol=1e-15, method="Nelder-Mead") for b in (0.5, 2.0, 3.5, 5.0)),
        key=lambda each: each.fun,
    )
    a, b = best.x
    on = axes * [np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), -np.cos(a)]
    point = middle + pose[:3, :3] @ on
    origin = np.asarray(model.frame_pose(floats.q, name))[:3, 3]
    jacobian = np.array(model.frame_jacobian(floats.q, name, "local_world_aligned"))
    held = jacobian[:3] - np.cross(point - origin, jacobian[3:], axisb=0, axisc=0)
    mass = np.asarray(model.mass_matrix(floats.q))
    back = np.linalg.solve(mass, held.T)
    return np.asarray(floats.v - back @ np.linalg.solve(held @ back, held @ floats.v))


@pytest.mark.parametrize("radius", [0.5, (0.5, 0.5, 0.5), (0.3, 0.7, 0.5), (0.6, 0.2, 0.4)])
def test_strikes_on_round_soles_are_dense_projections(radius: float) -> None:
    model = ts.gait.walkers.ball_feet().stance.model  # type: ignore[union-attr]
    walker = ts.gait.Walker.from_model(
        model, ["left_foot", "right_foot"], stance="round", radius=radius, slope=0.1
    )
    machine = walker.stance
    assert machine is not None
    m, rng = machine.standing, np.random.default_rng(3)
    for _ in range(3):
        q = m.integrate(m.neutral(), 0.3 * rng.normal(size=m.nv))
        v = rng.normal(size=m.nv)
        after = dense_strike(walker, q, v)
        there, rates = machine.landed(q, v)
        floats = m.to_original(q, v)
        for at, of in (("left_foot", "right_foot"), ("right_foot", "left_foot")):
            seen = model.frame_velocity(floats.q, after, at, "local_world_aligned")
            # slopes fall along x: images in y of what is seen in the world
            ours = m.frame_velocity(there, rates, of, "local_world_aligned")
            image = np.asarray(seen) * [1, -1, 1, -1, 1, -1]
            np.testing.assert_allclose(ours, image, atol=2e-6)


def test_ellipsoids_that_are_nearly_balls_walk_as_balls(gait: ts.gait.LimitCycle) -> None:
    r = gait.walker.numbers["radius"]
    model = gait.walker.stance.model  # type: ignore[union-attr]
    nearly = ts.gait.Walker.from_model(
        model,
        ["left_foot", "right_foot"],
        stance="round",
        radius=(r, r * (1.0 + 1e-7), r),
        slope=gait.walker.slope,
        start=gait.state,
    )
    assert nearly.but(slope=0.03).stance.sole.half_axes[1] == r * (1.0 + 1e-7)  # type: ignore[union-attr]
    step = take_step(nearly, gait.q, gait.v)
    away = np.abs(residual(nearly, gait.q, gait.v, step.q, step.v)).max()
    print(f"{away:.1e}")
    assert step.walked.all()
    assert away < 1e-5
    assert step.time[0] == pytest.approx(gait.period, abs=1e-6)


def test_lowest_points_of_soles() -> None:
    """That of an ellipsoid is on it, and a plane across the normal touches it there."""
    sole, rng = RoundSole((0.3, 0.7, 0.5), in_plane=False), np.random.default_rng(0)
    for turn in Rotation.random(5, random_state=1).as_matrix():
        foot = np.eye(4)
        foot[:3, :3], foot[:3, 3] = turn, rng.normal(size=3)
        normal = rng.normal(size=3)
        normal /= np.linalg.norm(normal)
        points = rng.normal(size=(2000, 3))
        points = points / np.linalg.norm(points, axis=1, keepdims=True) * sole.half_axes
        heights = ((points + [0, 0, 0.5]) @ turn.T + foot[:3, 3]) @ normal
        lowest = sole.lowest(foot, normal)
        local = ((lowest - foot[:3, 3]) @ turn - [0, 0, 0.5]) / sole.half_axes
        assert local @ local == pytest.approx(1.0)
        assert lowest @ normal < heights.min() + 1e-12
        assert lowest @ normal == pytest.approx(heights.min(), abs=5e-3)


def test_runs_step_from_side_to_side(gait: ts.gait.LimitCycle) -> None:
    """Soles that stand neither slip nor sink, in the run of the machine that floats."""
    run = gait.run(4, every=0.02)
    model, slope, r = run.model, gait.walker.slope, gait.walker.numbers["radius"]
    normal = np.array([math.sin(slope), 0.0, math.cos(slope)])
    centers = np.stack(
        [
            model.frame_pose(run.q, f"{side}_foot")[:, :3, 3]
            + r * model.frame_pose(run.q, f"{side}_foot")[:, :3, 2]
            for side in ("left", "right")
        ]
    )
    heights = centers @ normal - r
    assert np.abs(heights.min(axis=0)).max() < 1e-9
    steps = np.linalg.norm(np.diff(centers, axis=1), axis=-1)
    assert steps.max() < 0.02 * 3.5  # nothing jumps at strikes
    assert np.ptp(centers[..., 1]) < 0.6


def test_sections_of_what_rolls_are_steps(gait: ts.gait.LimitCycle) -> None:
    section = gait.walker.numbered()
    assert len(section.names) == 8
    x = section.read(*gait.state)
    q, v = section.place(x)
    np.testing.assert_allclose(q[2:], gait.q[0, 2:], atol=1e-12)
    np.testing.assert_allclose(v, gait.v[0], atol=1e-12)
    found = ts.gait.basin(gait, {"hip rate": [x[-1] - 2.0, x[-1]]}, steps=5)
    assert found.survived.tolist() == [False, True]


def test_bad_soles_are_named() -> None:
    with pytest.raises(ts.ModelError, match=r"ball_feet: radius is 1\.5 m"):
        ts.gait.walkers.ball_feet(1.5)
    with pytest.raises(ts.ModelError, match="axle is 0"):
        ts.gait.walkers.ball_feet(axle=0.0)
    feet = ["left_foot", "right_foot"]
    with pytest.raises(ValueError, match="walks in the plane"):
        ts.gait.Walker.from_model(ts.robots.compass(), feet, stance="round", radius=(0.1, 0.2, 0.1))
    with pytest.raises(ValueError, match="must be positive"):
        ts.gait.Walker.from_model(ts.robots.compass(), feet, stance="round", radius=-0.1)
