"""Robots with a task that is made of terms, one in each lane of the core."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.error import ResetNeeded

from tarsus._lib.files import Array
from tarsus.environments.curriculum import Curriculum
from tarsus.environments.lanes import MASK
from tarsus.environments.noise import Noise
from tarsus.environments.robot_senses import RobotSenses
from tarsus.geometry.grounds import Terrain
from tarsus.model import Model
from tarsus.simulation import Simulation

if TYPE_CHECKING:
    from tarsus.environments.robot_task import RobotTask

Generators = Sequence[np.random.Generator]


class RobotLanes(RobotSenses):
    """B robots with the same task, each with its own generator of random numbers.

    What happens to a robot depends on its own generator and actions alone. Terms read `q`, `v`,
    `action`, `last_action`, `command`, `age`, `ended` and the methods below.
    """

    def __init__(self, model: Model, task: RobotTask, robots: int, threads: int = 1) -> None:
        assert task.stance is not None and task.feet is not None
        self.task = task
        ground = task.ground
        self.curriculum = ground if isinstance(ground, Curriculum) else None
        field = ground.field if isinstance(ground, Curriculum) else ground
        self._size = task.acts.size(model)
        simulation = simulated(model, task, field)
        drive = task.acts.drive(simulation, task.stance)
        period = task.hold * task.dt
        super().__init__(
            simulation,
            drive,
            task.stance,
            round(task.episode / period),
            robots,
            threads,
            ground=field,
            feet=task.feet,
            period=period,
        )
        self.nominal = self.parameters[0].copy()
        """Friction, gains and factors of masses as they are without variations."""
        self.last_action = self.action.copy()
        self.command = np.zeros((robots, 3))
        first = self.curriculum.first if self.curriculum else 0
        self.level = np.full(robots, first, np.int64)
        """Of the curriculum (B,)."""
        self.origin = np.zeros((robots, 2))
        self.ended = np.zeros(robots, bool)
        """Whose episode the last period ended, by a term or because it could not go on (B,)."""
        self.done = np.zeros(robots, bool)
        """Whose episode is over, by an end or by its time (B,)."""
        self._started = False
        self.noises = Noise(robots)
        self._drawn: list[Array] = [np.zeros((robots, 0))] * len(task.varies)
        self.sizes = [self._check(term) for term in task.observes]
        """How many numbers each term of an observation has."""
        self.noises.widen(self.noises.rewind())
        self._check_numbers()

    @property
    def action_size(self) -> int:
        """How many numbers an action has."""
        return self._size

    @property
    def observation_size(self) -> int:
        """How many numbers an observation has."""
        return sum(self.sizes)

    def begin_anew(self, generators: Generators) -> None:
        """Start all robots on the first level."""
        self.level[:] = self.curriculum.first if self.curriculum else 0
        self.age[:], self.ended[:] = 0, False  # no success of before counts
        self.start(np.ones(self.robots, bool), generators)

    def start(self, which: MASK, generators: Generators) -> None:
        """Let some robots begin a new episode; each draws from its own generator (B of them)."""
        rows, task = np.flatnonzero(which), self.task
        self._started = True
        self._promote(rows)
        own = [generators[row] for row in rows.tolist()]
        q = np.tile(self.stance, (len(rows), 1))
        if self.free:
            q[:, :2] += self.origin[rows]
        self.begin(which, q)
        self.parameters[which] = self.nominal
        self.last_action[which], self.ended[which], self.done[which] = 0.0, False, False
        for row, rng in zip(rows, own, strict=True):
            self.command[row] = task.command.draw(rng)
        for k, variation in enumerate(task.varies):
            drawn = np.array([variation.draw(rng, self) for rng in own])
            if self._drawn[k].shape[1] != drawn.shape[1]:
                self._drawn[k] = np.zeros((self.robots, drawn.shape[1]))
            self._drawn[k][which] = drawn
            variation.apply(self, which, drawn)
        self._put_down(rows)
        self.noises.start(rows, own)
        self._found = {}

    def move(self, action: Array) -> None:
        """Go on by one control period with actions (B, n), which `checked_action` has seen."""
        if not self._started:
            raise ResetNeeded("step was called before reset: no episode has begun")
        task = self.task
        for variation, drawn in zip(task.varies, self._drawn, strict=True):
            variation.act(self, drawn)
        self.last_action, self.action = self.action, np.minimum(np.maximum(action, -1.0), 1.0)
        failed = np.zeros(self.robots, bool)
        steps = task.acts.steps(self.model, task.hold)
        for _ in range(0, task.hold, steps):
            task.acts.write(self._commands[:, 0], self.action, self)
            failed |= self.advance(steps)
        self.age += 1
        self._found = {}
        self.ended = failed
        for term in task.ends:
            self.ended = self.ended | term(self)
        # robots that rest draw nothing: they do what they would do alone
        self.noises.advance(np.flatnonzero(~self.done))
        self.done = self.ended | self.over()

    def rewards(self) -> dict[str, Array]:
        """Return the share (B,) of each term in the reward of the last period."""
        return {
            self.task.names[term]: weight * term(self) for term, weight in self.task.rewards.items()
        }

    def felt(self) -> list[Array]:
        """Return the parts (B, …) of what the robots feel."""
        self.noises.rewind()
        return [term(self) for term in self.task.observes]

    def noise(self, size: int) -> Array:
        """Return standard normal numbers (B, size), those of a robot from its own generator."""
        return self.noises.take(size)

    def strike(self, rows: Any, change: Array) -> None:
        """Change velocities (n, nv) of some robots at once."""
        np.add.at(self.v, rows, change)
        self._found = {}

    def begin(self, which: MASK, q: Array) -> None:
        """Put some robots at rest at configurations (n, nq), as if nothing had been."""
        super().begin(which, q)
        self._found = {}

    def _promote(self, rows: Any) -> None:
        """Choose the levels of robots whose episodes are over, and where they start."""
        if self.curriculum is None:
            return
        way = self.q[rows, :2] - self.origin[rows]
        wanted = self.command[rows]
        # who has fallen was asked for the whole way
        periods = np.where(self.ended[rows], self.periods, self.age[rows])
        asked = np.hypot(wanted[:, 0], wanted[:, 1]) * self.period * periods
        way_made = np.hypot(way[:, 0], way[:, 1])
        self.level[rows] = self.curriculum.promoted(self.level[rows], way_made, asked)
        self.origin[rows] = self.curriculum.origins(self.level[rows])

    def _put_down(self, rows: Any) -> None:
        """Lift robots until what is lowest touches the ground: feet in it would stay there."""
        if self.free and self.ground is not None and len(rows):
            gaps = np.asarray(self.world.contacts(self.q[rows]))[:, :, 0]
            self.q[rows, 2] -= gaps.min(axis=1)

    def _check(self, term: Callable[[RobotLanes], Array]) -> int:
        """Return how many numbers a term of the observation has."""
        shape = np.shape(term(self))
        if len(shape) != 2 or shape[0] != self.robots:
            raise ValueError(f"{term} returned shape {shape}, must be ({self.robots}, n)")
        return int(shape[1])

    def _check_numbers(self) -> None:
        """Raise if a reward or an end is not a number for each robot."""
        for term in (*self.task.rewards, *self.task.ends):
            shape = np.shape(term(self))
            if shape != (self.robots,):
                raise ValueError(f"{term} returned shape {shape}, must be ({self.robots},)")

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the compiled world, which is made anew."""
        return {name: value for name, value in self.__dict__.items() if name != "world"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Go on from what `__getstate__` returned."""
        self.__dict__.update(state)
        simulation = simulated(self.model, self.task, self.ground)
        assert simulation.worlds is not None
        self.world = simulation.worlds.get(self.task.acts.drive(simulation, self.stance))


def simulated(model: Model, task: RobotTask, ground: Terrain | None) -> Simulation:
    """Return the simulation of a task."""
    collision = None if ground is None else task.collision
    return Simulation(model, ground=ground, collision=collision, dt=task.dt)
