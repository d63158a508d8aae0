"""Dependent joints of loops, and the system of loops that are still open."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Hashable, Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tarsus import _core
from tarsus._lib.checks import suggestion
from tarsus._lib.errors import WORLD, ModelError
from tarsus._lib.files import Array
from tarsus.model.compile import core_arguments, zero_configuration
from tarsus.model.couplings import core_numbers
from tarsus.model.description import Coupling, Frame, Joint, Loop
from tarsus.model.loops import n_rows, rows
from tarsus.model.tree import FOLLOWER, Tree
from tarsus.spatial import pose

# Which joints of closed loops depend on the others.
#
# Where loops are closed, the rank of their Jacobian is the number of velocities that they take
# away, also if their equations are redundant, as those of a planar four-bar in space are.
# Velocities are made dependent, those of joints nearest to the cut first, as long as their columns
# clearly add to the rank. Of a joint with several, some may stay: the spin of a rod between two
# balls.


SINGULAR = 1e-4
"""Singular values below this, of a Jacobian with unit columns, count as zero.

Axes that a file means to be parallel differ by rounding, and would lock the loop."""
CLEAR, FAINT = (0.3, 0.1, 0.03), (1e-3, SINGULAR)
"""How much a column must add to those that were chosen, relative to its length and, if it is to
be clear, to that of the longest column: at first, and at last."""
NOTHING = 1e-9
"""Relative length of a column that is zero but for rounding."""
MOTIONLESS = 1e-5
"""Derivatives of gaps [m/rad, 1] below this mean that no joint moves a loop."""
SMALL_STEP = 0.02
"""Length of a step [rad or m] away from a configuration that may be singular."""


def dependents(part: OpenLoops, q: Array) -> list[int]:
    """Return the velocity coordinates that depend on the others, for closed loops at `q`."""
    jacobian = part.gaps(q)[1]
    rank = _rank(_with_unit_columns(jacobian)[0])
    if np.abs(jacobian).max(initial=0.0) < MOTIONLESS:
        raise ModelError(
            f"{part.title}: no joint moves it at its start configuration, which is singular; "
            "give another `start`",
            part.loops[0].source,
        )
    named = _named(part)
    chosen = _chosen(jacobian, part, [i for i in _from_the_cut(part) if i not in named], rank)
    if len(chosen) < rank:
        stay = ", ".join(part.tree.joints[i].name for i in named) or "none was stated"
        raise ModelError(
            f"{part.title}: only {len(chosen)} of {rank} velocities that depend on others are of "
            f"joints that may; state other joints as independent (stated: {stay})",
            part.loops[0].source,
        )
    _check_all_named(part, jacobian, named, chosen)
    return chosen


def left_out(part: OpenLoops, q: Array, chosen: Sequence[int]) -> list[list[int]]:
    """Return rows of each loop that repeat others, but for the rounded numbers of a file.

    Met exactly, such rows would lock the loops or contradict each other as they move, or they
    contradict each other already.
    """
    gaps, jacobian = part.gaps(q)
    values = np.linalg.svd(_with_unit_columns(jacobian)[0], compute_uv=False)
    faint = (values > NOTHING) & (values <= SINGULAR)
    if not faint.any() and np.abs(gaps).max() <= EXACT:
        return [[] for _ in part.loops]
    kept = _spanning_rows(jacobian[:, list(chosen)], len(chosen))
    dropped = set(range(len(jacobian))) - set(kept)
    ends = list(itertools.accumulate(n_rows(loop.kind) for loop in part.loops))
    return [
        [row - start for row in range(start, end) if row in dropped]
        for start, end in zip([0, *ends], ends, strict=False)
    ]


def _spanning_rows(matrix: Array, rank: int) -> list[int]:
    """Return as many rows as the rank that span the others; the one that adds most comes first."""
    rest, chosen = matrix.copy(), []
    for _ in range(rank):
        sizes = np.linalg.norm(rest, axis=1)
        chosen.append(int(np.argmax(sizes)))
        direction = rest[chosen[-1]] / sizes[chosen[-1]]
        rest -= np.outer(rest @ direction, direction)
    return chosen


def is_singular(part: OpenLoops, q: Array) -> bool:
    """Return whether the loops, closed at `q`, take away more velocities close to `q`."""
    jacobian, scale = _with_unit_columns(part.gaps(q)[1])
    _, values, rows = np.linalg.svd(jacobian)
    rank = int((values > SINGULAR).sum())
    step = np.random.default_rng(0).normal(size=len(rows) - rank) @ rows[rank:] * scale
    if not step.any():
        return False
    nearby = part.integrate(q, SMALL_STEP * step / np.linalg.norm(step))
    nearby, _ = close(part, nearby, list(range(part.nv)))
    return _rank(_with_unit_columns(part.gaps(nearby)[1])[0]) > rank


def _chosen(jacobian: Array, part: OpenLoops, order: Sequence[int], rank: int) -> list[int]:
    """Return independent columns, up to `rank`, of joints in order; clear ones before faint ones.

    A joint that leads others, say the rotor of its motor, is better independent. Within a joint
    the column that adds most comes first.
    """
    leads = {name for coupling in part.tree.couplings for name in coupling.leaders}
    first = [i for i in order if part.tree.joints[i].name not in leads]
    rest = jacobian * _moves(jacobian)  # what the chosen columns do not span yet
    lengths = np.linalg.norm(rest, axis=0)
    longest = lengths.max(initial=0.0)
    chosen: list[int] = []
    for joints, shares in ((first, CLEAR), (order, CLEAR + FAINT)):
        for share, i in itertools.product(shares, joints):
            block = part.blocks[i]
            least = share * np.maximum(lengths[block], longest if share in CLEAR else 0.0)
            while len(chosen) < rank:
                sizes = np.linalg.norm(rest[:, block], axis=0)
                best = int(np.argmax(sizes))
                if sizes[best] <= least[best]:
                    break
                chosen.append(block[best])
                direction = rest[:, block[best]] / sizes[best]
                rest -= np.outer(direction, direction @ rest)
                rest[:, block[best]] = 0.0
    return chosen


def _from_the_cut(part: OpenLoops) -> list[int]:
    """Return the joints with own coordinates, those near the cuts first."""
    parents, index = part.tree.parents, part.tree.index
    distance: dict[int, int] = {}
    for loop in part.loops:
        for end in (loop.body_a, loop.body_b):
            i, steps = index.get(end, -1), 0
            while i >= 0:
                distance[i] = min(steps, distance.get(i, steps))
                i, steps = parents[i], steps + 1
    return sorted(part.blocks, key=lambda i: (distance.get(i, len(parents)), i))


def _named(part: OpenLoops) -> list[int]:
    """Return the joints that were stated as independent."""
    valid = {part.tree.joints[i].name: i for i in part.blocks}
    named = []
    for loop in part.loops:
        for name in loop.independent or ():
            if name not in valid:
                reason = f"joint {name!r} is not on it, or follows others{suggestion(name, valid)}"
                raise ModelError(f"loop {loop.name!r}: {reason}", loop.source)
            named.append(valid[name])
    return named


def _check_all_named(
    part: OpenLoops, jacobian: Array, named: Sequence[int], chosen: Sequence[int]
) -> None:
    """Raise if the user named the independent joints of all loops, but there are more of them."""
    if any(loop.independent is None for loop in part.loops):
        return
    moves = _moves(jacobian)
    missing = [
        part.tree.joints[i].name
        for i, block in part.blocks.items()
        if i not in named and moves[block].any() and not set(block) & set(chosen)
    ]
    if missing:
        raise ModelError(
            f"{part.title}: more joints stay independent than were stated: "
            f"{', '.join(missing)}, or others in their place",
            part.loops[0].source,
        )


def _with_unit_columns(jacobian: Array) -> tuple[Array, Array]:
    """Return the Jacobian with unit columns, as metres and radians do not compare; the factors."""
    lengths = np.linalg.norm(jacobian, axis=0)
    scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=_moves(jacobian))
    return jacobian * scale, scale


def _moves(jacobian: Array) -> NDArray[np.bool_]:
    """Return for each column whether it is more than rounding."""
    lengths = np.linalg.norm(jacobian, axis=0)
    return np.asarray(lengths > NOTHING * lengths.max(initial=0.0))


def clearness(part: OpenLoops, q: Array, chosen: Sequence[int]) -> float:
    """Return the least singular value of the columns that depend, each of unit length."""
    columns = _with_unit_columns(part.gaps(q)[1])[0][:, list(chosen)]
    return float(np.linalg.svd(columns, compute_uv=False)[-1])


def _rank(jacobian: Array) -> int:
    return int((np.linalg.svd(jacobian, compute_uv=False) > SINGULAR).sum())


# A part of a mechanism with its loops cut open: gaps, their derivatives, and how to close them.


GOOD, ROUNDING = 1e-12, 1e-16
"""Gaps [m or 1]: where one more step of Newton's method is the last, and where none is needed."""
NEAR = 1e-3
"""Gap below which Newton's method converges without damping."""
MOST_STEPS = 100
EXACT = 1e-9
"""Gap [m or 1] up to which equations agree; those that repeat others may miss by more."""


