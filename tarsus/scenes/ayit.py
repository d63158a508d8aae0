"""The five scenarios of Ayit (2015), chapter 5: drops from three heights, a jump and a trot.

Robot, friction, gains, step and duration are those of Tables 5.1 to 5.3. Postures and references
are not in the thesis. Here legs stand 0.6 m high, knees of hind and front legs point to each
other, the trot is slow, and the jump is as quick as it takes to rise to the 2.2 m of the thesis.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.control import PID, Table
from tarsus.gait.plans import TROT, Walk, ZmpPreview, quintic
from tarsus.geometry import Collision, Ground
from tarsus.model import Model
from tarsus.model.description import Array
from tarsus.robots.quadruped import HIP, JOINTS, LEGS, TIPS, gains, quadruped, standing
from tarsus.robots.quadruped_leg import leg_angles
from tarsus.scenes.scene import Scene, at_rest

DT, DURATION = 5e-4, 10.6
"""Step and end of all scenarios [s] (Table 5.2)."""
FRICTION, VISCOUS = 0.3, 0.4
"""Coulomb's coefficient and viscous friction [N s/m] of the ground (Table 5.2)."""
HEIGHT = 0.6
"""Of the torso over the ground [m]."""
HIPS = np.array([[x * HIP[0], y * HIP[1], HIP[2]] for x, y in LEGS.values()])
SAMPLE = 1e-3
"""Time between two rows of a reference [s]."""


def drop(height: float = 0.5, posture: str = "P1", kd: float | None = None) -> Scene:
    """Return the quadruped at rest, its feet `height` [m] above the ground, joints held.

    `kd` [N m s/rad] is the derivative gain of all joints, instead of that of Table 5.3.
    """
    model = quadruped()
    q0 = standing(model, posture, height)
    return _scene(f"drop from {height:g} m", model, q0, q0, kd)


def trot(
    speed: float = 0.1, pitch: float = 0.7, mirrored: bool = True, preview: bool = False
) -> Scene:
    """Return a trot at `speed` [m/s], which begins after a second.

    `pitch` [rad] is that of the feet; `mirrored` has front legs bend the other way round. With
    `preview` the torso follows a preview control of the zero moment point.
    """
    model, t = quadruped(), _times(DURATION)
    stance = HIPS * [1.0, 1.0, 0.0]
    walk = Walk(TROT, (speed, 0.0), preview=ZmpPreview(HEIGHT) if preview else None)
    torso = np.column_stack([walk.body(t, stance), np.full(len(t), HEIGHT)])
    return _moving("trot", model, t, torso, walk.feet(t, stance), pitches(pitch, mirrored))


def jump(push: float = 0.09, low: float = 0.4, high: float = 0.74, pitch: float = 0.35) -> Scene:
    """Return a jump: the legs crouch to `low` [m], then stretch to `high` within `push` [s]."""
    model, t = quadruped(), _times(4.0)
    height = HEIGHT + (low - HEIGHT) * quintic(t)
    height += (high - low) * quintic((t - 1.5) / push)
    height += (HEIGHT - high) * quintic((t - 1.6 - push) / 0.3)
    torso = np.column_stack([np.zeros((len(t), 2)), height])
    stance = np.tile(HIPS * [1.0, 1.0, 0.0], (len(t), 1, 1))
    return _moving("jump", model, t, torso, stance, pitches(pitch)).but(duration=4.0)


def pitches(pitch: float, mirrored: bool = True) -> tuple[float, ...]:
    """Return the pitch of each foot [rad], in the order of the legs."""
    return tuple(-pitch if mirrored and front > 0 else pitch for front, _ in LEGS.values())


def joint_path(model: Model, torso: Array, feet: Array, pitch: Sequence[float]) -> Array:
    """Return configurations (T, nq) with the torso level at (T, 3) and the tips at (T, 4, 3)."""
    q = np.tile(model.neutral(), (len(torso), 1))
    q[:, :3] = torso
    for k, leg in enumerate(LEGS):
        angles = leg_angles(feet[:, k] - torso - HIPS[k], pitch[k])
        for i, name in enumerate(JOINTS):
            q[:, model.joint(f"{leg}_{name}").q_slice.start] = angles[:, i]
    return q


def _moving(
    name: str, model: Model, t: Array, torso: Array, feet: Array, pitch: Sequence[float]
) -> Scene:
    q = joint_path(model, torso, feet, pitch)
    return _scene(name, model, q[0], Table(model, t, q))


def _scene(
    name: str, model: Model, q0: Array, reference: Array | Table, kd: float | None = None
) -> Scene:
    values = gains(model)
    return Scene(
        name,
        model,
        q0,
        at_rest(model),
        PID(model, values["kp"], values["ki"], values["kd"] if kd is None else kd, reference),
        Ground(friction=FRICTION, viscous=VISCOUS),
        Collision.from_model(model, TIPS),
        DURATION,
        DT,
    )


def _times(duration: float) -> Array:
    return np.asarray(SAMPLE * np.arange(round(duration / SAMPLE) + 1.0))
