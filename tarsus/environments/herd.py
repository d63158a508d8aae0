"""Many robots that walk at once, in the lanes of the core: no Python runs for each of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus.environments.reward import Outcome
from tarsus.environments.task import WalkTask
from tarsus.model.description import Array
from tarsus.simulation.drives import LawDrive
from tarsus.simulation.parameters import parameters

MASK = NDArray[np.bool_]
LARGEST = 1000.0
"""What is felt beyond this is cut off: no robot that walks comes near it."""


class Herd:
    """B robots with the same task: states (B, …), actions in, observations and outcomes out.

    An observation has the height of the base [m], the direction of gravity seen from it (3), its
    velocity and rate of turning (6), how far joints are from the stance, their velocities, and
    the last action.
    """

    def __init__(self, task: WalkTask, robots: int, threads: int = 1) -> None:
        self.task, self.robots, self.threads = task, robots, threads
        model, simulation = task.model, task.simulation()
        assert simulation.worlds is not None
        drive = LawDrive(task.controller(), task.dt)
        self.world = simulation.worlds.get(drive)
        rows = parameters(model, task.ground, drive, None, 1)
        self.parameters = np.repeat(rows, robots, axis=0)
        self.joints, self.velocities = task.joints, task.velocities
        self.q = np.tile(task.stance, (robots, 1))
        self.v = np.zeros((robots, model.nv))
        self.memory = np.zeros((robots, self.world.memory_size))
        self.action = np.zeros((robots, len(self.joints)))
        self.age = np.zeros(robots, np.int64)
        """Control periods since the start of the episode (B,)."""
        self._step = 0
        self._commands = np.zeros((robots, 1, self.world.command_size))
        self._commands[:, 0, : model.nq] = task.stance
        self._tau = np.zeros((robots, 1, model.nv))
        self._weight = model.total_mass * float(np.linalg.norm(model.gravity))

    def start(self, which: MASK, rng: np.random.Generator) -> None:
        """Put some robots back to their stance, with small random changes."""
        count, task = int(which.sum()), self.task
        q = np.tile(task.stance, (count, 1))
        q[:, self.joints] += rng.uniform(-task.noise, task.noise, (count, len(self.joints)))
        # feet that are moved into the ground would stay there: lift the robot instead
        gaps = np.asarray(self.world.contacts(q))[:, :, 0].min(axis=1) if count else np.zeros(0)
        q[:, 2] -= gaps
        self.q[which] = q
        self.v[which] = 0.0
        self.memory[which] = 0.0
        self.action[which] = 0.0
        self.age[which] = 0
        self.parameters[which, 0] = rng.uniform(*task.friction, count)

    def move(self, action: ArrayLike) -> Outcome:
        """Go on by one control period with actions (B, n)."""
        task, last = self.task, self.action
        self.action = np.clip(np.asarray(action, np.float64), -1.0, 1.0)
        target = task.stance[self.joints] + task.reach * self.action
        self._commands[:, 0, self.joints] = target
        status = self.world.advance(
            self.q,
            self.v,
            self.memory,
            self.parameters,
            self._commands,
            first_step=self._step,
            steps=task.hold,
            every=task.hold,
            threads=self.threads,
            record={"tau": self._tau},
        )
        self._step += task.hold
        self.age += 1
        power = np.abs(self._tau[:, 0] * self.v)[:, self.velocities].sum(axis=1)
        return Outcome(
            velocity=self._velocity_ahead(),
            yaw_rate=self.v[:, 5].copy(),
            power=power / self._weight,
            action=self.action,
            last_action=last,
            fallen=self._fallen() | (np.asarray(status)[:, 0] != 0),
        )

    def observe(self) -> NDArray[np.float32]:
        """Return what the robots feel (B, m)."""
        parts = [
            self.q[:, 2:3],
            self._rotations()[:, 2],
            self.v[:, :6],
            self.q[:, self.joints] - self.task.stance[self.joints],
            self.v[:, self.velocities],
            self.action,
        ]
        felt = np.clip(np.concatenate(parts, axis=1), -LARGEST, LARGEST)
        return np.asarray(felt, np.float32)

    @property
    def observation_size(self) -> int:
        """How many numbers an observation has."""
        return 10 + 3 * len(self.joints)

    def over(self) -> MASK:
        """Return whose episode has lasted long enough (B,)."""
        return np.asarray(self.age >= round(self.task.episode / self.task.period))

    def _fallen(self) -> MASK:
        task = self.task
        ground = np.asarray(task.ground.height(self.q[:, 0], self.q[:, 1]))
        low = self.q[:, 2] - ground < task.lowest * task.stance[2]
        return np.asarray(low | (self._rotations()[:, 2, 2] < np.cos(task.tilt)))

    def _rotations(self) -> Array:
        """Return the rotations (B, 3, 3) of the bases, from quaternions [x y z w]."""
        x, y, z, w = self.q[:, 3:7].T
        rows = (
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )
        return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)

    def _velocity_ahead(self) -> Array:
        """Return velocities (B, 3) in axes that turn with the heading, z up."""
        rotation = self._rotations()
        world = np.einsum("bij,bj->bi", rotation, self.v[:, :3])
        yaw = np.arctan2(rotation[:, 1, 0], rotation[:, 0, 0])
        cos, sin = np.cos(yaw), np.sin(yaw)
        ahead = cos * world[:, 0] + sin * world[:, 1]
        return np.stack([ahead, cos * world[:, 1] - sin * world[:, 0], world[:, 2]], axis=-1)
