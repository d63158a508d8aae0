"""Walks of humanoids known beforehand: what soles, weight, arms and ground do in them."""

from __future__ import annotations

import numpy as np
import pytest
from tarsus_lab.scenes import follow, humanoid

import tarsus as ts
from tarsus.gait import Anatomy
from tarsus.walking.arms import Free, Minimising, Still, Swinging, Tracking, arm_joints
from tarsus.walking.ground_wrenches import (
    ground_wrenches,
    sole_forces,
    sole_position,
    vertical_torques,
    whole_wrench,
)
from tarsus.walking.kinematic_walk import WalkTargets, balanced_walk, walk_kinematics, walk_targets
from tarsus.walking.plans.footsteps import Footsteps
from tarsus.walking.posture import stance

LENGTH, DURATION, STEPS = 0.4, 0.8, 4


@pytest.fixture(scope="module")
def lola() -> Anatomy:
    return humanoid("lola")


@pytest.fixture(scope="module")
def standing(lola: Anatomy) -> np.ndarray:
    return stance(lola, crouch=0.1)


def targets_of(body: Anatomy, q: np.ndarray, **moves: float) -> WalkTargets:
    left, right = (float(sole_position(body.model, leg, q)[1]) for leg in body.legs)
    steps = Footsteps.steady(steps=STEPS, width=left - right, **moves)
    return walk_targets(steps, float(body.model.center_of_mass(q)[2]), duration=DURATION)


@pytest.fixture(scope="module")
def targets(lola: Anatomy, standing: np.ndarray) -> WalkTargets:
    return targets_of(lola, standing, length=LENGTH)


def test_ways_lead_from_step_to_step() -> None:
    steps = Footsteps.steady(steps=5, width=0.2, length=0.3, turn=0.2)
    found = walk_targets(steps, 0.8, duration=0.7, double=0.25, lift=0.05)
    for k in range(5):
        end = np.searchsorted(found.times, 0.8 + (k + 1) * 0.7)
        side = 0 if steps.side[k] > 0 else 1
        assert np.abs(found.soles[end, side] - steps.poses[k + 2]).max() < 1e-9
    swung = ~found.standing
    assert not swung.all(axis=1).any(), "one sole stands at any time"
    assert swung.any(axis=1).mean() > 0.3
    assert found.soles[..., 2, 3].max() == pytest.approx(0.05, abs=1e-3)
    # what stands does not move
    moved = np.abs(np.diff(found.soles[..., :2, 3], axis=0)).max(axis=-1)
    assert moved[(found.standing[1:] & found.standing[:-1])].max() < 1e-12
    # the torso turns with the feet, and the cart has its zero moment point where it is wanted
    yaw = np.arctan2(found.torso[:, 1, 0], found.torso[:, 0, 0])
    assert yaw[-1] == pytest.approx(steps.yaw[-2:].mean())
    dt = found.times[1]
    acceleration = np.gradient(np.gradient(found.com[:, :2], dt, axis=0), dt, axis=0)
    zmp = found.com[:, :2] - 0.8 / 9.81 * acceleration
    assert np.sqrt(np.mean((zmp - found.zmp) ** 2)) < 5e-3


def test_what_the_ground_does_is_what_changes_momentum(lola: Anatomy) -> None:
    """Newton and Euler for the whole machine, by differences of its momentum."""
    model, rng = lola.model, np.random.default_rng(0)
    q = model.random_configuration(rng)
    v, a = rng.normal(size=(2, model.nv))
    force, moment = whole_wrench(model, q, v, a)
    h = 1e-5
    ahead, behind = (
        np.asarray(
            model.centroidal_momentum(model.integrate(q, s * v * h + a * h**2 / 2), v + s * a * h)
        )
        for s in (1.0, -1.0)
    )
    rate = (ahead - behind) / (2.0 * h)
    weight = model.total_mass * np.array([0.0, 0.0, -9.81])
    about_com = moment - np.cross(model.center_of_mass(q), force)
    size = 1.0 + np.abs(rate).max()
    assert np.abs(rate[:3] - force - weight).max() < 1e-6 * size
    assert np.abs(rate[3:] - about_com).max() < 1e-6 * size


@pytest.mark.parametrize("stands", [(True, False), (False, True), (True, True)])
def test_forces_on_soles_and_torques_make_the_motion(
    lola: Anatomy, standing: np.ndarray, stands: tuple[bool, bool]
) -> None:
    model, rng = lola.model, np.random.default_rng(1)
    q = model.integrate(standing, 0.05 * rng.normal(size=model.nv))
    v, a = rng.normal(size=(2, model.nv)) * [[0.3], [1.0]]
    found = ground_wrenches(lola, q, v, a, stands)
    assert np.abs(found.tau[:6]).max() == 0.0
    # powers of all that acts, for velocities of soles by differences
    h, power = 1e-6, np.zeros(model.nv)
    for k, leg in enumerate(lola.legs):
        for i in range(model.nv):
            step = np.zeros(model.nv)
            step[i] = h
            ends = [model.integrate(q, s * step) for s in (1.0, -1.0)]
            places = [np.asarray(model.frame_pose(each, leg.end)) for each in ends]
            middle = [sole_position(model, leg, each) for each in ends]
            turned = places[0][:3, :3] @ places[1][:3, :3].T
            turn = np.array([turned[2, 1], turned[0, 2], turned[1, 0]])
            power[i] += found.force[k] @ (middle[0] - middle[1]) / (2 * h)
            power[i] += found.moment[k] @ turn / (2 * h)
    needed = model.mass_matrix(q) @ a + model.bias_forces(q, v)
    assert np.abs(needed - found.tau - power).max() < 1e-5 * np.abs(needed).max()
    for k, down in enumerate(stands):
        assert down or np.abs(found.force[k]).max() == 0.0


