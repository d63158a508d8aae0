"""What a set of rows J v = b asks of a mechanism: its rank, and which rows repeat or contradict.

Rows are measured in the mass metric: with H = L Lᵀ the rows of A = J L⁻ᵀ, at unit length. A row
then counts with the mass that it moves, whatever its unit, and a compromise between rows that
contradict each other is the one of least energy. What is left over is in the left null space of
A: rows that have a part in it together are a group, of which as many as it has dimensions are too
many. They repeat the others if b agrees, and contradict them if it does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import reals
from tarsus._lib.files import Array

CUT = 1e-10
"""Singular values of rows of unit length below this, relative to the largest, count as zero."""
FAINT = 1e-3
"""The same where rows contradict each other: Newton's method reaches such places slowly."""
MOTIONLESS = 1e-13
"""Length of a row, also relative to the longest, that is zero but for rounding."""
SHARE = 1e-6
"""How much of a row must be in the null space for it to be in a group."""
AGREED = 1e-9
"""By how much rows may miss what is wanted and still agree [units of the rows]."""


@dataclass(frozen=True, eq=False)
class Group:
    """Rows of which `surplus` are too many; `misses` (rows,) is by how much each is missed."""

    names: tuple[str, ...]
    rows: tuple[int, ...]
    surplus: int
    misses: Array

    @property
    def miss(self) -> float:
        """The largest miss, in the units of its row."""
        return float(np.abs(self.misses).max(initial=0.0))

    def __str__(self) -> str:
        names = ", ".join(self.names)
        if self.miss > 0.0:
            alone = len(self.names) == 1
            return f"{names}: {'cannot be met' if alone else 'contradict'}, by {self.miss:.3g}"
        return f"{names}: {self.surplus} of {len(self.rows)} rows repeat the others"


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """The rank of a set of rows, groups that repeat or contradict each other, and a solution.

    `step` (nv,) is the smallest change in the mass metric that meets the rows, or misses them
    least; `misses` (rows,) = J step − wanted.
    """

    rank: int
    n_rows: int
    redundant: tuple[Group, ...]
    conflicts: tuple[Group, ...]
    step: Array
    misses: Array

    @property
    def surplus(self) -> int:
        """How many rows are too many."""
        return self.n_rows - self.rank

    def __str__(self) -> str:
        lines = [f"{self.n_rows} rows of rank {self.rank}"]
        lines += [f"  in conflict: {group}" for group in self.conflicts]
        lines += [f"  redundant: {group}" for group in self.redundant]
        return "\n".join(lines)


def diagnose(
    jacobian: ArrayLike,
    mass_matrix: ArrayLike,
    wanted: ArrayLike,
    names: Sequence[str],
    *,
    cut: float = CUT,
    tolerance: float = AGREED,
) -> Diagnosis:
    """Return the rank of rows J (r, nv), what repeats and what contradicts, by the rows' names.

    `wanted` (r,) are the velocities that the rows should have, or what closes their gaps to first
    order; `names` (r,) says whose row each is. `cut` decides what counts as zero for the rank,
    `tolerance` up to which miss rows agree [units of the rows].
    """
    rows, right = reals(jacobian, "jacobian"), reals(wanted, "wanted")
    _check(rows, right, names)
    scaled, factor = _scaled(rows, mass_matrix)
    weight = _weights(rows, scaled)
    whole = len(rows) > rows.shape[1]  # then the null space is larger than what is found without
    u, values, vt = np.linalg.svd(weight[:, None] * scaled, full_matrices=whole)
    rank = int((values > cut * values.max(initial=0.0)).sum())
    null = u[:, rank:]
    part = u[:, :rank].T @ (weight * right)
    step = _unscaled(vt[:rank].T @ (part / values[:rank]), factor)
    misses = -(null @ (null.T @ (weight * right))) / weight
    groups = _groups(null, names, misses, tolerance)
    return Diagnosis(
        rank,
        len(rows),
        tuple(group for group in groups if group.miss == 0.0),
        tuple(group for group in groups if group.miss > 0.0),
        step,
        misses,
    )


def _groups(null: Array, names: Sequence[str], misses: Array, tolerance: float) -> list[Group]:
    """Return the rows that have a part in the null space together; misses that agree are zero.

    Groups of rows with the same names are one.
    """
    from scipy.sparse.csgraph import connected_components  # slow to import, and rarely needed

    shares = null @ null.T
    _, label = connected_components(np.abs(shares) > SHARE)
    found: dict[tuple[bool, frozenset[str]], list[int]] = {}
    for number in dict.fromkeys(label[np.diag(shares) > SHARE].tolist()):
        rows = np.flatnonzero(label == number).tolist()
        agreed = bool(np.abs(misses[rows]).max() <= tolerance)
        found.setdefault((agreed, frozenset(names[row] for row in rows)), []).extend(rows)
    return [
        _group(sorted(rows), agreed, shares, names, misses) for (agreed, _), rows in found.items()
    ]


def _group(
    rows: list[int], agreed: bool, shares: Array, names: Sequence[str], misses: Array
) -> Group:
    return Group(
        tuple(dict.fromkeys(names[row] for row in rows)),
        tuple(rows),
        round(float(np.trace(shares[np.ix_(rows, rows)]))),
        np.zeros(len(rows)) if agreed else misses[rows],
    )


def _scaled(rows: Array, mass_matrix: ArrayLike) -> tuple[Array, Array]:
    """Return J L⁻ᵀ and L, with H = L Lᵀ."""
    inertia = reals(mass_matrix, "mass_matrix")
    n = rows.shape[1]
    if inertia.shape != (n, n):
        raise ValueError(f"mass_matrix has shape {inertia.shape}, must be {(n, n)}")
    try:
        factor: Array = np.asarray(np.linalg.cholesky(inertia), np.float64)
    except np.linalg.LinAlgError:
        raise ValueError(
            "mass_matrix is not positive definite: some motion has no inertia"
        ) from None
    return np.asarray(np.linalg.solve(factor, rows.T).T), factor


def _unscaled(step: Array, factor: Array) -> Array:
    return np.asarray(np.linalg.solve(factor.T, step))


def _weights(rows: Array, scaled: Array) -> Array:
    """Return what gives each row unit length; rows that nothing moves are set to zero."""
    lengths = np.linalg.norm(scaled, axis=1)
    moves = lengths > MOTIONLESS * lengths.max(initial=0.0)
    moves &= np.abs(rows).max(axis=1, initial=0.0) > MOTIONLESS
    scaled[~moves] = 0.0
    return np.asarray(np.divide(1.0, lengths, out=np.ones_like(lengths), where=moves))


def _check(rows: Array, right: Array, names: Sequence[str]) -> None:
    if rows.ndim != 2:
        raise ValueError(f"jacobian has shape {rows.shape}, must be (rows, nv)")
    if right.shape != (len(rows),):
        raise ValueError(f"wanted has shape {right.shape}, must be {(len(rows),)}")
    if isinstance(names, str) or len(names) != len(rows):
        raise ValueError(f"names has {len(names)} entries, must have one for each of {len(rows)}")
    for array, what in ((rows, "jacobian"), (right, "wanted")):
        if not np.isfinite(array).all():
            owner = names[int(np.argwhere(~np.isfinite(array))[0][0])]
            raise ValueError(f"{what} is not finite in a row of {owner!r}")
