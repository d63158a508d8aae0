"""What poses tell of the errors of an experiment, and a choice of the poses that tell the most.

`select_poses` chooses one after the other, then exchanges them while that helps. The information of
poses adds up, N = Σ JᵀJ over slopes of unit deviation. "D" makes det N large, and so the volume of
what stays possible small; "E" makes the smallest eigenvalue of N large, and so the worst direction
well known (Y. Sun, J. M. Hollerbach, "Observability index selection for robot calibration", ICRA
2008). Only what all candidates together tell counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import count as check_count
from tarsus._lib.checks import expect, number
from tarsus._lib.files import Array
from tarsus.estimation.calibration.experiment import Experiment
from tarsus.estimation.calibration.parameters import EncoderOffset, JointError, Placed
from tarsus.estimation.observability import CUT, Observability, ParallelAxes, told_by

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


CRITERIA = ("D", "E")
ROUNDS = 10
"""Rounds of exchanges."""


@dataclass(frozen=True, eq=False)
class Selection:
    """Chosen candidates, by their numbers, and what they tell.

    `value` is log det N for "D" and log of the smallest eigenvalue for "E", of N in natural units;
    `history` has it after each choice, −inf as long as something is not told, and then after each
    round of exchanges. `rank` combinations are told by all candidates together.
    """

    indices: NDArray[np.intp]
    criterion: str
    value: float
    history: tuple[float, ...]
    rank: int
    _information: Array

    def value_of(self, indices: Iterable[int]) -> float:
        """Return the criterion of other choices among the same candidates."""
        return _value(self._information[list(indices)].sum(axis=0), self.criterion)


def select_poses(
    experiment: Experiment,
    candidates: ArrayLike,
    count: int,
    *,
    criterion: str = "D",
    cut: float = CUT,
) -> Selection:
    """Return `count` of the candidates, readings (n, joints), that tell most of the parameters."""
    expect(experiment, Experiment, "experiment")
    if criterion not in CRITERIA:
        raise ValueError(f"criterion is {criterion!r}, must be 'D' or 'E'")
    if not 0.0 < number(cut, "cut") < 1.0:
        raise ValueError(f"cut is {cut}, must be between 0 and 1")
    read = experiment.encoders.checked(candidates)
    check_count(count, "count", 1, len(read) if read.ndim == 2 else 1)
    slopes = np.concatenate(experiment.linearised(read).whitened()[1], axis=1)
    scales = natural_scales(experiment, read)
    told = from_slopes(experiment, slopes.reshape(-1, slopes.shape[-1]), scales, cut).told
    reduced = (slopes * scales) @ told
    information = np.swapaxes(reduced, 1, 2) @ reduced
    chosen, history = _greedy(reduced, information, count, criterion)
    history += _exchange(chosen, information, reduced, criterion)
    value = _value(information[chosen].sum(axis=0), criterion)
    return Selection(
        np.array(chosen, dtype=np.intp),
        criterion,
        value,
        tuple(history),
        told.shape[1],
        information,
    )


def _greedy(
    slopes: Array, information: Array, count: int, criterion: str
) -> tuple[list[int], list[float]]:
    """Choose one after the other; as long as N is singular, by its determinant with a floor."""
    rank = slopes.shape[-1]
    floor = 1e-9 * np.trace(information.sum(axis=0)) / rank * np.eye(rank)
    total, chosen, history = np.zeros((rank, rank)), list[int](), list[float]()
    for _ in range(count):
        free = np.setdiff1d(np.arange(len(slopes)), chosen)
        if criterion == "E" and np.isfinite(_value(total, "E")):
            gains = np.linalg.eigvalsh(total + information[free])[:, 0]
        else:
            gains = _determinants(total + floor, slopes[free])
        chosen.append(int(free[np.argmax(gains)]))
        total = total + information[chosen[-1]]
        history.append(_value(total, criterion))
    return chosen, history


def _exchange(chosen: list[int], information: Array, slopes: Array, criterion: str) -> list[float]:
    """Replace choices by better ones in place, round after round; return the values reached."""
    history: list[float] = []
    for _ in range(ROUNDS):
        start = best = _value(information[chosen].sum(axis=0), criterion)
        for k in range(len(chosen)):
            rest = information[chosen[:k] + chosen[k + 1 :]].sum(axis=0)
            free = np.setdiff1d(np.arange(len(slopes)), chosen)
            if not len(free):
                break
            if criterion == "E":
                j = int(np.argmax(np.linalg.eigvalsh(rest + information[free])[:, 0]))
            else:
                j = int(np.argmax(np.linalg.slogdet(rest + information[free])[1]))
            value = _value(rest + information[free[j]], criterion)
            if value > best + 1e-9 * abs(best):
                chosen[k], best = int(free[j]), value
        history.append(best)
        if not best > start:
            break
    return history


def _determinants(total: Array, slopes: Array) -> Array:
    """Return log det(N + JᵀJ) − log det N for many J, by the matrix determinant lemma."""
    inner = slopes @ np.linalg.solve(total, np.swapaxes(slopes, 1, 2))
    return np.asarray(np.linalg.slogdet(np.eye(slopes.shape[1]) + inner)[1])


def _value(total: Array, criterion: str) -> float:
    """Return log det N, or the logarithm of the smallest eigenvalue; −inf if N is singular."""
    values = np.linalg.eigvalsh(total)
    if values[0] <= 1e-15 * max(values[-1], 1e-300):
        return -np.inf
    return float(np.log(values).sum() if criterion == "D" else np.log(values[0]))
