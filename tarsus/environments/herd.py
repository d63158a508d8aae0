"""Many robots that walk at once, in the lanes of the core: no Python runs for each of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus.arrays import Array
from tarsus.control.arguments import vectors
from tarsus.environments.reward import Outcome
from tarsus.environments.task import WalkTask
from tarsus.simulation.drives import LawDrive
from tarsus.simulation.parameters import parameters
from tarsus.spatial import rotation_from_quaternion

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
        controller = task.controller()
        drive = LawDrive(controller, task.dt, controller.effort)
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
        self._record = {"tau": self._tau}
        self._weight = model.total_mass * float(np.linalg.norm(model.gravity))
        # slices where they will do: they are much quicker than lists of places
        self._at_q, self._at_v = _slice(self.joints), _slice(self.velocities)
        self._middle = task.stance[self.joints]
        self._periods = round(task.episode / task.period)
        self._turned: Array | None = None
        """Rotations of the bases, None where they must be found anew."""

    def start(self, which: MASK, rng: np.random.Generator) -> None:
        """Put some robots back to their stance, with small random changes."""
        count, task = int(which.sum()), self.task
        q = np.tile(task.stance, (count, 1))
        q[:, self.joints] += rng.uniform(-task.noise, task.noise, (count, len(self.joints)))
        # feet that are moved into the ground would stay there: lift the robot instead
        gaps = np.asarray(self.world.contacts(q))[:, :, 0].min(axis=1) if count else np.zeros(0)
        q[:, 2] -= gaps
        self.q[which], self._turned = q, None
        self.v[which] = 0.0
        self.memory[which] = 0.0
        self.action[which] = 0.0
        self.age[which] = 0
        self.parameters[which, 0] = rng.uniform(*task.friction, count)

    def move(self, action: Array) -> Outcome:
        """Go on by one control period with actions (B, n), which `checked_action` has seen."""
        task, last = self.task, self.action
        self.action = np.minimum(np.maximum(action, -1.0), 1.0)
        self._commands[:, 0, self._at_q] = self._middle + task.reach * self.action
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
            record=self._record,
        )
        self._step, self._turned = self._step + task.hold, None
        self.age += 1
        power = np.abs(self._tau[:, 0, self._at_v] * self.v[:, self._at_v]).sum(axis=1)
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
            self.q[:, self._at_q] - self._middle,
            self.v[:, self._at_v],
            self.action,
        ]
        felt = np.concatenate(parts, axis=1)
        np.maximum(np.minimum(felt, LARGEST, out=felt), -LARGEST, out=felt)
        return felt.astype(np.float32)

    @property
    def observation_size(self) -> int:
        """How many numbers an observation has."""
        return 10 + 3 * len(self.joints)

    def over(self) -> MASK:
        """Return whose episode has lasted long enough (B,)."""
        return np.asarray(self.age >= self._periods)

    def _fallen(self) -> MASK:
        task = self.task
        ground = np.asarray(task.ground.height(self.q[:, 0], self.q[:, 1]))
        low = self.q[:, 2] - ground < task.lowest * task.stance[2]
        return np.asarray(low | (self._rotations()[:, 2, 2] < np.cos(task.tilt)))

    def _rotations(self) -> Array:
        """Return the rotations (B, 3, 3) of the bases."""
        if self._turned is None:
            self._turned = rotation_from_quaternion(self.q[:, 3:7])
        return self._turned

    def _velocity_ahead(self) -> Array:
        """Return velocities (B, 3) in axes that turn with the heading, z up."""
        rotation = self._rotations()
        world = np.einsum("bij,bj->bi", rotation, self.v[:, :3])
        yaw = np.arctan2(rotation[:, 1, 0], rotation[:, 0, 0])
        cos, sin = np.cos(yaw), np.sin(yaw)
        turned = np.empty((self.robots, 3))
        turned[:, 0] = cos * world[:, 0] + sin * world[:, 1]
        turned[:, 1] = cos * world[:, 1] - sin * world[:, 0]
        turned[:, 2] = world[:, 2]
        return turned


def checked_action(action: ArrayLike, shape: tuple[int, ...]) -> Array:
    """Return actions of this shape, all of them numbers: before anything changes by them."""
    found = vectors(action, shape[-1], "action")
    if found.shape != shape:
        raise ValueError(f"action must have shape {shape}, got {found.shape}")
    return found


def _slice(places: NDArray[np.int64]) -> Any:
    """Return the places (n,) as a slice if they follow each other, else as they are."""
    first, count = (int(places[0]), len(places)) if len(places) else (0, 0)
    return slice(first, first + count) if (np.diff(places) == 1).all() else places
