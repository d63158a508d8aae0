"""Any function of the configuration as a task."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.differences import derivative
from tarsus.ik.tasks.task import Task
from tarsus.model import Model
from tarsus.model.checks import reals

Function = Callable[[Array], ArrayLike]


class CustomTask(Task):
    """Leads `function(q)` (…, size) to zero.

    `jacobian(q)` (…, size, nv) is its derivative along steps of the velocities; without one it is
    found by differences, in 6 nv calls. Both take configurations (…, nq) with leading dimensions.
    """

    def __init__(
        self,
        function: Function,
        jacobian: Function | None = None,
        *,
        weight: ArrayLike = 1.0,
        gain: float | None = None,
        level: int = 0,
        name: str = "custom",
    ) -> None:
        for what, value in (("function", function), ("jacobian", jacobian)):
            if not callable(value) and not (what == "jacobian" and value is None):
                raise TypeError(f"{what} is {value!r}, must be a function of q")
        super().__init__(name, weight, gain, level)
        self._function, self._jacobian = function, jacobian

    def prepare(self, model: Model) -> int:
        """Ask the function how many rows it has."""
        found = reals(self._function(model.neutral()), f"error of task {self.name!r}")
        if found.ndim != 1:
            message = f"error of task {self.name!r} has shape {found.shape}, must be (size,)"
            raise ValueError(message)
        return len(found)

    def error(self, q: ArrayLike) -> Array:
        """Return what the function returns (…, size)."""
        at = np.asarray(q, np.float64)
        return self._checked(self._function(at), (*at.shape[:-1], self.size), "error")

    def jacobian(self, q: ArrayLike) -> Array:
        """Return the derivative (…, size, nv) of the error along steps of the velocities."""
        at, nv = np.asarray(q, np.float64), self.model.nv
        if self._jacobian is not None:
            shape = (*at.shape[:-1], self.size, nv)
            return self._checked(self._jacobian(at), shape, "jacobian")

        def moved(step: Array) -> Array:
            places = self.model.integrate(at[..., None, :], step * np.eye(nv))
            return self.error(places)

        return np.swapaxes(derivative(moved), -1, -2)

    def _checked(self, value: ArrayLike, shape: tuple[int, ...], what: str) -> Array:
        found = reals(value, f"{what} of task {self.name!r}", copy=False)
        if found.shape != shape:
            message = f"{what} of task {self.name!r} has shape {found.shape}, must be {shape}"
            raise ValueError(message)
        return found
