"""What `Model.clusters` and `Model.constraints` hold: which joints move together, and how."""

from __future__ import annotations

from dataclasses import dataclass

from tarsus.model.description import WORLD
from tarsus.model.loops import n_rows
from tarsus.model.tree import Tree
from tarsus.model.views import JointView


@dataclass(frozen=True)
class Cluster:
    """The smallest group of bodies that move, relative to their parent, by own coordinates.

    `parent` is the body that carries the cluster, or the world. `kind` is "joint" for a single
    body on a single joint, else what couples its joints: "gear", "coupling", "loop" or several of
    them, as in "gear + loop". `independent` are the joints whose velocities, or some of them, are
    the coordinates v[..., v_slice]. `closure` tells how the others follow: "linear", the name of
    a closed form, "function", or "implicit" (loops that are closed by Newton's method).
    """

    index: int
    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    parent: str
    q_slice: slice
    v_slice: slice
    kind: str = "joint"
    independent: tuple[str, ...] = ()
    closure: str = ""


@dataclass(frozen=True)
class Constraint:
    """A loop that is in no cluster: forward dynamics finds its forces, `rows` of them.

    `bodies` are those with frame a and frame b, `reason` says why it is no part of a cluster.
    """

    name: str
    kind: str
    bodies: tuple[str, str]
    rows: int
    reason: str


def clusters(tree: Tree, joints: dict[str, JointView]) -> tuple[Cluster, ...]:
    """Return the clusters, each after that of its parent."""
    views, names = list(joints.values()), [body.name for body in tree.bodies]
    closures = _closures(tree)
    found = []
    for index, bodies in enumerate(tree.clusters):
        members = views[bodies.start : bodies.stop]
        first, last = members[0], members[-1]
        parent = tree.parents[bodies.start]
        kinds, forms = closures.get(index, ({"joint": None}, {}))
        found.append(
            Cluster(
                index=index,
                bodies=tuple(names[bodies.start : bodies.stop]),
                joints=tuple(member.name for member in members),
                parent=names[parent] if parent >= 0 else WORLD,
                q_slice=slice(first.q_slice.start, last.q_slice.stop),
                v_slice=slice(first.v_slice.start, last.v_slice.stop),
                kind=" + ".join(kinds),
                independent=tuple(member.name for member in members if member.own_velocities),
                closure=" + ".join(forms),
            )
        )
    return tuple(found)


def constraints(tree: Tree) -> tuple[Constraint, ...]:
    """Return the loops that are in no cluster."""
    return tuple(
        Constraint(loop.name, loop.kind, (loop.body_a, loop.body_b), n_rows(loop.kind), reason)
        for loop, reason in zip(tree.loops, tree.reasons, strict=True)
        if reason
    )


Words = dict[str, None]  # an ordered set


def _closures(tree: Tree) -> dict[int, tuple[Words, Words]]:
    """Return for each cluster with couplings or loops what couples it, and how."""
    cluster_of = {i: c for c, bodies in enumerate(tree.clusters) for i in bodies}
    found: dict[int, tuple[Words, Words]] = {}

    def note(body: int, kind: str, form: str) -> None:
        kinds, forms = found.setdefault(cluster_of[body], ({}, {}))
        kinds[kind] = forms[form] = None

    number, index = tree.joint_index, tree.index
    for coupling in tree.couplings:
        gear = coupling.kind == "linear" and coupling.motor
        note(number[coupling.followers[0]], "gear" if gear else "coupling", coupling.kind)
    for loop, reason in zip(tree.loops, tree.reasons, strict=True):
        if not reason:
            note(max(index[loop.body_a], index[loop.body_b]), "loop", "implicit")
    return found
