"""The spanning tree of a mechanism, and the joints that are cut to obtain it."""

from __future__ import annotations

import dataclasses
import functools
import heapq
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tarsus._lib.checks import suggestion, unused
from tarsus._lib.errors import WORLD, ModelError
from tarsus._lib.files import Array
from tarsus.model.dependents import loop_gap
from tarsus.model.description import Description, Frame, Joint, Loop
from tarsus.model.loop_joints import LOST_DYNAMICS, LOST_LIMITS, TREE_KINDS, freedoms
from tarsus.model.loops import n_rows
from tarsus.model.model import Model

# Which loop joints of a kit become the joints of a tree, and which are cut.
#
# Loose bodies, those on free joints, are joined by loop joints into linkages. A linkage that is
# joined to the world hangs on it. Any other has a root, which stays free: near the centre of mass
# of the linkage, where the forces of its motion as a whole and those inside it disturb each other
# least (Schröder 1990, section 7.4), and in the middle of it, so that paths are short. From the
# root the shortest paths make the tree, welds first and then joints with few freedoms: loops that
# remain are small, and cut where they have the most freedom, which leaves the fewest equations.


PER_FREEDOM = 0.1
"""How much longer than its one step a path is for each freedom of a joint on it."""


@dataclass(frozen=True)
class Branch:
    """A loop joint that carries a loose body; `backwards` if that is its body a."""

    loop: Loop
    child: str
    backwards: bool


@dataclass(frozen=True)
class Forest:
    """Roots of linkages (the world for those that hang on it), and what carries the others."""

    roots: tuple[str, ...]
    branches: dict[str, Branch]


class Hangings:
    """On what the bodies of a kit hang: the loose body, or the world, at the root of each tree."""

    def __init__(self, stated: Description) -> None:
        self.stated = stated
        self._carried = {joint.child: joint for joint in stated.joints}
        self.root: dict[str, str] = {WORLD: WORLD}
        self.depth: dict[str, int] = {WORLD: 0}
        self.welded: dict[str, str] = {WORLD: WORLD}
        for body in stated.bodies:
            self._settle(body.name)
        self.loose = [name for name, root in self.root.items() if name == root != WORLD]

    def _settle(self, name: str) -> None:
        """Find root, depth and rigid carrier of a body and of what it hangs on."""
        path = [name]
        while path[-1] not in self.root and not self._is_loose(path[-1]):
            path.append(self._carried[path[-1]].parent)
        if path[-1] not in self.root:
            loose = path.pop()
            self.root[loose], self.depth[loose], self.welded[loose] = loose, 0, loose
        for body in reversed([other for other in path if other not in self.root]):
            joint = self._carried[body]
            fixed = joint.kind == "fixed"
            self.root[body] = self.root[joint.parent]
            self.depth[body] = self.depth[joint.parent] + (not fixed)
            self.welded[body] = self.welded[joint.parent] if fixed else body

    def _is_loose(self, body: str) -> bool:
        joint = self._carried[body]
        if joint.kind != "free" or has_forces(joint):
            return False
        parent = joint.parent
        while parent != WORLD and self._carried[parent].kind == "fixed":
            parent = self._carried[parent].parent
        return parent == WORLD

    def branches(self, cut: Iterable[str]) -> Iterator[tuple[str, Branch]]:
        """Yield loop joints that can carry a loose body, with the body that would carry it."""
        kept_out = set(cut)
        for loop in self.stated.loops:
            if loop.kind not in TREE_KINDS or loop.constraint or loop.name in kept_out:
                continue
            for on, child, backwards in (
                (loop.body_a, loop.body_b, False),
                (loop.body_b, loop.body_a, True),
            ):
                whole = self.welded[child]
                if whole in self.loose and self.root[on] != whole:
                    yield on, Branch(loop, whole, backwards)


def has_forces(joint: Joint) -> bool:
    """Whether the joint has forces or limits of its own, which a loop joint cannot have."""
    values = [getattr(joint, key) for key in LOST_DYNAMICS]
    limits = [getattr(joint, key) for key in LOST_LIMITS]
    found = any(value is not None and np.any(value) for value in values)
    return found or any(value is not None and np.isfinite(value).any() for value in limits)


