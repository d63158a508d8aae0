"""Lola with elastic gears: motors have coordinates of their own, and springs lead to the joints.

M. Schwienbacher, "Efficient Algorithms for Biped Robots, Simulation, Collision Avoidance and
Angular Momentum Tracking", TU München 2013, Table 2.3: of its models, type 3 has gears that give
way. Here motors hold their angles and the torso is held, so that at rest each gear is twisted by
the torque of gravity over its stiffness, q − φ/N = −g(q)/k. A motor behind a joint that stands
still swings at √(k / N² J).
"""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.constraint import Nail
from tarsus.control import ImplicitPD
from tarsus.forces import JointSpring
from tarsus.model import Model
from tarsus.robots.lola import HARMONIC_DRIVE_RATIO, lola
from tarsus.scenes.scene import Scene, at_rest

STIFFNESS, DAMPING = 2e4, 20.0
"""Of the gears [N m/rad, N m s/rad]."""
KP, KD = 1e4, 1e2
"""With which motors hold, as seen at the joints [N m/rad, N m s/rad]."""
HEIGHT = 1.3
"""Of the torso [m]."""
POSTURE = {
    "hip_flexion": -0.5,
    "knee_flexion": 0.9,
    "ankle_flexion": -0.4,
    "shoulder_flexion": -0.6,
    "elbow_flexion": -0.8,
}


def elastic_lola(stiffness: float = STIFFNESS, damping: float = DAMPING) -> Scene:
    """Return Lola, held at the torso, with gears of that stiffness [N m/rad] and damping."""
    model = lola(3)
    q0, geared = posture(model), elastic(model)
    kp, kd = np.zeros(model.nv), np.zeros(model.nv)
    for joint in model.joints:
        if joint.nv == 1 and not joint.dependent and joint.name not in geared:
            # what a motor does to its joint is N² times as stiff
            share = HARMONIC_DRIVE_RATIO**-2 if joint.name in geared.values() else 1.0
            kp[joint.v_slice], kd[joint.v_slice] = KP * share, KD * share
    gears = [
        JointSpring({joint: 1.0, motor: -1 / HARMONIC_DRIVE_RATIO}, stiffness, damping, name=motor)
        for joint, motor in geared.items()
    ]
    return Scene(
        *("Lola with elastic gears", model, q0, at_rest(model), ImplicitPD(model, kp, kd, q0)),
        ground=None,
        forces=[Nail("torso", pose=True, name="held"), *gears],
        duration=2.0,
        dt=1e-3,
    )


def elastic(model: Model) -> dict[str, str]:
    """Return the motors with coordinates of their own by the joints that they move."""
    return {
        joint.name: f"{joint.name}_motor"
        for joint in model.joints
        if not joint.dependent
        and f"{joint.name}_motor" in model.joint_names
        and not model.joint(f"{joint.name}_motor").dependent
    }


def posture(model: Model) -> Array:
    """Return Lola with bent knees and elbows, gears relaxed (nq,)."""
    dv = np.zeros(model.nv)
    geared = elastic(model)
    for joint in model.joints:
        for name, angle in POSTURE.items():
            if joint.name.endswith(name):
                dv[joint.v_slice] = angle
                if joint.name in geared:
                    dv[model.joint(geared[joint.name]).v_slice] = HARMONIC_DRIVE_RATIO * angle
    q0 = model.integrate(model.neutral(), dv)
    q0[2] = HEIGHT
    return np.asarray(q0)
