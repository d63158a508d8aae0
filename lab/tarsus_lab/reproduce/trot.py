"""What reflected inertia gets wrong on a quadruped that trots: errors of joint accelerations.

The robot is `tarsus.robots.geared`. Its trunk moves forward at a constant speed, its feet
follow a trot; the forces that this takes are computed with exact rotors. Then the approximations
of `rotor_models` answer to the same forces, and their accelerations are compared with the true
ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus import robots
from tarsus._lib.files import Array
from tarsus.model.model import Model
from tarsus.robots.geared import LEGS, SHANK_LENGTH, THIGH_LENGTH
from tarsus_lab.reproduce.rotor_models import RotorModels

PERIOD = 0.3
"""Duration of a stride [s]."""
STRIDE, LIFT, HEIGHT = 0.16, 0.06, 0.28
"""Way of a foot along the trunk, and its lift; height of the hips over the ground [m]."""
SWAY = 0.1
"""How far a leg turns sideways as it lifts [rad]."""
JOINTS = ("abduction", "hip", "knee")
APPROXIMATIONS = ("A0", "A1", "A2", "A3")
OFFSETS = {"front_right": 0.0, "hind_left": 0.0, "front_left": 0.5, "hind_right": 0.5}
"""When in a stride (0 to 1) a leg begins to stand: diagonal legs move together."""


@dataclass(frozen=True)
class Motion:
    """A stride: phases (n,) from 0 to 1, and q, v and a (n, …) at these phases."""

    phase: Array
    q: Array
    v: Array
    a: Array


@dataclass(frozen=True)
class ErrorMap:
    """Errors of joint accelerations over a stride, relative to what is usual for the joint.

    `errors` has for each approximation an array (joints, phases): |Δa| over the root mean square
    of the joint's acceleration during the stride. `phases` (n,) go from 0 to 1.
    """

    joints: tuple[str, ...]
    phases: Array
    errors: dict[str, Array]


def trot(model: Model, samples: int = 256) -> Motion:
    """Return a stride of a trot at constant speed, of a model of the quadruped."""
    phase = np.arange(samples) / samples
    q, (v, a) = np.tile(model.neutral(), (samples, 1)), np.zeros((2, samples, model.nv))
    speed = STRIDE / (PERIOD / 2)
    q[:, 0], q[:, 2], v[:, 0] = speed * PERIOD * phase, HEIGHT, speed
    for leg in LEGS:
        for name, angle in zip(JOINTS, _leg_angles(phase - OFFSETS[leg]), strict=True):
            joint = model.joint(f"{leg}_{name}")
            q[:, joint.q_slice.start] = angle
            v[:, joint.v_slice.start] = _derivative(angle, 1)
            a[:, joint.v_slice.start] = _derivative(angle, 2)
    return Motion(phase, q, v, a)


def rotor_error_map(samples: int = 256) -> ErrorMap:
    """Return how wrong A0 to A3 are about the joints of a quadruped that trots."""
    models = RotorModels.make(robots.mini_cheetah)
    motion = trot(models.exact, samples)
    forces = models.exact.inverse_dynamics(motion.q, motion.v, motion.a)
    found = models.accelerations(motion.q, motion.v, forces)
    names = [f"{leg}_{joint}" for joint in JOINTS for leg in LEGS]
    columns = [models.exact.joint(name).v_slice.start for name in names]
    usual = np.sqrt((motion.a[:, columns] ** 2).mean(axis=0))
    errors = {
        name: (np.abs(found[name] - motion.a)[:, columns] / usual).T for name in APPROXIMATIONS
    }
    return ErrorMap(tuple(names), motion.phase, errors)


def _leg_angles(phase: Array) -> tuple[Array, Array, Array]:
    """Return abduction, hip and knee [rad] of a leg that stands from phase 0 to 1/2."""
    ahead, lift = _foot_path(phase % 1.0)
    # the frame of the thigh is turned by π about z, so its x points back
    back, down = -ahead, HEIGHT - lift
    reach = (back**2 + down**2 - THIGH_LENGTH**2 - SHANK_LENGTH**2) / 2
    knee = np.arccos(reach / (THIGH_LENGTH * SHANK_LENGTH))
    bent = np.arctan2(SHANK_LENGTH * np.sin(knee), THIGH_LENGTH + SHANK_LENGTH * np.cos(knee))
    return SWAY * lift / LIFT, np.arctan2(-back, down) - bent, knee


def _foot_path(phase: Array) -> tuple[Array, Array]:
    """Return how far ahead of the hip a foot is, and how high: it stands, then swings.

    Position, velocity and acceleration are continuous.
    """
    standing = phase < 0.5
    s = 2.0 * phase - 1.0  # from 0 to 1 while the foot swings
    # to the front by twice the stride, on top of the way back of a foot that goes on standing
    swing = STRIDE * (0.5 - 2.0 * phase + 2.0 * s**3 * (10.0 - 15.0 * s + 6.0 * s**2))
    ahead = np.where(standing, STRIDE * (0.5 - 2.0 * phase), swing)
    return ahead, np.where(standing, 0.0, 64.0 * LIFT * s**3 * (1.0 - s) ** 3)


def _derivative(values: Array, order: int) -> Array:
    """Return a derivative by time of values at the phases of a stride, by their Fourier series."""
    frequencies = 2j * np.pi * np.fft.rfftfreq(len(values), PERIOD / len(values))
    return np.fft.irfft(frequencies**order * np.fft.rfft(values), len(values))
