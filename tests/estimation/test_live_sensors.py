"""Sensors that are read in a loop, and heights of the ground that an estimator is told."""

from __future__ import annotations

import numpy as np
import pytest

import tarsus as ts
from tarsus.estimation import BaseEstimator, LiveSensors, Noise, Sensors

TIMES = np.linspace(0.0, 0.4, 41)
NONE = Noise(*([0.0] * 10))


@pytest.fixture(scope="module")
def model() -> ts.Model:
    return ts.load("examples/quadruped.urdf", base="free")


def motion(model: ts.Model) -> tuple[np.ndarray, np.ndarray]:
    """Return a tumbling flight (N, nq), (N, nv)."""
    rng = np.random.default_rng(0)
    v = rng.normal(size=model.nv)
    return model.integrate(model.neutral(), TIMES[:, None] * v), np.tile(v, (len(TIMES), 1))


def test_readings_are_those_of_the_whole_motion(model: ts.Model) -> None:
    q, v = motion(model)
    sensors = Sensors(model, "trunk", NONE)
    whole, live = sensors.measure(TIMES, q, v), LiveSensors(sensors)
    live.reset(TIMES[0], q[0], v[0])
    for k in range(1, len(TIMES)):
        read = live.read(TIMES[k], q[k], v[k], [0.1])
        assert read.gyro == pytest.approx(whole.gyro[k], abs=1e-9)
        assert read.accelerometer == pytest.approx(whole.accelerometer[k], abs=1e-9)
        assert np.array_equal(read.q, q[k]) and np.array_equal(read.v, v[k])
        assert read.gap == pytest.approx([0.1])


def test_noise_is_as_large_as_stated(model: ts.Model) -> None:
    """Means and deviations over 4000 machines that stand still."""
    count, dt, n = 4000, 0.01, Noise()
    q, v = np.tile(model.neutral(), (count, 1)), np.zeros((count, model.nv))
    live = LiveSensors(Sensors(model, "trunk", n), seed=5)
    live.reset(0.0, q, v)
    reads = [live.read(dt * k, q, v, np.zeros((count, 2))) for k in (1, 2)]
    for name, white, bias, true in (
        ("gyro", n.gyro, n.gyro_bias, np.zeros(3)),
        ("accelerometer", n.accelerometer, n.accelerometer_bias, -model.gravity),
    ):
        first, second = (getattr(read, name) - true for read in reads)
        assert first.std() == pytest.approx(np.hypot(white / np.sqrt(dt), bias), rel=0.05)
        assert (first * second).mean() == pytest.approx(bias**2, abs=0.1 * white**2 / dt)
    assert (reads[0].q - q).std() == pytest.approx(n.position, rel=0.05)
    assert reads[0].v.std() == pytest.approx(n.velocity, rel=0.05)
    assert reads[0].gap.std() == pytest.approx(n.switch, rel=0.05)


def test_biases_stay_while_noise_changes(model: ts.Model) -> None:
    """The mean of many readings is the bias, drawn once."""
    noise = Noise(gyro=1e-4, gyro_walk=0.0, gyro_bias=0.1)
    live = LiveSensors(Sensors(model, "trunk", noise), seed=1)
    q, v = model.neutral(), np.zeros(model.nv)
    live.reset(0.0, q, v)
    rates = np.array([live.read(0.01 * k, q, v).gyro for k in range(1, 200)])
    bias = live.get_state()["bias"][:3]
    assert np.abs(bias).min() > 1e-3
    assert rates.mean(axis=0) == pytest.approx(bias, abs=5e-4)


def test_readings_go_on_from_a_state(model: ts.Model) -> None:
    q, v = motion(model)
    whole, rest = (LiveSensors(Sensors(model, "trunk"), seed=2) for _ in range(2))
    whole.reset(TIMES[0], q[0], v[0])
    whole.read(TIMES[1], q[1], v[1])
    rest.set_state(whole.get_state())
    for each, other in zip(
        whole.read(TIMES[2], q[2], v[2]), rest.read(TIMES[2], q[2], v[2]), strict=True
    ):
        assert np.array_equal(each, other)
    with pytest.raises(ValueError, match=r"must be after the last reading"):
        whole.read(TIMES[2], q[2], v[2])
    with pytest.raises(ValueError, match=r"reset\(\) the sensors first"):
        LiveSensors(Sensors(model, "trunk")).read(0.0, q[0], v[0])


def begun(model: ts.Model, count: int) -> tuple[BaseEstimator, list[str]]:
    """Return an estimator of machines at rest, and the feet."""
    feet = [name for name in model.frame_names if name.endswith("foot")]
    estimator = BaseEstimator(model, "trunk", dict.fromkeys(feet, np.zeros(3)))
    estimator.reset(
        0.0, np.tile(model.neutral(), (count, 1)), np.zeros((count, model.nv)), rotation=0.0
    )
    return estimator, feet


def test_a_known_height_counts_as_much_as_it_is_known(model: ts.Model) -> None:
    """Two numbers of the same quantity: their mean by their certainties, in closed form."""
    estimator, feet = begun(model, 2)
    before = estimator.get_state()
    at = before["places"][:, 0, 2]
    own, told = before["covariance"][0, 17, 17], 2e-3
    ground = ts.Ground()
    # the ground is level at zero: let the machine be 3 mm over it, as it is believed to be
    for key in ("position", "places"):
        before[key][..., 2] += 3e-3 - at[0]
    estimator.set_state(before)
    estimator.level(ground, {feet[0]: np.array([True, False])}, deviation=told)
    after = estimator.get_state()
    expected = 3e-3 * told**2 / (told**2 + own)
    assert after["places"][0, 0, 2] == pytest.approx(expected, rel=1e-9)
    assert after["covariance"][0, 17, 17] == pytest.approx(1 / (1 / own + 1 / told**2), rel=1e-9)
    for name in ("places", "position", "covariance"):
        assert np.array_equal(after[name][1], before[name][1])


def test_a_height_that_cannot_be_is_not_believed(model: ts.Model) -> None:
    estimator, feet = begun(model, 1)
    before = estimator.get_state()
    estimator.level(ts.Ground(), {feet[0]: np.array([True])}, deviation=1e-3)
    assert np.abs(before["places"][0, 0, 2]) > 0.1  # far over the ground
    assert np.array_equal(estimator.get_state()["places"], before["places"])
    with pytest.raises(ValueError, match="on names 'hat'"):
        estimator.level(ts.Ground(), {"hat": np.array([True])})
