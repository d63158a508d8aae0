"""A configuration in which all loops are closed, and clusters that match as left and right."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from tarsus._lib.checks import read_only
from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.model.compile import user_positions, zero_configuration
from tarsus.model.dependents import (
    EXACT,
    SINGULAR,
    OpenLoops,
    clearness,
    close,
    dependents,
    fingerprint,
    is_singular,
    left_out,
)
from tarsus.model.description import KINDS, Coupling, Loop
from tarsus.model.diagnosis import FAINT, diagnose
from tarsus.model.tree import DEPENDENT, FOLLOWER, INDEPENDENT, Tree

# Closing the loops of a model: a start configuration, and which joints depend on the others.
#
# The loops of a cluster are cut open, which leaves a tree. Its independent joints stay where they
# are while the others close the loops by Newton's method; if that fails, all joints move. Clusters
# that are images of each other get the same choice. Loops that are constraints are closed last, by
# all joints.


CLOSED = 1e-5
"""Gap [m or 1] up to which a loop counts as closed, as numbers in files are rounded."""
DISTURBANCES = (0.0, 0.1, 0.3, 1.0, 2.0)
"""Sizes [rad or m] of random steps away from a start from which loops do not close."""


@dataclass(frozen=True)
class Closure:
    """What closes the loops of a cluster.

    The velocities that depend, numbered in the cluster; the rows of each loop that are left out,
    and how far they are off; the start configuration of the cluster.
    """

    dependent: list[int]
    left_out: list[list[int]]
    misses: float
    start: Array


def closed(tree: Tree) -> Tree:
    """Return the tree with roles for the joints on loops and a start configuration."""
    roles, where = list(tree.roles), user_positions(tree)
    q, warnings = _stated_start(tree, where), list(tree.warnings)
    known: dict[Hashable, Chosen] = {}  # many robots have equal legs
    found: dict[int, Chosen] = {}
    dropped: dict[str, list[int]] = {}
    with_loops = _with_loops(tree)
    for cluster, (couplings, loops) in with_loops.items():
        bodies = tree.clusters[cluster]
        start = q[_coordinates(tree, bodies, where)]
        same = (fingerprint(tree, bodies, couplings, loops), start.tobytes())
        if same not in known:
            known[same] = _chosen(OpenLoops(tree, [bodies], couplings, loops), start)
        found[cluster] = known[same]
    agree(list(known.values()))
    closures = {id(each): _closure(each) for each in known.values()}
    for cluster, (_, loops) in with_loops.items():
        bodies, closure = tree.clusters[cluster], closures[id(found[cluster])]
        q[_coordinates(tree, bodies, where)] = closure.start
        _mark(roles, bodies, closure.dependent)
        dropped |= {loop.name: rows for loop, rows in zip(loops, closure.left_out, strict=True)}
        warnings += _warnings(loops, closure, {role for i in bodies for role in roles[i]})
    q = _closed_constraints(tree, q, dropped)
    return dataclasses.replace(
        tree, roles=roles, neutral=read_only(q), warnings=warnings, left_out=dropped
    )


def _chosen(part: OpenLoops, q: Array) -> Chosen:
    """Return where the loops of a cluster are closed, near `q`, and what depends there."""
    start = _closed_part(part, q)
    return Chosen(part, start, dependents(part, start))


def _closure(cluster: Chosen) -> Closure:
    """Return what closes the loops of a cluster."""
    part, start, chosen = cluster.part, cluster.start, cluster.dependent
    repeated = left_out(part, start, chosen)
    if not any(repeated):
        return Closure(chosen, repeated, 0.0, start)
    part.left_out = repeated
    start, _ = close(part, start, chosen)  # exactly, without what contradicts
    part.left_out = [[] for _ in repeated]
    return Closure(chosen, repeated, part.widest(start)[1], start)


def _warnings(loops: list[Loop], closure: Closure, roles: set[int]) -> list[str]:
    """Return what a user should know about the loops of a cluster, with these roles of joints."""
    warnings = [
        f"loop {loop.name!r}: {len(rows)} of its equations repeat others but for rounded numbers, "
        f"up to {closure.misses:.1e} at the start, and are left out; loop_gaps tells how far they "
        "are off"
        for loop, rows in zip(loops, closure.left_out, strict=True)
        if rows
    ]
    if INDEPENDENT not in roles:
        names = ", ".join(loop.name for loop in loops)
        warnings.append(f"the joints of loop {names} cannot move: no velocity stays free")
    return warnings


def _closed_constraints(tree: Tree, q: Array, dropped: dict[str, list[int]]) -> Array:
    """Return a configuration in which also the loops that are constraints are closed."""
    holonomic = [loop for loop in tree.loops if loop.kind != "knife_edge"]
    if len(holonomic) == tree.reasons.count(""):
        return q
    whole = OpenLoops(tree, tree.clusters, tree.couplings, holonomic)
    whole.left_out = [dropped.get(loop.name, []) for loop in holonomic]
    return q if whole.widest(q)[1] <= EXACT else _closed_by_all(whole, q)


def _coordinates(tree: Tree, bodies: range, where: dict[str, int]) -> slice:
    """Return where in q the coordinates of a cluster are."""
    own = [joint for joint in tree.joints[bodies.start : bodies.stop] if joint.name in where]
    return slice(where[own[0].name], where[own[-1].name] + KINDS[own[-1].kind][0])


def _mark(roles: list[tuple[int, ...]], bodies: range, depend: list[int]) -> None:
    """Mark velocities of a cluster, numbered without those that follow, as dependent."""
    v = 0
    for i in bodies:
        if FOLLOWER not in roles[i]:
            numbered = enumerate(roles[i], v)
            roles[i] = tuple(DEPENDENT if k in depend else role for k, role in numbered)
            v += len(roles[i])


def _with_loops(tree: Tree) -> dict[int, tuple[list[Coupling], list[Loop]]]:
    """Return the couplings and loops of each cluster that has loops."""
    cluster_of = {i: c for c, bodies in enumerate(tree.clusters) for i in bodies}
    index, number = tree.index, tree.joint_index
    found: dict[int, tuple[list[Coupling], list[Loop]]] = {}
    for loop, reason in zip(tree.loops, tree.reasons, strict=True):
        if not reason:
            # the later body cannot be an ancestor of the other, so it is inside the cluster
            inside = max(index[loop.body_a], index[loop.body_b])
            found.setdefault(cluster_of[inside], ([], []))[1].append(loop)
    for coupling in tree.couplings:
        cluster = cluster_of[number[coupling.followers[0]]]
        if cluster not in found:
            continue
        found[cluster][0].append(coupling)
        if coupling.kind == "function":
            raise ModelError(
                f"coupling {coupling.name!r}: joints that follow by a function of your own cannot "
                f"be in one cluster with loop {found[cluster][1][0].name!r}; state the loop with "
                "constraint=True",
                coupling.source,
            )
    return found


def _stated_start(tree: Tree, where: dict[str, int]) -> Array:
    """Return zeros and identity quaternions, but for what the loops state as their start."""
    q = zero_configuration(tree)
    stated: dict[str, tuple[float, str]] = {}
    for loop in tree.loops:
        for name, value in loop.start.items():
            what = f"loop {loop.name!r}: start of joint {name!r}"
            if name not in where:
                raise ModelError(f"{what}: it follows other joints", loop.source)
            other, by = stated.setdefault(name, (value, loop.name))
            if other != value:
                raise ModelError(f"{what} is {value}, but {other} for loop {by!r}", loop.source)
            q[where[name]] = value
    return q


def _closed_part(part: OpenLoops, q: Array) -> Array:
    """Return a configuration with closed loops; independent joints stay at `q` if that can be."""
    result = _closed_by_guess(part, q)
    if result is None:
        result = _closed_by_all(part, q)
    if is_singular(part, result):
        raise ModelError(
            f"{part.title}: the start configuration is singular, branches of the motion meet "
            "there; give positions of joints away from it as `start`",
            part.loops[0].source,
        )
    return result


def _closed_by_guess(part: OpenLoops, q: Array) -> Array | None:
    """Return a configuration in which dependent joints close the loops, or None.

    Which joints depend is known only where loops are closed; the choice near the start is a
    good guess. At the start itself links may be in line, where Newton's method cannot begin.
    """
    rng = np.random.default_rng(0)
    for size in DISTURBANCES:
        step = size * rng.normal(size=part.nv)
        try:
            guess = dependents(part, part.integrate(q, step))
        except ModelError:
            continue
        step[[column for column in range(part.nv) if column not in guess]] = 0.0
        result, gap = close(part, part.integrate(q, step), guess)
        if gap <= CLOSED:
            return result
    return None


def _closed_by_all(part: OpenLoops, q: Array) -> Array:
    """Return a configuration with closed loops; every joint may move."""
    rng = np.random.default_rng(0)
    columns = list(range(part.nv))
    best = (np.inf, q)
    for size in DISTURBANCES:
        start = part.integrate(q, size * rng.normal(size=part.nv))
        result, gap = close(part, start, columns)
        if gap <= CLOSED:
            return result
        best = min(best, (gap, result), key=lambda pair: pair[0])
    loop, gap = part.widest(best[1])
    others = [repr(name) for name in _contradictions(part, best[1]) if name != loop.name]
    against = f" against {', '.join(others)}" if others else ""
    raise ModelError(
        f"loop {loop.name!r} cannot be closed{against}: a gap of {gap:.3g} is left (m, or between "
        "axes); check its frames, or give joint positions near the closed loop as `start`",
        loop.source,
    )


def _contradictions(part: OpenLoops, q: Array) -> list[str]:
    """Return the loops that contradict each other near `q`, where their gaps are smallest."""
    gaps, jacobian = part.gaps(q)
    names = [loop.name for k, loop in enumerate(part.loops) for _ in range(part.n_rows(k))]
    found = diagnose(jacobian, np.eye(part.nv), -gaps, names, cut=FAINT)
    return list(dict.fromkeys(name for group in found.conflicts for name in group.names))


# Clusters that are twins: images or copies of one another, whose loops get the same dependents.
#
# Left and right legs in a file differ by rounding. Where two choices of the joints that depend are
# about as good, as in a parallelogram that is nearly flat, rounding would decide for one on the
# left and for another on the right, and no state of one leg would be the image of a state of the
# other.


ALIKE = 0.03
"""How much joints of twins may move their gaps differently, as a part of the longest movement."""


@dataclass
class Chosen:
    """A cluster with its loops closed at `start`, and which of its velocities depend."""

    part: OpenLoops
    start: Array
    dependent: list[int]


def agree(clusters: Sequence[Chosen]) -> None:
    """Give twins the same dependents: of their choices the one that is clearest for all of them."""
    rest = list(clusters)
    while rest:
        first = rest[0]
        twins = [each for each in rest if each is first or _are_twins(first, each)]
        rest = [each for each in rest if each not in twins]
        choices = {tuple(sorted(each.dependent)): each.dependent for each in twins}
        if len(choices) > 1:
            _share(twins, list(choices.values()))


def _share(twins: Sequence[Chosen], choices: Sequence[list[int]]) -> None:
    """Set the choice whose least clearness over all twins is largest, if it is one for all."""
    least = [min(clearness(each.part, each.start, choice) for each in twins) for choice in choices]
    best = int(np.argmax(least))
    if least[best] > SINGULAR:
        for each in twins:
            each.dependent = choices[best]


def _are_twins(one: Chosen, other: Chosen) -> bool:
    """Return whether clusters have the same joints and loops, which move gaps as much."""
    if _structure(one.part) != _structure(other.part):
        return False
    moves, others = (_movements(each) for each in (one, other))
    return bool(np.abs(moves - others).max() <= ALIKE * moves.max())


def _structure(part: OpenLoops) -> Hashable:
    """Return what is joined to what by which kinds, without lengths."""
    number = {joint.name: i for i, joint in enumerate(part.tree.joints)}
    return (
        tuple(joint.kind for joint in part.tree.joints),
        tuple(part.tree.parents),
        tuple(
            (c.kind, tuple(map(number.get, c.leaders)), tuple(map(number.get, c.followers)))
            for c in part.tree.couplings
        ),
        tuple(
            (
                *(loop.kind, part.tree.index.get(loop.body_a), part.tree.index.get(loop.body_b)),
                None if loop.independent is None else tuple(map(number.get, loop.independent)),
            )
            for loop in part.loops
        ),
    )


def _movements(chosen: Chosen) -> Array:
    """Return how much each joint moves the gaps (joints,) [m/rad, 1]: images move them as much."""
    jacobian = chosen.part.gaps(chosen.start)[1]
    blocks = chosen.part.blocks.values()
    return np.array([np.linalg.norm(jacobian[:, block]) for block in blocks])
