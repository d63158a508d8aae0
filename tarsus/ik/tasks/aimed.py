"""Tasks with a target that can be set at any time: one for all states, or one for each."""

from __future__ import annotations

from copy import copy

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus.arrays import Array
from tarsus.ik.arguments import of_rows, targets
from tarsus.ik.tasks.task import Task


class AimedTask(Task):
    """A task that has a target, which may move."""

    target_shape: tuple[int, ...]
    """The shape of one target."""
    velocity_size: int
    """How many numbers the velocity of a target has."""

    def __init__(
        self,
        name: str,
        target: ArrayLike | None,
        weight: ArrayLike,
        gain: float | None,
        level: int,
    ) -> None:
        super().__init__(name, weight, gain, level)
        self._target: Array | None = None
        self._target_velocity: Array | None = None
        self._target_acceleration: Array | None = None
        if target is not None:
            self.target = target

    @property
    def target(self) -> Array:
        """What the task aims at (…, *target_shape): one target, or one a state."""
        if self._target is None:
            self.model  # noqa: B018 - says that there is no machine yet, hence no default
            raise ValueError(f"task {self.name!r} has no target")
        return self._target

    @target.setter
    def target(self, value: ArrayLike) -> None:
        what = f"target of task {self.name!r}"
        found = targets(value, self.target_shape, what)
        self.check_target(found, what)
        self._target = found
        self.aimed += 1

    def lead(self, target: Array, velocity: Array, acceleration: Array) -> None:
        """Set target, velocity and acceleration at once, unchecked: for who makes them right.

        They are kept as they are: nobody may change them afterwards.
        """
        self._target, self._target_velocity = target, velocity
        self._target_acceleration = acceleration
        self.aimed += 1

    def check_target(self, value: Array, what: str) -> None:
        """Raise if a target of the right shape is none; most are."""

    @property
    def target_velocity(self) -> Array | None:
        """How fast the target moves (…, velocity_size) [1/s]; None for a target at rest."""
        return self._target_velocity

    @target_velocity.setter
    def target_velocity(self, value: ArrayLike | None) -> None:
        what = f"target_velocity of task {self.name!r}"
        self.aimed += 1
        self._target_velocity = (
            None if value is None else targets(value, (self.velocity_size,), what)
        )

    def of_states(self, lead: tuple[int, ...], rows: NDArray[np.intp]) -> AimedTask:
        """Return the task of some `rows` of states with leading dimensions `lead`, in a line."""
        found = copy(self)
        found._target = of_rows(self.target, self.target_shape, lead, rows)
        motion = (self.velocity_size,)
        if self._target_velocity is not None:
            found._target_velocity = of_rows(self._target_velocity, motion, lead, rows)
        if self._target_acceleration is not None:
            found._target_acceleration = of_rows(self._target_acceleration, motion, lead, rows)
        return found

    @property
    def target_acceleration(self) -> Array | None:
        """The rate of `target_velocity` (…, velocity_size) [1/s²], for accelerations; or None."""
        return self._target_acceleration

    @target_acceleration.setter
    def target_acceleration(self, value: ArrayLike | None) -> None:
        what = f"target_acceleration of task {self.name!r}"
        self.aimed += 1
        self._target_acceleration = (
            None if value is None else targets(value, (self.velocity_size,), what)
        )

    @property
    def target_moves(self) -> bool:
        """Whether the target has a velocity."""
        return self._target_velocity is not None

    @property
    def target_is_finite(self) -> Array:
        """Whether the target has only finite numbers: one answer, or one a state."""
        axes = tuple(range(-len(self.target_shape), 0))
        found = np.isfinite(self.target).all(axis=axes)
        for motion in (self._target_velocity, self._target_acceleration):
            if motion is not None:
                found = found & np.isfinite(motion).all(axis=-1)
        return np.asarray(found)
