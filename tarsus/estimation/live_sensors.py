"""Sensors as time goes on: what they measure from one reading to the next, with their noise."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import count, elapsed, expect, number, vectors
from tarsus._lib.files import Array
from tarsus.estimation.sensors import Sensors


class Reading(NamedTuple):
    """What sensors tell at a time, of states (…)."""

    gyro: Array
    """The mean angular rate since the last reading (…, 3) [rad/s]."""
    accelerometer: Array
    """The mean specific force since then (…, 3) [m/s²]."""
    q: Array
    """Configurations (…, nq); what they have for the base means nothing."""
    v: Array
    """Velocities (…, nv), alike."""
    gap: Array
    """How far switches seem to be from what they feel (…, k) [m]."""


class LiveSensors:
    """Sensors that are read in a loop: reset(t, q, v), then reading = read(t, q, v).

    What is drawn depends on `seed` and on the number of the reading alone, and a state of a batch
    errs the same however many come after it.
    """

    def __init__(self, sensors: Sensors, seed: int = 0) -> None:
        expect(sensors, Sensors, "sensors")
        count(seed, "seed", 0)
        self.sensors, self.seed = sensors, seed
        self._state: dict[str, Array] = {}

    def reset(self, t: float, q: ArrayLike, v: ArrayLike) -> None:
        """Begin at states q (…, nq), v (…, nv): biases are drawn."""
        model, noise = self.sensors.model, self.sensors.noise
        at, speed = vectors(q, model.nq, "q"), vectors(v, model.nv, "v")
        sizes = np.repeat([noise.gyro_bias, noise.accelerometer_bias], 3)
        bias = sizes * self._draw(0, (*at.shape[:-1], 6))
        begins = np.array(number(t, "t"))
        self._state = {"t": begins, "number": np.array(0), "q": at, "v": speed, "bias": bias}

    def read(self, t: float, q: ArrayLike, v: ArrayLike, gap: ArrayLike = ()) -> Reading:
        """Return what is measured at states q (…, nq), v (…, nv) at the time t [s].

        `gap` (…, k) [m] is how far switches are from what they feel, if there are any.
        """
        if not self._state:
            raise ValueError("there is no beginning: reset() the sensors first")
        own, model, noise = self._state, self.sensors.model, self.sensors.noise
        at, speed = vectors(q, model.nq, "q"), vectors(v, model.nv, "v")
        away = np.asarray(gap, float)
        dt = elapsed(float(own["t"]), t)
        if dt == 0.0:
            raise ValueError(f"t is {t} s, must be after the last reading")
        rate, force = self.sensors.motion(
            np.array([t - dt, t]),
            np.stack([own["q"], at], axis=-2),
            np.stack([own["v"], speed], axis=-2),
        )
        number = int(own["number"]) + 1
        size = 12 + model.nq + model.nv + away.shape[-1]
        drawn = self._draw(number, (*at.shape[:-1], size))
        walks, white, of_q, of_v, of_gap = np.split(
            drawn, np.cumsum([6, 6, model.nq, model.nv]), axis=-1
        )
        walk = np.repeat([noise.gyro_walk, noise.accelerometer_walk], 3)
        bias = own["bias"] + np.sqrt(dt) * walk * walks
        errs = bias + np.repeat([noise.gyro, noise.accelerometer], 3) / np.sqrt(dt) * white
        self._state = {
            "t": np.array(float(t)),
            "number": np.array(number),
            "q": at,
            "v": speed,
            "bias": bias,
        }
        return Reading(
            rate[..., 0, :] + errs[..., :3],
            force[..., 0, :] + errs[..., 3:],
            at + noise.position * of_q,
            speed + noise.velocity * of_v,
            away + noise.switch * of_gap,
        )

    def _draw(self, number: int, shape: tuple[int, ...]) -> Array:
        return np.random.default_rng([self.seed, number]).normal(size=shape)

    def get_state(self) -> dict[str, Array]:
        """Return what the next reading depends on, by name; nothing before `reset`."""
        return {name: value.copy() for name, value in self._state.items()}

    def set_state(self, state: dict[str, Array]) -> None:
        """Go on from what `get_state` returned."""
        self._state = {name: np.array(value) for name, value in state.items()}