Solver: TypeAlias = Callable[[Array, Array, float], Array]
"""From a Jacobian (rows, n), gaps (rows,) and a damping to a step (n,)."""


class Open(Protocol):
    """What `close` needs: a number of velocities, gaps with their Jacobian, and steps."""

    @property
    def nv(self) -> int: ...
    def gaps(self, q: Array) -> tuple[Array, Array]: ...
    def integrate(self, q: Array, step: Array) -> Array: ...


class OpenLoops:
    """Bodies on a common parent, their couplings, and loops that are cut open.

    `blocks` holds the velocity coordinates of each joint that follows no other, by its number
    in the part; `left_out` lists for each loop the rows that need not vanish.
    """

    def __init__(
        self,
        tree: Tree,
        clusters: Sequence[range],
        couplings: Sequence[Coupling],
        loops: Sequence[Loop],
    ) -> None:
        self.loops = list(loops)
        self.left_out: list[list[int]] = [[] for _ in loops]
        self.tree = _part(tree, clusters, couplings, loops)
        self.core = _core.Model(**core_arguments(self.tree, np.zeros(3)))
        self.blocks: dict[int, list[int]] = {}
        v = 0
        for i, roles in enumerate(self.tree.roles):
            if FOLLOWER not in roles:
                self.blocks[i] = list(range(v, v + len(roles)))
                v += len(roles)

    @property
    def nv(self) -> int:
        """Number of velocities of the open part."""
        return self.core.nv

    def integrate(self, q: Array, step: Array) -> Array:
        """Return the configuration after a step of all joints."""
        return np.asarray(self.core.integrate(q, step))

    @property
    def title(self) -> str:
        """The loops in words, for messages."""
        names = ", ".join(repr(loop.name) for loop in self.loops)
        return f"loop {names}" if len(self.loops) == 1 else f"loops {names}"

    def gaps(self, q: Array) -> tuple[Array, Array]:
        """Return what vanishes where the loops are closed, (rows,), and its Jacobian."""
        parts = [self._gap(k, q) for k in range(len(self.loops))]
        values, jacobians = zip(*parts, strict=True)
        return np.concatenate(values), np.concatenate(jacobians)

    def n_rows(self, k: int) -> int:
        """Return how many rows loop k has, without those that are left out."""
        return n_rows(self.loops[k].kind) - len(self.left_out[k])

    def widest(self, q: Array) -> tuple[Loop, float]:
        """Return the loop with the widest gap, and the gap."""
        widths = [np.abs(self._gap(k, q)[0]).max(initial=0.0) for k in range(len(self.loops))]
        k = int(np.argmax(widths))
        return self.loops[k], float(widths[k])

    def _gap(self, k: int, q: Array) -> tuple[Array, Array]:
        """Return the rows of loop k from the motion of frame b seen from frame a."""
        values, jacobian = loop_gap(self.core, self.loops[k], (f"{k}a", f"{k}b"), q)
        dropped = self.left_out[k]
        return np.delete(values, dropped), np.delete(jacobian, dropped, axis=0)


