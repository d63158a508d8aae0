"""Base classes of tasks, with and without a target."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import batch, count, not_negative, read_only, weights
from tarsus._lib.differences import rate
from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.model.model import Model

# What a task is: an error of the configuration, its jacobian, and how much and how fast it counts.
#
# A task wants its error e(q) to vanish. Along a motion ė = J v − r, where J (…, size, nv) is the
# jacobian in independent velocities and r what a moving target adds, so that
#
#     J v = r − gain e
#
# brings the error to zero with the time constant 1/gain (Schwienbacher 2013, section 4.3.1). Tasks
# of a lower `level` come first and are not disturbed by others; those of the same level share by
# their weights, as Σ weight (J v − r + gain e)².


LEVER = 0.05
"""What a radian is worth in metres: poses of arms are found from most starts with little of it."""


class Task(ABC):
    """A goal of a machine's motion: see `error`, `jacobian`, `weight`, `gain` and `level`.

    `weight` is a number or one for each row (size,); `gain` [1/s] tells how fast the error
    shall vanish, None within one step; `level` is 0 for what comes first. All three, and the
    target, may be changed at any time.
    """

    size: int
    """How many rows the error has."""
    lengths: float | Array = 1.0
    """What one unit of a row is worth in metres when poses are searched for (size,)."""
    holonomic = True
    """Whether the jacobian is the derivative of the error; momenta have no such error."""

    def __init__(self, name: str, weight: ArrayLike, gain: float | None, level: int) -> None:
        self.name = name
        self.stated = 0  # how often weight, gain or level were
        self.aimed = 0  # how often a target was
        self._stated_weight: ArrayLike = weight
        self._weight: Array | None = None
        self.gain = gain
        self.level = level
        self._model: Model | None = None

    @property
    def model(self) -> Model:
        """The machine that the task is for."""
        if self._model is None:
            message = f"task {self.name!r} belongs to no machine yet: give it to a Solver, or bind"
            raise ModelError(message)
        return self._model

    def bind(self, model: Model) -> Task:
        """Return this task, from now on one of `model`; names that it lacks are errors."""
        if self._model is not model:
            if self._model is not None and self._model != model:
                message = f"task {self.name!r} belongs to {self._model.name!r}, not {model.name!r}"
                raise ModelError(message)
            self._model = model
            try:
                self.size = self.prepare(model)
                self.weight = self._stated_weight
            except (ValueError, TypeError):
                self._model = None
                raise
        return self

    @abstractmethod
    def prepare(self, model: Model) -> int:
        """Look up names and defaults in `model`, and return the number of rows."""

    @abstractmethod
    def error(self, q: ArrayLike) -> Array:
        """Return how far the task is from its target (…, size)."""

    @abstractmethod
    def jacobian(self, q: ArrayLike) -> Array:
        """Return the derivative (…, size, nv) of the error along steps of the velocities."""

    def of_states(self, lead: tuple[int, ...], rows: NDArray[np.intp]) -> Task:
        """Return the task of some `rows` of states with leading dimensions `lead`, in a line."""
        return self

    def feedforward(self, q: ArrayLike) -> Array:
        """Return what J v is (…, size) while the error stays as it is: the target's motion."""
        return np.zeros(self.size)

    def drift(self, q: Array, v: Array) -> Array:
        """Return what the rate J v − r of the error gains (…, size) while joints do not accelerate.

        It is J̇ v − ṙ: of the machine's motion and of the target's. Here by differences of sixth
        order along the motion, for targets at rest.
        """

        def velocity(at: Array) -> Array:
            return np.asarray((self.jacobian(at) @ v[..., None])[..., 0])

        return rate(self.model, q, v, velocity)

    @property
    def target_moves(self) -> bool:
        """Whether the target has a velocity."""
        return False

    @property
    def target_is_finite(self) -> Any:
        """Whether the target has only finite numbers: one answer, or one a state."""
        return True

    @property
    def weight(self) -> Array:
        """How much each row counts (size,), not negative."""
        if self._weight is None:
            raise ModelError(f"task {self.name!r} belongs to no machine yet: it has no rows")
        return self._weight

    @weight.setter
    def weight(self, value: ArrayLike) -> None:
        self._stated_weight = value
        self.stated += 1
        self._weight = weights(value, self.size, f"weight of task {self.name!r}")

    @property
    def gain(self) -> float | None:
        """How fast the error vanishes [1/s], None for within one step."""
        return self._gain

    @gain.setter
    def gain(self, value: float | None) -> None:
        gain = value if value is None else not_negative(value, f"gain of task {self.name!r}")
        self._gain = gain
        self.stated += 1

    @property
    def level(self) -> int:
        """Which tasks come first: those of level 0."""
        return self._level

    @level.setter
    def level(self, value: int) -> None:
        count(value, f"level of task {self.name!r}", 0, 99)
        self._level = int(value)
        self.stated += 1

    def __repr__(self) -> str:
        speed = "one step" if self.gain is None else f"{self.gain} 1/s"
        return f"<tarsus.ik.{type(self).__name__} {self.name!r}: gain {speed}, level {self.level}>"


def targets(value: ArrayLike, shape: tuple[int, ...], what: str) -> Array:
    """Return targets (…, *shape), one or one a state; numbers that are not finite may pass.

    What is measured can be missing for a while: a step tells so in its status and stands still.
    """
    return read_only(batch(value, shape, what, finite=False, copy=True))


def of_rows(
    values: Array, own: tuple[int, ...], lead: tuple[int, ...], rows: NDArray[np.intp]
) -> Array:
    """Return values (…, *own) of some rows of states with leading dimensions, in a line.

    What is the same for all states stays as it is.
    """
    if values.ndim == len(own):
        return values
    return np.asarray(np.broadcast_to(values, (*lead, *own)).reshape(-1, *own)[rows])


# Tasks with a target that can be set at any time: one for all states, or one for each.


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
