"""Scenes with robots: standing, pushed, walking; the scenarios of Ayit (2015); elastic gears."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus._lib.checks import expect
from tarsus._lib.files import Array
from tarsus.control.controller import Table
from tarsus.control.joint_control import PID, ImplicitPD
from tarsus.geometry.collision import Collision
from tarsus.geometry.grounds import Ground
from tarsus.model.model import Model
from tarsus.parts.forces import JointSpring
from tarsus.parts.rigid_constraints import Nail
from tarsus.robots.geared import HARMONIC_DRIVE_RATIO, lola
from tarsus.robots.quadrupeds import (
    HIP,
    JOINTS,
    LEGS,
    TIPS,
    Legged,
    gains,
    leg_angles,
    legged,
    quadruped,
)
from tarsus.robots.quadrupeds import standing as standing_ayit
from tarsus.scenes.scene import Scene, at_rest
from tarsus.walking.plans.footsteps import TROT
from tarsus.walking.plans.swing import quintic
from tarsus.walking.plans.walk import Walk, reach, static_loads
from tarsus.walking.plans.zmp_preview import ZmpPreview

# Scenes for any robot on legs: it stands, it is pushed, it walks.


SAMPLE = 2e-3
"""Time between two rows of a reference [s]."""

WALKS = {
    "anymal": Walk(speed=(0.2, 0.0), lift=0.05),
    "solo12": Walk(speed=(0.1, 0.0), period=0.4, lift=0.03),
}
"""Trots that suit a robot; the others walk as `Walk` does by itself."""


def stand(robot: str = "anymal", duration: float = 2.0) -> Scene:
    """Return a robot that stands: "quadruped", "anymal", "solo12" or "talos_reduced"."""
    one = legged(robot)
    return _scene(f"{robot} stands", one, standing(one), duration)


def push(robot: str = "anymal", speed: float = 0.4, direction: float = 0.0) -> Scene:
    """Return a robot that stands and is pushed: its base starts at `speed` [m/s].

    `direction` [rad] is from x towards y.
    """
    scene = stand(robot, 3.0)
    v0 = scene.v0.copy()
    v0[:2] = speed * np.cos(direction), speed * np.sin(direction)
    return scene.but(name=f"{robot} is pushed", v0=v0)


def walk(robot: str = "anymal", plan: Walk | None = None, duration: float = 5.0) -> Scene:
    """Return a robot that trots, or walks as another `plan` says, after standing for a second."""
    one = legged(robot)
    plan = WALKS.get(robot, Walk()) if plan is None else plan
    expect(plan, Walk, "plan")
    return _scene(f"{robot} walks", one, walking(one, plan, duration), duration)


def standing(robot: Legged) -> ImplicitPD:
    """Return a controller that holds the stance, with the torques that carry the weight."""
    q, times = robot.stance, (0.0, SAMPLE)
    tau = static_loads(robot.model, q, tuple(robot.feet.values())).tau
    return _controller(robot, Table(robot.model, times, [q, q], added=[tau, tau]))


def walking(robot: Legged, plan: Walk, duration: float) -> ImplicitPD:
    """Return a controller that walks as planned, with the torques that carry the weight.

    The legs that the plan lifts must be among those of the robot.
    """
    missing = [leg for leg in plan.footfalls.legs if leg not in robot.feet]
    if missing:
        there = ", ".join(robot.feet)
        raise ValueError(f"{robot.name} has no leg {missing[0]!r} to walk with, only {there}")
    t = np.arange(round(duration / SAMPLE) + 1) * SAMPLE
    legs = tuple(robot.feet[leg] for leg in plan.footfalls.legs)
    start = np.stack([robot.model.frame_pose(robot.stance, leg)[:3, 3] for leg in legs])
    q = np.tile(robot.stance, (len(t), 1))
    q[:, :2] += plan.body(t, start)
    q = reach(robot.model, q, legs, plan.feet(t, start))
    down = plan.footfalls.standing((t - plan.start) / plan.period)
    tau = static_loads(robot.model, q, legs, down).tau
    return _controller(robot, Table(robot.model, t, q, added=tau))


def _controller(robot: Legged, reference: Table) -> ImplicitPD:
    return ImplicitPD(robot.model, robot.kp, robot.kd, reference)


def _scene(name: str, robot: Legged, controller: object, duration: float) -> Scene:
    return Scene(
        name,
        robot.model,
        robot.stance,
        at_rest(robot.model),
        controller,
        Ground(friction=0.7),
        robot.collision,
        duration,
    )


# The five scenarios of Ayit (2015), chapter 5: drops from three heights, a jump and a trot.
#
# Robot, friction, gains, step and duration are those of Tables 5.1 to 5.3. Postures and references
# are not in the thesis. Here legs stand 0.6 m high, knees of hind and front legs point to each
# other, the trot is slow, and the jump is as quick as it takes to rise to the 2.2 m of the thesis.


DT, DURATION = 5e-4, 10.6
"""Step and end of all scenarios [s] (Table 5.2)."""
FRICTION, VISCOUS = 0.3, 0.4
"""Coulomb's coefficient and viscous friction [N s/m] of the ground (Table 5.2)."""
HEIGHT = 0.6
"""Of the torso over the ground [m]."""
HIPS = np.array([[x * HIP[0], y * HIP[1], HIP[2]] for x, y in LEGS.values()])
AYIT_SAMPLE = 1e-3
"""Time between two rows of a reference [s]."""


def drop(height: float = 0.5, posture: str = "P1", kd: float | None = None) -> Scene:
    """Return the quadruped at rest, its feet `height` [m] above the ground, joints held.

    `kd` [N m s/rad] is the derivative gain of all joints, instead of that of Table 5.3.
    """
    model = quadruped()
    q0 = standing_ayit(model, posture, height)
    return _scene_ayit(f"drop from {height:g} m", model, q0, q0, kd)


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
    return _scene_ayit(name, model, q[0], Table(model, t, q))


def _scene_ayit(
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
    return np.asarray(AYIT_SAMPLE * np.arange(round(duration / AYIT_SAMPLE) + 1.0))


# Lola with elastic gears: motors have coordinates of their own, and springs lead to the joints.
#
# M. Schwienbacher, "Efficient Algorithms for Biped Robots, Simulation, Collision Avoidance and
# Angular Momentum Tracking", TU München 2013, Table 2.3: of its models, type 3 has gears that give
# way. Here motors hold their angles and the torso is held, so that at rest each gear is twisted by
# the torque of gravity over its stiffness, q − φ/N = −g(q)/k. A motor behind a joint that stands
# still swings at √(k / N² J).


STIFFNESS, DAMPING = 2e4, 20.0
"""Of the gears [N m/rad, N m s/rad]."""
KP, KD = 1e4, 1e2
"""With which motors hold, as seen at the joints [N m/rad, N m s/rad]."""
LOLA_HEIGHT = 1.3
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
    q0[2] = LOLA_HEIGHT
    return np.asarray(q0)
