"""Many robots that walk at once, in the lanes of the core: no Python runs for each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tarsus._lib.files import Array
from tarsus.environments.impact import struck
from tarsus.environments.lanes import MASK
from tarsus.environments.reward import Outcome
from tarsus.environments.walking_lanes import WalkingLanes
from tarsus.sensors import Suite
from tarsus.simulation.drives import LawDrive

if TYPE_CHECKING:
    from tarsus.environments.task import WalkTask


class Herd(WalkingLanes):
    """B robots with the same task: states (B, …), actions in, observations and outcomes out.

    An observation has the height of the base [m], the direction of gravity seen from it (3), its
    velocity and rate of turning (6), how far joints are from the stance, their velocities,
    the last action, and what the `sensors` of the task tell.
    """

    def __init__(self, task: WalkTask, robots: int, threads: int = 1) -> None:
        self.task = task
        controller = task.controller()
        drive = LawDrive(controller, task.dt, controller.effort)
        periods = round(task.episode / task.period)
        super().__init__(task.simulation(), drive, task.stance, periods, robots, threads)
        self._commands[:, 0, : task.model.nq] = task.stance
        self._pushed = np.full(robots, -1)
        """In which period a robot is pushed (B,), and by how much (B, 2) [m/s]."""
        self._push = np.zeros((robots, 2))
        self._suite = Suite.of(task.sensors)
        self._readings = self._suite.readings()
        self._told = np.zeros((robots, sum(each.size for each in self._suite.values())))

    @property
    def action_size(self) -> int:
        """How many numbers an action has: one for each joint."""
        return len(self.joints)

    @property
    def observation_size(self) -> int:
        """How many numbers an observation has."""
        return 10 + 3 * len(self.joints) + self._told.shape[1]

    def start(self, which: MASK, rng: np.random.Generator) -> None:
        """Put some robots back to their stance, with small random changes."""
        count, task = int(which.sum()), self.task
        q = np.tile(task.stance, (count, 1))
        q[:, self.joints] += rng.uniform(-task.noise, task.noise, (count, len(self.joints)))
        # feet that are moved into the ground would stay there: lift the robot instead
        gaps = np.asarray(self.world.contacts(q))[:, :, 0].min(axis=1) if count else np.zeros(0)
        q[:, 2] -= gaps
        self.begin(which, q)
        self.parameters[which, 0] = rng.uniform(*task.friction, count)
        if task.push > 0.0:
            self._pushed[which] = rng.integers(0, self.periods, count)
            angle, size = rng.uniform(0.0, 2.0 * np.pi, count), rng.uniform(0.0, task.push, count)
            self._push[which] = size[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        values = self._seen()
        for reading, value in zip(self._readings.values(), values, strict=True):
            reading.restart(which, value)
        if values:
            self._told[which] = np.concatenate(values, axis=1)[which]

    def move(self, action: Array) -> Outcome:
        """Go on by one control period with actions (B, n), which `checked_action` has seen."""
        task, last = self.task, self.action
        self.action = np.minimum(np.maximum(action, -1.0), 1.0)
        self._commands[:, 0, self._at_q] = self._middle + task.reach * self.action
        hit = self._pushed == self.age
        if hit.any():
            assert self.model.base is not None
            self.v[hit] += struck(self.model, self.q[hit], self.model.base.child, self._push[hit])
        failed = self.advance(task.hold)
        self.age += 1
        if self._suite:
            self._told = self._read()
        return self.outcome(last, self._fallen() | failed)

    def felt(self) -> list[Array]:
        """Return the parts (B, …) of what the robots feel."""
        return [*self.body(), self.action, self._told]

    def _seen(self) -> list[Array]:
        """Return what sensors see (B, n), without errors."""
        sample = self.sample(contacts="contacts" in self._suite.needs)
        # where a sensor tells nothing, as a centre of pressure in the air, it is zero
        seen = (sensor.measure(sample) for sensor in self._suite.values())
        return [np.where(np.isnan(values), 0.0, values) for values in seen]

    def _read(self) -> Array:
        """Return what sensors tell (B, m)."""
        now, values = self._step * self.task.dt, self._seen()
        pairs = zip(self._readings.values(), values, strict=True)
        return np.concatenate([reading.next(now, value) for reading, value in pairs], axis=1)

    def _fallen(self) -> MASK:
        task = self.task
        ground = np.asarray(task.ground.height(self.q[:, 0], self.q[:, 1]))
        low = self.q[:, 2] - ground < task.lowest * task.stance[2]
        return np.asarray(low | (self.rotations()[:, 2, 2] < np.cos(task.tilt)))
