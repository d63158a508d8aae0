"""A compass walker whose ground drops by a step, alone and led along its passive gait.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, section 5.2.3: gains of the controller, and steps down of 2, 5 and 11 cm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import Array
from tarsus.control import CurveField, CurveTracking
from tarsus.events import Exit, Flowed, Phase, flow, guards
from tarsus.gait.walkers.compass import GRAVITY, SLOPE, STABLE, start
from tarsus.gait.walkers.straight_strike import caught
from tarsus.model import Model
from tarsus.robots.compass import compass

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
