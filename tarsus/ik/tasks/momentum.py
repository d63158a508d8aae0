"""Tasks of momentum, and tasks from user functions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import reals
from tarsus._lib.differences import derivative
from tarsus._lib.files import Array
from tarsus.ik.tasks.task import AimedTask, Task
from tarsus.model.model import Model

# Momentum: linear and angular about the centre of mass, or only some rows of it.
#
# Momentum is h = A(q) v and has no position: these tasks have no error, only rows A v = target
# (Schwienbacher 2013, section 7.2; D. Orin, A. Goswami, S.-H. Lee, "Centroidal dynamics of a
# humanoid robot", Autonomous Robots 35, 2013).


class MomentumTask(AimedTask):
    """Rows of the centroidal momentum that shall have a value; see those derived from it."""

    holonomic = False
    rows: tuple[int, ...]
    """Which rows of [linear, angular] they are."""

    def prepare(self, model: Model) -> int:
        """Begin with a target of zero."""
        if self._target is None:
            self.target = np.zeros(len(self.rows))
        return len(self.rows)

    def error(self, q: ArrayLike) -> Array:
        """Return zeros (…, size): momentum is no matter of positions."""
        return np.zeros((*np.shape(q)[:-1], self.size))

    def jacobian(self, q: ArrayLike) -> Array:
        """Return the rows (…, size, nv) of the centroidal momentum matrix."""
        return np.asarray(self.model.centroidal_momentum_matrix(q)[..., self.rows, :])

    def feedforward(self, q: ArrayLike) -> Array:
        """Return the momentum that is wanted (…, size)."""
        return self.target

    def drift(self, q: Array, v: Array) -> Array:
        """Return what the momentum beside its target gains (…, size): Ȧ v less the target's rate.

        The rate is `target_velocity`, forces and torques that are wanted.
        """
        rate = self.model.centroidal_momentum_matrix_rate(q, v)[..., self.rows, :]
        gain = (rate @ v[..., None])[..., 0]
        moving = self._target_velocity
        return np.asarray(gain if moving is None else gain - moving)


class CentroidalMomentumTask(MomentumTask):
    """Gives the machine the momentum `target` (…, 6) about its centre of mass, zero at first.

    [linear N·s, angular N·m·s] in world axes.
    """

    rows = (0, 1, 2, 3, 4, 5)
    target_shape = (6,)
    velocity_size = 6

    def __init__(
        self,
        target: ArrayLike | None = None,
        *,
        weight: ArrayLike = 1.0,
        level: int = 0,
        name: str = "centroidal momentum",
    ) -> None:
        super().__init__(name, target, weight, 0.0, level)


class AngularMomentumTask(MomentumTask):
    """Gives the machine the angular momentum `target` about its centre of mass, zero at first.

    `axes` are those of the world that count: "xyz", or only "z" for the vertical; `target` has
    one number for each (…, axes) [N·m·s].
    """

    def __init__(
        self,
        target: ArrayLike | None = None,
        *,
        axes: str = "xyz",
        weight: ArrayLike = 1.0,
        level: int = 0,
        name: str = "angular momentum",
    ) -> None:
        if not isinstance(axes, str) or not axes or set(axes) - set("xyz"):
            raise ValueError(f"axes is {axes!r}, must be some of 'xyz'")
        self.rows = tuple(3 + "xyz".index(axis) for axis in axes)
        self.target_shape = (len(axes),)
        self.velocity_size = len(axes)
        super().__init__(name, target, weight, 0.0, level)


# Any function of the configuration as a task.


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
