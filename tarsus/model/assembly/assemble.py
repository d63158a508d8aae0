"""`ts.assemble`: a model of free bodies becomes a tree of clusters, with a report."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import checked_state, expect, unused
from tarsus._lib.errors import WORLD, ModelError
from tarsus._lib.files import Array
from tarsus.model.assembly.close_loops import Snapped, snap
from tarsus.model.assembly.spanning_tree import (
    Branch,
    Forest,
    Hangings,
    Opened,
    checked_cut,
    checked_roots,
    forest,
    opened,
)
from tarsus.model.assembly.state_transfer import carry
from tarsus.model.dependents import EXACT
from tarsus.model.description import Body, Description, Joint
from tarsus.model.diagnosis import Diagnosis, diagnose
from tarsus.model.loop_joints import TREE_KINDS, seat
from tarsus.model.loops import without_missing
from tarsus.model.model import Model
from tarsus.model.name_references import consistent
from tarsus.spatial import inverse

# `tarsus.assemble`: from loose bodies and loop joints to the fast tree of clusters.
#
# A kit states bodies on free joints and loop joints between them: easy to say, and dear, with six
# velocities for each body and an equation for everything that they cannot do. The same mechanism as
# a tree has only the velocities that its joints have.


WIGGLE, WIGGLES = 0.5, 3
"""Random steps [rad, m] of the joints of a tree, and how many, to see which loops they open."""


def assemble(
    model: Model,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    *,
    root: str | Sequence[str] | None = None,
    cut: Sequence[str] = (),
) -> Assembled:
    """Return the kit `model` as a tree of clusters, with states both ways and a report.

    Loop joints of the kinds weld, revolute, prismatic, universal, cylindrical, spherical and planar
    become joints of the tree, as many as it needs; the others are cut, and stay loops. q (nq,) says
    how the parts are put together, by default as in `model.neutral()`; it is `snap`ped first, and
    is where the new joints are at zero. `root` names the bodies that linkages hang on, one for
    each; by default the world where a linkage is joined to it, else a body near the linkage's
    centre of mass. `cut` names loops that are not to become joints of the tree.
    """
    expect(model, Model, "model")
    q, v = checked_state(model, model.neutral() if q is None else q, v)
    if q.ndim != 1:
        raise ValueError(f"q has shape {q.shape}, must be {(model.nq,)}: how the parts meet")
    snapped = snap(model, q, v)
    stated = model.description
    hangings = Hangings(stated)
    roots, cuts = checked_roots(root, hangings), checked_cut(cut, stated)
    found = forest(hangings, _centres(model, hangings, snapped.q), roots, cuts)
    names = {branch.loop.name for branch in found.branches.values()}
    tree, reason = _built(without_implied(_hung(model, found, snapped.q)), model.strict)
    state = carry(model, tree, snapped.q, snapped.v)
    left = names | {loop.name for loop in tree.description.loops}
    return Assembled(
        model=tree,
        kit=model,
        q=state.q,
        v=state.v,
        snapped=snapped,
        roots=found.roots,
        joints=tuple(loop.name for loop in stated.loops if loop.name in names),
        cuts=cuts_of(tree, state.q, reason),
        implied=tuple(loop.name for loop in stated.loops if loop.name not in left),
        diagnosis=_rows(model, snapped.q)[0],
    )


def _centres(model: Model, hangings: Hangings, q: Array) -> dict[str, tuple[float, Array]]:
    """Return mass and centre of mass of everything that hangs on each loose body."""
    mass = dict.fromkeys(hangings.loose, 0.0)
    first = {name: np.zeros(3) for name in hangings.loose}
    for body in hangings.stated.bodies:
        name = hangings.root[body.name]
        if name != WORLD:
            at = model.frame_pose(q, body.name)
            mass[name] += body.mass
            first[name] = first[name] + body.mass * (at[:3, :3] @ body.com + at[:3, 3])
    origins = {name: model.frame_pose(q, name)[:3, 3] for name in hangings.loose}
    return {
        name: (mass[name], first[name] / mass[name] if mass[name] > 0.0 else origins[name])
        for name in hangings.loose
    }


def _hung(model: Model, found: Forest, q: Array) -> Description:
    """Return the description in which loop joints carry the bodies that hung on free joints."""
    stated = model.description
    taken_bodies = {body.name for body in stated.bodies} | {f.name for f in stated.frames}
    free = {j.child: j.name for j in stated.joints if j.child in found.branches}
    taken = {joint.name for joint in stated.joints} - set(free.values())
    joints: list[Joint] = []
    bodies = list(stated.bodies)
    for joint in stated.joints:
        if joint.child not in found.branches:
            joints.append(joint)
            continue
        branch = found.branches[joint.child]
        carried = _carried(model, branch, q, unused(branch.loop.name, taken))
        if len(carried) == 2:
            under = unused(f"{joint.child}.{branch.loop.name}", taken_bodies)
            fixed = unused(f"{joint.child}_fixed", taken)
            carried = [
                dataclasses.replace(carried[0], child=under),
                dataclasses.replace(carried[1], name=fixed, parent=under),
            ]
            bodies.append(Body(under, source=branch.loop.source))
        joints += carried
    used = {branch.loop.name for branch in found.branches.values()}
    here, whole = {joint.name for joint in joints}, _carriers(joints)
    loops = [
        without_missing(loop, here)
        for loop in stated.loops
        if loop.name not in used and whole(loop.body_a) != whole(loop.body_b)
    ]
    return consistent(dataclasses.replace(stated, bodies=bodies, joints=joints, loops=loops))


def _carriers(joints: Sequence[Joint]) -> Callable[[str], str]:
    """Return a function from a body to the one that it is welded to."""
    fixed = {joint.child: joint.parent for joint in joints if joint.kind == "fixed"}

    def whole(body: str) -> str:
        while body in fixed:
            body = fixed[body]
        return body

    return whole


def _carried(model: Model, branch: Branch, q: Array, name: str) -> list[Joint]:
    """Return the joint that carries a loose body, and the fixed one between, if it needs one."""
    loop, child = branch.loop, branch.child
    on, under = loop.body_a, loop.body_b
    a, b = (model.frame_pose(q, body) if body != WORLD else np.eye(4) for body in (on, under))
    relative = inverse(a @ loop.placement_a) @ b @ loop.placement_b
    if branch.backwards:
        on, under = under, on
    # the loop may be on a body that is welded to the loose one
    placed = model.frame(under).placement
    if branch.backwards:
        loop = dataclasses.replace(loop, placement_a=placed @ loop.placement_a)
    else:
        loop = dataclasses.replace(loop, placement_b=placed @ loop.placement_b)
    place = seat(loop, relative, backwards=branch.backwards)
    joint = Joint(
        name,
        TREE_KINDS[loop.kind],
        on,
        child,
        place.placement,
        place.axis,
        place.second_axis,
        source=loop.source,
    )
    if place.offset is None:
        return [joint]
    return [joint, Joint("", "fixed", "", child, place.offset, source=loop.source)]


def without_implied(stated: Description) -> Description:
    """Return the description without loops that stay closed however the joints of the tree move.

    A ball on the axis of a hinge is one: it says nothing, by rows that are rounding only.
    """
    outside = Model(_as_constraints(stated), strict=False)
    parts = Opened(outside)
    steps = WIGGLE * np.random.default_rng(0).normal(size=(WIGGLES, parts.nv))
    start = parts.open_state(outside.neutral())[0]
    gaps = [parts.gaps(parts.integrate(start, step))[0] for step in steps]
    widest = np.abs(gaps).max(axis=0, initial=0.0)
    moves = {name for name, gap in zip(parts.names, widest, strict=True) if gap > EXACT}
    moves |= {loop.name for loop in stated.loops if loop.kind == "knife_edge"}
    loops = [loop for loop in stated.loops if loop.name in moves]
    return dataclasses.replace(stated, loops=loops)


def _as_constraints(stated: Description) -> Description:
    """Return the description with all loops out of clusters."""
    loops = [dataclasses.replace(x, constraint=True, independent=None) for x in stated.loops]
    return dataclasses.replace(stated, loops=loops)


def _built(stated: Description, strict: bool) -> tuple[Model, str]:
    """Return the model, and why its loops are in no cluster if they could not be.

    Put together in a singular position, as links in line are, loops have no choice of coordinates
    that is good there: then they are constraints, which need none.
    """
    try:
        return Model(stated, strict=strict), ""
    except ModelError as error:
        if not stated.loops:
            raise
        return Model(_as_constraints(stated), strict=strict), str(error)


def cuts_of(model: Model, q: Array, reason: str = "") -> tuple[Cut, ...]:
    """Return the loops of a tree at q (nq,), with how many velocities each takes away.

    `reason` says why those that are constraints are, if it is known better than the model does.
    """
    if not model.description.loops:
        return ()
    _, rows, inertia, names = _rows(model, q)
    outside = {c.name: reason or c.reason for c in model.constraints}
    found, before = [], 0
    for loop in model.description.loops:
        own = [k for k, name in enumerate(names) if name == loop.name]
        so_far = [k for k in range(len(names)) if k <= max(own, default=-1)]
        rank = _rank(rows[so_far], inertia)
        found.append(Cut(loop.name, loop.kind, len(own), rank - before, outside.get(loop.name, "")))
        before = rank
    return tuple(found)


def _rows(model: Model, q: Array) -> tuple[Diagnosis, Array, Array, tuple[str, ...]]:
    """Return what the rows of a model's loops are like at q; the rows, mass matrix and names."""
    parts = opened(model)
    x = parts.open_state(q)[0]
    gap, rows = parts.gaps(x)
    inertia = np.asarray(parts.tree.mass_matrix(x))
    return diagnose(rows, inertia, -gap, parts.names), rows, inertia, parts.names