def loop_gap(
    core: _core.Model, loop: Loop, frames: tuple[str, str], q: Array
) -> tuple[Array, Array]:
    """Return the rows of a loop between two frames of a model, and their Jacobian (rows, nv)."""
    pose_a, pose_b = (core.frame_pose(q, frame) for frame in frames)
    velocity_a, velocity_b = (
        core.frame_jacobian(q, frame, reference="local_world_aligned") for frame in frames
    )
    back, apart = pose_a[:3, :3].T, pose_b[:3, 3] - pose_a[:3, 3]
    relative = pose(back @ apart, back @ pose_b[:3, :3])
    turning = velocity_b[3:] - velocity_a[3:]
    moving = velocity_b[:3] - velocity_a[:3] - _cross(velocity_a[3:], apart)
    return rows(loop, relative, np.concatenate([back @ moving, back @ turning]))


def fingerprint(
    tree: Tree, bodies: range, couplings: Sequence[Coupling], loops: Sequence[Loop]
) -> Hashable:
    """Return what the gaps of a cluster's loops depend on: equal clusters have it in common."""
    inside = slice(bodies.start, bodies.stop)
    joints, parents, placements = tree.joints[inside], tree.parents[inside], tree.placements[inside]
    number = {joint.name: i for i, joint in enumerate(joints)}
    body = {joint.child: i for i, joint in enumerate(joints)}
    moves = [
        (_motion(joint), max(parent - bodies.start, -1), _bits(place))
        for joint, parent, place in zip(joints, parents, placements, strict=True)
    ]
    follows = [
        (c.kind, *map(number.__getitem__, (*c.leaders, *c.followers)), *core_numbers(c))
        for c in couplings
    ]
    closes = [
        (
            *(loop.kind, loop.length, body.get(loop.body_a), body.get(loop.body_b)),
            _bits(loop.placement_a, loop.placement_b),
            None if loop.independent is None else tuple(map(number.get, loop.independent)),
        )
        for loop in loops
    ]
    return tuple(moves), tuple(follows), tuple(closes)


