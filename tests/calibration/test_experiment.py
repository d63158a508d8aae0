"""Slopes of what is measured: exact, on trees, couplings and loops; what is predicted is true."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from calibrated import EXPERIMENTS, leg, panda, some_errors, some_readings

import tarsus as ts
from tarsus import calibration as cal
from tarsus.spatial import inverse

each = pytest.mark.parametrize("name", EXPERIMENTS)


@each
def test_slopes_are_those_of_differences(name: str) -> None:
    experiment, rng = EXPERIMENTS[name](), np.random.default_rng(0)
    readings, errors = some_readings(experiment, rng, 4), some_errors(experiment, rng)
    values = experiment.predict(readings, some_errors(experiment, rng))
    found = experiment.linearised(readings, values, errors)
    assert np.abs(np.concatenate(found.residuals, axis=1)).max() > 1e-4

    def residuals(k: int, step: float) -> np.ndarray:
        moved = errors.copy()
        moved[k] += step
        at = experiment.linearised(readings, values, moved).residuals
        return np.concatenate(at, axis=1)

    slopes = np.concatenate(found.slopes, axis=1)
    worst = 0.0
    for k in range(len(experiment.names)):
        h = 2e-4
        five = [residuals(k, s * h) for s in (-2, -1, 1, 2)]
        rate = (five[0] - 8 * five[1] + 8 * five[2] - five[3]) / (12 * h)
        worst = max(worst, np.abs(rate - slopes[..., k]).max())
    print(f"{name}: slopes {worst:.1e} of {np.abs(slopes).max():.1e}")
    # the differences' step to the fourth, and closure to 1e-12 over it
    assert worst < 1e-8 * max(1.0, np.abs(slopes).max())


@each
def test_the_corrected_machine_measures_what_was_predicted(name: str) -> None:
    """Errors in a wide model are the same as places changed in the stated one."""
    experiment, rng = EXPERIMENTS[name](), np.random.default_rng(1)
    readings, errors = some_readings(experiment, rng, 5), some_errors(experiment, rng)
    model = experiment.widened.corrected(errors[experiment._placed])
    encoders = experiment.corrected_encoders(errors, model)
    q = encoders.configuration(readings)
    predicted = experiment.predict(readings, errors)
    plain = experiment.predict(readings)
    for measure, value, nominal in zip(experiment.measures, predicted, plain, strict=True):
        if isinstance(measure, cal.JointPosition):
            where = model.joint(measure.joint).position_slice
            own = model.joint_positions(q)[:, where.start]
        else:
            pose = model.frame_pose(q, measure.frame)
            if measure.reference != "world":
                pose = inverse(model.frame_pose(q, measure.reference)) @ pose
            own = measure.of(np.asarray(pose))
        error = np.abs(own - value).max()
        print(f"{name}, {measure.title}: {error:.1e}")
        assert error < 1e-10  # loops close to 1e-12
        assert np.abs(value - nominal).max() > 1e-4


def test_noise_of_encoders_counts() -> None:
    """Their covariance reaches what is measured through the Jacobian of the joints."""
    experiment = leg()
    readings = some_readings(experiment, np.random.default_rng(2), 1)
    root = experiment.linearised(readings).roots[0][0]
    q = experiment.encoders.configuration(readings)[0]
    model = experiment.stated
    columns = [model.joint(name).v_slice.start for name in experiment.encoders.joints]
    frames = [model.frame_pose(q, name) for name in ("camera", "left_sole")]
    own = model.frame_jacobian(q, "left_sole", reference="local")[:, columns]
    relative = inverse(frames[0]) @ frames[1]
    own = np.concatenate([relative[:3, :3] @ own[:3], own[3:]])
    covariance = 1e-10 * own @ own.T + 1e-8 * np.eye(6)
    np.testing.assert_allclose(root @ covariance @ root.T, np.eye(6), atol=1e-9)


def test_wrong_experiments() -> None:
    model = panda().stated
    encoders = cal.Encoders(model, ["panda_joint1"])
    pose, some = cal.Pose("ball"), [cal.JointError("panda_joint1")]
    with pytest.raises(ts.UnknownNameError, match="there is no frame 'bal'; did you mean 'ball'"):
        cal.Experiment(encoders, cal.Pose("bal"), some)
    with pytest.raises(ValueError, match="there is no encoder on joint 'panda_joint2'"):
        cal.Experiment(encoders, pose, [cal.EncoderGain("panda_joint2")])
    with pytest.raises(ts.UnknownNameError, match="there is no joint 'panda_joint9'"):
        cal.Experiment(encoders, pose, [cal.JointError("panda_joint9")])
    with pytest.raises(ts.ModelError, match="frame 'panda_hand' is a body"):
        cal.Experiment(encoders, pose, [cal.FrameError("panda_hand")])
    with pytest.raises(ValueError, match="'panda_joint1' has no component 'rw'"):
        cal.JointError("panda_joint1", ["rw"])
    with pytest.raises(ValueError, match=r"parameters has 'panda_joint1\.x' twice"):
        cal.Experiment(encoders, pose, some * 2)
    with pytest.raises(ValueError, match="measures is empty"):
        cal.Experiment(encoders, [], some)
    with pytest.raises(ValueError, match=r"sigma is -1\.0, must be positive"):
        cal.Position("ball", sigma=-1.0)
    experiment = cal.Experiment(encoders, pose, some)
    with pytest.raises(ValueError, match=r"readings has shape \(3,\)"):
        experiment.predict([0.0, 1.0, 2.0])
    with pytest.raises(ValueError, match="readings has entries that are not finite"):
        experiment.predict([[np.nan]])
    with pytest.raises(ValueError, match=r"errors has shape \(2,\), must be \(6,\)"):
        experiment.predict([[0.0]], [1.0, 2.0])


def test_wrong_loops_and_joints() -> None:
    encoders = cal.Encoders(ts.robots.four_bar())
    with pytest.raises(ts.UnknownNameError, match="there is no loop 'pen'"):
        cal.Experiment(encoders, cal.Position("rocker"), [cal.LoopError("pen", ["x"])])
    with pytest.raises(ValueError, match="end of loop 'pin' is 'c', must be 'a' or 'b'"):
        cal.LoopError("pin", ["x"], end="c")
    with pytest.raises(ts.UnknownNameError, match="there is no joint 'rokker'"):
        cal.Experiment(encoders, cal.JointPosition("rokker"), [cal.EncoderOffset("crank")])
    with pytest.raises(ValueError, match=r"sigma is 0\.0, must be positive"):
        cal.JointPosition("rocker", sigma=0.0)


def test_errors_that_a_planar_loop_cannot_bear() -> None:
    model = ts.robots.four_bar()
    encoders = cal.Encoders(model)
    assert encoders.joints == ("crank",)
    with pytest.raises(ts.ModelError, match="pin"):
        cal.Experiment(encoders, cal.Position("coupler"), [cal.JointError("rocker", ["z", "rx"])])


def test_loops_that_are_constraints() -> None:
    stated = ts.robots.four_bar().description
    loops = [replace(loop, constraint=True, independent=None) for loop in stated.loops]
    with pytest.raises(ts.ModelError, match="loops of 'four_bar' are constraints: 'pin'"):
        cal.Encoders(ts.Model(replace(stated, loops=loops)))