def _rank(rows: Array, inertia: Array) -> int:
    return diagnose(rows, inertia, np.zeros(len(rows)), [""] * len(rows)).rank


# What `tarsus.assemble` and `tarsus.take_apart` return: a kit and a tree, and states of both.


@dataclass(frozen=True)
class Cut:
    """A loop of the tree: how many equations it has, and how many velocities they take away.

    `reason` says why it is a constraint, and is empty if a cluster has it.
    """

    name: str
    kind: str
    rows: int
    rank: int
    reason: str

    def __str__(self) -> str:
        repeated = f", {self.rows - self.rank} repeat others" if self.rank < self.rows else ""
        kept = f"a constraint: {self.reason}" if self.reason else "in a cluster"
        rank = f"takes away {self.rank} of the velocities by {self.rows} rows"
        return f"{self.name} ({self.kind}): {rank}{repeated}; {kept}"


@dataclass(frozen=True, eq=False)
class Assembled:
    """A kit as a tree: `model` is the tree, `q` and `v` its state as the parts were put together.

    `roots` are the bodies (or the world) on which the linkages hang, `joints` the loop joints that
    have become joints of the tree, `cuts` those that stay loops, `implied` those that the joints
    of the tree keep closed, so that nothing is left to them. `diagnosis` tells the rank of the
    kit's equations and which repeat others, `snapped` how the parts came together.
    """

    model: Model
    kit: Model
    q: Array
    v: Array
    snapped: Snapped
    roots: tuple[str, ...]
    joints: tuple[str, ...]
    cuts: tuple[Cut, ...]
    implied: tuple[str, ...]
    diagnosis: Diagnosis

    @property
    def freedoms(self) -> int:
        """How many velocities the mechanism has, as it was put together."""
        return self.kit_velocities - self.diagnosis.rank

    @property
    def kit_velocities(self) -> int:
        """How many velocities the kit has with all loops open."""
        return len(self.diagnosis.step)

    def to_tree(self, q: ArrayLike, v: ArrayLike | None = None) -> tuple[Array, Array]:
        """Return a state q (…, nq), v (…, nv) of the kit as one of the tree."""
        found = carry(self.kit, self.model, q, v)
        return found.q, found.v

    def to_kit(self, q: ArrayLike, v: ArrayLike | None = None) -> tuple[Array, Array]:
        """Return a state q (…, nq), v (…, nv) of the tree as one of the kit."""
        found = carry(self.model, self.kit, q, v)
        return found.q, found.v

    def __str__(self) -> str:
        free = [name for name in self.roots if name != WORLD]
        hung = [WORLD] if WORLD in self.roots else []
        lines = [
            f"{self.model.name}: nv = {self.model.nv}, as a kit {self.kit_velocities}",
            f"degrees of freedom: {self.freedoms}",
            f"roots: {', '.join([*hung, *free]) or 'none'}",
            f"joints of the tree: {', '.join(self.joints) or 'none'}",
            *(f"cut: {cut}" for cut in self.cuts),
            *(f"left out: {name}, the joints of the tree keep it closed" for name in self.implied),
            *(f"redundant in the kit: {group}" for group in self.diagnosis.redundant),
            str(self.snapped).splitlines()[0],
        ]
        return "\n".join(lines)
