"""Robots in lanes that walk: how they start and go on, and what came of it."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from tarsus._lib.files import Array
from tarsus.environments.lanes import MASK, Lanes
from tarsus.environments.reward import Outcome


class WalkingLanes(Lanes):
    """B robots with a free root that walk: what tasks of walking share."""

    @abstractmethod
    def start(self, which: MASK, rng: np.random.Generator) -> None:
        """Let some robots begin a new episode."""

    @abstractmethod
    def move(self, action: Array) -> Outcome:
        """Go on by one control period with actions (B, n), which `checked_action` has seen."""

    def outcome(self, last_action: Array, fallen: MASK) -> Outcome:
        """Return what came of a period, with the efforts of its last step."""
        power = np.abs(self._tau[:, 0, self._at_v] * self.v[:, self._at_v]).sum(axis=1)
        return Outcome(
            velocity=self.into_heading(np.einsum("bij,bj->bi", self.rotations(), self.v[:, :3])),
            yaw_rate=self.v[:, 5].copy(),
            power=power / self.weight,
            action=self.action,
            last_action=last_action,
            fallen=fallen,
        )

    def body(self) -> list[Array]:
        """Return height, gravity, velocities of the base, and joints relative to the stance."""
        return [
            self.q[:, 2:3],
            self.rotations()[:, 2],
            self.v[:, :6],
            self.q[:, self._at_q] - self._middle,
            self.v[:, self._at_v],
        ]
