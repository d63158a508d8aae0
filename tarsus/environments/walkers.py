"""Machines that walk by a controller, with actions on top of what it does.

With the action zero they walk as `ts.walking.walk` does; a policy learns what is left to be done.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tarsus._lib.files import Array
from tarsus.environments.impact import struck
from tarsus.environments.lanes import MASK
from tarsus.environments.reward import Outcome
from tarsus.environments.walking_lanes import WalkingLanes
from tarsus.simulation.drives import torques

if TYPE_CHECKING:
    from tarsus.environments.residual_task import ResidualTask

UNLIMITED = 0.1
"""Joints without limits count as if they had this share of the weight times the height."""


class Walkers(WalkingLanes):
    """B machines on two legs along the same footsteps, each in its own phase and its own world.

    An observation has the height of the base [m], the direction of gravity seen from it (3), its
    velocity and rate of turning (6), how far joints are from the stance, their velocities; in axes
    of the heading, the error of the divergent component (2) [m] and the way to where the next foot
    lands (2) [m]; whether one foot carries, which foot swings (1 for the left one, −1), the time
    that is left of the phase [s]; and the last action.
    """

    def __init__(self, task: ResidualTask, robots: int, threads: int = 1) -> None:
        self.task = task
        simulation, walker = task.simulation(), task.walker
        told = replace(task.ground, friction=task.friction[0])
        plan = walker.footsteps(task.speed, steps=task.steps)
        plan = plan.on(told, walker.body.legs[0].sole.corners)
        assert simulation.collision is not None
        stance = walker.placed(plan, told, simulation.collision)
        drive = torques(task.model, simulation.effort)
        periods = round(task.episode / task.period)
        super().__init__(simulation, drive, stance, periods, robots, threads)
        self.control = walker.controller(plan, told, task.ground, walkers=robots, threads=threads)
        self.control.notes = False
        self._fallen = walker.fallen()
        self._limit = simulation.effort
        usual = UNLIMITED * self.weight * walker.height
        limit = np.where(np.isfinite(self._limit), self._limit, usual)
        self.most = task.share * limit[self.velocities]
        """The largest torques (n,) that actions add [N·m, N]."""
        self._pushed = np.full(robots, -1)
        """In which period a robot is pushed (B,), and by how much (B, 2) [m/s]."""
        self._push = np.zeros((robots, 2))

    @property
    def action_size(self) -> int:
        """How many numbers an action has: one for each joint, or three for references."""
        return 3 if self.task.adds == "references" else len(self.joints)

    @property
    def observation_size(self) -> int:
        """How many numbers an observation has."""
        return 17 + 2 * len(self.joints) + self.action_size

    def start(self, which: MASK, rng: np.random.Generator) -> None:
        """Put some machines on their first footsteps, on ground and with masses that are drawn."""
        count, task = int(which.sum()), self.task
        self.begin(which, np.tile(self.stance, (count, 1)))
        self.control.restart(which)
        self.parameters[which, 0] = rng.uniform(*task.friction, count)
        masses = rng.uniform(*task.mass, count)
        self.parameters[which, -task.model.n_bodies :] = masses[:, None]
        self._pushed[which] = rng.integers(0, self.periods, count)
        angle, size = rng.uniform(0.0, 2.0 * np.pi, count), rng.uniform(0.0, task.push, count)
        self._push[which] = size[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)

    def move(self, action: Array) -> Outcome:
        """Go on by one control period with actions (B, n), which `checked_action` has seen."""
        task, last = self.task, self.action
        self.action = np.minimum(np.maximum(action, -1.0), 1.0)
        failed = np.zeros(self.robots, bool)
        self._hit(self._pushed == self.age)
        if task.adds == "references":
            self.control.shift = np.array(task.reach) * self.action
        for _ in range(task.hold):
            tau = self.control(self._step * task.dt, self.q, self.v)
            if task.adds == "torques":
                tau[:, self._at_v] += self.most * self.action
            self._commands[:, 0] = np.minimum(np.maximum(tau, -self._limit), self._limit)
            failed |= self.advance(task.cycle)
        self.age += 1
        return self.outcome(last, self._fallen.of(self.model, self.q) | failed)

    def felt(self) -> list[Array]:
        """Return the parts (B, …) of what the machines feel."""
        own = self.control.stepping
        com = self.model.center_of_mass(self.q)
        place = own.position[own.rows, np.minimum(own.step, own.last)]
        error = np.concatenate([self.control.error, np.zeros((self.robots, 1))], axis=1)
        phase = np.stack([own.single, 1 - 2 * own.swings, np.maximum(own.left, 0.0)], axis=-1)
        ways = [self.into_heading(each)[:, :2] for each in (error, place - com)]
        return [*self.body(), *ways, phase, self.action]

    def _hit(self, which: MASK) -> None:
        """Change the momentum of some machines by pushes on their trunks."""
        which = which & (self._push != 0.0).any(axis=1)
        if not which.any():
            return
        trunk = self.task.walker.body.trunk
        self.v[which] += struck(self.model, self.q[which], trunk, self._push[which])