@pytest.mark.parametrize("arms", [Still(), Swinging(), Free(), Tracking(), Minimising()])
def test_soles_and_weight_are_where_they_are_planned(
    lola: Anatomy, standing: np.ndarray, targets: WalkTargets, arms: object
) -> None:
    few = WalkTargets(*(part[:120] for part in targets))
    motion = walk_kinematics(lola, standing, few, arms)  # type: ignore[arg-type]
    print(motion.errors)
    assert max(motion.errors.values()) < 1e-3
    assert np.abs(model_step(motion) - motion.v[:-1]).max() < 1e-9


def model_step(motion: object) -> np.ndarray:
    """Velocities that lead from each configuration to the next."""
    q = motion.q  # type: ignore[attr-defined]
    model, period = motion.model, motion.period  # type: ignore[attr-defined]
    return np.asarray(model.difference(q[:-1], q[1:])) / period


@pytest.fixture(scope="module")
def balanced(lola: Anatomy, standing: np.ndarray, targets: WalkTargets) -> WalkTargets:
    before = balanced_walk(lola, standing, targets, rounds=0)
    after = balanced_walk(lola, standing, targets, rounds=1)
    print(f"zero moment point off by {before.zmp_error:.3f} m, then {after.zmp_error:.3f} m")
    assert after.zmp_error < 0.6 * before.zmp_error
    return after.targets


def test_arms_lower_the_angular_momentum_of_a_walk_on_the_ground(
    lola: Anatomy, standing: np.ndarray, balanced: WalkTargets
) -> None:
    """Beside arms that swing with the legs, peaks of L_z and its rate are at least 15 % lower.

    Contact says the same as inverse dynamics, and no sole leaves its cone or slides away.
    """
    model = lola.model
    steady = balanced.step == 2
    peaks = {}
    for name, arms in (("swing", Swinging()), ("7.9", Tracking()), ("damped", Tracking(0.7))):
        walk = balanced_walk(lola, standing, balanced, arms, rounds=0)
        momentum = walk.motion.angular_momentum[:, 2]
        rate = np.gradient(momentum, walk.motion.period)
        peaks[name] = np.abs(momentum[steady]).max(), np.abs(rate[steady]).max()
        fastest = np.abs(walk.motion.v[:, free_of(lola)]).max()
        print(name, peaks[name], f"arms up to {fastest:.1f} rad/s")
        assert fastest < 6.0
    swing, printed, damped = (np.array(peaks[name]) for name in ("swing", "7.9", "damped"))
    assert (damped < 0.85 * swing).all()
    assert printed[1] < 0.85 * swing[1] and printed[0] < 0.95 * swing[0]

    run = follow(lola, balanced, walk.motion).run()
    assert np.abs(run.q[-1, :3] - walk.motion.q[-1, :3]).max() < 0.01
    contacts = run.contacts
    sideways = np.linalg.norm(contacts.force[:, :2], axis=1)
    assert (sideways <= 0.8 * contacts.force[:, 2] + 1e-6).all()
    soles = sole_forces(run, lola)
    print(f"centre of pressure {1e3 * np.nanmin(soles.margin):.0f} mm inside the soles at least")
    assert np.nanmin(soles.margin) > 0.0
    measured = vertical_torques(run, lola)
    whole = np.interp(run.t, balanced.times, walk.ground.moment[:, :, 2].sum(axis=1))
    alone = np.interp(run.t, balanced.times, balanced.standing.all(axis=1)) == 0.0
    smooth = np.convolve(measured.sum(axis=1), np.ones(20) / 20, "same")
    apart = np.sqrt(np.mean((smooth - whole)[alone] ** 2) / np.mean(whole[alone] ** 2))
    print(f"torques of contact and of inverse dynamics differ by {100 * apart:.0f} %")
    assert apart < 0.15
    # what the contacts of a step do about the centre of mass is what its momentum changes by
    own = np.zeros(len(run.t))
    com = np.asarray(model.center_of_mass(run.q))[contacts.sample - 1]
    np.add.at(own, contacts.sample, np.cross(contacts.point - com, contacts.force)[:, 2])
    change = np.diff(np.asarray(model.centroidal_momentum(run.q, run.v))[:, 5]) / run.t[1]
    off = np.abs(own[1:] - change)
    print(f"momentum balance within {off.max():.2g} N·m of {np.abs(change).max():.2g}")
    assert off.max() < 5e-3 * np.abs(change).max()  # points are those before the step


def free_of(body: Anatomy) -> list[int]:
    """Numbers of the arms' velocities."""
    model = body.model
    return [k for name in arm_joints(body) for k in range(model.nv)[model.joint(name).v_slice]]


def test_wrong_statements_of_arms_are_named(
    lola: Anatomy, standing: np.ndarray, targets: WalkTargets
) -> None:
    for message, call in (
        ("share is 1", lambda: Tracking(1.0)),
        ("arms is 'still'", lambda: walk_kinematics(lola, standing, targets, "still")),  # type: ignore[arg-type]
        ("double 1", lambda: walk_targets(Footsteps.steady(steps=2, width=0.2), 0.8, double=1.0)),
        ("no humanoid 'tals'", lambda: humanoid("tals")),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            call()


def test_a_machine_without_a_free_base_is_refused() -> None:
    arm = ts.robots.dill(2)
    with pytest.raises(ts.ModelError, match="no free base"):
        whole_wrench(arm, arm.neutral(), np.zeros(arm.nv), np.zeros(arm.nv))
