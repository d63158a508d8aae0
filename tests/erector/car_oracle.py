"""An oracle for the car of Schröder (1990, section 7.3): a box on supports, as dense equations.

Forces act at four points below the centre of mass: supports upwards, motors along the wheels, and
brakes against all motion of the points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from car_loads import FRONT, GRAVITY, MASS, REAR, STIFFNESS
from free_bodies import Array, Bodies, World

TRACK, SIZE = 1.794, (4.6, 1.8, 1.0)
DAMPING, BRAKING = np.array([2500.0, 2500, 3500, 3500]), np.array([1000.0, 1000, 500, 500])
ALL = np.zeros(4, np.int64)


@dataclass(frozen=True)
class Car:
    """A car with wheels that end `height` [m] below its centre: motor [N], steering [rad]."""

    height: float = 0.6
    motor: float = 0.0
    steering: float = 0.0
    braking: bool = False

    @property
    def world(self) -> World:
        x, y, z = (edge**2 for edge in SIZE)
        inertia = MASS / 12 * np.array([[y + z, x + z, x + y]])
        return World(np.array([MASS]), inertia, self.wrenches)

    @property
    def wheels(self) -> Array:
        """Return where wheels end (4, 3): front left, front right, rear left, rear right."""
        across = TRACK / 2
        x = (FRONT, FRONT, -REAR, -REAR)
        return np.stack([x, (across, -across) * 2, np.full(4, -self.height)], axis=1)

    def wrenches(self, _: float, bodies: Bodies) -> tuple[Array, Array]:
        place, speed = bodies.points(ALL, self.wheels)
        push = np.zeros((4, 3))
        push[:, 2] = np.maximum(0.0, -STIFFNESS * place[:, 2] - DAMPING * speed[:, 2])
        push[place[:, 2] >= 0.0] = 0.0
        ahead = [np.cos(self.steering), np.sin(self.steering), 0.0]
        push[:2] += self.motor * (bodies.rotation[0] @ ahead)
        if self.braking:
            push -= BRAKING[:, None] * speed
        torque = np.cross(place - bodies.center[0], push).sum(axis=0)
        return push.sum(axis=0)[None] - [[0.0, 0.0, MASS * GRAVITY]], torque[None]
