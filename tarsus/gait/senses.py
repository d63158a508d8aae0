"""What walkers know of themselves: sensors with noise, and the estimate of a base that floats.

Encoders, an inertial unit and switches under the soles are read once a cycle. The base follows
from them, with the corners of soles that stand where they are; where on the ground a walker is and
where it looks to, nothing tells, so both drift; how high it is, each landing on the ground that it
knows tells.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.estimation import BaseEstimator, LiveSensors, Sensors
from tarsus.gait.anatomy import Anatomy
from tarsus.gait.felt_pushes import PushSense
from tarsus.geometry.terrain import Terrain
from tarsus.model import Model
from tarsus.spatial import vector_from_rotation

TOUCHES = 2e-4
"""Soles that are nearer to the ground than this touch it [m]."""
CORNERS = 3
"""Corners of a sole that the estimator follows: so many tell how it is turned."""


class Known(NamedTuple):
    """What walkers (B,) take themselves for."""

    q: Array
    """(B, nq)."""
    v: Array
    """(B, nv)."""
    touching: NDArray[np.bool_]
    """Which soles feel the ground (B, 2)."""


class Senses:
    """Sensors of walkers (B,) on a `ground` as they know it; the same `seed`, the same noise."""

    def __init__(self, body: Anatomy, sensors: Sensors, ground: Terrain, seed: int = 0) -> None:
        self.live = LiveSensors(sensors, seed)
        if sensors.model is not body.model:
            raise ValueError(f"sensors are those of another model than {body.model.name!r}")
        self.body, self.ground = body, ground
        corners = {leg.end: _spread(leg.sole.points) for leg in body.legs}
        self.estimator = BaseEstimator(body.model, sensors.imu, corners, sensors.noise)
        self.pushes = PushSense(body)
        self.reset()

    def reset(self) -> None:
        """Forget: what is true at the next update is known."""
        self.live.set_state({})
        self.estimator.set_state({})
        self.pushes.reset()
        self._stood = np.zeros((0, 2), bool)
        self.error = np.zeros((0, len(ERRORS)))
        """By how much the last estimate was off (B, 5), in the order of `ERRORS`."""

    def update(
        self, t: float, q: Array, v: Array, gap: Array, standing: NDArray[np.bool_]
    ) -> Known:
        """Return what walkers know whose states are q (B, nq), v (B, nv) at the time t [s].

        Their soles are `gap` (B, 2) [m] off the ground; those that are not `standing` (B, 2) are
        led through the air, whatever they touch.
        """
        if not self.estimator.get_state():
            self.live.reset(t, q, v)
            self.estimator.reset(t, q, v)
            self._stood, self.error = standing.copy(), np.zeros((len(q), len(ERRORS)))
            return Known(q, v, gap < TOUCHES)
        read = self.live.read(t, q, v, gap)
        touching = read.gap < TOUCHES
        stands = standing & touching
        landed = stands & ~self._stood
        if landed.any():
            self.estimator.level(self.ground, self._of_feet(landed))
        self._stood = stands
        found = self.estimator.update(
            t, read.gyro, read.accelerometer, read.q, read.v, self._of_feet(stands)
        )
        self.error = errors(self.body.model, (found.q, found.v), (q, v))
        return Known(found.q, found.v, touching)

    def _of_feet(self, flags: NDArray[np.bool_]) -> dict[str, NDArray[np.bool_]]:
        return {leg.end: flags[:, k] for k, leg in enumerate(self.body.legs)}

    def get_state(self) -> dict[str, Array]:
        """Return what the next update depends on, by name."""
        parts = {name: part.get_state() for name, part in self._parts().items()}
        own = {f"{part}.{key}": x for part, state in parts.items() for key, x in state.items()}
        return {**own, "stood": self._stood.astype(float)}

    def set_state(self, state: dict[str, Array]) -> None:
        """Go on from what `get_state` returned."""
        for name, part in self._parts().items():
            prefix = f"{name}."
            own = {k.removeprefix(prefix): x for k, x in state.items() if k.startswith(prefix)}
            part.set_state(own)
        self._stood = np.asarray(state["stood"]) > 0.0

    def _parts(self) -> dict[str, Any]:
        return {"live": self.live, "estimator": self.estimator, "pushes": self.pushes}


ERRORS = ("ground", "height", "tilt", "heading", "velocity")
"""Along the ground and in height [m], off the vertical and about it [rad], and of the velocity of
the base [m/s]."""


def errors(model: Model, found: tuple[Array, Array], true: tuple[Array, Array]) -> Array:
    """Return the sizes of errors (…, 5) of the base of states (q, v), in the order of `ERRORS`."""
    assert model.base is not None
    trunk = model.base.child
    poses = [np.asarray(model.frame_pose(q, trunk)) for q, _ in (found, true)]
    speeds = [
        model.frame_velocity(q, v, trunk, "local_world_aligned")[..., :3] for q, v in (found, true)
    ]
    away = poses[0][..., :3, 3] - poses[1][..., :3, 3]
    turn = vector_from_rotation(poses[0][..., :3, :3] @ np.swapaxes(poses[1][..., :3, :3], -1, -2))
    sizes = [
        np.linalg.norm(away[..., :2], axis=-1),
        np.abs(away[..., 2]),
        np.linalg.norm(turn[..., :2], axis=-1),
        np.abs(turn[..., 2]),
        np.linalg.norm(speeds[0] - speeds[1], axis=-1),
    ]
    return np.stack(sizes, axis=-1)


def _spread(points: Array) -> Array:
    """Return some of the points (k, 3), each the furthest from those before."""
    chosen = [points[0]]
    while len(chosen) < min(CORNERS, len(points)):
        apart = np.linalg.norm(points[:, None] - np.array(chosen), axis=-1).min(axis=1)
        chosen.append(points[int(apart.argmax())])
    return np.array(chosen)
