"""An oracle for the tensegrity of five sticks (Schröder 1990, section 7.2): forces and rest.

Five free boxes, fifteen rubbers, damping at the centres; numbers as they are printed there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from free_bodies import Array, Bodies, World
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

CENTERS = np.array([[6, -15, 10], [0, -12, 10], [-1, -17, 10], [0, -18, 10], [4, -18, 10.0]])
INERTIA = np.array([1.25, 100.25, 101.0]) / 12
LENGTH, RETURN = 4.0, 0.1

# five on top, five across, five below: the sticks that they join, and where
FIRST = np.array([0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 4, 0, 1, 2, 3])
SECOND = np.array([1, 2, 3, 4, 0, 4, 0, 1, 2, 3, 0, 1, 2, 3, 4])
AT_FIRST = np.repeat([(-4, -0.5, 0), (-4, 0.5, 0), (4, 0.5, 0)], 5, axis=0)
AT_SECOND = np.repeat([(-4, -0.5, 0), (4, -0.5, 0), (4, 0.5, 0)], 5, axis=0)


@dataclass(frozen=True)
class Tensegrity:
    """Five sticks with rubbers of `stiffness`, smoothed by `smoothing`, and damping at centres."""

    stiffness: float = 20.0
    damping: float = 10.0
    smoothing: float = 0.05

    @property
    def world(self) -> World:
        return World(np.ones(5), np.tile(INERTIA, (5, 1)), self.wrenches)

    def start(self) -> Array:
        """Return the state (65,) of the thesis: sticks upright, x down, at rest."""
        state = np.zeros((5, 13))
        state[:, :3] = CENTERS
        state[:, 3:7] = np.array([0, 1, 0, 1]) / np.sqrt(2)
        return state.ravel()

    def wrenches(self, _: float, bodies: Bodies) -> tuple[Array, Array]:
        force, torque = -self.damping * bodies.velocity, -self.damping * bodies.spin
        place_a, speed_a = bodies.points(FIRST, AT_FIRST)
        place_b, speed_b = bodies.points(SECOND, AT_SECOND)
        line = place_b - place_a
        length = np.linalg.norm(line, axis=1)
        rate = np.sum(line * (speed_b - speed_a), axis=1) / length
        pull = (self.tension(length, rate) / length)[:, None] * line
        np.add.at(force, FIRST, pull)
        np.add.at(force, SECOND, -pull)
        np.add.at(torque, FIRST, np.cross(place_a - bodies.center[FIRST], pull))
        np.add.at(torque, SECOND, np.cross(place_b - bodies.center[SECOND], -pull))
        return force, torque

    def tension(self, length: Array, rate: Array) -> Array:
        x = np.clip((rate + self.smoothing) / (2 * self.smoothing), 0.0, 1.0)
        share = RETURN + (1 - RETURN) * x * x * (3 - 2 * x)
        return np.asarray(self.stiffness * np.maximum(0.0, length - LENGTH) * share)


def lengths(bodies: Bodies) -> Array:
    """Return the lengths of all rubbers (15,)."""
    ends = bodies.points(SECOND, AT_SECOND)[0] - bodies.points(FIRST, AT_FIRST)[0]
    return np.asarray(np.linalg.norm(ends, axis=1))


def stored(bodies: Bodies, stiffness: float) -> float:
    """Return the energy of rubbers that pull with all of their force [J]."""
    return float(stiffness / 2 * np.sum(np.maximum(0.0, lengths(bodies) - LENGTH) ** 2))


def shape(bodies: Bodies) -> dict[str, float]:
    """Return what describes the structure at rest: lengths, ring of centres, tilt of sticks."""
    all_lengths = lengths(bodies).reshape(3, 5)
    centers = bodies.center - bodies.center.mean(axis=0)
    normal = np.linalg.svd(centers)[2][2]
    return {
        **dict(zip(("top", "across", "bottom"), all_lengths.mean(axis=1).tolist(), strict=True)),
        "spread": float(np.ptp(all_lengths, axis=1).max()),
        "radius": float(np.linalg.norm(centers, axis=1).mean()),
        "flatness": float(np.abs(centers @ normal).max()),
        "cosine": float(np.abs(bodies.rotation[:, :, 0] @ normal).mean()),
    }


def symmetric_rest(stiffness: float) -> tuple[Bodies, float]:
    """Return the structure with fivefold symmetry that stores least, and its energy [J].

    Four numbers say all: the radius of the ring of centres, and how a stick is turned.
    """
    turns = Rotation.from_euler("z", 72.0 * np.arange(5)[:, None], degrees=True)
    still = np.zeros((5, 3))

    def placed(x: Array) -> Bodies:
        stick = Rotation.from_euler("zyx", x[1:]) * Rotation.from_euler("y", 90.0, degrees=True)
        centers = turns.apply([x[0], 0.0, 0.0])
        return Bodies(centers, (turns * stick).as_matrix(), still, still)

    best = min(
        (
            minimize(lambda x: stored(placed(x), stiffness), [3.0, about, 0.5, 0.5], tol=1e-14)
            for about in np.radians([0, 90, 180, 270])
        ),
        key=lambda found: found.fun,
    )
    return placed(best.x), float(best.fun)


def nudged(bodies: Bodies, rng: np.random.Generator, size: float) -> Bodies:
    """Return the sticks moved and turned at random by about `size` [m, rad]."""
    turns = Rotation.from_rotvec(rng.normal(0.0, size, (5, 3))).as_matrix()
    moved = bodies.center + rng.normal(0.0, size, (5, 3))
    return replace(bodies, center=moved, rotation=turns @ bodies.rotation)
