"""Many postures of Ayit's quadruped, dropped at once: which of them end upside down?"""

from __future__ import annotations

from itertools import product

import numpy as np

from tarsus._lib.files import Array
from tarsus.control.joint_control import PID
from tarsus.model.model import Model
from tarsus.robots.quadrupeds import LEGS
from tarsus.scenes.robots import HEIGHT, HIPS, drop, joint_path

PITCHES, OFFSETS = (0.2, 0.45, 0.7), (-0.06, 0.0, 0.06)
"""Pitch of the feet [rad], and how far they are in front of the hips [m]."""
KNEES = ((1, 1), (-1, -1), (1, -1), (-1, 1))
"""To which side the knees of hind and front legs point."""
DURATION = 6.0
"""Until the robot lies or stands [s]."""


def postures(model: Model) -> Array:
    """Return configurations (n, nq) that stand 0.6 m high."""
    found = []
    for pitch, offset, (hind, front) in product(PITCHES, OFFSETS, KNEES):
        feet = HIPS * [1.0, 1.0, 0.0] + [offset, 0.0, 0.0]
        pitches = [pitch * (front if ahead > 0 else hind) for ahead, _ in LEGS.values()]
        torso = np.array([[0.0, 0.0, HEIGHT]])
        found.append(joint_path(model, torso, feet[None], pitches)[0])
    return np.array(found)


def uprightness(height: float) -> Array:
    """Return for all postures (n,) the cosine of the torso's tilt after a drop: −1 upside down."""
    scene = drop(height)
    model, old = scene.model, scene.controller
    held = postures(model)
    start = held.copy()
    start[:, 2] += height
    controller = PID(model, old.kp, old.ki, old.kd, held)
    scene = scene.but(q0=start, v0=np.zeros((len(start), model.nv)), controller=controller)
    end = scene.run(duration=DURATION, record=False).q[:, -1]
    return np.asarray(1.0 - 2.0 * (end[:, 3] ** 2 + end[:, 4] ** 2))
