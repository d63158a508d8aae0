"""Any robot with any task, as a Gymnasium environment."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from tarsus.environments.camera import Camera
from tarsus.environments.lanes import checked_action
from tarsus.environments.robot_lanes import RobotLanes
from tarsus.environments.robot_task import RobotTask
from tarsus.environments.robot_tasks import robot_task
from tarsus.environments.walk import EVERYONE, spaces
from tarsus.model import Model
from tarsus.robots.quadrupeds import Legged

Observation = NDArray[np.float32]


class RobotEnv(gymnasium.Env[Observation, Observation]):
    """One robot; `model` may be a `Legged` or a name such as "solo12", `task` a name: see `TASKS`.

    `info` has the share of each term in the reward. With `render_mode="rgb_array"`, `render`
    returns a picture.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 50}  # noqa: RUF012

    def __init__(
        self,
        model: Model | Legged | str = "quadruped",
        task: RobotTask | str = "walk",
        render_mode: str | None = None,
    ) -> None:
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"render_mode is {render_mode!r}, must be None or 'rgb_array'")
        self.render_mode = render_mode
        self.robots = robots_of(model, task, 1)
        self.task = self.robots.task
        self.observation_space, self.action_space = spaces(self.robots)
        self._camera = Camera(self.robots.model, self.robots.ground)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a new episode; with a `seed`, it and those after it are repeatable."""
        super().reset(seed=seed)
        if seed is None:
            self.robots.start(EVERYONE, [self.np_random])
        else:
            self.robots.begin_anew([self.np_random])
        return self.robots.observe()[0], {}

    def step(self, action: Observation) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Go on by one control period; what is no action is refused, and changes nothing."""
        robots = self.robots
        robots.move(checked_action(action, (robots.action_size,))[None])
        shares = robots.rewards()
        info = {name: float(share[0]) for name, share in shares.items()}
        reward = float(total(shares, 1)[0])
        return robots.observe()[0], reward, bool(robots.ended[0]), bool(robots.over()[0]), info

    def render(self) -> Any:
        """Return a picture (height, width, 3) of the robot, if the mode is "rgb_array"."""
        return None if self.render_mode is None else self._camera.picture(self.robots.q[0])


def robots_of(
    model: Model | Legged | str, task: RobotTask | str, robots: int, threads: int = 1
) -> RobotLanes:
    """Return robots with a task; both may be names."""
    if not isinstance(task, RobotTask | str):
        raise TypeError(f"task is a {type(task).__name__}, must be a RobotTask or its name")
    own = robot_task(task) if isinstance(task, str) else task
    return RobotLanes(*own.fitted(model), robots, threads)


def total(shares: dict[str, NDArray[np.float64]], robots: int) -> NDArray[np.float64]:
    """Return the sums (B,) of rewards, one term after the other, so that all get the same bits."""
    found = np.zeros(robots)
    for share in shares.values():
        found = found + share
    return found
