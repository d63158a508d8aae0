"""A task for any robot, put together from terms: how it acts, what it feels, what is good."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from tarsus._lib.checks import checked_period, count, expect, numbers
from tarsus._lib.files import Array
from tarsus.environments.actions import Action, JointTargets
from tarsus.environments.command import Command
from tarsus.environments.curriculum import Curriculum
from tarsus.environments.lanes import MASK
from tarsus.environments.robot_lanes import RobotLanes
from tarsus.environments.variations import Variation
from tarsus.geometry.collision import Collision
from tarsus.geometry.ground_placement import stand
from tarsus.geometry.grounds import Ground, Terrain
from tarsus.model import Model
from tarsus.robots.quadrupeds import Legged, legged

Term = Callable[[RobotLanes], Array]
Ending = Callable[[RobotLanes], MASK]


@dataclass(frozen=True, eq=False, kw_only=True)
class RobotTask:
    """What a robot shall learn.

    An observation is the terms of `observes` one after the other, the reward of a control period
    the sum of `rewards`, terms with their weights. An episode ends when one of `ends` says so, and
    is cut off after `episode` [s]. What `varies` and the `command` are drawn for each episode. A
    control period has `hold` steps of `dt` [s]. The `ground` may be a `Curriculum`, or None: free
    space. `feet` are frames that terms ask for; joints are compared with `stance` (nq,).
    """

    observes: tuple[Term, ...]
    rewards: Mapping[Term, float]
    ends: tuple[Ending, ...] = ()
    varies: tuple[Variation, ...] = ()
    acts: Action = field(default_factory=JointTargets)
    command: Command = field(default_factory=Command)
    ground: Terrain | Curriculum | None = field(default_factory=Ground)
    stance: Array | None = None
    feet: tuple[str, ...] | None = None
    collision: Collision | None = None
    dt: float = 2e-3
    hold: int = 10
    episode: float = 10.0

    def __post_init__(self) -> None:
        for name in ("observes", "ends", "varies"):
            terms = getattr(self, name)
            if not isinstance(terms, tuple | list):
                kind = type(terms).__name__
                raise TypeError(f"{name} is a {kind}, must be a tuple of terms: ({terms!r},)")
            object.__setattr__(self, name, tuple(terms))
        if not self.observes:
            raise ValueError("observes is empty: there must be something to feel")
        expect(self.rewards, Mapping, "rewards")
        for term in (*self.observes, *self.rewards, *self.ends):
            if not callable(term):
                raise TypeError(f"{term!r} is no term: it must be a function of RobotLanes")
        for term, weight in self.rewards.items():
            numbers(weight, (), f"the weight of {term}")
        for variation in self.varies:
            expect(variation, Variation, "one of varies")
        checked_period(self.dt, "dt")
        checked_period(self.episode, "episode")
        count(self.hold, "hold")

    @cached_property
    def names(self) -> dict[Term, str]:
        """What rewards are called in `info`: the names of their classes or functions."""
        found: dict[Term, str] = {}
        for term in self.rewards:
            name = getattr(term, "__name__", type(term).__name__)
            again = sum(each.split(" ")[0] == name for each in found.values())
            found[term] = f"{name} {again + 1}" if again else name
        return found

    def fitted(self, robot: Model | Legged | str) -> tuple[Model, RobotTask]:
        """Return a robot's model, and the task with all that a robot with a name knows of itself.

        A model stands in its neutral configuration unless the task has a stance.
        """
        one = _by_name(robot) if isinstance(robot, str) else robot
        if isinstance(one, Legged):
            known: dict[str, Any] = {"stance": one.stance, "collision": one.collision}
            known |= {"feet": tuple(one.feet.values()), "acts": with_gains(self.acts, one)}
            model = one.model
        else:
            expect(one, Model, "model")
            model = one
            known = {"feet": (), "collision": Collision.from_model(model)}
            known["stance"] = self._stood(model, known["collision"])
            known["acts"] = self.acts
        own = {name: getattr(self, name) for name in ("stance", "feet", "collision")}
        known |= {name: value for name, value in own.items() if value is not None}
        known["stance"] = np.array(numbers(known["stance"], (model.nq,), "stance"))
        return model, replace(self, **known)

    def _stood(self, model: Model, collision: Collision) -> Array:
        """Return the neutral configuration, on the ground if the root is free."""
        q = model.neutral()
        grounded = model.base is not None and model.base.kind == "free" and self.ground is not None
        if not grounded or self.stance is not None:
            return q
        return stand(model, q, collision=self.collision or collision)


def _by_name(name: str) -> Legged:
    """Return a robot on legs by its name; for others it is said how they come in."""
    try:
        return legged(name)
    except ValueError as error:
        others = 'other robots come as models: ts.load("robot.urdf", base="free")'
        raise ValueError(f"{error}; {others}") from None


def with_gains(acts: Action, robot: Legged) -> Action:
    """Return the kind of action with the gains of a robot where it states none."""
    if not isinstance(acts, JointTargets):
        return acts
    kp = robot.kp if acts.kp is None else acts.kp
    return replace(acts, kp=kp, kd=robot.kd if acts.kd is None else acts.kd)
