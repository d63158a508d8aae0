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
from tarsus.model.motors import Motors

if TYPE_CHECKING:
    from tarsus.model.driven import Driven

MOST_STEPS, HALVINGS = 100, 30
LONGEST = 0.5
"""Longest step of a coordinate where M depends on q [rad or m]."""
ROUNDING, GOOD, REACHED = 1e-15, 1e-11, 1e-9
"""What is missed, relative to the largest position: nothing, one step is left, it is there."""
SINGULAR = 1e-10
"""Singular values of M below this, relative to the largest, move no motor."""


class MotorSearch:
    """A batch of configurations that come nearer to wanted positions of motors.

    `movable` (nv,) says which velocity coordinates may move. `steps` counts those of each state.
    """

    def __init__(
        self,
        model: Driven,
        motors: Motors,
        wanted: Array,
        q: Array,
        movable: NDArray[np.bool_] | None = None,
    ) -> None:
        self.model, self.motors, self.wanted = model, motors, wanted
        self.movable = np.ones(model.nv, dtype=bool) if movable is None else movable
        varying = {c.v_slice.start for c in model.clusters if c.closure not in ("", "linear")}
        self.varying = [own.start in varying for *_, own in motors.groups]
        self.q = np.array(q)
        self.steps = np.zeros(len(q), dtype=int)
        self.scales = self._of_groups(wanted, 1.0)

    def run(self) -> Array:
        """Return the configurations (states, nq); raise if one is out of reach."""
        positions, matrix = self._look(self.q)
        missed = self._of_groups(positions - self.wanted)
        last = np.zeros(missed.shape, dtype=bool)
        busy = missed > ROUNDING * self.scales
        for _ in range(MOST_STEPS):
            states = np.flatnonzero(busy.any(axis=1))
            if not len(states):
                break
            self.steps[states] += 1
            last[states] |= missed[states] <= GOOD * self.scales[states]
            step, signs = self._step(positions[states], matrix[states], states)
            better = self._line(states, step, signs, missed, busy)
            positions[states], matrix[states] = self._look(self.q[states])
            missed[states] = self._of_groups(positions[states] - self.wanted[states])
            busy[states] &= (
                better & ~last[states] & (missed[states] > ROUNDING * self.scales[states])
            )
        self._check(missed, positions)
        return self.q

    def _line(
        self,
        states: NDArray[np.intp],
        step: Array,
        signs: Array,
        missed: Array,
        busy: NDArray[np.bool_],
    ) -> NDArray[np.bool_]:
        """Take for each cluster the longest of step, step/2, … that helps; tell which did."""
        better = np.zeros((len(states), len(self.varying)), dtype=bool)
        share, start = np.ones(better.shape), self.q[states]
        for _ in range(HALVINGS):
            open_ = busy[states] & ~better
            rows = np.flatnonzero(open_.any(axis=1))
            if not len(rows):
                break
            trial, positions, trial_signs = self._try(start[rows], step[rows], share[rows])
            now = self._of_groups(positions - self.wanted[states[rows]])
            # a comparison with what is not a number is false: out of reach is no help
            helps = open_[rows] & (now < missed[states[rows]]) & (trial_signs * signs[rows] >= 0.0)
            for k, (_, own, _) in enumerate(self.motors.groups):
                mine = rows[helps[:, k]]
                self.q[states[mine], own] = trial[helps[:, k], own]
            better[rows] |= helps
            share[rows] = np.where(helps, share[rows], 0.5 * share[rows])
        return better

    def _try(self, q: Array, step: Array, share: Array) -> tuple[Array, Array, Array]:
        """Return configurations after shares of steps, motors there, and signs of det M."""
        scaled = np.zeros_like(step)
        for k, (*_, own) in enumerate(self.motors.groups):
            scaled[:, own] = share[:, k, None] * step[:, own]
        try:
            trial = np.asarray(self.model.integrate(q, scaled))
            positions, matrix = self._look(trial)
        except ArithmeticError:
            if len(q) > 1:  # of many states one is out of reach: which?
                each = [
                    self._try(q[i : i + 1], step[i : i + 1], share[i : i + 1])
                    for i in range(len(q))
                ]
                trials, found, turns = zip(*each, strict=True)
                return np.concatenate(trials), np.concatenate(found), np.concatenate(turns)
            nothing = np.full((1, len(self.motors.names)), np.nan)
            return q, nothing, np.zeros((1, len(self.varying)))
        signs = [self._sign(matrix, k) for k in range(len(self.varying))]
        return trial, positions, np.stack(signs, axis=1)

    def _look(self, q: Array) -> tuple[Array, Array]:
        """Return the motors' positions and their rows M of the coupling matrix."""
        positions = np.asarray(self.model.joint_positions(q))[:, self.motors.positions]
        matrix = np.asarray(self.model.coupling_matrix(q))[:, self.motors.velocities]
        return positions, matrix * self.movable

    def _step(
        self, positions: Array, matrix: Array, states: NDArray[np.intp]
    ) -> tuple[Array, Array]:
        """Return Newton's steps (states, nv), and the signs of det M where they begin."""
        step = np.zeros((len(states), self.model.nv))
        signs = np.zeros((len(states), len(self.varying)))
        for k, (motors, _, own) in enumerate(self.motors.groups):
            inverse = np.linalg.pinv(matrix[:, motors, own], rcond=SINGULAR)
            miss = self.wanted[states][:, motors] - positions[:, motors]
            step[:, own] = (inverse @ miss[..., None])[..., 0]
            if self.varying[k]:
                length = np.abs(step[:, own]).max(axis=1, initial=0.0, keepdims=True)
                step[:, own] *= LONGEST / np.maximum(length, LONGEST)
                signs[:, k] = self._sign(matrix, k)
        return step, signs

    def _sign(self, matrix: Array, k: int) -> Array:
        """Return the signs of det M of a cluster, zero where M is constant or not square."""
        motors, _, own = self.motors.groups[k]
        columns = np.flatnonzero(self.movable[own]) + own.start
        if not self.varying[k] or len(columns) != len(motors):
            return np.zeros(len(matrix))
        return np.asarray(np.sign(np.linalg.det(matrix[:, motors][..., columns])))

    def _of_groups(self, values: Array, least: float = 0.0) -> Array:
        """Return the largest absolute value (states, groups) of the motors of each group."""
        largest = [np.abs(values[:, motors]).max(axis=1) for motors, *_ in self.motors.groups]
        shape = (len(values), 0)
        return np.maximum(least, np.stack(largest, axis=1) if largest else np.zeros(shape))

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
