"""Robots of an environment, one in each lane of the core: their states, and what they feel."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import vectors
from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.sensors import Sample, Touches
from tarsus.simulation import Simulation
from tarsus.simulation.contact_record import NUMBERS, touches_of
from tarsus.simulation.drives import Drive
from tarsus.simulation.parameters import parameters
from tarsus.spatial import rotation_from_quaternion

MASK = NDArray[np.bool_]
LARGEST = 1000.0
"""What is felt beyond this is cut off: no robot that walks comes near it."""


class Lanes(ABC):
    """B robots on their way: states (B, …) that steps of the core move on.

    Joints are compared with `stance` (nq,); an episode has `periods` of control.
    """

    def __init__(
        self,
        simulation: Simulation,
        drive: Drive,
        stance: Array,
        periods: int,
        robots: int,
        threads: int,
    ) -> None:
        assert simulation.worlds is not None
        model = simulation.model
        self.model, self.stance, self.periods = model, stance, periods
        self.robots, self.threads = robots, threads
        self.world = simulation.worlds.get(drive)
        rows = parameters(model, simulation.surface, drive, None, 1)
        self.parameters = np.repeat(rows, robots, axis=0)
        self.joints = joints_of(model)
        """Places in q (n,) of the joints, and in v."""
        self.velocities: NDArray[np.int64] = model.rate_index[self.joints]
        # slices where they will do: they are much quicker than lists of places
        self._at_q, self._at_v = _slice(self.joints), _slice(self.velocities)
        self._middle = stance[self.joints]
        self.q = np.tile(stance, (robots, 1))
        self.v = np.zeros((robots, model.nv))
        self._before = np.zeros((robots, model.nv))
        self._lasted = 1.0
        """Velocities before the last steps, and how long these took [s]."""
        self._dt = simulation.dt
        self.memory = np.zeros((robots, self.world.memory_size))
        self.action = np.zeros((robots, self.action_size))
        self.age = np.zeros(robots, np.int64)
        """Control periods since the start of the episode (B,)."""
        self._step = 0
        self._commands = np.zeros((robots, 1, self.world.command_size))
        self._tau = np.zeros((robots, 1, model.nv))
        self._record = {"tau": self._tau}
        self._places = simulation.worlds.places
        self.weight = model.total_mass * float(np.linalg.norm(model.gravity))
        """Of a robot as it is stated [N]."""
        self._turned: Array | None = None
        """Rotations of the bases, None where they must be found anew."""

    @property
    @abstractmethod
    def action_size(self) -> int:
        """How many numbers an action has."""

    @property
    @abstractmethod
    def observation_size(self) -> int:
        """How many numbers an observation has."""

    @abstractmethod
    def felt(self) -> list[Array]:
        """Return the parts (B, …) of what the robots feel."""

    def observe(self) -> NDArray[np.float32]:
        """Return what the robots feel (B, m)."""
        found = np.concatenate(self.felt(), axis=1)
        np.maximum(np.minimum(found, LARGEST, out=found), -LARGEST, out=found)
        return found.astype(np.float32)

    def over(self) -> MASK:
        """Return whose episode has lasted long enough (B,)."""
        return np.asarray(self.age >= self.periods)

    def begin(self, which: MASK, q: Array) -> None:
        """Put some robots at rest at configurations (n, nq), as if nothing had been."""
        self.q[which], self._turned = q, None
        self.v[which] = self._before[which] = self._tau[which] = 0.0
        self.memory[which] = 0.0
        if "contacts" in self._record:
            self._record["contacts"][which] = -1.0
        self.action[which] = 0.0
        self.age[which] = 0

    def advance(self, steps: int) -> MASK:
        """Make some steps with the commands as they are; return who could not go on (B,)."""
        self._before[:], self._lasted = self.v, steps * self._dt
        status = self.world.advance(
            self.q,
            self.v,
            self.memory,
            self.parameters,
            self._commands,
            first_step=self._step,
            steps=steps,
            every=steps,
            threads=self.threads,
            record=self._record,
        )
        self._step, self._turned = self._step + steps, None
        return np.asarray(np.asarray(status)[:, 0] != 0)

    def sample(self, *, contacts: bool = False) -> Sample:
        """Return the robots as sensors see them, with the mean acceleration of the last steps.

        Contacts are those of the last step.
        """
        rise = (self.v - self._before) / self._lasted
        touches = self.touches() if contacts else None
        return Sample(self.model, self.q, self.v, rise, self._tau[:, 0], touches)

    def touches(self) -> Touches:
        """Return what touches, in the last step; it is kept from when it is first asked for."""
        if "contacts" not in self._record:
            shape = self.robots, 1, self.world.max_contacts, NUMBERS
            self._record["contacts"] = np.full(shape, -1.0)
        rows, (robot, _) = self.world.listed(self._record["contacts"], 0)
        return touches_of(rows, robot, (self.robots,), self._places)

    def rotations(self) -> Array:
        """Return the rotations (B, 3, 3) of the bases."""
        if self._turned is None:
            self._turned = rotation_from_quaternion(self.q[:, 3:7])
        return self._turned

    def into_heading(self, vector: Array) -> Array:
        """Return vectors (B, 3) in axes that turn with the headings of the bases, z up."""
        rotation = self.rotations()
        yaw = np.arctan2(rotation[:, 1, 0], rotation[:, 0, 0])
        cos, sin = np.cos(yaw), np.sin(yaw)
        turned = np.empty((self.robots, 3))
        turned[:, 0] = cos * vector[:, 0] + sin * vector[:, 1]
        turned[:, 1] = cos * vector[:, 1] - sin * vector[:, 0]
        turned[:, 2] = vector[:, 2]
        return turned


def joints_of(model: Model) -> NDArray[np.int64]:
    """Return the places in q (n,) of joints whose velocities are the rates of their positions."""
    return np.asarray(np.flatnonzero(model.rate_index >= 0))


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
