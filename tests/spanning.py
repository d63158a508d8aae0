"""Kinematics of mechanisms with couplings and loops: all joints from the independent ones.

Every joint of the spanning tree has its own coordinates x and velocities w; the poses are those
of `oracle.Oracle`. Couplings and loops are rows φ(x) = 0, and w = G v follows from A w = 0 with
A = ∂φ/∂x by complex steps; ẇ = G v̇ + g from A ẇ + Ȧ w = 0, where Ȧ w is the second derivative
of φ along the motion by Cauchy's formula on a circle of complex times. Both are exact to
rounding.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Self

import numpy as np
from closures import derivatives, follow, loop_accelerations, loop_rates, loop_rows
from oracle import Array, Oracle, slope

import tarsus as ts
from tarsus.model.description import Description


def spanning_tree(description: Description, order: Sequence[str]) -> ts.Model:
    """Return the mechanism without couplings and loops, its moving joints in this order."""
    place = {name: i for i, name in enumerate(order)}
    joints = sorted(description.joints, key=lambda joint: place.get(joint.name, len(place)))
    plain = dataclasses.replace(description, joints=joints, couplings=[], loops=[])
    return ts.Model(plain, strict=False)


class Spanning:
    """The kinematics of one mechanism; x and w are those of all joints, v of the independent ones.

    `own` gives the numbers of the independent velocities of joints that do not have all of them,
    `constraints` names the loops that take part in forward dynamics only. All methods are for one
    state.
    """

    def __init__(
        self,
        description: Description,
        own: Mapping[str, Sequence[int]],
        constraints: Collection[str] = (),
        order: Sequence[str] = (),
    ) -> None:
        self.tree = spanning_tree(description, order)
        self.bodies = Oracle(self.tree)
        self.couplings = description.couplings
        self.loops = description.loops
        self.free = np.zeros(self.tree.nv, dtype=bool)
        for joint in self.tree.joints:
            self.free[joint.v_slice][list(own.get(joint.name, range(joint.nv)))] = True
        self.nv = int(self.free.sum())
        self.eliminated = self._per_row([loop.name not in constraints for loop in self.loops])
        self.holonomic = self._per_row([loop.kind != "knife_edge" for loop in self.loops])
        self._last: list[tuple[bytes, Array]] = [(b"", np.zeros(0))] * 2

    @classmethod
    def of(cls, model: ts.Model) -> Self:
        """Return the oracle of a model, with the independent joints that the model has chosen."""
        own = {joint.name: joint.own_velocities for joint in model.joints}
        constraints = [loop.name for loop in model.constraints]
        return cls(model.description, own, constraints, model.joint_names)

    def _per_row(self, of_loops: list[bool]) -> Array:
        """Return a mask (rows,): true for couplings, and what is said of the loops."""
        parts = [np.ones(sum(len(c.followers) for c in self.couplings), dtype=bool)]
        for loop, value in zip(self.loops, of_loops, strict=True):
            parts.append(np.full(len(loop_rows(loop, np.eye(4))), value))
        return np.concatenate(parts)

    # --- positions -------------------------------------------------------------------------

    def _at(self, names: Sequence[str]) -> list[int]:
        return [self.tree.joint(name).q_slice.start for name in names]

    def follow(self, x: Array) -> Array:
        """Return x with the followers' positions set from the leaders'."""
        x, waiting = np.array(x, float), list(self.couplings)
        while waiting:
            followers = {name for coupling in waiting for name in coupling.followers}
            ready = next(c for c in waiting if followers.isdisjoint(c.leaders))
            x[self._at(ready.followers)] = follow(ready, x[self._at(ready.leaders)])
            waiting.remove(ready)
        return x

    def close(self, x: Array, *, everything: bool = False) -> Array:
        """Return x with followers set and loops closed, by Newton steps on the dependent joints.

        With `everything` all joints move, and loops that are constraints are closed, too.
        """
        x = self.follow(x)
        rows = self.holonomic if everything else self.holonomic & self.eliminated
        columns = np.ones_like(self.free) if everything else ~self.free
        for _ in range(60):
            gaps = self.gaps(x)[rows]
            if np.abs(gaps).max(initial=0.0) < 1e-14:
                return x
            step = np.zeros(self.tree.nv)
            jacobian = self.rows(x)[rows][:, columns]
            step[columns] = -np.linalg.lstsq(jacobian, gaps, rcond=1e-10)[0]
            step *= min(1.0, 0.5 / np.abs(step).max())
            x = self.follow(self.bodies.integrate(x, step))
        assert np.abs(gaps).max() < 1e-11, f"gap {np.abs(gaps).max():.1e}"
        return x

    def gaps(self, x: Array) -> Array:
        """Return the residuals (rows,) of all couplings, then of all loops."""
        poses = self.closures(x)
        parts = [loop_rows(loop, pose) for loop, pose in zip(self.loops, poses, strict=True)]
        return np.concatenate([self.differences(x), *parts])

    def differences(self, x: Array) -> Array:
        """Return the positions of followers less what the couplings say, (…, n)."""
        parts = [
            x[..., self._at(c.followers)] - follow(c, x[..., self._at(c.leaders)])
            for c in self.couplings
        ]
        return np.concatenate([np.zeros((*x.shape[:-1], 0)), *parts], axis=-1)

    def closures(self, x: Array) -> Array:
        """Return the poses (…, n_loops, 4, 4) of frames b in frames a."""
        poses = self.bodies.poses(x)
        found = np.zeros((*x.shape[:-1], len(self.loops), 4, 4), poses.dtype)
        for i, loop in enumerate(self.loops):
            a = self.frame(poses, loop.body_a, loop.placement_a)
            b = self.frame(poses, loop.body_b, loop.placement_b)
            found[..., i, :, :] = np.linalg.inv(a) @ b
        return found

    def frame(self, poses: Array, name: str, placement: Array) -> Array:
        """Return the poses (…, 4, 4) of a frame on a stated body, which may be welded."""
        if name == "world":
            return np.broadcast_to(placement, (*poses.shape[:-3], 4, 4))
        frame = self.tree.frame(name)
        if frame.body == "world":
            return np.broadcast_to(frame.placement @ placement, (*poses.shape[:-3], 4, 4))
        at = poses[..., self.tree.body_names.index(frame.body), :, :]
        return np.asarray(at @ frame.placement @ placement)

    def _remembered(self, slot: int, function: Callable[..., Array], *state: Array) -> Array:
        """Return the function of a state, without calling it twice for the same."""
        key = np.concatenate(state).tobytes()
        if self._last[slot][0] != key:
            self._last[slot] = key, function(*state)
        return self._last[slot][1]

    # --- velocities ------------------------------------------------------------------------

    def rows(self, x: Array) -> Array:
        """Return A (rows, nw): couplings, then loops."""
        return self._remembered(0, self._rows, x)

    def _rows(self, x: Array) -> Array:
        stepped = x + 1e-30j * self.bodies.rate(x[None], np.eye(self.tree.nv))
        poses, rates = self.closures(x), self.closures(stepped).imag * 1e30
        parts = [self.differences(stepped).imag * 1e30]
        parts += [loop_rates(loop, poses[i], rates[:, i]) for i, loop in enumerate(self.loops)]
        return np.concatenate(parts, axis=-1).T

    def coupling_matrix(self, x: Array) -> Array:
        """Return G (nw, nv)."""
        a = self.rows(x)[self.eliminated]
        g = np.zeros((self.tree.nv, self.nv))
        g[self.free] = np.eye(self.nv)
        g[~self.free] = -np.linalg.lstsq(a[:, ~self.free], a[:, self.free], rcond=1e-10)[0]
        return g

    def coupling_matrix_rate(self, x: Array, v: Array) -> Array:
        """Return Ġ (nw, nv) along v, by differences."""
        xdot = self.bodies.rate(x, self.coupling_matrix(x) @ v)
        return slope(lambda s: self.coupling_matrix(x + s * xdot), 1e-4)

    def curve(self, x: Array, w: Array, wdot: Array) -> tuple[Callable[[Array], Array], float]:
        """Return x(t) to second order, for complex times too, and how far to go along it."""
        first = self.bodies.rate(x, w)
        step = 3e-4 / max(1.0, np.abs(first).max())
        turning = slope(lambda t: self.bodies.rate(x + t * first, w), step)
        second = self.bodies.rate(x, wdot) + turning
        speed = max(1.0, np.abs(first).max(), np.sqrt(np.abs(second).max()))
        return lambda t: x + t[:, None] * first + 0.5 * t[:, None] ** 2 * second, 0.15 / speed

    def row_accelerations(self, x: Array, w: Array) -> Array:
        """Return Ȧ w (rows,)."""
        return self._remembered(1, self._row_accelerations, x, w)

    def _row_accelerations(self, x: Array, w: Array) -> Array:
        along, reach = self.curve(x, w, np.zeros_like(w))
        poses = self.closures(x)
        rates, seconds = derivatives(lambda t: self.closures(along(t)), reach)
        parts = [derivatives(lambda t: self.differences(along(t)), reach)[1]]
        for i, loop in enumerate(self.loops):
            parts.append(loop_accelerations(loop, poses[i], rates[i], seconds[i]))
        return np.concatenate(parts)

    def drift(self, x: Array, v: Array) -> Array:
        """Return g (nw,): the accelerations of all joints where v stays as it is."""
        a = self.rows(x)[self.eliminated][:, ~self.free]
        bias = self.row_accelerations(x, self.coupling_matrix(x) @ v)[self.eliminated]
        g = np.zeros(self.tree.nv)
        g[~self.free] = -np.linalg.lstsq(a, bias, rcond=1e-10)[0]
        return g


def user_layout(model: ts.Model, x: Any) -> Array:
    """Return the q of a model from the positions of all its joints."""
    q = np.zeros(model.nq)
    for joint in model.joints:
        if joint.dependent != "coupling":
            q[joint.q_slice] = np.asarray(x)[joint.position_slice]
    return q
