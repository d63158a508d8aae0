"""State feedback of a walk: estimated state, its errors, estimated pushes."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.files import Array
from tarsus.estimation.base_estimator import BaseEstimator
from tarsus.estimation.live_sensors import LiveSensors
from tarsus.estimation.momentum_observer import MomentumObserver
from tarsus.estimation.sensors import Sensors
from tarsus.gait.anatomy import Anatomy
from tarsus.geometry.grounds import Terrain
from tarsus.model.model import Model
from tarsus.spatial import vector_from_rotation

# What walkers know of themselves: sensors with noise, and the estimate of a base that floats.
#
# Encoders, an inertial unit and switches under the soles are read once a cycle. The base follows
# from them, with the corners of soles that stand where they are; where on the ground a walker is
# and where it looks to, nothing tells, so both drift; how high it is, each landing on the ground
# that it knows tells.


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


# How far walkers were from what they took themselves for: errors of the estimate of their base.


class Spread(NamedTuple):
    """Sizes of an error over a walk."""

    mean: float
    usual: float
    """Which 95 % do not exceed."""
    largest: float


@dataclass(frozen=True)
class EstimateErrors:
    """By how much the base of a walker was not where and how it knew it."""

    ground: Spread
    """Along the ground [m]: it drifts, as nothing measures it."""
    height: Spread
    """[m]."""
    tilt: Spread
    """Off the vertical [rad]."""
    heading: Spread
    """About it [rad]: it drifts, too."""
    velocity: Spread
    """[m/s]."""

    @classmethod
    def of(cls, errors: Array) -> Self:
        """Return what errors (K, 5) come to, in the order of the entries."""
        columns = np.asarray(errors).T
        return cls(*(Spread(*_sizes(column)) for column in columns))

    def __str__(self) -> str:
        scales = {"ground": 1e3, "height": 1e3, "tilt": np.degrees(1.0), "heading": np.degrees(1.0)}
        units = {"ground": " mm", "height": " mm", "tilt": "°", "heading": "°", "velocity": " m/s"}
        names = {"ground": "along the ground"}
        parts = []
        for each in fields(self):
            own: Spread = getattr(self, each.name)
            sizes = (f"{scales.get(each.name, 1.0) * size:.2g}" for size in own)
            parts.append(f"{names.get(each.name, each.name)} {', '.join(sizes)}{units[each.name]}")
        return f"estimate off by (mean, 95 %, most): {'; '.join(parts)}"

    def as_data(self) -> dict[str, dict[str, float]]:
        """Return all entries by name."""
        return {each.name: getattr(self, each.name)._asdict() for each in fields(self)}


def _sizes(values: Array) -> tuple[float, float, float]:
    return float(values.mean()), float(np.percentile(values, 95)), float(values.max())


# Pushes that walkers feel: what momentum tells beyond what their joints and feet do.
#
# The momentum observer takes torques and the forces of contacts as whole-body control planned them;
# what is left, as a wrench on the trunk, is what nobody planned: a push, or a landing for an
# instant.


BANDWIDTH = 25.0
"""Of the observer [1/s]: a push is felt after 40 ms."""
FELT = 0.12
"""Forces above this share of the weight are pushes."""
APART = 0.1
"""What is felt again within this time is the same push [s]."""


@dataclass(frozen=True)
class FeltPush:
    """A push as a walker felt it, some 40 ms after it acted."""

    start: float
    """[s]."""
    duration: float
    """[s]."""
    force: tuple[float, float, float]
    """The largest, in world axes [N]."""
    impulse: tuple[float, float, float]
    """[N·s]."""

    def __str__(self) -> str:
        force, impulse = (
            ", ".join(f"{x:.0f}" for x in each) for each in (self.force, self.impulse)
        )
        return f"felt a push at {self.start:.2f} s: up to ({force}) N, ({impulse}) N·s in all"


class PushSense:
    """Feels forces on the trunk of walkers (B,), one update a cycle."""

    def __init__(self, body: Anatomy) -> None:
        self.body = body
        self.observer = MomentumObserver(body.model, BANDWIDTH, held=True, passive=True)
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.observer.reset()
        self._acted: dict[str, Array] = {}

    def update(self, t: float, q: Array, v: Array) -> Array:
        """Return the force (B, 3) [N] that is felt at states (B, nq), (B, nv), in world axes."""
        feet = {leg.end: self._acted[leg.end] for leg in self.body.legs if self._acted}
        tau = self._acted.get("tau", np.zeros(self.body.model.nv))
        self.observer.update(t, q, v, tau, feet)
        return self.observer.wrench(q, self.body.trunk)[0][..., :3]

    def act(self, tau: Array, wrenches: list[Array]) -> None:
        """Tell what acts until the next update: efforts (B, nv), wrenches of feet (B, 6) each."""
        feet = {leg.end: each for leg, each in zip(self.body.legs, wrenches, strict=True)}
        self._acted = {"tau": tau, **feet}

    def get_state(self) -> dict[str, Array]:
        """Return what the next update depends on, by name."""
        acted = {f"acted.{name}": value.copy() for name, value in self._acted.items()}
        return {**self.observer.get_state(), **acted}

    def set_state(self, state: dict[str, Array]) -> None:
        """Go on from what `get_state` returned."""
        acts = {name: np.array(x) for name, x in state.items() if name.startswith("acted.")}
        self._acted = {name.removeprefix("acted."): x for name, x in acts.items()}
        self.observer.set_state({name: x for name, x in state.items() if name not in acts})


def felt_pushes(t: Array, force: Array, weight: float) -> tuple[FeltPush, ...]:
    """Return the pushes in forces (K, 3) that were felt at times (K,)."""
    strong = np.flatnonzero(np.linalg.norm(force, axis=-1) > FELT * weight)
    if not len(strong):
        return ()
    found, period = [], float(t[1] - t[0])
    for own in np.split(strong, np.flatnonzero(np.diff(t[strong]) > APART) + 1):
        most = force[own[np.linalg.norm(force[own], axis=-1).argmax()]]
        # what was felt on the way up and down belongs to it
        tail = round(2.0 / (BANDWIDTH * period))
        whole = force[max(own[0] - tail, 0) : own[-1] + tail + 1].sum(axis=0) * period
        long = float(t[own[-1]] - t[own[0]]) + period
        found.append(FeltPush(float(t[own[0]]), long, _three(most), _three(whole)))
    return tuple(found)


def _three(vector: Array) -> tuple[float, float, float]:
    x, y, z = (float(each) for each in vector)
    return x, y, z
