"""What gaits survive: sensors with errors, by linear theory; the same trials in one or two ways."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.linalg import solve_discrete_lyapunov

import tarsus as ts
from tarsus.gait.disturbances import BAND, SensorNoise, misled
from tarsus.gait.return_map import residual
from tarsus.gait.walkers.planar import UNSTABLE, start


@pytest.fixture(scope="module")
def unstable() -> ts.gait.LimitCycle:
    return ts.gait.limit_cycle(ts.gait.walkers.compass(), start(UNSTABLE))


@pytest.fixture(scope="module")
def sprung() -> ts.gait.LimitCycle:
    """Return the gait of a compass whose hip's spring is a controller that feels its angle."""

    def spring(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.array([0.0, -8.0 * q[1]])

    walker = ts.gait.Walker.from_model(
        ts.robots.compass(gravity=9.8),
        ["left_foot", "right_foot"],
        stance="line",
        slope=math.radians(3.0),
        controller=spring,
        start=ts.gait.walkers.compass().start,
        exact=False,
    )
    known = ts.gait.limit_cycle(ts.gait.walkers.compass(stiffness=8.0))
    gait = ts.gait.limit_cycle(walker, known.state)
    np.testing.assert_allclose(gait.q, known.q, atol=1e-9)
    assert gait.stable
    return gait


def test_errors_of_sensors_have_their_size_and_band() -> None:
    model = ts.robots.compass(rooted=True)
    rng = np.random.default_rng(0)
    t = np.linspace(0.0, 60.0, 6001)
    drawn = [SensorNoise.drawn(model, 0.3, rng) for _ in range(20)]
    errors = np.array([[noise.error(s) for s in t] for noise in drawn])  # (20, T, 4)
    assert np.sqrt((errors**2).mean()) == pytest.approx(0.3, rel=0.02)
    power = np.abs(np.fft.rfft(errors - errors.mean(axis=1, keepdims=True), axis=1)) ** 2
    hertz = np.fft.rfftfreq(len(t), t[1] - t[0])
    inside = (hertz > BAND[0] - 0.3) & (hertz < BAND[1] + 0.3)
    assert power[:, inside].sum() > 0.99 * power.sum()
    # about normal: kurtosis of a sum of sines is 3 (1 − 1/2n)
    assert (errors**4).mean() / (errors**2).mean() ** 2 == pytest.approx(3.0, abs=0.2)
    # errors of different coordinates have nothing to do with each other
    flat = errors.reshape(-1, 4)
    assert np.abs(np.corrcoef(flat.T) - np.eye(4)).max() < 0.1
    q, v = np.array([0.1, 0.2]), np.array([0.3, 0.4])
    sensed = np.concatenate(drawn[0].sensed(0.7, q, v)) - np.concatenate([q, v])
    np.testing.assert_allclose(sensed, drawn[0].error(0.7), atol=1e-14)


def test_states_under_feedback_scatter_as_linear_theory_says(unstable: ts.gait.LimitCycle) -> None:
    """x ← (A − B K) x − B K δ: its covariance is the solution of Lyapunov's equation."""
    feedback = ts.gait.StepFeedback(unstable, "hip", input_cost=0.1)
    rng, size = np.random.default_rng(1), 1e-4

    def sensed(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        error = size * rng.normal(size=4)
        return q + error[:2], v + error[2:]

    walk = feedback.walk(*unstable.state, 600, sensed=sensed)
    assert not walk.fell
    q, v = (
        np.broadcast_to(x, y.shape) for x, y in zip(unstable.state, (walk.q, walk.v), strict=True)
    )
    offsets = residual(unstable.walker, q, v, walk.q, walk.v)[20:] / size
    by_error = feedback.by_inputs @ feedback.gain
    wanted = solve_discrete_lyapunov(feedback.by_state - by_error, by_error @ by_error.T)
    found = np.cov(offsets.T)
    ratios = np.diag(found) / np.diag(wanted)
    print(ratios)
    np.testing.assert_allclose(ratios, 1.0, atol=0.25)


def test_feedback_survives_small_errors_of_its_sensors(unstable: ts.gait.LimitCycle) -> None:
    feedback = ts.gait.StepFeedback(unstable, "hip", input_cost=0.1)
    found = ts.gait.survival(
        unstable, "sensor_noise", [0.0, 1e-3, 0.5], feedback=feedback, trials=10, steps=10
    )
    print(found)
    assert found.share.tolist() == [1.0, 1.0, 0.0]
    low, high = found.confidence
    assert low[0] == pytest.approx(0.722, abs=1e-3) and high[2] == pytest.approx(0.278, abs=1e-3)
    # without it some pushes make it fall, others lead to the stable gait
    alone, kept = (
        ts.gait.survival(unstable, "push", [0.01], feedback=each, trials=8, steps=15)
        for each in (None, feedback)
    )
    assert alone.share[0] < 0.8
    assert kept.share[0] == 1.0


def test_controllers_go_by_their_sensors(sprung: ts.gait.LimitCycle) -> None:
    found = ts.gait.survival(sprung, "sensor_noise", [0.0, 0.01, 1.5], trials=6, steps=8, seed=3)
    print(found)
    assert found.share[:2].tolist() == [1.0, 1.0]
    assert found.share[2] < 0.5
    again = ts.gait.survival(sprung, "sensor_noise", [0.0, 0.01, 1.5], trials=6, steps=8, seed=3)
    np.testing.assert_array_equal(again.survived, found.survived)


def test_errors_of_rates_do_not_reach_a_spring(sprung: ts.gait.LimitCycle) -> None:
    """The effort is that of the angle with its error, whatever the motion is."""
    disturbed = misled(sprung, 0.2, 1, np.random.default_rng(5))
    assert disturbed.machines is not None
    (phases,) = disturbed.machines()
    assert phases is not None
    noise = SensorNoise.drawn(phases[0].model, 0.2, np.random.default_rng(5))
    for t in (0.0, 0.3, 0.9):
        q, v = np.array([0.2, -0.1]), np.array([1.0, 2.0])
        assert phases[0].controller is not None
        tau = np.asarray(phases[0].controller(t, q, v))
        np.testing.assert_allclose(tau, [0.0, -8.0 * (q[1] + noise.error(t)[1])], atol=1e-13)


def test_walkers_with_clocks_are_disturbed_step_by_step() -> None:
    optimal = ts.gait.optimize(ts.gait.walkers.compass(), 0.8, starts=1)
    gait = ts.gait.limit_cycle(ts.gait.replayed(optimal), optimal.state)
    found = ts.gait.survival(gait, "push", [0.0, 1.0], trials=4, steps=3)
    assert found.share.tolist() == [1.0, 0.0]


def test_bad_disturbances_are_named(
    unstable: ts.gait.LimitCycle, sprung: ts.gait.LimitCycle
) -> None:
    with pytest.raises(ValueError, match="has a controller that sensors could mislead"):
        ts.gait.survival(unstable, "sensor_noise", [0.1])
    feedback = ts.gait.StepFeedback(unstable, "hip")
    with pytest.raises(ValueError, match="feedback is of another gait"):
        ts.gait.survival(sprung, "push", [0.1], feedback=feedback)
    with pytest.raises(ValueError, match="not with 'step_down'"):
        ts.gait.survival(unstable, "step_down", [0.1], feedback=feedback)
    with pytest.raises(ValueError, match=r"disturbance is 'sensor noise'.*sensor_noise"):
        ts.gait.survival(unstable, "sensor noise", [0.1])
