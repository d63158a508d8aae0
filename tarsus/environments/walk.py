"""One robot that learns to walk, as a Gymnasium environment."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from tarsus.environments.camera import Camera
from tarsus.environments.lanes import LARGEST, Lanes, checked_action
from tarsus.environments.task import Task, WalkTask

Observation = NDArray[np.float32]
EVERYONE = np.ones(1, bool)


class WalkEnv(gymnasium.Env[Observation, Observation]):
    """A robot on legs; `task` is a `WalkTask`, or the name of a robot such as "quadruped".

    Actions are targets of the joints, observations what the robot feels: see `WalkTask` and
    `Herd`. With `render_mode="rgb_array"`, `render` returns a picture.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 50}  # noqa: RUF012

    def __init__(self, task: Task | str = "quadruped", render_mode: str | None = None) -> None:
        self.task: Task = WalkTask.of(task) if isinstance(task, str) else task
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"render_mode is {render_mode!r}, must be None or 'rgb_array'")
        self.render_mode = render_mode
        self.herd = self.task.herd(1)
        self.observation_space, self.action_space = spaces(self.herd)
        self._camera = Camera(self.task.model, self.task.ground)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a new episode; a `seed` makes it, and those after it, repeatable."""
        super().reset(seed=seed)
        self.herd.start(EVERYONE, self.np_random)
        return self.herd.observe()[0], {}

    def step(self, action: Observation) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Go on by one control period; what is no action is refused, and changes nothing."""
        outcome = self.herd.move(checked_action(action, (self.herd.action_size,))[None])
        reward = float(self.task.reward(outcome)[0])
        fallen, over = bool(outcome.fallen[0]), bool(self.herd.over()[0])
        info = {"speed": float(outcome.velocity[0, 0]), "power": float(outcome.power[0])}
        return self.herd.observe()[0], reward, fallen, over, info

    def render(self) -> Any:
        """Return a picture (height, width, 3) of the robot, if the mode is "rgb_array"."""
        return None if self.render_mode is None else self._camera.picture(self.herd.q[0])


def spaces(herd: Lanes) -> tuple[Any, Any]:
    """Return the spaces of observations and actions of one robot."""
    observations = gymnasium.spaces.Box(-LARGEST, LARGEST, (herd.observation_size,), np.float32)
    return observations, gymnasium.spaces.Box(-1.0, 1.0, (herd.action_size,), np.float32)
