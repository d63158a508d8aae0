"""Ways of soles, centre of mass and torso for steps that are known beforehand.

Each step begins with both soles on the ground, while the zero moment point goes over to the sole
that stays; then the other one swings, by quintics, to its next place. The centre of mass follows by
preview control at a constant height, and the torso looks to the middle of where the soles do.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.gait.plans.footsteps import Footsteps, sole_rotation
from tarsus.gait.plans.preview import ZmpPreview
from tarsus.gait.plans.profiles import quintic
from tarsus.model.checks import expect, number
from tarsus.spatial import pose

BEFORE, AFTER = 0.8, 0.8
"""How long the machine stands before the first step and after the last one [s]."""


class WalkTargets(NamedTuple):
    """Ways at even times; soles are in the order left, right."""

    times: Array
    """(T,) [s]."""
    soles: Array
    """Poses of the soles (T, 2, 4, 4)."""
    com: Array
    """(T, 3) [m]."""
    torso: Array
    """How the torso is turned from where the machine looks along x (T, 3, 3)."""
    standing: NDArray[np.bool_]
    """Which soles stand (T, 2)."""
    zmp: Array
    """Where the zero moment point shall be (T, 2) [m]."""
    step: NDArray[np.int64]
    """Which step it is (T,): −1 before the first, their number after the last."""


def walk_targets(
    footsteps: Footsteps,
    height: float,
    *,
    duration: float = 0.8,
    double: float = 0.2,
    lift: float = 0.06,
    dt: float = 0.01,
) -> WalkTargets:
    """Return ways along footsteps on level ground; the centre of mass is at `height` [m].

    A step takes `duration` [s], of which the share `double` with both soles down. Soles swing
    `lift` [m] high.
    """
    expect(footsteps, Footsteps, "footsteps")
    if footsteps.yaw.ndim != 1:
        raise ValueError(f"footsteps are {footsteps.yaw.shape[:-1]} walks, must be one")
    if not number(duration, "duration") > 0.0 or not 0.0 < number(double, "double") < 1.0:
        raise ValueError(f"duration {duration} must be above 0, double {double} from 0 to 1")
    n = footsteps.steps
    samples = round((BEFORE + n * duration + AFTER) / dt) + 1
    times = np.arange(samples, dtype=np.float64) * dt
    phase = (times - BEFORE) / duration
    step = np.clip(np.floor(phase + 1e-9), -1, n).astype(np.int64)
    place, yaw, standing = _soles(footsteps, phase, double, lift)
    zmp = _zmp(footsteps, phase, double)
    sway = ZmpPreview(height, dt=dt).follow(zmp)
    com = np.column_stack([sway.com, np.full(len(times), height)])
    return WalkTargets(
        times,
        pose(place, _turned(yaw)),
        com,
        _turned(yaw.mean(axis=-1)),
        standing,
        zmp,
        step,
    )


def _turned(yaw: Array) -> Array:
    """Return rotations (…, 3, 3) about the vertical."""
    return sole_rotation(yaw, np.broadcast_to([0.0, 0.0, 1.0], (*yaw.shape, 3)))


def _soles(
    footsteps: Footsteps, phase: Array, double: float, lift: float
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Return positions (T, 2, 3) and yaws (T, 2) of soles, left first, and which stand (T, 2)."""
    first = [0, 1] if footsteps.side[0] > 0 else [1, 0]
    place = np.tile(footsteps.position[first], (len(phase), 1, 1))
    yaw = np.tile(footsteps.yaw[first], (len(phase), 1))
    standing = np.ones(yaw.shape, bool)
    for k in range(footsteps.steps):
        # the foot of entry k goes to entry k + 2
        side = 0 if footsteps.side[k] > 0 else 1
        share = (phase - k - double) / (1.0 - double)
        along = quintic(share)
        place[:, side] += along[:, None] * (footsteps.position[k + 2] - footsteps.position[k])
        yaw[:, side] += along * (footsteps.yaw[k + 2] - footsteps.yaw[k])
        # up and down again without acceleration at both ends
        inside = np.clip(share, 0.0, 1.0)
        place[:, side, 2] += 64.0 * lift * (inside * (1.0 - inside)) ** 3
        standing[:, side] &= (share < 1e-9) | (share > 1.0 - 1e-9)
    return place, yaw, standing


def _zmp(footsteps: Footsteps, phase: Array, double: float) -> Array:
    """Return the zero moment point (T, 2): under the sole that stays, on lines in between."""
    places = footsteps.position[:, :2]
    # between both soles at first and at last, in step k below entry k + 1
    stops = np.vstack([places[:2].mean(axis=0), places[1:-1], places[-2:].mean(axis=0)])
    moves = np.diff(stops, axis=0)
    share = np.clip((phase[:, None] - np.arange(len(moves))) / double, 0.0, 1.0)
    return np.asarray(stops[0] + share @ moves)
