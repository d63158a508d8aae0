"""The task of walking better than a controller does: what it does, and what actions may add."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, Self, get_args

import numpy as np

from tarsus._lib.checks import checked_period, count, not_negative, number, numbers, suggestion
from tarsus._lib.files import Array
from tarsus.environments.reward import Outcome, WalkReward
from tarsus.environments.walkers import Walkers
from tarsus.gait.anatomy import Anatomy
from tarsus.geometry.grounds import Ground, Terrain
from tarsus.model import Model
from tarsus.robots.geared import lola
from tarsus.robots.load import example
from tarsus.simulation import Simulation
from tarsus.simulation.controllers import whole_steps
from tarsus.walking.biped import Biped
from tarsus.walking.settings import Style

Adds = Literal["torques", "references"]
BIPEDS = ("lola", "talos_reduced", "talos", "g1", "icub", "romeo")
"""Names of machines that walk by their controller."""
REACH = (0.03, 0.03, 0.02)
"""How far actions move the zero moment point ahead and aside, and the height [m]."""


@dataclass(frozen=True, eq=False)
class ResidualTask:
    """A machine on two legs that walks `steps` at `speed` [m/s] by its controller.

    What an action in −1 … 1 `adds` are "torques", up to a `share` of the limits of the joints
    (of a tenth of weight times height for those without), or "references": the zero moment point,
    ahead and to the left, and the height of the centre of mass move by up to `reach` (3,) [m]. It
    is held for `hold` periods of the controller, each of them several steps of `dt` [s].

    Each episode begins on the first footsteps, with `friction` and a factor of all masses, `mass`,
    that are drawn from ranges, and in each the trunk is pushed once, at any time and to any side,
    with up to `push` [m/s] times the mass. The controller counts on the lowest friction and on the
    masses of the model. An episode is cut off when all steps could be made, and ends when the
    machine has fallen.
    """

    body: Anatomy
    speed: float = 0.3
    steps: int = 10
    adds: Adds = "torques"
    share: float = 0.1
    reach: tuple[float, float, float] = REACH
    style: Style = field(default_factory=Style)
    ground: Terrain = field(default_factory=Ground)
    dt: float = 1e-3
    hold: int = 5
    friction: tuple[float, float] = (0.7, 0.7)
    mass: tuple[float, float] = (1.0, 1.0)
    push: float = 0.0
    reward: Callable[[Outcome], Array] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.adds not in get_args(Adds):
            raise ValueError(f"adds is {self.adds!r}{suggestion(self.adds, get_args(Adds))}")
        for name, least in (("friction", 0.0), ("mass", 1e-3)):
            low, high = numbers(getattr(self, name), (2,), name).tolist()
            if not least <= low <= high:
                raise ValueError(f"{name} is {(low, high)}, must be a range from {least:g} on")
        for name in ("steps", "hold"):
            count(getattr(self, name), name)
        checked_period(self.dt, "dt")
        number(self.speed, "speed")
        for name in ("share", "push"):
            not_negative(getattr(self, name), name)
        if np.shape(self.reach) != (3,):
            raise ValueError(f"reach is {self.reach}, must be three lengths")
        for length in self.reach:
            not_negative(length, f"reach {self.reach}: a length")
        if self.reward is None:
            object.__setattr__(self, "reward", WalkReward(speed=self.speed))

    @classmethod
    def of(cls, robot: str | Model | Anatomy = "lola", **changes: object) -> Self:
        """Return the task of a machine: a model, "lola", or a name such as "g1"."""
        if isinstance(robot, str):
            if robot not in BIPEDS:
                known = suggestion(robot, BIPEDS)
                raise ValueError(f"there is no robot on two legs {robot!r}{known}")
            robot = lola() if robot == "lola" else example(robot)
        body = Anatomy.from_model(robot) if isinstance(robot, Model) else robot
        return cls(body, **changes)  # type: ignore[arg-type]

    @property
    def model(self) -> Model:
        """The machine."""
        return self.body.model

    @cached_property
    def walker(self) -> Biped:
        """The machine, ready to walk."""
        return Biped.ready(self.body, self.style, ground=self.ground)

    @property
    def cycle(self) -> int:
        """Steps of a period of the controller."""
        return whole_steps(self.style.period, self.dt, "period of the style")

    @property
    def period(self) -> float:
        """The time between two actions [s]."""
        return self.hold * self.cycle * self.dt

    @property
    def episode(self) -> float:
        """How long all steps take [s]."""
        return self.walker.supports.start + self.steps * self.walker.step_time

    def simulation(self) -> Simulation:
        """Return the simulation of the task."""
        collision = self.body.collision()
        return Simulation(self.model, ground=self.ground, collision=collision, dt=self.dt)

    def herd(self, robots: int, threads: int = 1) -> Walkers:
        """Return machines with this task."""
        return Walkers(self, robots, threads)