def forest(
    hangings: Hangings,
    centres: Mapping[str, tuple[float, Array]],
    roots: Sequence[str],
    cut: Sequence[str],
) -> Forest:
    """Return the tree of every linkage.

    `centres` has mass [kg] and centre of mass (3,) in the world of everything that hangs on each
    loose body; `roots` are the loose bodies that the user wants as roots, `cut` loop joints that
    must not become joints of the tree.
    """
    edges: dict[str, list[tuple[str, Branch]]] = {}
    for on, branch in hangings.branches(cut):
        edges.setdefault(hangings.root[on], []).append((on, branch))
    found: dict[str, Branch] = {}
    chosen = []
    for linkage in _linkages(hangings, edges):
        root = _root(linkage, hangings, edges, centres, roots)
        chosen.append(root)
        branches = _paths(root, linkage, hangings, edges)[1]
        found |= branches
        # what joints reach only from the other side keeps its free joint
        chosen += [name for name in linkage if name not in branches and name != root]
    return Forest(tuple(dict.fromkeys(chosen)), found)


def _linkages(
    hangings: Hangings, edges: Mapping[str, list[tuple[str, Branch]]]
) -> list[tuple[str, ...]]:
    """Return the loose bodies of each linkage, in the order in which they were stated."""
    label = {name: k for k, name in enumerate(hangings.loose)}
    for root, branches in edges.items():
        for _, branch in branches:
            if root != WORLD:
                a, b = label[root], label[branch.child]
                label = {name: min(a, b) if k in (a, b) else k for name, k in label.items()}
    groups: dict[int, list[str]] = {}
    for name in hangings.loose:
        groups.setdefault(label[name], []).append(name)
    return [tuple(group) for group in groups.values()]


def _root(
    linkage: tuple[str, ...],
    hangings: Hangings,
    edges: Mapping[str, list[tuple[str, Branch]]],
    centres: Mapping[str, tuple[float, Array]],
    roots: Sequence[str],
) -> str:
    """Return the root of a linkage: what was asked for, the world, or the best of its bodies."""
    asked = [name for name in roots if name in linkage]
    if len(asked) > 1:
        raise ModelError(f"root: {', '.join(asked)} are in one linkage, which has one root")
    if asked:
        return asked[0]
    if any(branch.child in linkage for _, branch in edges.get(WORLD, ())):
        return WORLD
    masses = np.array([centres[name][0] for name in linkage])
    places = np.array([centres[name][1] for name in linkage])
    centre = masses @ places / masses.sum() if masses.any() else places.mean(axis=0)
    away = np.linalg.norm(places - centre, axis=-1)
    spread = float(np.sqrt((away**2).mean())) or 1.0

    def cost(k: int) -> tuple[int, float]:
        """How many bodies are out of reach; how far the root is off, and how long the paths are."""
        lengths, reached = _paths(linkage[k], linkage, hangings, edges)
        longest = max(lengths.values(), default=0.0)
        return -len(reached), away[k] / spread + longest / len(linkage)

    return linkage[min(range(len(linkage)), key=cost)]


def _paths(
    root: str,
    linkage: Sequence[str],
    hangings: Hangings,
    edges: Mapping[str, list[tuple[str, Branch]]],
) -> tuple[dict[str, float], dict[str, Branch]]:
    """Return the lengths of the shortest paths from the root, and what carries each body."""
    count = itertools.count()
    heap: list[tuple[float, int, str, Branch | None]] = [(0.0, next(count), root, None)]
    lengths: dict[str, float] = {}
    carried: dict[str, Branch] = {}
    while heap:
        length, _, name, by = heapq.heappop(heap)
        if name in lengths:
            continue
        lengths[name] = length
        if by is not None:
            carried[name] = by
        for on, branch in edges.get(name, ()):
            if branch.child in linkage and branch.child not in lengths:
                free = freedoms(branch.loop.kind)
                step = (free > 0) + PER_FREEDOM * free
                further = length + hangings.depth[on] + step
                heapq.heappush(heap, (further, next(count), branch.child, branch))
    return lengths, carried


def checked_roots(root: str | Sequence[str] | None, hangings: Hangings) -> tuple[str, ...]:
    """Return the loose bodies that `root` names."""
    names = () if root is None else (root,) if isinstance(root, str) else tuple(root)
    for name in names:
        if name not in hangings.loose:
            hint = suggestion(name, hangings.loose)
            raise ModelError(f"root: {name!r} is no body on a free joint{hint}")
    return names


def checked_cut(cut: Sequence[str], stated: Description) -> tuple[str, ...]:
    """Return the loops that `cut` names."""
    names = (cut,) if isinstance(cut, str) else tuple(cut)
    valid = [loop.name for loop in stated.loops]
    for name in names:
        if name not in valid:
            raise ModelError(f"cut: there is no loop {name!r}{suggestion(name, valid)}")
    return names


# A model with its loops open: a tree, and the rows that close it.
#
# The rows are those of the loops, whether a cluster or a constraint has them in the model, so that
# all of them can be looked at, and closed, in one way.


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
