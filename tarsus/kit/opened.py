"""A model with its loops open: a tree, and the rows that close it.

The rows are those of the loops, whether a cluster or a constraint has them in the model, so that
all of them can be looked at, and closed, in one way.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence

import numpy as np

from tarsus.arrays import Array
from tarsus.model import Frame, Model
from tarsus.model.checks import unused
from tarsus.model.description import Description
from tarsus.model.loops import n_rows
from tarsus.model.open_loops import loop_gap

Index = Sequence[int]

REMEMBERED = 8
"""Models of which opened ones are kept: states come one after the other."""


class Opened:
    """A model without its loops (`tree`), and the rows that close them, with whose they are.

    `holonomic` (rows,) tells which rows restrict positions; a knife edge has none of these.
    """

    def __init__(self, model: Model) -> None:
        stated = model.description
        self.model = model
        self.loops = stated.loops
        taken = {*model.frame_names, "world"}
        self._ends = [
            (unused(f"{loop.name}.a", taken), unused(f"{loop.name}.b", taken))
            for loop in self.loops
        ]
        frames = list(stated.frames)
        for loop, (a, b) in zip(self.loops, self._ends, strict=True):
            frames += [Frame(a, loop.body_a, loop.placement_a)]
            frames += [Frame(b, loop.body_b, loop.placement_b)]
        self.tree = _model(dataclasses.replace(stated, loops=[], frames=frames, forces=[]))
        self._kept = [
            [row for row in range(n_rows(loop.kind)) if row not in self._left_out(loop.name)]
            for loop in self.loops
        ]
        pairs = list(zip(self.loops, self._kept, strict=True))
        self.names = tuple(loop.name for loop, kept in pairs for _ in kept)
        holonomic = [loop.kind != "knife_edge" for loop, kept in pairs for _ in kept]
        self.holonomic = np.array(holonomic, dtype=bool)

    @property
    def nv(self) -> int:
        """Number of velocities of the tree."""
        return self.tree.nv

    def gaps(self, q: Array) -> tuple[Array, Array]:
        """Return what vanishes where the loops are closed, (rows,), and its Jacobian (rows, nv)."""
        parts = [
            loop_gap(self.tree, loop, ends, q)
            for loop, ends in zip(self.loops, self._ends, strict=True)
        ]
        values = [gap[kept] for (gap, _), kept in zip(parts, self._kept, strict=True)]
        jacobians = [rows[kept] for (_, rows), kept in zip(parts, self._kept, strict=True)]
        empty = np.zeros((0, self.nv))
        return np.concatenate([np.zeros(0), *values]), np.concatenate([empty, *jacobians])

    def integrate(self, q: Array, step: Array) -> Array:
        """Return the configuration of the tree after a step of all its joints."""
        return np.asarray(self.tree.integrate(q, step))

    def open_state(self, q: Array, v: Array | None = None) -> tuple[Array, Array | None]:
        """Return the tree's coordinates (…, nq) and velocities (…, nv) in a state of the model."""
        if v is None:
            return q[..., self._positions], None
        w = self.model.joint_velocities(q, v)
        return q[..., self._positions], w[..., self._velocities]

    def closed_state(self, x: Array, w: Array) -> tuple[Array, Array]:
        """Return the model's q and v from coordinates and velocities of the tree."""
        q = np.empty((*x.shape[:-1], self.model.nq))
        q[..., self._positions] = x
        return q, w[..., self._own]

    def _left_out(self, name: str) -> Sequence[int]:
        return self.model._left_out.get(name, ())

    @functools.cached_property
    def _positions(self) -> Index:
        """Where in the model's q the tree's coordinates are."""
        own = [self.model.joint(joint.name) for joint in self.tree.joints]
        slices = [joint.q_slice for joint in own if joint.dependent != "coupling"]
        return [k for part in slices for k in range(part.start, part.stop)]

    @functools.cached_property
    def _velocities(self) -> Index:
        """Where in the model's joint velocities those of the tree are."""
        own = [self.model.joint(joint.name) for joint in self.tree.joints]
        slices = [joint.velocity_slice for joint in own if joint.dependent != "coupling"]
        return [k for part in slices for k in range(part.start, part.stop)]

    @functools.cached_property
    def _own(self) -> Index:
        """Where in the tree's velocities those of the model are."""
        found = []
        for joint in self.model.joints:
            start = self.tree.joint(joint.name).v_slice.start
            found += [start + k for k in joint.own_velocities]
        return found


@functools.lru_cache(maxsize=REMEMBERED)
def opened(model: Model) -> Opened:
    """Return the model with its loops open; the last ones are remembered."""
    return Opened(model)


@functools.lru_cache(maxsize=REMEMBERED)
def spanning(model: Model) -> Model:
    """Return the model without loops and couplings: every joint has its own coordinates."""
    return _model(dataclasses.replace(model.description, loops=[], couplings=[], forces=[]))


def _model(description: Description) -> Model:
    """Return a model of what was part of one already, whose inertias were accepted."""
    return Model(description, strict=False)
