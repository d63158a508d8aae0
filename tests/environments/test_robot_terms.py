"""Terms of tasks: what is felt, what is good, what varies, and grounds that become harder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tarsus as ts
from tarsus.environments import (
    ActionRate,
    BaseHeight,
    BaseVelocity,
    Clock,
    Command,
    CommandedVelocity,
    Curriculum,
    Energy,
    FeetHeights,
    FootClearance,
    Friction,
    Gains,
    Gravity,
    GroundScan,
    HeightKept,
    JointTargets,
    Masses,
    Noisy,
    PoseKept,
    Progress,
    Pushes,
    RobotLanes,
    RobotVectorEnv,
    StartAngles,
    Tilted,
    TooFast,
    TooLow,
    Trot,
    TurnTracking,
    Upright,
    VelocityTracking,
    robot_task,
)
from tarsus.geometry import HeightField

HILLS = HeightField.from_function(lambda x, y: 0.05 * np.sin(2 * x) * np.cos(y), spacing=0.05)


def lanes(robots: int = 4, **changes: Any) -> RobotVectorEnv:
    return RobotVectorEnv("solo12", robot_task("trot", **changes), robots)


def tumbling(robots: int = 4, **changes: Any) -> RobotLanes:
    """Return robots in random states, as a motion could leave them."""
    found = lanes(robots, **changes).robots
    rng = np.random.default_rng(0)
    found.q[:] = found.model.integrate(found.stance, 0.3 * rng.standard_normal((robots, 18)))
    found.v[:] = rng.standard_normal((robots, 18))
    found.command[:] = rng.uniform(-0.5, 0.5, (robots, 3))
    found.age[:] = rng.integers(0, 50, robots)
    found._found, found._turned = {}, None
    return found


def turned(robots: RobotLanes) -> Rotation:
    return Rotation.from_quat(robots.q[:, 3:7])


def headed(robots: RobotLanes, vector: np.ndarray) -> np.ndarray:
    """Vectors of the world in axes that turn with the heading, by SciPy's rotations."""
    ahead = turned(robots).apply([1.0, 0.0, 0.0])
    angle = -np.arctan2(ahead[:, 1], ahead[:, 0])
    return Rotation.from_rotvec(angle[:, None] * [0.0, 0.0, 1.0]).apply(vector)


def differences(robots: RobotLanes, frame: str, h: float = 1e-6) -> np.ndarray:
    """Velocities (B, 3) of a frame by differences."""
    ends = [robots.model.integrate(robots.q, s * h * robots.v) for s in (-1.0, 1.0)]
    before, after = (robots.model.frame_pose(q, frame)[:, :3, 3] for q in ends)
    return (after - before) / (2.0 * h)


def test_what_the_base_feels() -> None:
    robots = tumbling(ground=HILLS)
    up = turned(robots).inv().apply([0.0, 0.0, 1.0])
    assert Gravity()(robots) == pytest.approx(up)
    under = 0.05 * np.sin(2 * robots.q[:, 0]) * np.cos(robots.q[:, 1])
    assert BaseHeight()(robots)[:, 0] == pytest.approx(robots.q[:, 2] - under, abs=1e-3)
    assert (BaseVelocity()(robots) == robots.v[:, :6]).all()
    ahead = turned(robots).apply([1.0, 0.0, 0.0])
    heading = np.arctan2(ahead[:, 1], ahead[:, 0])
    x = robots.q[:, 0] + 0.3 * np.cos(heading) - 0.1 * np.sin(heading)
    y = robots.q[:, 1] + 0.3 * np.sin(heading) + 0.1 * np.cos(heading)
    seen = GroundScan(((0.3, 0.1),))(robots)[:, 0]
    assert seen == pytest.approx(0.05 * np.sin(2 * x) * np.cos(y) - under, abs=2e-3)


def test_velocities_are_those_of_the_motion() -> None:
    robots = tumbling()
    velocity = headed(robots, differences(robots, robots.base_body()))
    assert robots.heading_velocity() == pytest.approx(velocity, abs=1e-6)
    speeds = np.stack([differences(robots, foot) for foot in robots.feet], axis=1)
    assert robots.feet_velocities() == pytest.approx(speeds, abs=1e-6)
    error = velocity[:, :2] - robots.command[:, :2]
    expected = np.exp(-(np.linalg.norm(error, axis=1) ** 2) / 0.25**2)
    assert VelocityTracking()(robots) == pytest.approx(expected, abs=1e-6)
    turn = np.exp(-((robots.v[:, 5] - robots.command[:, 2]) ** 2) / 0.25)
    assert TurnTracking()(robots) == pytest.approx(turn)
    places = [robots.model.frame_pose(robots.q, foot)[:, 2, 3] for foot in robots.feet]
    low = [robots.model.frame_pose(robots.stance, foot)[2, 3] for foot in robots.feet]
    heights = np.stack(places, axis=1) - low
    assert FeetHeights()(robots) == pytest.approx(heights)
    cost = ((heights - 0.06) ** 2 * np.linalg.norm(speeds[..., :2], axis=-1)).sum(axis=1)
    assert FootClearance()(robots) == pytest.approx(cost, abs=1e-6)


