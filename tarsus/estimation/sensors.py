"""What sensors of a walking machine measure: rates and forces of an inertial unit, and encoders.

An inertial unit at a frame with rotation R measures, over each period from one sample to the next,

    gyro = ω + b_ω + n_ω,        accelerometer = Rᵀ (a − g) + b_a + n_a,

the mean turn and the mean change of velocity; biases b walk, noise n is white. Encoders measure
positions and velocities of joints. Densities are those of data sheets: per root of a hertz.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import expect, number, reals
from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.spatial import mean_rotation, vector_from_rotation


@dataclass(frozen=True)
class Noise:
    """How much sensors err; the defaults are those of a good unit and of fine encoders."""

    gyro: float = 2e-3
    """Density of angular rates [rad/s/√Hz]."""
    accelerometer: float = 2e-2
    """Density of accelerations [m/s²/√Hz]."""
    gyro_walk: float = 1e-5
    """How the bias of angular rates walks [rad/s²/√Hz]."""
    accelerometer_walk: float = 1e-4
    """How the bias of accelerations walks [m/s³/√Hz]."""
    position: float = 1e-4
    """Standard deviation of joint positions [rad, m]."""
    velocity: float = 1e-2
    """Standard deviation of joint velocities [rad/s, m/s]."""
    contact: float = 1e-2
    """How contacts creep [m/s/√Hz]."""
    gyro_bias: float = 1e-3
    """Standard deviation of the bias of angular rates in the beginning [rad/s]."""
    accelerometer_bias: float = 1e-2
    """Standard deviation of the bias of accelerations in the beginning [m/s²]."""
    switch: float = 2e-5
    """Standard deviation of the distance at which switches under feet close [m]."""

    def __post_init__(self) -> None:
        for each in fields(self):
            if number(getattr(self, each.name), each.name) < 0.0:
                raise ValueError(f"{each.name} is {getattr(self, each.name)}, must not be negative")

    def scaled(self, factor: float) -> Noise:
        """Return the noise of sensors that err `factor` times as much."""
        if number(factor, "factor") < 0.0:
            raise ValueError(f"factor is {factor}, must not be negative")
        return Noise(**{name: factor * size for name, size in vars(self).items()})


@dataclass(frozen=True)
class Measurements:
    """What sensors tell at times (N,); each has leading dimensions (…, N, size)."""

    t: Array
    gyro: Array
    """Angular rates (…, N, 3) [rad/s], of the period before each time; the first is the second."""
    accelerometer: Array
    """Specific forces (…, N, 3) [m/s²], alike."""
    q: Array
    """Configurations (…, N, nq); what they have for the base means nothing."""
    v: Array
    """Velocities (…, N, nv), alike."""


class Sensors:
    """An inertial unit at the frame `imu` and encoders, with `noise`.

    `measure` tells what they measure along a whole motion, `LiveSensors` do as it goes on.
    """

    def __init__(self, model: Model, imu: str, noise: Noise | None = None) -> None:
        self.model, self.imu = checked(model, imu), imu
        self.noise = Noise() if noise is None else noise
        expect(self.noise, Noise, "noise")

    def measure(
        self,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        rng: np.random.Generator | int | None = None,
    ) -> Measurements:
        """Return what is measured along states q (…, N, nq), v (…, N, nv) at times t (N,).

        Without `rng`, a generator or a seed, there is no noise.
        """
        times, at, speed = (reals(x, name) for x, name in ((t, "t"), (q, "q"), (v, "v")))
        if times.ndim != 1 or len(times) < 2 or not (np.diff(times) > 0.0).all():
            raise ValueError("t must rise, and be at least two times")
        for name, array, size in (("q", at, self.model.nq), ("v", speed, self.model.nv)):
            if array.shape[-2:] != (len(times), size):
                raise ValueError(
                    f"{name} has shape {array.shape}, must be (…, {len(times)}, {size})"
                )
        turn, force = self.motion(times, at, speed)
        turn, force = (np.concatenate([x[..., :1, :], x], axis=-2) for x in (turn, force))
        if rng is None:
            return Measurements(times, turn, force, at.copy(), speed.copy())
        draw = np.random.default_rng(rng).normal
        n, period = self.noise, np.diff(times, prepend=2.0 * times[0] - times[1])[:, None]
        for found, white, walk, first in (
            (turn, n.gyro, n.gyro_walk, n.gyro_bias),
            (force, n.accelerometer, n.accelerometer_walk, n.accelerometer_bias),
        ):
            bias = np.cumsum(walk * np.sqrt(period) * draw(size=found.shape), axis=-2)
            bias += first * draw(size=(*found.shape[:-2], 1, 3))
            found += bias + white / np.sqrt(period) * draw(size=found.shape)
        return Measurements(
            times,
            turn,
            force,
            at + n.position * draw(size=at.shape),
            speed + n.velocity * draw(size=speed.shape),
        )

    def motion(self, t: Array, q: Array, v: Array) -> tuple[Array, Array]:
        """Return mean angular rates and specific forces (…, N − 1, 3) of the periods of times."""
        rotation = np.asarray(self.model.frame_pose(q, self.imu))[..., :3, :3]
        speed = self.model.frame_velocity(q, v, self.imu, "local_world_aligned")[..., :3]
        period = np.diff(t)[:, None]
        before, after = rotation[..., :-1, :, :], rotation[..., 1:, :, :]
        back = np.swapaxes(before, -1, -2)
        turn = vector_from_rotation(back @ after)
        rise = np.diff(speed, axis=-2) / period - self.model.gravity
        # the force that is constant in axes that turn: R ∫ exp(ω s) f ds is the rise
        force = np.linalg.solve(mean_rotation(turn), back @ rise[..., None])[..., 0]
        return turn / period, np.asarray(force)


def checked(model: Model, imu: str) -> Model:
    """Return a model with a base that floats, on which the frame `imu` is fixed."""
    expect(model, Model, "model")
    base = model.base
    if base is None or base.kind != "free":
        raise ModelError(f"{model.name!r} has no base that floats freely: nothing to estimate")
    if model.frame(imu).body != base.child:
        own = [frame.name for frame in model.frames if frame.body == base.child]
        raise ValueError(
            f"imu is {imu!r}, which is not fixed to the base {base.child!r}; these are: {own}"
        )
    return model
