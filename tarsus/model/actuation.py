"""From controls to generalised forces and back: what a `Model` knows about its actuators."""

from __future__ import annotations

import copy
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.model.actuators import Actuators
from tarsus.model.checks import find, reals
from tarsus.model.description import Actuator
from tarsus.model.driven import Driven
from tarsus.model.motors import least


class Actuation(Driven):
    """A mechanism whose actuators have controls u (nu,).

    Their lengths l and rates l̇ = M v are in units of the joints times the gears.
    """

    actuator_names: tuple[str, ...]
    """Names of the actuators, in the order of u."""
    _actuators: Actuators
    _gear_matrix: Array | None
    """M (nu, nv) where it is the same everywhere."""
    _neutral: Array

    @property
    def nu(self) -> int:
        """Number of controls: one for each actuator, zero if none was stated."""
        return len(self.actuator_names)

    @property
    def actuators(self) -> tuple[Actuator, ...]:
        """Copies of the actuators: names, gears by joint, kind, gain, bias and limits."""
        return tuple(copy.copy(actuator) for actuator in self._actuators.stated)

    @property
    def actuators_feel(self) -> bool:
        """Whether `actuation` depends on the state, and not only on the controls."""
        return self._gear_matrix is None or any(each.kind != "motor" for each in self.actuators)

    def actuator(self, name: str) -> Actuator:
        """Return the actuator `name`."""
        by_name: Mapping[str, Actuator] = {each.name: each for each in self.actuators}
        return find(by_name, name, "actuator")

    def actuator_matrix(self, q: ArrayLike) -> Array:
        """Return M (…, nu, nv), from velocities v to those of the actuators."""
        if self._gear_matrix is not None:
            lead = _vectors(q, self.nq, "q").shape[:-1]
            return np.array(np.broadcast_to(self._gear_matrix, (*lead, self.nu, self.nv)))
        return np.asarray(self._actuators.gears @ self.coupling_matrix(q))

    def actuator_forces(self, q: ArrayLike, v: ArrayLike, u: ArrayLike) -> Array:
        """Return the forces (…, nu) of the actuators [N or N·m], within their limits."""
        own = self._actuators
        gain, bias = self._laws(q, v)
        return np.asarray(np.clip(gain * np.clip(own.controls(u), *own.control) + bias, *own.force))

    def actuation(self, q: ArrayLike, v: ArrayLike, u: ArrayLike) -> Array:
        """Return the generalised forces tau (…, nv) of controls u (…, nu).

        Controls and forces are cut at the limits of the actuators; limits of joints
        (`effort_limit`) are kept by simulations.
        """
        forces = self.actuator_forces(q, v, u)
        matrix = self.actuator_matrix(q) if self._gear_matrix is None else self._gear_matrix
        return _summed(forces, matrix)

    def controls(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Array:
        """Return controls u (…, nu) whose `actuation` is tau (…, nv), whatever their limits.

        Where several actuators share a coordinate, the forces of least norm; forces on
        coordinates that no actuator moves are left out. An actuator whose gain is zero there
        answers to no control: an `ArithmeticError`.
        """
        wanted = _vectors(tau, self.nv, "tau")
        matrix = self.actuator_matrix(q) if self._gear_matrix is None else self._gear_matrix
        gain, bias = self._laws(q, v)
        dead = np.argwhere(gain == 0.0)
        if dead.size:
            name = self.actuator_names[int(dead[0][-1])]
            raise ArithmeticError(f"actuator {name!r} has no gain there: no control moves it")
        return (least(np.swapaxes(matrix, -1, -2), wanted) - bias) / gain

    def _laws(self, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
        """Return gain and bias (…, nu) of all actuators at a state."""
        own = self._actuators
        at, speed = _vectors(q, self.nq, "q"), _vectors(v, self.nv, "v")
        length, rate = np.zeros(self.nu), np.zeros(self.nu)
        if own.feels_length:
            length = _summed(self.joint_positions(at), own.lengths.T)
        if own.feels_rate:
            matrix = self.actuator_matrix(at) if self._gear_matrix is None else self._gear_matrix
            rate = _summed(speed, np.swapaxes(matrix, -1, -2))
        gain, bias = (a + b * length + c * rate for a, b, c in (own.gain, own.bias))
        return np.asarray(gain), np.asarray(bias)


def _vectors(value: ArrayLike, size: int, what: str) -> Array:
    array = reals(value, what)
    if array.shape[-1:] != (size,):
        raise ValueError(f"{what} has shape {array.shape}, must be (…, {size})")
    return array


def _summed(weights: Array, rows: Array) -> Array:
    """Return Σ weights (…, n) rows (…, n, m), added in order: the same bits for one or many."""
    return np.asarray((weights[..., None] * rows).sum(axis=-2))
