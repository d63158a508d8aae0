"""A base that floats, from encoders, an inertial unit and contacts: the invariant Kalman filter.

Rotation R, velocity v and position p of the unit, and the places d of contacts, are one element of
a group; the error of the estimate, seen from the world, then changes by a law that does not depend
on the estimate but through biases (R. Hartley, M. Ghaffari, R. Eustice, J. Grizzle, "Contact-aided
invariant extended Kalman filtering for robot state estimation", International Journal of Robotics
Research 39, 2020; M. Bloesch et al., "State estimation for legged robots", RSS 2012):

    R̂ Rᵀ = exp(ξ_R),  ξ_v = v̂ − v − ξ_R × v, …      ξ̇_R = R̂ (n_ω − β_ω),
    ξ̇_v = g × ξ_R + v × R̂ (n_ω − β_ω) + R̂ (n_a − β_a),
    ξ̇_p = ξ_v + p × R̂ (n_ω − β_ω),     ξ̇_d = d × R̂ (n_ω − β_ω) + n_d,

β = b̂ − b. Encoders tell where contacts are in axes of the unit, h = Rᵀ (d − p) + J n_q, so that
R̂ h − (d̂ − p̂) = ξ_p − ξ_d + R̂ J n_q. A contact that is open is where encoders say; one that is said
to be closed and is far from where it was is not believed, and told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import expect, not_negative, number, reals, vectors
from tarsus._lib.files import Array
from tarsus.estimation.invariant_state import InvariantState
from tarsus.estimation.sensors import Noise, checked
from tarsus.geometry.grounds import Terrain
from tarsus.ik.points import ALIGNED
from tarsus.model.model import Model
from tarsus.spatial import inverse, quaternion_from_rotation, skew

GATE = 25.0
"""Squares of standard deviations, of three numbers: one in 65,000 is beyond by chance."""


@dataclass(frozen=True)
class BaseEstimate:
    """What is known after an update, of states (…)."""

    q: Array
    """Configurations (…, nq): the base as estimated, joints as measured."""
    v: Array
    """Velocities (…, nv), alike."""
    covariance: Array
    """Of the error ξ of rotation, velocity and position (…, 9, 9), in world axes."""
    gyro_bias: Array
    """[rad/s] (…, 3)."""
    accelerometer_bias: Array
    """[m/s²] (…, 3)."""
    slipping: NDArray[np.bool_]
    """Which contacts (…, contacts) were said to be closed and not believed."""


class BaseEstimator:
    """Follows the base of a machine: estimate = estimator.update(t, gyro, accelerometer, q, v, on).

    `imu` is a frame on the base, `contacts` are points by name of frame: (3,) or (k, 3) in its axes
    [m], such as the corners of a sole. `noise` is that of the sensors. Begin with `reset`.
    """

    def __init__(
        self,
        model: Model,
        imu: str,
        contacts: Mapping[str, ArrayLike],
        noise: Noise | None = None,
        *,
        gate: float = GATE,
    ) -> None:
        self.model, self.imu = checked(model, imu), imu
        self.noise = Noise() if noise is None else noise
        expect(self.noise, Noise, "noise")
        if number(gate, "gate") <= 0.0:
            raise ValueError(f"gate is {gate}, must be positive")
        self.gate = gate
        self.contacts = ContactPoints(model, imu, contacts)
        base = model.base
        assert base is not None
        self._base_q, self._base_v = base.q_slice, base.v_slice
        self._mounted = np.asarray(model.frame_pose(model.neutral(), imu))
        self._mounted = inverse(model.frame_pose(model.neutral(), base.child)) @ self._mounted
        self._time: float | None = None

    def reset(
        self,
        t: float,
        q: ArrayLike,
        v: ArrayLike,
        *,
        rotation: float = 1e-2,
        velocity: float = 1e-2,
        position: float = 1e-3,
        gyro_bias: float | None = None,
        accelerometer_bias: float | None = None,
    ) -> None:
        """Begin at states q (…, nq), v (…, nv), known to these standard deviations.

        Those of biases are as the noise has them, unless given.
        """
        begins, noise = number(t, "t"), self.noise
        at, speed = vectors(q, self.model.nq, "q"), vectors(v, self.model.nv, "v")
        known = {
            "rotation": rotation,
            "velocity": velocity,
            "position": position,
            "gyro_bias": noise.gyro_bias if gyro_bias is None else gyro_bias,
            "accelerometer_bias": (
                noise.accelerometer_bias if accelerometer_bias is None else accelerometer_bias
            ),
        }
        sizes = np.repeat([not_negative(size, name) for name, size in known.items()], 3)
        lead = np.broadcast_shapes(at.shape[:-1], speed.shape[:-1])
        at, speed = (np.broadcast_to(x, (*lead, x.shape[-1])) for x in (at, speed))
        pose = np.asarray(self.model.frame_pose(at, self.imu))
        moving = np.asarray(self.model.frame_velocity(at, speed, self.imu, ALIGNED))
        self._state = InvariantState(
            pose[..., :3, :3], moving[..., :3], pose[..., :3, 3], len(self.contacts), sizes
        )
        self._place(at, np.zeros((*at.shape[:-1], len(self.contacts)), bool))
        self._time = begins

    def update(
        self,
        t: float,
        gyro: ArrayLike,
        accelerometer: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        closed: Mapping[str, ArrayLike],
    ) -> BaseEstimate:
        """Return the estimate at the time t [s], from means of the unit since the last update.

        Joints are measured as q (…, nq), v (…, nv), of which the base counts nothing; `closed`
        says by name of frame whether it is in contact (…).
        """
        if self._time is None:
            raise ValueError("there is no beginning: reset() the estimator first")
        dt = number(t, "t") - self._time
        if dt <= 0.0:
            raise ValueError(f"t is {t} s, must be after the last update at {self._time} s")
        lead = self._state.position.shape[:-1]
        on = self.contacts.flags(closed, lead, "closed")
        rate, force, at, speed = (
            _fitting(x, size, name, lead)
            for x, size, name in (
                (gyro, 3, "gyro"),
                (accelerometer, 3, "accelerometer"),
                (q, self.model.nq, "q"),
                (v, self.model.nv, "v"),
            )
        )
        # all is checked: what is refused changes nothing
        self._time = float(t)
        self._state.predict(rate, force, self.model.gravity, dt, self.noise)
        slipping = self._place(at, on)
        return self._told(at, speed, rate - self._state.gyro_bias, slipping)

    def level(
        self, ground: Terrain, on: Mapping[str, ArrayLike], *, deviation: float = 5e-3
    ) -> None:
        """Take in that a ground is as high as it is under frames that are `on` it (…), by name.

        It is known to a `deviation` [m]; what is far from that is not believed. Call it once for
        each time that a frame is put down: what is wrong about a height is so for all the time.
        """
        if self._time is None:
            raise ValueError("there is no beginning: reset() the estimator first")
        sure = not_negative(deviation, "deviation")
        flags = self.contacts.flags(on, self._state.position.shape[:-1], "on")
        for k in self.contacts.first:
            place = self._state.places[..., k, :]
            height = ground.height(place[..., 0], place[..., 1])
            self._state.level(k, np.asarray(height), sure, flags[..., k])

    def get_state(self) -> dict[str, Array]:
        """Return what the next update depends on, by name; nothing before `reset`."""
        if self._time is None:
            return {}
        return {"time": np.array(self._time), **self._state.get_state()}

    def set_state(self, state: Mapping[str, Array]) -> None:
        """Go on from what `get_state` returned."""
        self._time = float(state["time"]) if state else None
        if state:
            self._state = InvariantState.from_state(state)

    def _place(self, q: Array, on: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Take in where encoders have contacts; return which are not believed (…, contacts)."""
        slipping = np.zeros(on.shape, bool)
        sigma = self.noise.position**2
        for k, (arm, jacobian) in enumerate(self.contacts.seen(q)):
            spread = sigma * (jacobian @ np.swapaxes(jacobian, -1, -2)) + 1e-12 * np.eye(3)
            far = self._state.correct(k, arm, spread, on[..., k], self.gate)
            slipping[..., k] = on[..., k] & far
            self._state.place(k, arm, spread, ~on[..., k] | far)
        return slipping

    def _told(self, q: Array, v: Array, rate: Array, slipping: NDArray[np.bool_]) -> BaseEstimate:
        state = self._state
        lead = np.broadcast_shapes(state.position.shape[:-1], q.shape[:-1])
        mounted = inverse(self._mounted)
        rotation = state.rotation @ mounted[:3, :3]
        place = state.position + state.rotation @ mounted[:3, 3]
        found_q = np.array(np.broadcast_to(q, (*lead, q.shape[-1])))
        found_q[..., self._base_q] = np.concatenate(
            [place, quaternion_from_rotation(rotation)], axis=-1
        )
        # from the unit to the base: both turn alike, and arms add to velocities
        turn = (self._mounted[:3, :3] @ rate[..., None])[..., 0]
        back = np.swapaxes(rotation, -1, -2)
        linear = (back @ state.velocity[..., None])[..., 0] - np.cross(turn, self._mounted[:3, 3])
        found_v = np.array(np.broadcast_to(v, (*lead, v.shape[-1])))
        found_v[..., self._base_v] = np.concatenate([linear, turn], axis=-1)
        return BaseEstimate(
            found_q,
            found_v,
            state.covariance[..., :9, :9].copy(),
            state.gyro_bias.copy(),
            state.accelerometer_bias.copy(),
            slipping,
        )


