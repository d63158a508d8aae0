"""Actuator coordinates as functions of the joint coordinates, and their inverse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import LARGEST, find, reals
from tarsus._lib.files import Array
from tarsus.model.description import Coupling
from tarsus.model.views import Cluster, JointView

if TYPE_CHECKING:
    from tarsus.model.actuators import Driven


# The motors of a model: where they are among all joints, and what they do to its coordinates.


AGREED = 1e-9
"""How far motors that share coordinates may contradict each other, relative to what they do."""
SINGULAR = 1e-10
"""Singular values of M below this, relative to the largest, move no motor."""


def stated_motors(couplings: Sequence[Coupling], joints: Mapping[str, JointView]) -> list[str]:
    """Return the names of the joints that couplings state to be rotors, in the joints' order."""
    rotors = {name for coupling in couplings if coupling.motor for name in coupling.followers}
    return [name for name in joints if name in rotors]


@dataclass(frozen=True)
class Family:
    """Clusters with equally many motors and coordinates, whose M are all constant or all vary.

    `clusters` (n,) numbers them among those with motors, `motors` (n, k) their motors and
    `columns` (n, c) their coordinates.
    """

    varies: bool
    clusters: NDArray[np.intp]
    motors: NDArray[np.intp]
    columns: NDArray[np.intp]

    def rows(self, matrix: Array) -> Array:
        """Return M (…, n, k, c) of each cluster, from that of all (…, motors, nv)."""
        return np.asarray(matrix[..., self.motors[:, :, None], self.columns[:, None, :]])


def least(matrix: Array, wanted: Array) -> Array:
    """Return x (…, c) of least norm with matrix (…, k, c) x = wanted (…, k), or nearest to it."""
    if matrix.shape[-2:] != (1, 1):
        return np.asarray((np.linalg.pinv(matrix, rcond=SINGULAR) @ wanted[..., None])[..., 0])
    only, given = np.broadcast_arrays(matrix[..., 0], wanted)
    return np.asarray(np.divide(given, only, out=np.zeros(given.shape), where=only != 0.0))


