"""Walkers that know themselves by sensors alone: encoders, an inertial unit, switches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from walking_machines import machine

import tarsus as ts
from tarsus.estimation import LiveSensors, Noise, Sensors
from tarsus.gait import Anatomy
from tarsus.walking.biped import Biped
from tarsus.walking.state_feedback import Senses, felt_pushes
from tarsus.walking.walk import Walked

EXACT = Noise(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1e-3, 0.0, 0.0, 0.0)
SHORT: dict[str, Any] = {"speed": 0.3, "steps": 2, "duration": 2.4}


@pytest.fixture(scope="module")
def lola() -> Anatomy:
    return Anatomy.from_model(machine("lola"))


def walk(body: Anatomy, noise: Noise | None, **options: Any) -> Walked:
    sensors = None if noise is None else Sensors(body.model, body.trunk, noise)
    return ts.walking.walk(body, sensors=sensors, **options)


@pytest.fixture(scope="module")
def known(lola: Anatomy) -> Walked:
    return walk(lola, None, **SHORT)


@pytest.fixture(scope="module")
def noisy(lola: Anatomy) -> Walked:
    return walk(lola, Noise(), **SHORT)


def apart(a: Walked, b: Walked) -> float:
    """How far the bases of two walks are apart at most [m]."""
    return float(np.abs(a.run.q[:, :3] - b.run.q[:, :3]).max())


def test_exact_sensors_lead_the_same_way(lola: Anatomy, known: Walked, noisy: Walked) -> None:
    exact = walk(lola, EXACT, **SHORT)
    print(f"apart by {apart(exact, known):.1e} m, with noise {apart(noisy, known):.1e} m")
    print(exact.report.estimate, "\n", noisy.report.estimate)
    assert not exact.fell and not noisy.fell
    assert 0.0 < apart(exact, known) < 1e-3 < apart(noisy, known) < 0.02
    assert known.report.estimate is None
    assert exact.report.estimate is not None
    assert max(each.largest for each in vars(exact.report.estimate).values()) < 2e-3


def test_reports_compare_with_the_truth(noisy: Walked) -> None:
    """Errors are those of a base that is estimated, beside the one that is simulated."""
    report, run = noisy.report, noisy.run
    senses = noisy.control.senses
    assert senses is not None and report.estimate is not None
    state = senses.estimator.get_state()
    last = round(float(state["time"]) / 1e-3)
    pose = run.model.frame_pose(run.q[last], senses.estimator.imu)
    away = state["position"][0] - pose[:3, 3]
    found = noisy.control.cycles.estimate[-1][0]
    assert found[:2] == pytest.approx([np.linalg.norm(away[:2]), abs(away[2])], abs=1e-12)
    assert 1e-4 < report.estimate.velocity.mean < report.estimate.velocity.usual < 0.05
    assert report.estimate.tilt.largest < 0.02
    assert "estimate off by" in str(report)
    assert report.as_data()["estimate"]["height"]["mean"] == report.estimate.height.mean


def test_the_estimate_is_what_walks(lola: Anatomy) -> None:
    """A unit that errs by far more than the estimator believes lets a machine fall."""
    own, ground, told = Biped.ready(lola), ts.Ground(), Sensors(lola.model, lola.trunk)
    plan = own.grounded(own.footsteps(0.3, steps=2), ground)
    sim = ts.Simulation(lola.model, ground=ground, collision=lola.collision(), dt=1e-3)
    q = own.placed(plan, ground, lola.collision())
    fell = {}
    for bias in (0.0, 2.0):
        senses = Senses(lola, told, ground)
        broken = Sensors(lola.model, lola.trunk, Noise(gyro_bias=bias))
        senses.live = LiveSensors(broken, seed=0)
        control = own.controller(plan, ground, senses=senses)
        fell[bias] = sim.run(q, duration=2.5, controller=control, until=own.fallen()).ended
    assert not fell[0.0]
    assert fell[2.0]


def test_noise_follows_from_the_seed(lola: Anatomy, noisy: Walked) -> None:
    options = {**SHORT, "duration": 0.5}
    same, other = (walk(lola, Noise(), **options, seed=seed) for seed in (0, 1))
    assert np.array_equal(same.run.q, noisy.run.q[: len(same.run.q)])
    assert apart(same, other) > 1e-6


def test_a_walk_by_sensors_goes_on_from_its_checkpoint(lola: Anatomy, tmp_path: Any) -> None:
    """To the bit: what is estimated, and which noise comes next, is told."""
    own, ground, file = Biped.ready(lola), ts.Ground(), tmp_path / "walk.npz"
    plan = own.grounded(own.footsteps(0.3, steps=2), ground)
    q = own.placed(plan, ground, lola.collision())
    sim = ts.Simulation(lola.model, ground=ground, collision=lola.collision(), dt=1e-3)

    def control() -> ts.walking.Walking:
        sensors = Sensors(lola.model, lola.trunk)
        return own.controller(plan, ground, senses=Senses(lola, sensors, ground, seed=3))

    options: dict[str, Any] = {"checkpoint": file, "checkpoint_every": 1.3}
    whole = sim.run(q, duration=1.6, controller=control(), **options)
    rest = sim.resume(file, control())
    assert rest.t[0] > 1.2
    assert np.array_equal(rest.q, whole.q[-len(rest.q) :])


def test_many_walk_by_their_own_sensors(lola: Anatomy, noisy: Walked) -> None:
    options = {**SHORT, "duration": 1.2}
    many = walk(lola, Noise(), walkers=3, **options)
    first = many.run.q[0, :, :3]
    assert np.abs(first - noisy.run.q[: len(first), :3]).max() < 1e-6
    assert np.abs(many.run.q[1, :, :3] - first).max() > 1e-6
    means = [many[k].report.estimate.velocity.mean for k in range(3)]  # type: ignore[union-attr]
    assert len(set(means)) == 3
    with pytest.raises(ValueError, match="walkers with sensors begin together"):
        many.control.restart(np.array([True, False, False]))


def test_pushes_are_felt(lola: Anatomy, noisy: Walked) -> None:
    """By the momentum observer, from the estimate and forces of contacts that were planned."""
    assert noisy.report.pushes == ()
    push = ts.Push("torso", (0.0, 150.0, 0.0), start=0.4, duration=0.1)
    report = walk(lola, Noise(), **{**SHORT, "duration": 0.9}, push=push).report
    print(report)
    (felt,) = report.pushes
    assert 0.4 < felt.start < 0.45
    assert felt.force == pytest.approx([0.0, 150.0, 0.0], abs=40.0)
    assert felt.impulse == pytest.approx([0.0, 15.0, 0.0], abs=4.0)
    assert "felt a push at 0.4" in str(report)
    assert report.as_data()["pushes"][0]["force"] == felt.force


def test_what_is_felt_is_told_once() -> None:
    """Two pushes, the first with a gap that is too short to be one."""
    t = 0.004 * np.arange(1000)
    force = np.zeros((1000, 3))
    force[250:260, 0] = force[270:280, 0] = 300.0
    force[600:625, 1] = -200.0
    first, second = felt_pushes(t, force, 1000.0)
    assert first.start == pytest.approx(1.0) and second.start == pytest.approx(2.4)
    assert first.duration == pytest.approx(0.12) and second.duration == pytest.approx(0.1)
    assert first.impulse == pytest.approx([24.0, 0.0, 0.0])
    assert second.force == pytest.approx([0.0, -200.0, 0.0])
    assert felt_pushes(t, 0.3 * force, 1000.0) == ()


def test_wrong_sensors_are_named(lola: Anatomy) -> None:
    with pytest.raises(TypeError, match="sensors is of type Noise"):
        ts.walking.walk(lola, sensors=Noise())  # type: ignore[arg-type]
    other = ts.robots.lola()
    with pytest.raises(ValueError, match="sensors are those of another model"):
        ts.walking.walk(lola, sensors=Sensors(other, lola.trunk))
    with pytest.raises(ValueError, match="seed is -1"):
        walk(lola, Noise(), seed=-1)
    with pytest.raises(ValueError, match="factor is -1"):
        Noise().scaled(-1.0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["talos_reduced", "g1"])
@pytest.mark.parametrize("seed", [0, 1])
def test_walks_with_noise(name: str, seed: int) -> None:
    """Ten steps; the unit errs as one of a few dollars does, encoders as in a good machine."""
    body = Anatomy.from_model(machine(name))
    rough = Noise(gyro=3e-3, accelerometer=3e-2, gyro_bias=5e-3, accelerometer_bias=5e-2)
    walked = walk(body, rough, speed=0.3, steps=10, seed=seed)
    print(walked.report)
    found = walked.report.estimate
    assert not walked.fell and walked.report.steps == 10
    assert found is not None
    assert found.ground.largest < 0.05
    assert found.height.largest < 0.01
    assert found.tilt.largest < 0.03
    assert found.velocity.usual < 0.05
    # the way between the feet as they stood, not as they were taken to
    run = walked.run
    soles = [run.model.frame_pose(run.q, leg.end) @ leg.sole.placement for leg in body.legs]
    middle = np.mean(soles, axis=0)[:, :2, 3]
    gone = float(np.linalg.norm(middle[-1] - middle[0]))
    print(f"{walked.report.distance:.4f} m, {gone:.4f} m from end to end")
    assert walked.report.distance == pytest.approx(gone, rel=0.01)
