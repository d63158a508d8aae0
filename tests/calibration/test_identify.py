"""Errors found from measurements with noise: as they were put in, as well as is claimed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from calibrated import EXPERIMENTS, leg, linkage, panda, some_errors, some_readings
from scipy import stats

import tarsus as ts
from tarsus import calibration as cal
from tarsus._lib.files import Array
from tarsus.spatial import pose


def measured(
    experiment: cal.Experiment, readings: Array, errors: Array, rng: np.random.Generator
) -> list[Array]:
    """Return values with the noise that is stated, of encoders, too."""
    noise = experiment.encoders.sigma * rng.normal(size=readings.shape)
    values = experiment.predict(readings - noise, errors)
    return [m.noisy(v, rng) for m, v in zip(experiment.measures, values, strict=True)]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_without_noise_nothing_is_left(name: str) -> None:
    experiment, rng = EXPERIMENTS[name](), np.random.default_rng(3)
    readings, errors = some_readings(experiment, rng, 30), some_errors(experiment, rng)
    found = cal.identify(experiment, readings, experiment.predict(readings, errors), robust=False)
    left = max(np.abs(r).max() for r in found.after)
    told = found.observability
    seen = np.abs(told.told.T @ ((found.errors - errors) / told.scales)).max()
    print(f"{name}: residuals {left:.1e}, errors that are told {seen:.1e} of {told.rank}")
    assert left < 1e-11
    # combinations are told at the solution; what is untold bends them by errors squared
    assert seen < 1e-3
    fresh = some_readings(experiment, rng, 10)
    elsewhere = found.residuals(fresh, experiment.predict(fresh, errors))
    print(f"{name}: on other poses {max(np.abs(r).max() for r in elsewhere):.1e}")
    assert max(np.abs(r).max() for r in elsewhere) < 1e-11


@pytest.mark.parametrize("name", ["leg", "panda", "four-bar", "spatial four-bar"])
def test_errors_are_found_as_well_as_claimed(name: str) -> None:
    """Errors that are told are off by what is claimed, no more and no less."""
    experiment, rng = EXPERIMENTS[name](), np.random.default_rng(4)
    readings, errors = some_readings(experiment, rng, 60), some_errors(experiment, rng)
    found = cal.identify(experiment, readings, measured(experiment, readings, errors, rng))
    # what is predicted differs from the truth as errors that are told do, in units of their noise
    off = experiment.linearised(readings, experiment.predict(readings, errors), found.errors)
    squares = sum((r**2).sum() for r in off.whitened()[0])
    rank = found.observability.rank
    print(f"{name}: {np.sqrt(squares / rank):.3f} of what is claimed, spread {found.spread:.3f}")
    low, high = stats.chi2.ppf([1e-4, 1 - 1e-4], rank)
    assert low < squares < high
    low, high = stats.chi2.ppf([1e-4, 1 - 1e-4], found.freedom) / found.freedom
    assert low < found.spread**2 < high
    assert found.rms(after=True) < 0.2 * found.rms(after=False)


def test_covariance_agrees_with_monte_carlo() -> None:
    experiment, rng = linkage(), np.random.default_rng(5)
    readings, errors = some_readings(experiment, rng, 25), some_errors(experiment, rng)
    runs = [
        cal.identify(
            experiment, readings, measured(experiment, readings, errors, rng), robust=False
        )
        for _ in range(100)
    ]
    each = np.array([found.errors for found in runs])
    claimed = np.sqrt(np.diag(cal.observability(experiment, readings, errors=errors).covariance))
    shares = each.std(axis=0, ddof=1) / claimed
    print(f"deviations over claimed: {np.round(shares, 3)}")
    low, high = np.sqrt(stats.chi2.ppf([1e-4, 1 - 1e-4], 99) / 99)
    assert (low < shares).all() and (shares < high).all()
    inside = [np.abs(found.errors - errors) < found.confidence(0.95) for found in runs]
    hits = float(np.mean(inside))
    print(f"{hits:.3f} of intervals of 95 % hold the truth")
    assert 0.92 < hits < 0.98
    assert np.isclose(np.mean([found.spread**2 for found in runs]), 1.0, atol=0.1)


def test_the_corrected_machine_stands_where_the_true_one_does() -> None:
    experiment, rng = leg(), np.random.default_rng(6)
    readings, errors = some_readings(experiment, rng, 40), some_errors(experiment, rng)
    found = cal.identify(experiment, readings, measured(experiment, readings, errors, rng))
    fresh = some_readings(experiment, rng, 20)
    (truth,) = experiment.predict(fresh, errors)
    (stated,) = experiment.predict(fresh)
    q = found.encoders.configuration(fresh)
    camera, sole = (found.model.frame_pose(q, name) for name in ("camera", "left_sole"))
    there = np.linalg.inv(camera) @ sole
    far = [np.linalg.norm((p - truth)[:, :3, 3], axis=1).max() for p in (stated, there)]
    print(f"the sole is off by {1e3 * far[0]:.2f} mm before and {1e3 * far[1]:.3f} mm after")
    assert far[1] < 1e-3 * 0.5 and far[0] > 20 * far[1]


def test_outliers_are_told_and_have_no_say() -> None:
    experiment, rng = panda(), np.random.default_rng(7)
    readings, errors = some_readings(experiment, rng, 40), some_errors(experiment, rng)
    values = measured(experiment, readings, errors, rng)
    clean = cal.identify(experiment, readings, values)
    assert not clean.outliers
    values[0][[3, 17], :3, 3] += 0.01
    values[0][9, :3, :3] = values[0][9, :3, :3] @ pose((0, 0, 0), np.eye(3)[[1, 2, 0]])[:3, :3]
    values[1][30] -= 2e-3
    found = cal.identify(experiment, readings, values)
    told = {(o.pose, o.measure) for o in found.outliers}
    print(*map(str, found.outliers), sep="\n")
    assert told == {(k, experiment.measures[0]) for k in (3, 9, 17)} | {
        (30, experiment.measures[1])
    }
    apart = (found.errors - clean.errors) / found.observability.scales
    seen = (
        found.observability.told.T @ apart * found.observability.values[: found.observability.rank]
    )
    assert np.abs(seen).max() < 3.0  # no further than noise
    assert cal.identify(experiment, readings, values, robust=False).spread > 10.0
    assert "left out: pose 3, pose of ball from tracker" in str(found)


def test_what_was_not_measured_has_no_say() -> None:
    """NaN is the same as poses that were never taken, measure by measure."""
    experiment, rng = panda(), np.random.default_rng(9)
    readings, errors = some_readings(experiment, rng, 40), some_errors(experiment, rng)
    values = measured(experiment, readings, errors, rng)
    values[0][20:] = np.nan
    values[1][:5] = np.nan
    found = cal.identify(experiment, readings, values)
    print(f"freedom {found.freedom}, spread {found.spread:.3f}")
    assert found.freedom == 20 * 6 + 35 - found.observability.rank and not found.outliers
    assert np.isnan(found.after[0][20:]).all() and np.isfinite(found.after[0][:20]).all()
    assert 0.7 < found.spread < 1.3 and found.rms() < 2e-4
    apart = [
        cal.Experiment(experiment.encoders, m, experiment.parameters) for m in experiment.measures
    ]
    squares = [
        (own.linearised(r, [v], found.errors).whitened()[0][0] ** 2).sum()
        for own, r, v in zip(
            apart, (readings[:20], readings[5:]), (values[0][:20], values[1][5:]), strict=True
        )
    ]
    assert np.sqrt(sum(squares) / found.freedom) == pytest.approx(found.spread, rel=1e-9)
    values[0][3, 0, 0] = np.nan
    with pytest.raises(ValueError, match="the pose of ball from tracker is not finite in pose 3"):
        cal.identify(experiment, readings, values)
    with pytest.raises(ValueError, match="values has nothing that was measured"):
        cal.identify(experiment, readings, [np.full((4, 4), np.nan), np.nan])


def test_too_few_poses() -> None:
    """As many rows as are told: what is left is zero, and tells nothing about noise."""
    experiment, rng = panda(), np.random.default_rng(10)
    readings, errors = some_readings(experiment, rng, 3), some_errors(experiment, rng)
    found = cal.identify(experiment, readings, measured(experiment, readings, errors, rng))
    assert found.freedom == 0 and np.isnan(found.spread) and not found.outliers
    assert "nothing tells noise from errors" in str(found)
    assert np.isfinite(found.covariance).all() and np.isinf(found.confidence()).all()


def test_exact_values_have_no_outliers() -> None:
    experiment, rng = linkage(), np.random.default_rng(11)
    readings, errors = some_readings(experiment, rng, 30), some_errors(experiment, rng)
    found = cal.identify(experiment, readings, experiment.predict(readings, errors))
    assert not found.outliers and found.spread < 1e-6


def test_one_value_for_all_poses() -> None:
    """A foot that is pinned to a jig: where the jig is need not be known."""
    builder = ts.Builder("leg").body("thigh").body("shank").body("slide")
    builder.joint("rail", "prismatic", "world", "slide", axis="x")
    builder.joint("hip", "revolute", "slide", "thigh", axis="y")
    builder.joint("knee", "revolute", "thigh", "shank", position=(0, 0, -0.4), axis="y")
    builder.frame("sole", "shank", position=(0, 0, -0.45)).frame("jig", "world")
    model = builder.build()
    true = ts.Editor(model).change("joint", "knee", position=(0.0, 0.0, -0.403)).build()
    # the sole of the true leg at one point (0.1, −0.7) while its hip slides
    slide = np.linspace(-0.2, 0.3, 15)
    far = np.array([0.1, -0.7])[:, None] - np.array([slide, 0 * slide])
    reach, lean = np.hypot(*far), np.arctan2(-far[0], -far[1])
    knee = np.pi - np.arccos((0.403**2 + 0.45**2 - reach**2) / (2 * 0.403 * 0.45))
    hip = lean - np.arctan2(0.45 * np.sin(knee), 0.403 + 0.45 * np.cos(knee))
    q = np.stack([slide, hip, knee], axis=1)
    assert np.ptp(true.frame_pose(q, "sole")[:, :3, 3], axis=0).max() < 1e-12
    readings = q + np.array([0.0, 0.02, -0.01])
    parameters = [
        *(cal.EncoderOffset("hip"), cal.EncoderOffset("knee")),
        *(cal.JointError("knee", ["z"]), cal.FrameError("jig", ["x", "z"])),
    ]
    pinned = cal.Position("sole", "jig", sigma=1e-4)
    experiment = cal.Experiment(cal.Encoders(model), pinned, parameters)
    found = cal.identify(experiment, readings, np.zeros(3))
    assert found.observability.rank == 5
    expected = [0.02, -0.01, -0.003, 0.1, -0.7]
    print(f"errors off by {np.abs(found.errors - expected).max():.1e}")
    np.testing.assert_allclose(found.errors, expected, atol=1e-9)
    assert found["knee.z"] == pytest.approx(-0.003)


def test_report_and_picture(tmp_path: Path) -> None:
    experiment, rng = leg(), np.random.default_rng(8)
    readings, errors = some_readings(experiment, rng, 20), some_errors(experiment, rng)
    found = cal.identify(experiment, readings, measured(experiment, readings, errors, rng))
    text = str(found)
    assert "pose of left_sole from camera: rms" in text and "not told:" in text
    assert "axes of left_hip_flexion and left_knee_flexion are parallel" in text
    found.plot(tmp_path / "leg.png")
    assert (tmp_path / "leg.png").stat().st_size > 10_000


def test_wrong_values() -> None:
    experiment = panda()
    readings = np.zeros((3, 7))
    values = experiment.predict(readings)
    with pytest.raises(ValueError, match="values must be a list with an array for each of: pose"):
        cal.identify(experiment, readings, values[0])
    with pytest.raises(ValueError, match=r"the pose of ball from tracker has shape \(2, 4, 4\)"):
        cal.identify(experiment, readings, [values[0][:2], values[1]])
    with pytest.raises(ValueError, match="has a rotation that is not orthonormal"):
        cal.identify(experiment, readings, [2 * values[0], values[1]])
    with pytest.raises(
        ValueError, match="the distance of panda_hand from tracker is not finite in pose 1"
    ):
        cal.identify(experiment, readings, [values[0], [1.0, np.inf, 1.0]])
    with pytest.raises(ValueError, match=r"level is 2\.0, must be between 0 and 1"):
        cal.identify(experiment, readings, values, level=2.0)
    with pytest.raises(ts.UnknownNameError, match=r"there is no parameter 'ball\.q'"):
        cal.identify(experiment, readings, values)["ball.q"]
    still = cal.Experiment(
        cal.Encoders(experiment.stated, ["panda_joint1"]),
        *(cal.Position("ball"), [cal.JointError("panda_finger_joint1")]),
    )
    with pytest.raises(ArithmeticError, match="nothing that is measured depends on the parameters"):
        cal.identify(still, [[0.0]], np.zeros((1, 3)))


def test_joints_that_slide_are_told_in_metres() -> None:
    model = ts.robots.slider_crank()
    kinds = {joint.name: joint.kind for joint in model.joints}
    slide = next(name for name, kind in kinds.items() if kind == "prismatic")
    encoders = cal.Encoders(model, ["crank"])
    own = cal.Experiment(encoders, cal.JointPosition(slide), [cal.EncoderOffset("crank")])
    readings = np.linspace(-0.5, 0.5, 12)[:, None]
    found = cal.identify(own, readings, own.predict(readings, np.array([1e-2])))
    assert f"position of joint {slide}: rms" in str(found)
    assert " m before" in str(found) and "rad" not in str(found)
    assert cal.JointPosition("crank").units(model) == ("rad",)
