"""The state of the invariant Kalman filter: an element of a group, biases, and a covariance.

Errors are in the order rotation, velocity, position, bias of the gyro, bias of the accelerometer,
then the places of contacts: three numbers each, seen from the world (`base_estimator.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.files import Array
from tarsus.estimation.sensors import Noise
from tarsus.spatial import mean_rotation, rotation_from_vector, skew

TURN, SPEED, PLACE, GYRO, FORCE = (slice(3 * k, 3 * k + 3) for k in range(5))
FIRST = 15
"""Where the places of contacts begin."""
UP = np.array([0.0, 0.0, 1.0])
LIKELY = 10.0
"""Squares of standard deviations, of one number: one in 640 is beyond by chance."""


class InvariantState:
    """Rotation (…, 3, 3), velocity and position (…, 3), biases and places of contacts."""

    def __init__(
        self, rotation: Array, velocity: Array, position: Array, contacts: int, sizes: Array
    ) -> None:
        lead = position.shape[:-1]
        self.rotation, self.velocity, self.position = rotation, velocity, position
        self.gyro_bias, self.accelerometer_bias = np.zeros((2, *lead, 3))
        self.places = np.zeros((*lead, contacts, 3))
        n = FIRST + 3 * contacts
        # the errors that are known are of the body's state: seen from the world they mix
        self.covariance = np.zeros((*lead, n, n))
        whole = np.broadcast_to(np.eye(FIRST), (*lead, FIRST, FIRST)).copy()
        whole[..., SPEED, TURN], whole[..., PLACE, TURN] = skew(velocity), skew(position)
        own = whole @ (sizes[:, None] ** 2 * np.swapaxes(whole, -1, -2))
        self.covariance[..., :FIRST, :FIRST] = own

    def get_state(self) -> dict[str, Array]:
        """Return copies of all arrays, by name."""
        return {name: value.copy() for name, value in vars(self).items()}

    @classmethod
    def from_state(cls, state: Mapping[str, Array]) -> Self:
        """Return what `get_state` was asked of."""
        own = {name: np.array(value) for name, value in state.items()}
        contacts = own["places"].shape[-2]
        rotation, velocity, position = (own[x] for x in ("rotation", "velocity", "position"))
        found = cls(rotation, velocity, position, contacts, np.zeros(FIRST))
        for name in vars(found):
            setattr(found, name, own[name])
        return found

    def predict(self, rate: Array, force: Array, gravity: Array, dt: float, noise: Noise) -> None:
        """Go on by dt [s] with what an inertial unit measures, (…, 3) each."""
        omega, specific = rate - self.gyro_bias, force - self.accelerometer_bias
        n = self.covariance.shape[-1]
        lead = self.position.shape[:-1]
        change = np.broadcast_to(np.eye(n), (*lead, n, n)).copy()
        fall = skew(gravity)
        change[..., SPEED, TURN] = dt * fall
        change[..., PLACE, TURN] = 0.5 * dt**2 * fall
        change[..., PLACE, SPEED] = dt * np.eye(3)
        turned = self._turned(n)
        change[..., :, GYRO] -= dt * turned
        change[..., SPEED, FORCE] -= dt * self.rotation
        spread = turned @ np.swapaxes(turned, -1, -2) * (noise.gyro**2 * dt)
        spread[..., SPEED, SPEED] += noise.accelerometer**2 * dt * np.eye(3)
        spread[..., GYRO, GYRO] += noise.gyro_walk**2 * dt * np.eye(3)
        spread[..., FORCE, FORCE] += noise.accelerometer_walk**2 * dt * np.eye(3)
        last = np.arange(FIRST, n)
        spread[..., last, last] += noise.contact**2 * dt
        self.covariance = change @ self.covariance @ np.swapaxes(change, -1, -2) + spread
        # the unit turns evenly and feels an even force
        step = omega * dt
        rise = (self.rotation @ (mean_rotation(step) @ specific[..., None]))[..., 0] + gravity
        after = self.velocity + dt * rise
        self.position = self.position + 0.5 * dt * (self.velocity + after)
        self.velocity = after
        self.rotation = self.rotation @ rotation_from_vector(step)

    def _turned(self, n: int) -> Array:
        """Return what a turn in axes of the unit does to the errors (…, n, 3)."""
        found = np.zeros((*self.position.shape[:-1], n, 3))
        found[..., TURN, :] = self.rotation
        found[..., SPEED, :] = skew(self.velocity) @ self.rotation
        found[..., PLACE, :] = skew(self.position) @ self.rotation
        seen = skew(self.places) @ self.rotation[..., None, :, :]
        found[..., FIRST:, :] = seen.reshape(found[..., FIRST:, :].shape)
        return found

    @staticmethod
    def of(k: int) -> slice:
        """Return where the errors of a contact's place are."""
        return slice(FIRST + 3 * k, FIRST + 3 * k + 3)

    def place(self, k: int, arm: Array, spread: Array, which: NDArray[np.bool_]) -> None:
        """Put a contact where it is seen (…, 3) from the unit, in these states (…)."""
        if not which.any():
            return
        seen = self.position + (self.rotation @ arm[..., None])[..., 0]
        self.places[..., k, :] = np.where(which[..., None], seen, self.places[..., k, :])
        # what is known of its place is what is known of that of the unit, and of the arm
        found, own = self.covariance.copy(), self.of(k)
        found[..., own, :] = found[..., PLACE, :]
        found[..., own] = found[..., PLACE]
        found[..., own, own] += self._in_world(spread)
        self.covariance = np.where(which[..., None, None], found, self.covariance)

    def correct(
        self, k: int, arm: Array, spread: Array, which: NDArray[np.bool_], gate: float
    ) -> NDArray[np.bool_]:
        """Take in a contact that is closed in some states (…); return where it is too far off.

        `arm` (…, 3) is where it is seen from the unit, with a covariance `spread` (…, 3, 3).
        """
        if not which.any():
            return which
        own = self.of(k)
        left = (self.rotation @ arm[..., None])[..., 0] - (self.places[..., k, :] - self.position)
        gains = self.covariance[..., :, PLACE] - self.covariance[..., :, own]
        expected = gains[..., PLACE, :] - gains[..., own, :] + self._in_world(spread)
        weighed = np.linalg.solve(expected, left[..., None])[..., 0]
        far = np.asarray((left * weighed).sum(axis=-1) > gate)
        takes = which & ~far
        if not takes.any():
            return far
        step = np.where(takes[..., None], (gains @ weighed[..., None])[..., 0], 0.0)
        shrinks = gains @ np.linalg.solve(expected, np.swapaxes(gains, -1, -2))
        shrunk = self.covariance - np.where(takes[..., None, None], shrinks, 0.0)
        self.covariance = 0.5 * (shrunk + np.swapaxes(shrunk, -1, -2))
        self._move(-step)
        return far

    def level(self, k: int, height: Array, deviation: float, which: NDArray[np.bool_]) -> None:
        """Take in that a contact is at a `height` (…) [m] in some states (…), if it can be."""
        own, place = self.of(k), self.places[..., k, :]
        # z of d̂ − d = ξ_d + ξ_R × d
        row = np.zeros((*place.shape[:-1], self.covariance.shape[-1]))
        row[..., TURN], row[..., own] = np.cross(place, UP), UP
        gains = (self.covariance @ row[..., None])[..., 0]
        expected = (row * gains).sum(axis=-1) + deviation**2
        off = place[..., 2] - height
        takes = which & (off**2 < LIKELY * expected)
        share = np.where(takes, 1.0 / expected, 0.0)[..., None]
        self.covariance = self.covariance - share[..., None] * (
            gains[..., :, None] * gains[..., None, :]
        )
        self._move(-share * gains * off[..., None])

    def _in_world(self, spread: Array) -> Array:
        return np.asarray(self.rotation @ spread @ np.swapaxes(self.rotation, -1, -2))

    def _move(self, step: Array) -> None:
        """Move by the exponential of a step (…, n), seen from the world."""
        turn = step[..., TURN]
        turned, mean = rotation_from_vector(turn), mean_rotation(turn)

        def moved(vector: Array, by: Array) -> Array:
            return np.asarray((turned @ vector[..., None] + mean @ by[..., None])[..., 0])

        self.rotation = turned @ self.rotation
        self.velocity = moved(self.velocity, step[..., SPEED])
        self.position = moved(self.position, step[..., PLACE])
        self.gyro_bias = self.gyro_bias + step[..., GYRO]
        self.accelerometer_bias = self.accelerometer_bias + step[..., FORCE]
        by = step[..., FIRST:].reshape(self.places.shape)
        self.places = self.places @ np.swapaxes(turned, -1, -2) + by @ np.swapaxes(mean, -1, -2)
