"""Dribbel on level ground: a motor at its hip swings whichever leg is free.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, section 5.3. Knees are locked while they carry, released at lift-off and locked by
their strikes. The ground is rigid: the thesis does not tell the numbers of its springs. The rotor's
inertia at the hip, 3 % of a leg's, is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tarsus.arrays import Array
from tarsus.control import RE40_GP42C, CurrentMotor, SwitchingHip
from tarsus.events import Exit, Flowed, FlowError, Phase, flow, guards
from tarsus.gait.walkers import Walker, dribbel
from tarsus.gait.walkers.dribbel import start

BEGIN = (0.2, -1.1, 0.0)
"""Swing leg back, hip slowly ahead: (q₃, q̇₃, q̇₅) [rad, rad/s]."""
FALLEN = 1.0
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
            *start(BEGIN),
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
    falls = (Exit(FALLEN + lean, name="fall"), Exit(FALLEN - lean, name="fall"))
    return replace(phase, controller=control, exits=(*phase.exits, *falls))  # type: ignore[misc]
