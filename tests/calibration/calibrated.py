"""Machines with encoders and something that is measured, for tests of calibration."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

import tarsus as ts
from tarsus import calibration as cal
from tarsus._lib.files import Array
from tarsus.robots.load import example

LEG = [
    f"left_{joint}"
    for joint in (
        *("hip_rotation", "hip_adduction", "hip_flexion"),
        *("knee_flexion", "ankle_flexion", "ankle_adduction"),
    )
]
PANDA = [f"panda_joint{k}" for k in range(1, 8)]


def leg(*, motors: bool = False) -> cal.Experiment:
    """Return the left leg of Lola: its foot is seen from a camera on the pelvis."""
    model = ts.Editor(ts.robots.lola()).frame("camera", "pelvis_ring", position=(0.1, 0, 0)).build()
    joints = LEG
    if motors:
        joints = [f"{name}_motor" for name in LEG[:3]]
        joints += [f"left_{name}_motor" for name in ("knee", "ankle_outer", "ankle_inner")]
    encoders = cal.Encoders(model, joints, sigma=1e-5)
    parameters: list[cal.parameters.Parameter] = [
        *cal.chain_parameters(model, "left_sole", "camera"),
        cal.FrameError("camera", ["x", "y", "z", "rx", "ry", "rz"]),
        cal.EncoderGain(joints[3]),
        cal.EncoderOffset(joints[4]),
    ]
    measure = cal.Pose("left_sole", "camera", sigma=1e-4, angle_sigma=1e-4)
    return cal.Experiment(encoders, measure, parameters)


def panda() -> cal.Experiment:
    """Return the seven joints of a Panda with a tracker somewhere, and positions of its hand."""
    model = ts.Editor(example("panda", "fixed")).frame("tracker", "world").build()
    model = ts.Editor(model).frame("ball", "panda_hand", position=(0.05, 0.02, 0.1)).build()
    encoders = cal.Encoders(model, PANDA)
    measures = [
        cal.Pose("ball", "tracker", sigma=5e-5, angle_sigma=1e-4),
        cal.Distance("panda_hand", "tracker", sigma=2e-5),
    ]
    parameters = [
        *cal.chain_parameters(model, "ball", offsets=PANDA[1:3]),
        cal.FrameError("tracker"),
        cal.FrameError("ball", ["x", "y", "z"]),
    ]
    return cal.Experiment(encoders, measures, parameters)


def linkage(encoder: str = "crank") -> cal.Experiment:
    """Return a four-bar whose rods may be longer or shorter, and a pen on its coupler."""
    model = ts.Editor(ts.robots.four_bar()).frame("pen", "coupler", position=(0.1, 0, 0.05)).build()
    encoders = cal.Encoders(model, [encoder])
    parameters = [
        cal.JointError("coupler", ["x"]),
        cal.JointError("rocker", ["x", "y"]),
        cal.EncoderOffset(encoder),
        cal.FrameError("pen", ["x", "z"]),
    ]
    return cal.Experiment(encoders, cal.Position("pen", sigma=1e-5), parameters)


def sensors() -> cal.Experiment:
    """Return a four-bar with sensors at crank and rocker, rods of any length, and a pen."""
    model = ts.Editor(ts.robots.four_bar()).frame("pen", "coupler", position=(0.1, 0, 0.05)).build()
    encoders = cal.Encoders(model, ["crank"])
    parameters = [
        *(cal.JointError("coupler", ["x"]), cal.LoopError("pin", ["x"], end="a")),
        *(cal.LoopError("pin", ["x"]), cal.EncoderOffset("crank")),
    ]
    measures = [cal.JointPosition("rocker", sigma=1e-4), cal.Distance("pen", sigma=1e-4)]
    return cal.Experiment(encoders, measures, parameters)


def spatial() -> cal.Experiment:
    """Return a spatial four-bar with errors of all kinds at joints of its loop."""
    model = ts.robots.spatial_four_bar()
    encoders = cal.Encoders(model, ["crank"], sigma=1e-4)
    parameters = [cal.JointError("rocker"), cal.JointError("coupler"), cal.JointError("crank")]
    return cal.Experiment(encoders, cal.Pose("coupler", sigma=1e-4), parameters)


def wrist() -> cal.Experiment:
    """Return a differential with encoders on its two bevel gears."""
    model = ts.Editor(ts.robots.differential()).frame("tip", "hand", position=(0.2, 0, 0)).build()
    encoders = cal.Encoders(model, ["left", "right"], gains=[100.0, -100.0])
    parameters = [
        *(cal.JointError("roll"), cal.EncoderGain("left"), cal.EncoderOffset("right")),
        cal.FrameError("tip", ["y", "rx"]),
    ]
    return cal.Experiment(encoders, cal.Pose("tip"), parameters)


EXPERIMENTS: Mapping[str, Callable[[], cal.Experiment]] = {
    "leg": leg,
    "leg with motors": lambda: leg(motors=True),
    "panda": panda,
    "four-bar": linkage,
    "four-bar from its rocker": lambda: linkage("rocker"),
    "four-bar with two sensors": sensors,
    "spatial four-bar": spatial,
    "differential": wrist,
}


def some_readings(experiment: cal.Experiment, rng: np.random.Generator, count: int) -> Array:
    """Return readings (count, joints) in configurations around the first one."""
    model, encoders = experiment.stated, experiment.encoders
    moved = model.motor_matrix(model.neutral(), motors=encoders.joints).any(axis=0)
    steps = rng.uniform(-0.6, 0.6, (count, model.nv)) * moved
    return encoders.readings(model.integrate(model.neutral(), steps))


def some_errors(experiment: cal.Experiment, rng: np.random.Generator, size: float = 2e-3) -> Array:
    """Return errors (parameters,) [m, rad, 1], those of offsets in readings."""
    scale = cal.observability(experiment, some_readings(experiment, rng, 3)).scales
    offset = np.array([name.endswith(".offset") for name in experiment.names])
    return size * np.where(offset, scale, 1.0) * rng.normal(size=len(experiment.names))
