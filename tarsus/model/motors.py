"""The motors of a model: where they are among all joints, and what they do to its coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus.arrays import Array
from tarsus.model.checks import LARGEST, find, reals
from tarsus.model.cluster_views import Cluster
from tarsus.model.description import Coupling
from tarsus.model.views import JointView

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
