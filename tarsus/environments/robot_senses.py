"""What terms of a task can ask robots in lanes for."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tarsus._lib.files import Array
from tarsus.environments.lanes import Lanes
from tarsus.geometry.grounds import Terrain


class RobotSenses(Lanes):
    """B robots on a ground, with frames that are their feet; what is costly is found once."""

    def __init__(
        self, *lanes: Any, ground: Terrain | None, feet: tuple[str, ...], period: float
    ) -> None:
        super().__init__(*lanes)
        model, stance = self.model, self.stance
        self.ground, self.feet, self.period = ground, feet, period
        self.free = model.base is not None and model.base.kind == "free"
        self._found: dict[str, Array] = {}
        self._stance_feet = np.array([model.frame_pose(stance, foot)[2, 3] for foot in feet])

    def time(self) -> Array:
        """Return the time since episodes began (B,) [s]."""
        return np.asarray(self.period * self.age, np.float64)

    def joint_positions(self) -> Array:
        """Return positions (B, n) of all joints [rad, m]."""
        return np.asarray(self.q[:, self._at_q])

    def joint_velocities(self) -> Array:
        """Return velocities (B, n) of all joints."""
        return np.asarray(self.v[:, self._at_v])

    def power(self) -> Array:
        """Return the sum (B,) of powers of joints, without signs, in weights × 1 m/s."""
        tau = self._tau[:, 0, self._at_v]
        return np.asarray(np.add.reduce(np.abs(tau * self.joint_velocities()), 1) / self.weight)

    def base_body(self) -> str:
        """Return the name of the body of the free root."""
        self._need_base()
        return self.model.body_names[0]

    def rotations(self) -> Array:
        """Return the rotations (B, 3, 3) of the bases."""
        self._need_base()
        return super().rotations()

    def heading_velocity(self) -> Array:
        """Return velocities (B, 3) of the bases: ahead, to the left, up [m/s]."""
        return self._once("velocity", self._heading_velocity)

    def heights(self) -> Array:
        """Return heights (B,) of the bases above the ground under them [m]."""
        self._need_base()
        return self.q[:, 2] - self.ground_height(self.q[:, 0], self.q[:, 1])

    def ground_height(self, x: Array, y: Array) -> Array:
        """Return heights of the ground at places, zero without any [m]."""
        return np.zeros(np.shape(x)) if self.ground is None else self.ground.height(x, y)

    def feet_places(self) -> Array:
        """Return where the feet are (B, feet, 3) [m]."""
        if not self.feet:
            raise ValueError("a term asks for feet, but the task states none: feet=(frame, …)")
        return self._once("places", self._feet_places)

    def feet_velocities(self) -> Array:
        """Return velocities of the feet (B, feet, 3) in axes of the world [m/s]."""
        self.feet_places()
        return self._once("speeds", self._feet_velocities)

    def feet_heights(self) -> Array:
        """Return how high feet are above the ground, less what they are in the stance (B, feet)."""
        places = self.feet_places()
        ground = self.ground_height(places[:, :, 0], places[:, :, 1])
        return np.asarray(places[:, :, 2] - ground - self._stance_feet)

    def feet_forces(self) -> Array:
        """Return normal forces (B, feet) [N] on the bodies of the feet, in the last step."""
        self.feet_places()
        return self._once("pressed", self._feet_forces)

    def _feet_forces(self) -> Array:
        touches = self.touches()
        bodies = [self.model.frame(foot).body for foot in self.feet]
        return np.stack([touches.normal_force(body) for body in bodies], axis=1)

    def _heading_velocity(self) -> Array:
        return self.into_heading((self.rotations() @ self.v[:, :3, None])[..., 0])

    def _feet_places(self) -> Array:
        poses = [self.model.frame_pose(self.q, foot) for foot in self.feet]
        return np.stack([pose[:, :3, 3] for pose in poses], axis=1)

    def _feet_velocities(self) -> Array:
        velocity = partial(self.model.frame_velocity, reference="local_world_aligned")
        found = [velocity(self.q, self.v, foot)[:, :3] for foot in self.feet]
        return np.stack(found, axis=1)

    def _once(self, name: str, compute: Callable[[], Array]) -> Array:
        """Return what several terms ask for, computed once for a state."""
        if name not in self._found:
            self._found[name] = compute()
        return self._found[name]

    def _need_base(self) -> None:
        if not self.free:
            raise ValueError(f"a term asks for the base, but {self.model.name!r} has no free root")
