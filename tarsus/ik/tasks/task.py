"""What a task is: an error of the configuration, its jacobian, and how much and how fast it counts.

A task wants its error e(q) to vanish. Along a motion ė = J v − r, where J (…, size, nv) is the
jacobian in independent velocities and r what a moving target adds, so that

    J v = r − gain e

brings the error to zero with the time constant 1/gain (Schwienbacher 2013, section 4.3.1). Tasks
of a lower `level` come first and are not disturbed by others; those of the same level share by
their weights, as Σ weight (J v − r + gain e)².
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus.arrays import Array
from tarsus.differences import rate
from tarsus.ik.arguments import checked_gain, checked_level, weights
from tarsus.model import Model, ModelError

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
        self._gain = checked_gain(value, self.name)
        self.stated += 1

    @property
    def level(self) -> int:
        """Which tasks come first: those of level 0."""
        return self._level

    @level.setter
    def level(self, value: int) -> None:
        self._level = checked_level(value, self.name)
        self.stated += 1

    def __repr__(self) -> str:
        speed = "one step" if self.gain is None else f"{self.gain} 1/s"
        return f"<tarsus.ik.{type(self).__name__} {self.name!r}: gain {speed}, level {self.level}>"