def _fitting(value: ArrayLike, size: int, name: str, lead: tuple[int, ...]) -> Array:
    """Return finite numbers (…, size) for states (…)."""
    found = vectors(value, size, name)
    check_lead(found.shape[:-1], name, lead)
    return np.broadcast_to(found, (*lead, size))


class ContactPoints:
    """Points by name of frame: (3,) or (k, 3) in its axes [m], seen from a frame `imu`."""

    def __init__(self, model: Model, imu: str, contacts: Mapping[str, ArrayLike]) -> None:
        self._model, self._imu = model, imu
        self._listed: list[tuple[str, Array]] = []
        for frame, points in contacts.items():
            model.frame(frame)
            rows = np.atleast_2d(reals(points, f"points of {frame!r}"))
            if rows.ndim != 2 or rows.shape[-1] != 3 or not np.isfinite(rows).all():
                raise ValueError(f"points of {frame!r} have shape {rows.shape}, must be (k, 3)")
            self._listed += [(frame, point) for point in rows]
        if not self._listed:
            raise ValueError("contacts is empty: name the frames that touch the ground")
        frames = [frame for frame, _ in self._listed]
        self.first = [frames.index(frame) for frame in dict.fromkeys(frames)]
        """The first contact of each frame."""
        assert model.base is not None
        self._joints = np.delete(np.arange(model.nv), np.r_[model.base.v_slice])

    def __len__(self) -> int:
        return len(self._listed)

    def flags(
        self, closed: Mapping[str, ArrayLike], lead: tuple[int, ...], what: str
    ) -> NDArray[np.bool_]:
        """Return which contacts (…, contacts) are said to be closed, by the argument `what`."""
        unknown = [name for name in closed if name not in dict(self._listed)]
        if unknown:
            names = ", ".join(dict.fromkeys(frame for frame, _ in self._listed))
            raise ValueError(f"{what} names {unknown[0]!r}, which has no contacts; these: {names}")
        for frame, value in closed.items():
            if np.asarray(value).dtype != bool:
                raise TypeError(f"{what}[{frame!r}] is {value!r}, must be True or False (…)")
            check_lead(np.shape(value), f"{what}[{frame!r}]", lead)
        flags = [np.broadcast_to(closed.get(frame, False), lead) for frame, _ in self._listed]
        return np.stack(flags, axis=-1)

    def seen(self, q: Array) -> Iterator[tuple[Array, Array]]:
        """Yield contacts (…, 3) in axes of the unit, and slopes by joints (…, 3, joints)."""
        unit = self._model.frame_pose(q, self._imu)
        back = np.swapaxes(unit[..., :3, :3], -1, -2)
        frames = dict.fromkeys(frame for frame, _ in self._listed)
        poses = {frame: self._model.frame_pose(q, frame) for frame in frames}
        rows = {frame: self._model.frame_jacobian(q, frame, ALIGNED) for frame in frames}
        for frame, point in self._listed:
            foot, slopes = poses[frame], rows[frame][..., self._joints]
            arm = foot[..., :3, :3] @ point
            way = foot[..., :3, 3] + arm - unit[..., :3, 3]
            moved = slopes[..., :3, :] - skew(arm) @ slopes[..., 3:, :]
            yield (back @ way[..., None])[..., 0], back @ moved


def check_lead(shape: tuple[int, ...], name: str, lead: tuple[int, ...]) -> None:
    """Raise unless leading dimensions broadcast to those of the estimator's states."""
    try:
        fits = np.broadcast_shapes(shape, lead) == lead
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(
            f"{name} has leading dimensions {shape}, the states of reset() have {lead}"
        )
