"""What poses tell of the errors of an experiment, and which neighbours have parallel axes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import expect, number
from tarsus._lib.files import Array
from tarsus.calibration.experiment import Experiment
from tarsus.calibration.observability import CUT, Observability, ParallelAxes, told_by
from tarsus.calibration.parameters import EncoderOffset, JointError, Placed

NEARLY = np.deg2rad(5.0)
"""Axes of neighbours that differ by less are told."""


def observability(
    experiment: Experiment,
    readings: ArrayLike,
    *,
    errors: ArrayLike | None = None,
    cut: float = CUT,
) -> Observability:
    """Return what measurements at readings (n, joints) would tell, by the SVD of their slopes."""
    expect(experiment, Experiment, "experiment")
    if not 0.0 < number(cut, "cut") < 1.0:
        raise ValueError(f"cut is {cut}, must be between 0 and 1")
    slopes = experiment.linearised(readings, errors=experiment.errors(errors)).whitened()[1]
    scales = natural_scales(experiment, readings)
    stacked = np.concatenate([s.reshape(-1, s.shape[-1]) for s in slopes])
    return from_slopes(experiment, stacked, scales, cut)


def from_slopes(experiment: Experiment, slopes: Array, scales: Array, cut: float) -> Observability:
    """Return what rows of whitened slopes (rows, parameters) tell of an experiment."""
    return told_by(experiment.names, slopes, scales, cut, parallel=parallel_axes(experiment))


def natural_scales(experiment: Experiment, readings: ArrayLike) -> Array:
    """Return a natural size of each parameter: the reach for lengths, a radian for angles."""
    wide = experiment.configurations(readings, np.zeros(len(experiment.names)))
    pairs = zip(experiment.measures, experiment.look(wide), strict=True)
    reach = max(measure.reach(seen) for measure, seen in pairs)
    if not reach:  # joints have no size: that of the machine
        bodies = experiment.stated.forward_kinematics(experiment.start)
        reach = float(np.linalg.norm(bodies[:, :3, 3], axis=1).max(initial=0.0))
    scales = []
    for each in experiment.parameters:
        if isinstance(each, Placed):
            scales += [1.0 if c.startswith("r") else max(reach, 1e-3) for c in each.components]
        elif isinstance(each, EncoderOffset):
            k = experiment.encoders.joints.index(each.element)
            scales.append(float(np.abs(experiment.encoders.gains[k])))
        else:
            scales.append(1.0)
    return np.array(scales)


def parallel_axes(experiment: Experiment) -> tuple[ParallelAxes, ...]:
    """Return neighbours with parallel axes, or nearly so, of which one has errors here."""
    model = experiment.stated
    concerned = {each.element for each in experiment.parameters if isinstance(each, JointError)}
    found = []
    for joint, body in zip(model.joints, model.bodies, strict=True):
        if body.parent < 0 or joint.kind != "revolute":
            continue
        before = model.joints[body.parent]
        if before.kind != "revolute" or not {joint.name, before.name} & concerned:
            continue
        axis = joint.placement[:3, :3] @ joint.axis
        angle = np.arctan2(np.linalg.norm(np.cross(axis, before.axis)), abs(axis @ before.axis))
        if angle < NEARLY:
            found.append(ParallelAxes(before.name, joint.name, float(angle)))
    return tuple(found)