def test_progress_is_largest_at_the_speed_that_is_asked_for() -> None:
    robots = lanes(5, command=Command(ahead=(0.4, 0.4))).robots
    robots.command[:] = [0.4, 0.0, 0.0]
    robots.v[:, 0] = [-0.2, 0.0, 0.4, 0.6, 0.8]
    robots._found = {}
    assert Progress()(robots) == pytest.approx([-0.2, 0.0, 0.4, 0.2, 0.0])
    assert np.argmax(VelocityTracking()(robots)) == 2


def test_other_rewards_in_states_that_are_known() -> None:
    robots = tumbling()
    tilt = turned(robots).as_matrix()[:, 2, 2]
    assert Upright()(robots) == pytest.approx(tilt)
    moved = robots.q[:, 7:] - robots.stance[7:]
    assert PoseKept()(robots) == pytest.approx((moved**2).mean(axis=1))
    height = np.exp(-((robots.q[:, 2] - robots.stance[2]) ** 2) / 0.05**2)
    assert HeightKept()(robots) == pytest.approx(height)
    robots.action[:], robots.last_action = 0.5, np.full((4, 12), 0.25)
    assert ActionRate()(robots) == pytest.approx(0.0625)
    robots._tau[:, 0] = np.random.default_rng(1).standard_normal((4, 18))
    power = np.abs(robots._tau[:, 0, 6:] * robots.v[:, 6:]).sum(axis=1)
    weight = 9.81 * robots.model.total_mass
    assert Energy()(robots) == pytest.approx(power / weight)
    assert (Tilted(0.2)(robots) == (tilt < np.cos(0.2))).all()
    assert (TooLow(1.0)(robots) == (robots.q[:, 2] < robots.stance[2])).all()
    fastest = np.abs(robots.v[:, 6:]).max(axis=1)
    assert (TooFast(float(np.median(fastest)))(robots) == (fastest > np.median(fastest))).all()


def test_a_trot_in_time_is_worth_more_than_one_out_of_time() -> None:
    robots = lanes(2).robots
    robots.age[:] = [0, round(0.2 / robots.period)]  # half of the period of 2.5 Hz
    q = robots.stance.copy()
    # the first foot and the last one of the robot are lifted by their knees
    for name in ("HR_KFE", "FL_KFE"):
        q[robots.model.joint(name).q_slice] *= 1.4
    robots.q[:] = q
    robots._found = {}
    found = Trot(2.5)(robots)
    assert found == pytest.approx([1.0, -1.0])
    assert Clock(2.5)(robots) == pytest.approx(np.array([[0.0, 1.0], [0.0, -1.0]]), abs=1e-12)


def test_numbers_are_drawn_from_their_ranges_for_each_episode() -> None:
    varies = (Friction(0.4, 0.6), Masses(0.8, 1.2, each=True), Gains(0.5, 2.0))
    envs = lanes(100, varies=varies, command=Command(ahead=(0.2, 0.6), turn=(-1.0, 1.0)))
    envs.reset(seed=0)
    robots, nv = envs.robots, 18
    columns: list[tuple[np.ndarray, float, float]] = [
        (robots.parameters[:, 0], 0.4, 0.6),
        (robots.parameters[:, -1], 0.8, 1.2),
        (robots.parameters[:, 4 + nv - 1] / 8.0, 0.5, 2.0),
        (robots.parameters[:, 4 + 2 * nv - 1] / 0.2, 0.5, 2.0),
        (robots.command[:, 0], 0.2, 0.6),
        (robots.command[:, 2], -1.0, 1.0),
    ]
    for values, low, high in columns:
        assert low <= values.min() < low + 0.1 * (high - low)
        assert high - 0.1 * (high - low) < values.max() <= high
    before = robots.parameters.copy()
    envs.reset()
    assert (robots.parameters[:, 0] != before[:, 0]).all()


def test_joints_start_away_from_the_stance_with_feet_on_the_ground() -> None:
    envs = lanes(20, varies=(StartAngles(high=0.2),), ground=HILLS)
    envs.reset(seed=0)
    robots = envs.robots
    moved = np.abs(robots.q[:, 7:] - robots.stance[7:])
    assert 0.18 < moved.max() <= 0.2
    gaps = np.asarray(robots.world.contacts(robots.q))[:, :, 0].min(axis=1)
    assert np.abs(gaps).max() < 1e-3