class Motors:
    """Joints of one coordinate that are driven, cluster by cluster.

    The motors of a cluster turn by M v, M their rows of its coupling matrix: `groups` has the
    numbers of the motors, and the slices of the cluster's positions and velocities.
    """

    def __init__(
        self,
        names: Sequence[str],
        joints: Mapping[str, JointView],
        clusters: Sequence[Cluster],
    ) -> None:
        views = [_driven(joints, name) for name in listed(names)]
        self.names = tuple(view.name for view in views)
        self.positions = np.array([view.position_slice.start for view in views], dtype=np.intp)
        self.velocities = np.array([view.velocity_slice.start for view in views], dtype=np.intp)
        number = {name: i for i, name in enumerate(self.names)}
        own = [([number[j] for j in c.joints if j in number], c) for c in clusters]
        self.groups = [(numbers, c.q_slice, c.v_slice) for numbers, c in own if numbers]
        self._varying = [c.closure not in ("", "linear") for numbers, c in own if numbers]
        self.families = self.families_of(None)

    def families_of(self, movable: NDArray[np.bool_] | None) -> list[Family]:
        """Return the clusters, those of the same sizes together; `movable` (nv,) may move."""
        found: dict[tuple[bool, int, int], list[tuple[int, list[int], list[int]]]] = {}
        for k, (numbers, _, own) in enumerate(self.groups):
            columns = [c for c in range(own.start, own.stop) if movable is None or movable[c]]
            if columns:
                sizes = (self._varying[k], len(numbers), len(columns))
                found.setdefault(sizes, []).append((k, numbers, columns))
        return [
            Family(varies, *(np.array(part, dtype=np.intp) for part in zip(*members, strict=True)))
            for (varies, *_), members in found.items()
        ]

    def values(self, value: ArrayLike, what: str) -> Array:
        """Return finite numbers (…, motors) of all motors."""
        array, count = reals(value, what), len(self.names)
        if array.shape[-1:] != (count,):
            hint = "" if count else ": the model states no motors, name them with motors=[…]"
            raise ValueError(f"{what} has shape {array.shape}, must be (…, {count}){hint}")
        if not (np.abs(array) <= LARGEST).all():
            raise ValueError(f"{what} has entries that are not finite")
        return array

    def torques(self, matrix: Array, tau: ArrayLike) -> Array:
        """Return torques (…, motors) with Mᵀ torques = tau, M (…, motors, nv), of least norm."""
        forces = _velocities(tau, "tau", matrix)
        lead = np.broadcast_shapes(matrix.shape[:-2], forces.shape[:-1])
        torques = np.zeros((*lead, len(self.names)))
        for family in self.families:
            transposed = np.swapaxes(family.rows(matrix), -1, -2)
            torques[..., family.motors] = least(transposed, forces[..., family.columns])
        return torques

    def rates(self, matrix: Array, velocities: ArrayLike, v: ArrayLike | None) -> Array:
        """Return v (…, nv) with M v = velocities, nearest to the given v."""
        wanted = self.values(velocities, "velocities")
        given = np.zeros(matrix.shape[-1]) if v is None else _velocities(v, "v", matrix)
        lead = np.broadcast_shapes(matrix.shape[:-2], wanted.shape[:-1], given.shape[:-1])
        found = np.array(np.broadcast_to(given, (*lead, matrix.shape[-1])))
        for family in self.families:
            rows, asked = family.rows(matrix), wanted[..., family.motors]
            now = found[..., family.columns]
            now = now + least(rows, asked - (rows @ now[..., None])[..., 0])
            found[..., family.columns] = now
            left = np.abs(asked - (rows @ now[..., None])[..., 0]).max(axis=-1)
            far = left > AGREED * np.maximum(1.0, np.abs(asked).max(axis=-1))
            if far.any():
                k = int(np.argwhere(far)[0][-1])
                raise ArithmeticError(
                    f"velocities of {self.titled(family.motors[k].tolist())} contradict each "
                    f"other: they miss what the mechanism can do by {left[..., k].max():.3g}"
                )
        return found

    def titled(self, motors: Sequence[int]) -> str:
        """Return motors in words, for messages."""
        names = ", ".join(repr(self.names[k]) for k in motors)
        return f"motor {names}" if len(motors) == 1 else f"motors {names}"


def _driven(joints: Mapping[str, JointView], name: str) -> JointView:
    view = find(joints, name, "joint", "or it is fixed and was welded away")
    if (view.nq, view.nv) != (1, 1):
        raise ValueError(
            f"joint {name!r} is {view.kind} and has {view.nq} positions and {view.nv} velocities: "
            "a motor has one of each"
        )
    return view


def listed(names: Sequence[str]) -> tuple[str, ...]:
    """Return names of motors as a tuple; raise unless they are a list of strings, each once."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise TypeError(f"motors is {names!r}, must be a list of names of joints")
    found = tuple(names)
    for k, name in enumerate(found):
        if not isinstance(name, str):
            raise TypeError(f"motors has {name!r}, must be a list of names of joints")
        if name in found[:k]:
            raise ValueError(f"motors has joint {name!r} twice")
    return found


def _velocities(value: ArrayLike, what: str, matrix: Array) -> Array:
    array, nv = reals(value, what), matrix.shape[-1]
    if array.shape[-1:] != (nv,):
        raise ValueError(f"{what} has shape {array.shape}, must be (…, {nv})")
    if not (np.abs(array) <= LARGEST).all():
        raise ValueError(f"{what} has entries that are not finite")
    return array


# From positions of motors to the configuration: Newton's method, cluster by cluster.
#
# The motors of a cluster stand at φ(q) and turn by M(q) v, so a step M δ = wanted − φ(q) on the
# manifold of configurations leads to where they are wanted. For gears and belts φ is linear, and
# one step is exact. For spindles, ankles and loops steps are short, are halved until they help, and
# do not pass a position where M is singular: what is found is on the branch of the start.


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
