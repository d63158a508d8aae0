"""From positions of motors to the configuration: Newton's method, cluster by cluster.

The motors of a cluster stand at φ(q) and turn by M(q) v, so a step M δ = wanted − φ(q) on the
manifold of configurations leads to where they are wanted. For gears and belts φ is linear, and
one step is exact. For spindles, ankles and loops steps are short, are halved until they help, and
do not pass a position where M is singular: what is found is on the branch of the start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.model.motors import Family, Motors, least

if TYPE_CHECKING:
    from tarsus.model.driven import Driven

Flags = NDArray[np.bool_]
Places = NDArray[np.intp]

MOST_STEPS, HALVINGS = 100, 30
LONGEST = 0.5
"""Longest step of a coordinate where M depends on q [rad or m]."""
ROUNDING, GOOD, REACHED = 1e-15, 1e-11, 1e-9
"""What is missed, relative to the largest position: nothing, one step is left, it is there."""


class MotorSearch:
    """A batch of configurations that come nearer to wanted positions of motors.

    `movable` (nv,) says which velocity coordinates may move. `steps` counts Newton's steps of each
    state.
    """

    def __init__(
        self,
        model: Driven,
        motors: Motors,
        wanted: Array,
        q: Array,
        movable: Flags | None = None,
    ) -> None:
        self.model, self.motors, self.wanted = model, motors, wanted
        self.families = motors.families if movable is None else motors.families_of(movable)
        self.q = np.array(q)
        self.steps = np.zeros(len(q), dtype=int)
        # which cluster positions and velocities are of; those of none are of one more
        self.count = len(motors.groups)
        self._of_q = np.full(model.nq, self.count)
        self._of_v = np.full(model.nv, self.count)
        for k, (_, positions, velocities) in enumerate(motors.groups):
            self._of_q[positions] = self._of_v[velocities] = k
        self._order = np.array([m for own, *_ in motors.groups for m in own], dtype=np.intp)
        self._starts = np.cumsum([0, *(len(own) for own, *_ in motors.groups)])[:-1]
        self.scales = np.maximum(1.0, self._largest(wanted))

    def run(self) -> Array:
        """Return the configurations (states, nq); raise if one is out of reach."""
        if not self.count or not len(self.q):
            return self.q
        positions, matrix = self._look(self.q)
        if any(not family.varies for family in self.families):
            step = self._step(positions, matrix, np.arange(len(self.q)), varies=False)
            stepped = np.asarray(self.model.integrate(self.q, step))
            self.q = np.where(self._of_q < self.count, stepped, self.q)
            positions, matrix = self._look(self.q)
        missed = self._largest(positions - self.wanted)
        if any(family.varies for family in self.families):
            self._newton(positions, matrix, missed)
        self._check(missed, positions)
        return self.q

    def _newton(self, positions: Array, matrix: Array, missed: Array) -> None:
        """Improve configurations in place, with positions, matrix and what is missed."""
        busy = missed > ROUNDING * self.scales
        for family in self.families:
            busy[:, family.clusters] &= family.varies
        last = np.zeros_like(busy)
        for _ in range(MOST_STEPS):
            states = np.flatnonzero(busy.any(axis=1))
            if not len(states):
                break
            self.steps[states] += 1
            scales = self.scales[states]
            last[states] |= missed[states] <= GOOD * scales
            step = self._step(positions[states], matrix[states], states, varies=True)
            better = self._line(states, step, self._signs(matrix[states]), missed, busy)
            positions[states], matrix[states] = self._look(self.q[states])
            missed[states] = self._largest(positions[states] - self.wanted[states])
            busy[states] &= better & ~last[states] & (missed[states] > ROUNDING * scales)

    def _line(self, states: Places, step: Array, signs: Array, missed: Array, busy: Flags) -> Flags:
        """Take for each cluster the longest of step, step/2, … that helps; tell which did."""
        better = np.zeros((len(states), self.count), dtype=bool)
        share, start = np.ones((len(states), self.count + 1)), self.q[states]
        for _ in range(HALVINGS):
            seeking = busy[states] & ~better
            rows = np.flatnonzero(seeking.any(axis=1))
            if not len(rows):
                break
            scaled = step[rows] * share[rows][:, self._of_v]
            trial, positions, trial_signs = self._try(start[rows], scaled)
            now = self._largest(positions - self.wanted[states[rows]])
            # a comparison with what is not a number is false: out of reach is no help
            helps = seeking[rows] & (now < missed[states[rows]]) & (trial_signs * signs[rows] >= 0)
            taken = np.pad(helps, ((0, 0), (0, 1)))[:, self._of_q]
            self.q[states[rows]] = np.where(taken, trial, self.q[states[rows]])
            better[rows] |= helps
            share[rows, :-1] = np.where(helps, share[rows, :-1], 0.5 * share[rows, :-1])
        return better

    def _try(self, q: Array, step: Array) -> tuple[Array, Array, Array]:
        """Return configurations after steps, motors there (NaN: nowhere), and signs of det M."""
        try:
            trial = np.asarray(self.model.integrate(q, step))
            positions, matrix = self._look(trial)
        except ArithmeticError:
            if len(q) == 1:
                nowhere = np.full((1, len(self.motors.names)), np.nan)
                return q, nowhere, np.zeros((1, self.count))
            # of many states one is out of reach: which?
            each = [self._try(q[i : i + 1], step[i : i + 1]) for i in range(len(q))]
            trials, found, turns = zip(*each, strict=True)
            return np.concatenate(trials), np.concatenate(found), np.concatenate(turns)
        return trial, positions, self._signs(matrix)

    def _look(self, q: Array) -> tuple[Array, Array]:
        """Return the motors' positions and their rows M of the coupling matrix."""
        positions = np.asarray(self.model.joint_positions(q))[:, self.motors.positions]
        return positions, np.asarray(self.model.coupling_matrix(q))[:, self.motors.velocities]

    def _step(self, positions: Array, matrix: Array, states: Places, *, varies: bool) -> Array:
        """Return Newton's steps (states, nv) of clusters with constant or varying M."""
        step = np.zeros((len(states), self.model.nv))
        miss = self.wanted[states] - positions
        for family in self.families:
            if family.varies == varies:
                own = least(family.rows(matrix), miss[:, family.motors])
                if varies:
                    length = np.abs(own).max(axis=-1, keepdims=True)
                    own = own * (LONGEST / np.maximum(length, LONGEST))
                step[:, family.columns] = own
        return step

    def _signs(self, matrix: Array) -> Array:
        signs = np.zeros((len(matrix), self.count))
        for family in self.families:
            if family.varies:
                signs[:, family.clusters] = _signs(family, matrix)
        return signs

    def _largest(self, values: Array) -> Array:
        """Return the largest absolute value (states, clusters) of the motors of each cluster."""
        if not self.count:
            return np.zeros((len(values), 0))
        return np.asarray(np.maximum.reduceat(np.abs(values[:, self._order]), self._starts, axis=1))

    def _check(self, missed: Array, positions: Array) -> None:
        far = missed > REACHED * self.scales
        if not far.any():
            return
        i, k = (int(index) for index in np.argwhere(far)[0])
        motors = self.motors.groups[k][0]
        wanted, there = (
            ", ".join(f"{x:.6g}" for x in a[i, motors]) for a in (self.wanted, positions)
        )
        state = f" of state {i}" if len(missed) > 1 else ""
        raise ArithmeticError(
            f"from_motor_positions: {self.motors.titled(motors)}{state} cannot be brought to "
            f"{wanted} from q: the nearest found is {there}, {missed[i, k]:.3g} away"
        )


def _signs(family: Family, matrix: Array) -> Array:
    """Return the signs (states, n) of det M of each cluster, zero where it is not square."""
    if family.motors.shape != family.columns.shape:
        return np.zeros((len(matrix), len(family.clusters)))
    return np.asarray(np.sign(np.linalg.det(family.rows(matrix))))
