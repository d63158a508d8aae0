"""A compass walker whose ground drops by a step, alone and led along its passive gait.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, section 5.2.3: gains of the controller, and steps down of 2, 5 and 11 cm.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from tarsus._lib.checks import suggestion
from tarsus._lib.files import Array
from tarsus.control.controller import Table
from tarsus.control.current_motor import RE40_GP42C, CurrentMotor
from tarsus.control.curve_field import CurveField
from tarsus.control.curve_tracking import CurveTracking
from tarsus.control.joint_control import ImplicitPD
from tarsus.control.virtual_constraints import SwitchingHip
from tarsus.events import guards
from tarsus.events.flow import flow
from tarsus.events.flow_result import Flowed, FlowError
from tarsus.events.phase import Exit, Phase
from tarsus.gait.anatomy import Anatomy
from tarsus.gait.walkers.planar import GRAVITY, SLOPE, STABLE, dribbel, start
from tarsus.gait.walkers.planar import dribbel_start as start_level_dribbel
from tarsus.gait.walkers.touchdown import caught
from tarsus.gait.walkers.walker import Walker
from tarsus.geometry.grounds import Ground
from tarsus.model.model import Model
from tarsus.robots.geared import lola
from tarsus.robots.load import example
from tarsus.robots.walkers import compass
from tarsus.scenes.scene import Scene
from tarsus.walking.ground_wrenches import ground_wrenches
from tarsus.walking.kinematic_walk import Motion, WalkTargets

PERIOD = 0.782798
"""Of a step of the stable passive gait [s]."""
EVERY = 0.02
"""Between samples of the gait that make its curve [s]."""
SCUFF = 0.05
"""Where the legs are closer than this [rad], straight legs scuff and no strike counts."""
FALLEN = 1.2
"""A stance leg that leans more than this [rad] has fallen."""


@dataclass(frozen=True, eq=False)
class DroppedWalk:
    """Some steps after the ground has dropped once."""

    flowed: Flowed
    controller: CurveTracking | None
    model: Model
    """The walker with both feet free."""

    @property
    def steps(self) -> int:
        """How many strikes there were."""
        return sum(event.name == "strike" for event in self.flowed.events)

    @property
    def fell(self) -> bool:
        """Whether it fell."""
        return any(event.name == "fall" for event in self.flowed.events)

    @property
    def efforts(self) -> Array:
        """Ankle and hip torque at the samples (T, 2) [N m]."""
        _, q, v = self.flowed.samples
        return np.zeros_like(v) if self.controller is None else self.controller(0.0, q, v)

    @property
    def reactions(self) -> Array:
        """Forces of the ground along and normal to the slope at the samples (T, 2) [N]."""
        _, q, v = self.flowed.samples
        stands = self.flowed.phases[0].model
        a = np.asarray(stands.forward_dynamics(q, v, self.efforts))
        q, v, a = (np.concatenate([np.zeros((len(q), 2)), x], axis=1) for x in (q, v, a))
        return np.asarray(self.model.inverse_dynamics(q, v, a))[:, :2]


def stepping_down(
    drop: float, controller: CurveTracking | None = None, steps: int = 10
) -> DroppedWalk:
    """Return a walk from the stable passive gait, whose first step ends `drop` [m] deeper."""
    free, stands = models()
    q0, v0 = start(STABLE)
    fine = (1e-10, 1e-12) if controller is None else (1e-6, 1e-8)
    flowed = flow(
        _phases(free, stands, drop, controller),
        *(q0, v0),
        duration=3.0 * steps,
        events=steps,
        sample=0.01,
        rtol=fine[0],
        atol=fine[1],
    )
    return DroppedWalk(flowed, controller, free)


def models() -> tuple[Model, Model]:
    """Return the compass walker that is free, and the one on its stance foot."""
    free, stands = (
        compass(slope=SLOPE, gravity=GRAVITY, rooted=rooted) for rooted in (False, True)
    )
    return free, stands


def gait_curve() -> Array:
    """Return samples (K, 2) of the stable passive gait from strike to strike."""
    q0, v0 = start(STABLE)
    every = PERIOD / round(PERIOD / EVERY)
    return flow(models()[1], q0, v0, duration=PERIOD + 1e-9, sample=every).samples[1]


def along_the_gait(
    pull: float = 3.0, kp: float = 1.0, transfer: float = 0.1, softening: float = 1e-3
) -> CurveTracking:
    """Return a controller that leads the walker along its passive gait, gains as in the thesis."""
    stands = models()[1]
    q0, v0 = start(STABLE)
    energy = float(stands.kinetic_energy(q0, v0)) + float(stands.potential_energy(q0))
    field = CurveField(stands, gait_curve(), pull)
    return CurveTracking(stands, field, kp, energy, transfer=transfer, softening=softening)


def _phases(
    free: Model, stands: Model, drop: float, controller: CurveTracking | None
) -> tuple[Phase, Phase]:
    """Return the step down, and the steps after it."""
    normal = (math.sin(SLOPE), 0.0, math.cos(SLOPE))
    lean, swung = guards.JointPosition("lean"), guards.JointPosition("hip")
    deeper = guards.Height("right_foot", over=-drop * np.array(normal), normal=normal)
    reset = caught(free, "right_foot")
    falls = (Exit(FALLEN + lean, name="fall"), Exit(FALLEN - lean, name="fall"))
    first, others = (
        Phase(
            stands,
            (Exit(guard, "walk", reset, swung - SCUFF, name="strike"), *falls),
            name=name,
            controller=controller,
        )
        for name, guard in (("drop", deeper), ("walk", 2.0 * lean + swung))
    )
    return first, others


# Dribbel on level ground: a motor at its hip swings whichever leg is free.
#
# V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
# Twente 2006, section 5.3. Knees are locked while they carry, released at lift-off and locked by
# their strikes. The ground is rigid: the thesis does not tell the numbers of its springs. The
# rotor's inertia at the hip, 3 % of a leg's, is left out.


BEGIN = (0.2, -1.1, 0.0)
"""Swing leg back, hip slowly ahead: (q₃, q̇₃, q̇₅) [rad, rad/s]."""
FALLEN_LEVEL_DRIBBEL = 1.0
"""A stance leg that leans more than this [rad] has fallen."""
LAST = 5.0
"""Measured over so much of the end of a walk [s]."""


@dataclass(frozen=True, eq=False)
class LevelWalk:
    """A walk on level ground, and what its motor did in the last five seconds."""

    walker: Walker
    controls: tuple[SwitchingHip, SwitchingHip]
    """Of the phases, with a free and with a locked knee."""
    flowed: Flowed
    duration: float

    @property
    def fell(self) -> bool:
        """Whether it fell, or what ended it was no time."""
        return bool(self.flowed.t < self.duration - 1e-6)

    @property
    def strikes(self) -> list[tuple[float, float]]:
        """Times of the strikes of feet [s], and how long the steps were [m]."""
        return [
            (event.t, float(self.walker.ahead(event.q)))
            for event in self.flowed.events
            if event.name == "strike"
        ]

    @property
    def speed(self) -> float:
        """How fast it walks [m/s]."""
        late = [each for each in self.strikes if each[0] > self.duration - LAST]
        return sum(length for _, length in late[1:]) / (late[-1][0] - late[0][0])

    @property
    def current(self) -> float:
        """The largest current of the motor [A]."""
        _, q, v = self._late()
        return float(np.abs(self.controls[0].current(0.0, q, v)).max())

    @property
    def power(self) -> float:
        """The electrical power of the motor in the mean [W]."""
        _, q, v = self._late()
        return float(self.controls[0].power(0.0, q, v).mean())

    @property
    def resistance(self) -> float:
        """The specific resistance, power by weight and speed (5.30)."""
        return self.power / (self.walker.weight * self.speed)

    @property
    def clearance(self) -> Array:
        """Heights of the swing foot at the samples (T,) [m]."""
        _, q, _ = self.flowed.samples
        return np.asarray(self.walker.phases[0].model.frame_pose(q, "swing_foot"))[:, 2, 3]

    def _late(self) -> tuple[Array, Array, Array]:
        t, q, v = self.flowed.samples
        late = t > self.duration - LAST
        return t[late], q[late], v[late]


def level_walk(
    angle: float = 0.3,
    kp: float = 10.0,
    kd: float = 0.0,
    motor: CurrentMotor = RE40_GP42C,
    *,
    duration: float = 12.0,
) -> LevelWalk:
    """Return a walk with the hip led to `angle` [rad], gains [A/rad] and [A s/rad] of its current.

    It begins with the swing leg back and a slow hip.
    """
    walker = dribbel(slope=0.0)
    controls = tuple(
        SwitchingHip(phase.model, kp, kd, angle, motor=motor) for phase in walker.phases
    )
    phases = [_driven(*each) for each in zip(walker.phases, controls, strict=True)]
    try:
        flowed = flow(
            phases,
            *start_level_dribbel(BEGIN),
            duration=duration,
            sample=0.005,
            rtol=1e-6,
            atol=1e-8,
            most_steps=20_000,
        )
    except FlowError as error:
        flowed = error.flowed
    return LevelWalk(walker, (controls[0], controls[1]), flowed, duration)


def _driven(phase: Phase, control: SwitchingHip) -> Phase:
    lean = guards.JointPosition("lean")
    falls = (
        Exit(FALLEN_LEVEL_DRIBBEL + lean, name="fall"),
        Exit(FALLEN_LEVEL_DRIBBEL - lean, name="fall"),
    )
    return replace(phase, controller=control, exits=(*phase.exits, *falls))  # type: ignore[misc]


# Humanoids that follow walks known beforehand, on the ground: Lola, Talos and G1.
#
# Joints follow a motion of inverse kinematics by stiff control, with the torques that it needs
# added. Nothing balances the machine but its soles, so a walk stays upright as far as its zero
# moment point is under them.


STIFFNESS = 8.0
"""Gains of all joints by what would hold the whole machine upside down: mass × gravity × height."""
RATE = 30.0
"""Their ratio kp/kd [1/s]."""

HUMANOIDS: dict[str, Callable[[], Model]] = {
    "lola": lambda: lola(2),
    "talos": lambda: example("talos_reduced"),
    "g1": lambda: example("g1"),
}


def humanoid(name: str) -> Anatomy:
    """Return a humanoid by its name, with its legs, soles and arms."""
    if name not in HUMANOIDS:
        raise ValueError(f"there is no humanoid {name!r}{suggestion(name, HUMANOIDS)}")
    return Anatomy.from_model(HUMANOIDS[name]())


def follow(body: Anatomy, targets: WalkTargets, motion: Motion, friction: float = 0.8) -> Scene:
    """Return a machine that walks along a motion by stiff joints, on level ground."""
    model = body.model
    needed = ground_wrenches(body, motion.q, motion.v, motion.a, targets.standing)
    reference = Table(model, motion.times, motion.q, motion.v, added=needed.tau)
    stiff = STIFFNESS * model.total_mass * 9.81 * float(targets.com[0, 2])
    return Scene(
        f"{model.name} walks",
        model,
        motion.q[0],
        motion.v[0],
        ImplicitPD(model, stiff, stiff / RATE, reference),
        Ground(friction=friction),
        body.collision(),
        float(motion.times[-1]),
        settings={"effort_limits": False},
    )
