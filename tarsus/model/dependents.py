"""Which joints of closed loops depend on the others.

Where loops are closed, the rank of their Jacobian is the number of velocities that they take
away, also if their equations are redundant, as those of a planar four-bar in space are. Velocities
are made dependent, those of joints nearest to the cut first, as long as their columns clearly add
to the rank. Of a joint with several, some may stay: the spin of a rod between two balls.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.model.checks import suggestion
from tarsus.model.description import ModelError
from tarsus.model.loops import n_rows
from tarsus.model.open_loops import EXACT, OpenLoops, close

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