def _motion(joint: Joint) -> Hashable:
    """Return what the motion of a joint depends on."""
    assert joint.axis is not None and joint.second_axis is not None  # joints of trees are filled
    axes = _bits(joint.axis, joint.second_axis)
    return joint.kind, joint.pitch, joint.radius, joint.track, joint.surface, joint.ground, axes


def _bits(*arrays: Array) -> bytes:
    return b"".join(array.tobytes() for array in arrays)


def close(
    part: Open, q: Array, columns: Sequence[int], solve: Solver | None = None
) -> tuple[Array, float]:
    """Return a configuration with smaller gaps and the widest gap left (Levenberg, Marquardt).

    Only the velocity coordinates `columns` move. `solve` finds steps, by default `least_step`.
    """
    solve = least_step if solve is None else solve
    gaps, jacobian = part.gaps(q)
    damping, near = 1e-2, NEAR
    for _ in range(MOST_STEPS):
        width = float(np.abs(gaps).max())
        if width <= ROUNDING:
            break
        step = solve(jacobian[:, columns], gaps, damping if width > near else 0.0)
        velocity = np.zeros(part.nv)
        velocity[columns] = step
        trial = part.integrate(q, velocity)
        trial_gaps, trial_jacobian = part.gaps(trial)
        if np.linalg.norm(trial_gaps) < np.linalg.norm(gaps):
            q, gaps, jacobian = trial, trial_gaps, trial_jacobian
            damping *= 0.2
            if width <= GOOD:
                break
        elif width <= EXACT or damping > 1e6:
            break
        elif width <= near:  # close to a singular position steps are too long without damping
            near, damping = EXACT, max(damping, 1e-8)
        else:
            damping *= 10.0
    return q, float(np.abs(gaps).max())


def least_step(jacobian: Array, gaps: Array, damping: float) -> Array:
    """Return the step of least norm that closes the gaps to first order, shorter if damped."""
    if damping > 0.0:
        n = jacobian.shape[1]
        jacobian = np.concatenate([jacobian, np.sqrt(damping) * np.eye(n)])
        gaps = np.concatenate([gaps, np.zeros(n)])
    return np.asarray(np.linalg.lstsq(jacobian, -gaps, rcond=1e-10)[0])


def _part(
    tree: Tree, clusters: Sequence[range], couplings: Sequence[Coupling], loops: Sequence[Loop]
) -> Tree:
    """Return neighbouring clusters as a tree on the world, with frames at the cuts."""
    start = clusters[0].start
    inside = slice(start, clusters[-1].stop)
    joints = tree.joints[inside]
    members = {joint.child for joint in joints}
    frames = [
        Frame(f"{k}{end}", body if body in members else WORLD, placement)
        for k, loop in enumerate(loops)
        for end, body, placement in (
            ("a", loop.body_a, loop.placement_a),
            ("b", loop.body_b, loop.placement_b),
        )
    ]
    part = Tree(
        bodies=tree.bodies[inside],
        joints=joints,
        parents=[parent - start if parent >= start else -1 for parent in tree.parents[inside]],
        placements=tree.placements[inside],
        roles=tree.roles[inside],
        clusters=[range(c.start - start, c.stop - start) for c in clusters],
        couplings=list(couplings),
        loops=[],
        reasons=[],
        frames=frames,
    )
    return dataclasses.replace(part, neutral=zero_configuration(part))


def _cross(columns: Array, vector: Array) -> Array:
    """Return the cross products (3, n) of columns (3, n) with a vector."""
    x, y, z = vector
    return np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]) @ columns
