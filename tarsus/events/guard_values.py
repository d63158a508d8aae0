"""Guards in NumPy: their values at states, one or many, and how they change.

The core does the same within flows; this serves those who state events as equations.
"""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.events.guards import DISTANCE, HEIGHT, POSITION, VELOCITY, Functions, Guard
from tarsus.model import Model
from tarsus.spatial import skew


class GuardValues:
    """A guard of a model whose positions simply add up: values and derivatives at q, v (…, n)."""

    def __init__(self, model: Model, guard: Guard) -> None:
        functions = Functions()
        self.model = model
        self.constant, self._terms = guard.terms(model, functions)
        self._functions = functions

    def values(self, q: Array, v: Array) -> Array:
        """Return the guard (…)."""
        total = np.full(q.shape[:-1], self.constant)
        for row in self._terms:
            total = total + row[1] * self._value(row, q, v)
        return total

    def slopes(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return its derivatives (…, nv) by q and by v."""
        by_q, by_v = np.zeros(v.shape), np.zeros(v.shape)
        for row in self._terms:
            kind = int(row[0])
            if kind == POSITION:
                by_q[..., int(row[2])] += row[1]
            elif kind == VELOCITY:
                by_v[..., int(row[2])] += row[1]
            elif kind in (HEIGHT, DISTANCE):
                by_q += row[1] * self._way(row, q)
            else:
                of_q, of_v = self._differences(row, q, v)
                by_q, by_v = by_q + row[1] * of_q, by_v + row[1] * of_v
        return by_q, by_v

    def rates(self, q: Array, v: Array) -> Array:
        """Return how fast it changes (…) while q moves with v; accelerations do not count."""
        return np.asarray((self.slopes(q, v)[0] * v).sum(axis=-1))

    def _value(self, row: list[float], q: Array, v: Array) -> Array:
        kind, index = int(row[0]), int(row[2])
        if kind == POSITION:
            return np.asarray(q[..., index])
        if kind == VELOCITY:
            return np.asarray(v[..., index])
        if kind == HEIGHT:
            return np.asarray(self._point(row, 4, q) @ np.array(row[12:15]))
        if kind == DISTANCE:
            apart = self._point(row, 4, q) - self._point(row, 8, q)
            return np.asarray(np.linalg.norm(apart, axis=-1))
        return self._asked(index, q, v)

    def _way(self, row: list[float], q: Array) -> Array:
        """Return how a height or a distance changes with q (…, nv)."""
        if int(row[0]) == HEIGHT:
            return np.asarray(np.array(row[12:15]) @ self._point_rows(row, 4, q))
        apart = self._point(row, 4, q) - self._point(row, 8, q)
        way = apart / np.linalg.norm(apart, axis=-1, keepdims=True)
        rows = self._point_rows(row, 4, q) - self._point_rows(row, 8, q)
        return np.asarray((way[..., None, :] @ rows)[..., 0, :])

    def _point(self, row: list[float], at: int, q: Array) -> Array:
        body, point = int(row[at]), np.array(row[at + 1 : at + 4])
        if body < 0:
            return point
        pose = np.asarray(self.model.forward_kinematics(q))[..., body, :, :]
        return np.asarray(pose[..., :3, :3] @ point + pose[..., :3, 3])

    def _point_rows(self, row: list[float], at: int, q: Array) -> Array:
        """Return the Jacobian (…, 3, nv) of a point."""
        body, point = int(row[at]), np.array(row[at + 1 : at + 4])
        if body < 0:
            return np.zeros((*q.shape[:-1], 3, self.model.nv))
        name = self.model.body_names[body]
        rows = np.asarray(self.model.frame_jacobian(q, name, "local_world_aligned"))
        pose = np.asarray(self.model.frame_pose(q, name))
        arm = pose[..., :3, :3] @ point
        return np.asarray(rows[..., :3, :] - skew(arm) @ rows[..., 3:, :])

    def _asked(self, index: int, q: Array, v: Array) -> Array:
        function = self._functions.listed[index]
        flat = zip(q.reshape(-1, q.shape[-1]), v.reshape(-1, v.shape[-1]), strict=True)
        return np.array([function(0.0, a, b) for a, b in flat], float).reshape(q.shape[:-1])

    def _differences(self, row: list[float], q: Array, v: Array) -> tuple[Array, Array]:
        slope, n = self._functions.derivatives[int(row[2])], v.shape[-1]
        flat = zip(q.reshape(-1, q.shape[-1]), v.reshape(-1, n), strict=True)
        found = np.array([slope(0.0, a, b)[0] for a, b in flat]).reshape(*v.shape[:-1], -1)
        return found[..., :n], found[..., n : 2 * n]
