"""Scenes of motions that keep something: a gyroscope, a wave of pendulums, a cat, bars in space."""

from __future__ import annotations

import math

import numpy as np
import pytest
from bar_chains import Bars

import tarsus as ts
from tarsus.scenes.toys import ACROSS, ALONG, REACH, WEIGHT, pendulum_length, precession
from tarsus.scenes.vehicles import DESCRIPTIONS, bend, turned


def angular_momentum(model: ts.Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return the angular momentum about the centre of mass (…, 3)."""
    return (model.centroidal_momentum_matrix(q) @ v[..., None])[..., 3:, 0]


@pytest.mark.parametrize("tilt", [0.3, 1.0, math.pi / 2, 2.0])
def test_a_gyroscope_precesses_steadily(tilt: float) -> None:
    scene, rate = ts.scenes.gyroscope(tilt=tilt), precession(200.0, tilt)
    residual = ACROSS * rate**2 * math.cos(tilt) - ALONG * 200.0 * rate + WEIGHT * REACH
    assert abs(residual) < 1e-12
    run = scene.run(every=10)
    axis = run.model.forward_kinematics(run.q)[:, 0, :3, 2]
    about = rate * run.t
    expected = np.stack([np.sin(tilt) * np.cos(about), np.sin(tilt) * np.sin(about)], axis=1)
    print(f"tilt {tilt:.2f}: off by {np.abs(axis[:, :2] - expected).max():.1e}")
    assert axis[:, :2] == pytest.approx(expected, abs=1e-6)
    assert axis[:, 2] == pytest.approx(math.cos(tilt), abs=1e-6)
    assert np.ptp(run.energy.stored) < 1e-9 * run.energy.kinetic[0]


def test_a_gyroscope_that_spins_too_slowly() -> None:
    with pytest.raises(ValueError, match="too slow for a steady precession"):
        ts.scenes.gyroscope(spin=10.0, tilt=0.3)


def test_pendulums_meet_again() -> None:
    scene = ts.scenes.pendulum_wave()
    run = scene.run(every=100)
    assert run.q[-1] == pytest.approx(scene.q0, abs=1e-7)
    half = run.q[len(run.t) // 2]  # every second one is on the other side
    assert half == pytest.approx(0.35 * (-1.0) ** np.arange(15), abs=1e-6)
    assert np.ptp(run.q[len(run.t) // 7]) > 0.5
    assert pendulum_length(2.0, 1e-9) == pytest.approx(9.81 / math.pi**2)


def test_a_cat_turns_over_without_angular_momentum() -> None:
    assert turned(2 * math.pi, bend()) == pytest.approx(math.pi)
    scene = ts.scenes.cat()
    run = scene.run(every=20)
    poses = run.model.forward_kinematics(run.q)
    for half in ("front", "back"):
        up = poses[:, run.model.body(half).index, :3, 2]
        assert up[0] == pytest.approx([0, 0, -1], abs=1e-9)
        assert up[-1] == pytest.approx([0, 0, 1], abs=5e-3)
    momentum = np.abs(angular_momentum(run.model, run.q, run.v)).max()
    print(f"angular momentum {momentum:.1e} N m s, up {up[-1]}")
    assert momentum < 5e-6
    assert np.abs(run.v[:, 3:]).max() > 10.0


@pytest.mark.parametrize(("roll", "beta"), [(1.0, 0.5), (3.0, 1.2), (-2.0, 0.8)])
def test_cats_turn_by_the_angle_of_the_formula(roll: float, beta: float) -> None:
    run = ts.scenes.cat(roll, beta).run(every=100)
    start, end = run.model.forward_kinematics(run.q[[0, -1]])[:, run.model.body("front").index]
    turn = end[:3, :3] @ start[:3, :3].T
    assert math.atan2(turn[2, 1], turn[1, 1]) == pytest.approx(turned(roll, beta), abs=1e-3)


def test_a_cat_whose_joints_follow_a_plan_turns_by_half_a_turn() -> None:
    """Joints that are moved whatever it takes: the angle is that of the formula, to rounding."""
    scene, duration, dt = ts.scenes.cat(), 0.6, 1e-3
    model, table = scene.model, scene.controller.reference
    sim = ts.Simulation(model, dt=dt)
    for half in ("front", "back"):
        for turn in ("bend", "roll"):
            at = model.joint(f"{half}_{turn}").q_slice.start
            motion = sim.add(ts.constraint.JointMotion(f"{half}_{turn}"))
            motion.follow(lambda t, at=at: float(table.at(t)[0][at]))
    run = sim.run(scene.q0, duration=duration)
    pose = model.forward_kinematics(run.q[-1])[model.body("front").index]
    print(f"off by {math.atan2(pose[2, 1], pose[1, 1]):.1e} rad")
    assert math.atan2(pose[2, 1], pose[1, 1]) == pytest.approx(0.0, abs=1e-8)
    assert np.abs(angular_momentum(model, run.q, run.v)).max() < 1e-8


@pytest.mark.parametrize("idle", [False, True])
@pytest.mark.parametrize("description", DESCRIPTIONS)
def test_three_bars_in_four_descriptions(description: str, idle: bool) -> None:
    """The middle bar after a second, by an independent integration; an idle body is idle."""
    bars, rates = Bars(3, 1), np.array([0, 0, 0, 0, 0.1])
    oracle = bars.accelerations(np.zeros(3), rates[2:])
    scene = ts.scenes.three_bars(description, idle).but(integrator="dormand_prince")
    model = scene.model
    a = model.forward_dynamics(scene.q0, scene.v0, np.zeros(model.nv))
    found = model.frame_acceleration(scene.q0, scene.v0, a, "middle_center", reference="local")
    print(f"{description}: {found}, {oracle}")
    assert [*found[:2], found[5]] == pytest.approx([*oracle[:2], oracle[3]], abs=1e-14)
    run = scene.run(duration=1.0)
    velocity = model.frame_velocity(run.q[-1], run.v[-1], "middle_center", reference="local")
    assert velocity[5] == pytest.approx(3.192743e-4, rel=1e-6)
    assert velocity[:2] == pytest.approx([1.3266748e-2, 9.180747e-4], rel=1e-6)
    assert run.energy.kinetic[0] == pytest.approx(0.12208333, abs=5e-9)


def placed(
    model: ts.Model, description: str, state: np.ndarray, rates: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return q and v of bars in a plane: place (2,) and velocity of the middle one, angles (3,)."""
    bars, names = Bars(3, 1), ("left", "middle", "right")
    q, v = model.neutral(), np.zeros(model.nv)
    angles = dict(zip(names, state[2:], strict=True))
    turning = dict(zip(names, rates[2:], strict=True))
    for name, parent in DESCRIPTIONS[description]:
        joint = model.joint(name)
        if parent:
            q[joint.q_slice] = angles[name] - angles[parent]
            v[joint.v_slice] = turning[name] - turning[parent]
            continue
        k, half = names.index(name), angles[name] / 2
        along = np.stack([np.cos(state[2:]), np.sin(state[2:])], axis=1)
        place = state[:2] + (bars.arms() @ along)[k]
        c, s = math.cos(angles[name]), math.sin(angles[name])
        velocity = np.array([[c, s], [-s, c]]) @ bars.velocities(state, rates)[k]
        q[joint.q_slice] = [*place, 0.0, 0.0, 0.0, math.sin(half), math.cos(half)]
        v[joint.v_slice] = [*velocity, 0.0, 0.0, 0.0, turning[name]]
    return q, v


@pytest.mark.parametrize("seed", range(5))
def test_accelerations_do_not_depend_on_the_description(seed: int) -> None:
    rng = np.random.default_rng(seed)
    state, rates = rng.uniform(-2, 2, 5), rng.normal(size=5)
    oracle = Bars(3, 1).accelerations(state[2:], rates[2:])
    for description in DESCRIPTIONS:
        model = ts.scenes.three_bars(description).model  # type: ignore[arg-type]
        q, v = placed(model, description, state, rates)
        a = model.forward_dynamics(q, v, np.zeros(model.nv))
        frame = "middle_center"
        found = model.frame_acceleration(q, v, a, frame, reference="local_world_aligned")
        print(f"{description}: {np.abs(found[[0, 1, 5]] - oracle[[0, 1, 3]]).max():.1e}")
        assert found[[0, 1, 5]] == pytest.approx(oracle[[0, 1, 3]], abs=1e-12)


def test_descriptions_and_ends_have_names() -> None:
    with pytest.raises(ValueError, match="unknown description 'midle'; did you mean 'middle'"):
        ts.scenes.three_bars("midle")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="nailed is 'left', must be 'root', 'tip' or None"):
        ts.scenes.four_bars("left")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("pendulum_wave", {"swings": 0}, "swings is 0, must be from 1"),
        ("pendulum_wave", {"period": -1.0}, "period is -1.0, must be positive"),
        ("cat", {"duration": 0.0}, "duration is 0.0, must be positive"),
        ("cans", {"n": 0}, "n is 0, must be from 1"),
        ("tensegrity", {"stiffness": -1.0}, "stiffness is -1, must be at least 0"),
        ("hanging_chain", {"n": 1}, "n is 1, must be from 2"),
    ],
)
def test_numbers_that_make_no_scene(name: str, arguments: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        getattr(ts.scenes, name)(**arguments)