def test_pushes_change_the_momentum_by_what_they_say_once_in_a_while() -> None:
    """In free space nothing else does."""
    task: dict[str, Any] = {"ground": None, "ends": (), "episode": 2.0}
    envs = lanes(3, **task, varies=(Pushes(0.2, 0.3, every=0.5),), acts=JointTargets(reach=0.0))
    envs.reset(seed=0)
    robots = envs.robots
    mass, weight = robots.model.total_mass, np.array([0.0, 0.0, -9.81])
    sizes = []
    for _ in range(99):
        before = robots.model.centroidal_momentum(robots.q, robots.v)[:, :3]
        envs.step(np.zeros((3, 12), np.float32))
        after = robots.model.centroidal_momentum(robots.q, robots.v)[:, :3]
        sizes.append(np.linalg.norm((after - before) / mass - robots.period * weight, axis=1))
    pushed = np.array(sizes) > 1e-2
    print(pushed.sum(axis=0), np.array(sizes)[pushed])
    assert (pushed.sum(axis=0) == 4).all()
    for k in range(3):
        assert (pushed[25 * k : 25 * (k + 1)].sum(axis=0) == 1).all()
    assert 0.19 < np.array(sizes)[pushed].min() < np.array(sizes)[pushed].max() < 0.31
    assert np.array(sizes)[~pushed].max() < 1e-2


def test_noise_is_normal_and_each_robot_has_its_own() -> None:
    envs = lanes(50, observes=(Noisy(CommandedVelocity(), 0.1), CommandedVelocity()))
    seen = [envs.reset(seed=0)[0]]
    seen += [envs.step(np.zeros((50, 12), np.float32))[0] for _ in range(100)]
    noise = np.array(seen)[:, :, :3] - np.array(seen)[:, :, 3:]
    print(noise.mean(), noise.std())
    assert abs(noise.mean()) < 0.1 * 4 / np.sqrt(noise.size)
    assert noise.std() == pytest.approx(0.1, rel=0.03)
    flat = noise.transpose(1, 0, 2).reshape(50, -1)
    others = np.corrcoef(flat) - np.eye(50)
    assert np.abs(others).max() < 0.35
    assert abs(np.corrcoef(noise[:-1].ravel(), noise[1:].ravel())[0, 1]) < 0.04


STAIRS = (ts.Ground(), *(ts.Steps(rise=rise, depth=0.4) for rise in (0.02, 0.05)))


def test_a_curriculum_has_its_grounds_side_by_side() -> None:
    hard = Curriculum((*STAIRS, HILLS), width=3.0)
    rng = np.random.default_rng(0)
    for level, ground in enumerate(hard.grounds):
        x, y = rng.uniform(0.0, 5.0, 50), rng.uniform(-1.3, 1.3, 50)
        found, expected = hard.field.height(x, y + 3.0 * level), ground.height(x, y)
        # a step is as steep as the grid is fine
        edge = np.abs((x - 0.5) / 0.4 - np.round((x - 0.5) / 0.4)) < 0.13
        even = ~edge | (level in (0, 3))
        assert even.sum() > 25
        assert found[even] == pytest.approx(expected[even], abs=1e-3)


def test_robots_go_up_when_they_succeed_and_down_when_they_fail() -> None:
    hard = Curriculum(STAIRS, first=1)
    envs = lanes(4, ground=hard, episode=0.1, command=Command(ahead=(0.5, 0.5)), ends=())
    envs.reset(seed=0)
    robots = envs.robots
    assert (robots.level == 1).all()
    assert robots.q[:, 1] == pytest.approx(4.0)
    zeros = np.zeros((4, 12), np.float32)
    for _ in range(5):
        envs.step(zeros)
    asked = 0.5 * 0.1
    robots.q[:, 0] = robots.origin[:, 0] + np.array([0.0, 0.5, 0.8, 2.0]) * asked
    robots.q[:, 1] = robots.origin[:, 1]
    robots.ended[3], robots.periods = True, 50  # who falls was asked for the whole way
    envs.reset()
    assert robots.level.tolist() == [0, 1, 2, 0]
    assert robots.q[:, 1] == pytest.approx(4.0 * robots.level)
    robots.ended[:] = True
    envs.reset(seed=0)
    assert (robots.level == 1).all()
    unseeded = lanes(2, ground=hard)
    unseeded.reset()
    assert (unseeded.robots.level == 1).all()


WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "range": (lambda: Friction(0.5, 0.1), "Friction is from 0.5 to 0.1"),
    "mass": (lambda: Masses(0.0, 1.0), "bodies must have mass"),
    "never": (lambda: Pushes(0.0, 1.0, every=0.0), "every is 0.0"),
    "noise": (lambda: Noisy(Clock(), -1.0), "deviation is -1.0, must not be negative"),
    "command": (lambda: Command(ahead=(1.0, 0.0)), "ahead is"),
    "feet": (lambda: lanes(2, feet=("FL_FOOT",)), "Trot has 4 phases, but .* FL_FOOT"),
    "no levels": (lambda: Curriculum(()), "grounds is empty"),
    "no ground": (lambda: Curriculum((1,)), "one of the grounds"),  # type: ignore[arg-type]
    "level": (lambda: Curriculum(STAIRS, first=3), "first is 3, must be from 0 to 2"),
    "shares": (lambda: Curriculum(STAIRS, fail=0.9), "fail is 0.9"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_terms_are_named(case: str) -> None:
    make, message = WRONG[case]
    with pytest.raises((ValueError, TypeError), match=message):
        make()
