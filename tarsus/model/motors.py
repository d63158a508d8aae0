"""The motors of a model: where they are among all joints, and what they do to its coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.model.checks import find, reals
from tarsus.model.cluster_views import Cluster
from tarsus.model.description import Coupling
from tarsus.model.views import JointView

AGREED = 1e-9
"""How far motors that share coordinates may contradict each other, relative to what they do."""


def stated_motors(couplings: Sequence[Coupling], joints: Mapping[str, JointView]) -> list[str]:
    """Return the names of the joints that couplings state to be rotors, in the joints' order."""
    rotors = {name for coupling in couplings if coupling.motor for name in coupling.followers}
    return [name for name in joints if name in rotors]


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
        views = [_driven(joints, name) for name in _listed(names)]
        self.names = tuple(view.name for view in views)
        self.positions = np.array([view.position_slice.start for view in views], dtype=np.intp)
        self.velocities = np.array([view.velocity_slice.start for view in views], dtype=np.intp)
        number = {name: i for i, name in enumerate(self.names)}
        own = [([number[j] for j in c.joints if j in number], c) for c in clusters]
        self.groups = [(numbers, c.q_slice, c.v_slice) for numbers, c in own if numbers]

    def values(self, value: ArrayLike, what: str) -> Array:
        """Return finite numbers (…, motors) of all motors."""
        array, count = reals(value, what), len(self.names)
        if array.shape[-1:] != (count,):
            hint = "" if count else ": the model states no motors, name them with motors=[…]"
            raise ValueError(f"{what} has shape {array.shape}, must be (…, {count}){hint}")
        if not np.isfinite(array).all():
            raise ValueError(f"{what} has entries that are not finite")
        return array

    def torques(self, matrix: Array, tau: ArrayLike) -> Array:
        """Return torques (…, motors) with Mᵀ torques = tau, M (…, motors, nv), of least norm."""
        forces = _velocities(tau, "tau", matrix)
        lead = np.broadcast_shapes(matrix.shape[:-2], forces.shape[:-1])
        torques = np.zeros((*lead, len(self.names)))
        for motors, _, own in self.groups:
            inverse = np.linalg.pinv(np.swapaxes(matrix[..., motors, own], -1, -2))
            torques[..., motors] = (inverse @ forces[..., own, None])[..., 0]
        return torques

    def rates(self, matrix: Array, velocities: ArrayLike, v: ArrayLike | None) -> Array:
        """Return v (…, nv) with M v = velocities, nearest to the given v."""
        wanted = self.values(velocities, "velocities")
        given = np.zeros(matrix.shape[-1]) if v is None else _velocities(v, "v", matrix)
        lead = np.broadcast_shapes(matrix.shape[:-2], wanted.shape[:-1], given.shape[:-1])
        found = np.array(np.broadcast_to(given, (*lead, matrix.shape[-1])))
        for motors, _, own in self.groups:
            rows = matrix[..., motors, own]
            miss = wanted[..., motors] - (rows @ found[..., own, None])[..., 0]
            found[..., own] += (np.linalg.pinv(rows) @ miss[..., None])[..., 0]
            left = np.abs(wanted[..., motors] - (rows @ found[..., own, None])[..., 0])
            bound = AGREED * np.maximum(1.0, np.abs(wanted[..., motors]).max(axis=-1))
            if (left.max(axis=-1) > bound).any():
                raise ArithmeticError(
                    f"velocities of {self.titled(motors)} contradict each other: they miss "
                    f"what the mechanism can do by {left.max():.3g}"
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


def _listed(names: Sequence[str]) -> tuple[str, ...]:
    if isinstance(names, str):
        raise TypeError(f"motors is {names!r}, must be a list of names of joints")
    twice = [name for k, name in enumerate(names) if name in names[:k]]
    if twice:
        raise ValueError(f"motors has joint {twice[0]!r} twice")
    return tuple(names)


def _velocities(value: ArrayLike, what: str, matrix: Array) -> Array:
    array, nv = reals(value, what), matrix.shape[-1]
    if array.shape[-1:] != (nv,):
        raise ValueError(f"{what} has shape {array.shape}, must be (…, {nv})")
    if not np.isfinite(array).all():
        raise ValueError(f"{what} has entries that are not finite")
    return array
