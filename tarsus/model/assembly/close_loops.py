"""`ts.snap`: the configuration with closed loops that is nearest to a given one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import checked_state, expect
from tarsus._lib.errors import TarsusError
from tarsus._lib.files import Array
from tarsus.model.assembly.spanning_tree import Opened, opened
from tarsus.model.closure import DISTURBANCES
from tarsus.model.dependents import EXACT, GOOD, close
from tarsus.model.diagnosis import FAINT, Diagnosis, diagnose
from tarsus.model.model import Model
from tarsus.spatial import TURN, step_rate_matrix

# `tarsus.snap`: put a loose state together: the nearest one in which all loops are closed.
#
# Newton's method in the mass metric, so that heavy parts stay and light ones come; where closed
# states are a family, it then slides along them to the one that is nearest to the start. Rows that
# repeat others do no harm. Of rows that contradict each other, the error tells the names.


class AssemblyError(TarsusError, ValueError):
    """Parts that cannot be put together; `snapped` is the compromise that was found."""

    def __init__(self, message: str, snapped: Snapped) -> None:
        super().__init__(message)
        self.snapped = snapped

    def __reduce__(self) -> tuple[type[AssemblyError], tuple[str, Snapped]]:
        return type(self), (str(self), self.snapped)


@dataclass(frozen=True, eq=False)
class Snapped:
    """A state with closed loops, and what was found on the way.

    q (…, nq) and v (…, nv); `gap` (…) is the widest gap left [m, or sines of angles], `moved` (…)
    how far the parts have moved: the root of their mean square by mass [m]. `diagnosis` has the
    rank of the rows, what is redundant and what contradicts, for each state in order.
    """

    q: Array
    v: Array
    gap: Array
    moved: Array
    diagnosis: tuple[Diagnosis, ...]

    @property
    def closed(self) -> bool:
        """Whether all loops are closed in all states."""
        return bool((self.gap <= EXACT).all())

    @property
    def worst(self) -> int:
        """The number of the state with the widest gap."""
        return int(np.argmax(self.gap))

    @property
    def reason(self) -> str:
        """Which loops of the worst state cannot be closed, and with which they are in conflict."""
        conflicts = [str(group) for group in self.diagnosis[self.worst].conflicts]
        found = "; ".join(conflicts) or "no row contradicts another at this place"
        return f"a gap of {self.gap.max():.3g} is left: {found}"

    def __str__(self) -> str:
        widest, far = self.gap.max(initial=0.0), self.moved.max(initial=0.0)
        head = f"moved by {far:.3g} m, gaps up to {widest:.1e}"
        return "\n".join([head, *(str(one) for one in self.diagnosis[:1])])


def snap(model: Model, q: ArrayLike, v: ArrayLike | None = None, *, strict: bool = True) -> Snapped:
    """Return the nearest state in which all loops of the model are closed, velocities as well.

    q (…, nq) need not be closed; v (…, nv) is at rest by default, and becomes the nearest velocity
    that the loops let pass: what a plastic impact leaves. Near means in the metric of the mass
    matrix at the start. Loops that cannot be closed are an `AssemblyError` that names those that
    contradict each other; with strict=False the compromise is returned.
    """
    expect(model, Model, "model")
    q, v = checked_state(model, q, v)
    parts = opened(model)
    x, w = parts.open_state(q, v)
    assert w is not None
    found = [Search(parts, x[index]).run(w[index]) for index in np.ndindex(x.shape[:-1])]
    shape = q.shape[:-1]
    x, w = (np.array([one[k] for one in found]) for k in (0, 1))
    x, w = x.reshape(*shape, parts.tree.nq), w.reshape(*shape, parts.nv)
    q, v = parts.closed_state(x, w)
    gap, moved = (np.array([one[k] for one in found]).reshape(shape) for k in (2, 3))
    snapped = Snapped(q, v, gap, moved, tuple(one[4] for one in found))
    if strict and not snapped.closed:
        where = f"state {snapped.worst}: " if snapped.gap.ndim else ""
        raise AssemblyError(where + snapped.reason, snapped)
    return snapped


# The nearest closed state: Newton's method in the mass metric, then slides along closed states.


MOST_SLIDES, LEAST_SHARE = 40, 1e-3
STILL = 1e-6
"""Slides that are shorter than this share of the whole way, or gain less, end the search."""

SOFT = 1e-10
"""Damping of every step, relative to the mean mobility: rows may repeat others."""


class Search:
    """The search from one state; the metric is that of the mass matrix there."""

    def __init__(self, opened: Opened, start: Array) -> None:
        self._opened, self._start = opened, start
        self._inertia = np.asarray(opened.tree.mass_matrix(start))
        self._mass = max(opened.tree.total_mass, np.finfo(float).tiny)
        try:
            np.linalg.cholesky(self._inertia)
        except np.linalg.LinAlgError:
            raise ValueError(_without_inertia(opened.tree, self._inertia)) from None
        # at the size of one, as the damping of Newton's method expects
        scale = np.trace(self._inertia) / max(1, opened.nv)
        from scipy.sparse import csc_matrix  # slow to import, and only needed here

        self._sparse = csc_matrix(self._inertia / scale)
        self.nv = opened.nv
        own: dict[str, list[range]] = {}
        for joint in opened.tree.joints:
            if joint.kind in TURN:
                own.setdefault(joint.kind, []).append(range(*joint.v_slice.indices(self.nv)))
        self._groups = {kind: np.array(columns) for kind, columns in own.items()}

    def run(self, w: Array) -> tuple[Array, Array, float, float, Diagnosis]:
        """Return the closed x and w, the gap and the way, and what the rows are like there."""
        x = self._start
        if self._gap(x) > GOOD:
            x = self._somehow_closed()
            x = self._slid(x) if self._gap(x) <= EXACT else x
        gap, rows = self._opened.gaps(x)
        width = float(np.abs(gap).max(initial=0.0))
        names, inertia = self._opened.names, np.asarray(self._opened.tree.mass_matrix(x))
        if width > EXACT:
            return x, w, width, self._way(x), diagnose(rows, inertia, -gap, names, cut=FAINT)
        diagnosis = diagnose(rows, inertia, -(rows @ w), names)
        return x, w + diagnosis.step, width, self._way(x), diagnosis

    def gaps(self, x: Array) -> tuple[Array, Array]:
        """Return what must vanish, and its derivative; knife edges restrict velocities only."""
        gap, rows = self._opened.gaps(x)
        held = self._opened.holonomic
        return gap[held], rows[held]

    def integrate(self, x: Array, step: Array) -> Array:
        """Return the configuration after a step of all joints."""
        return self._opened.integrate(x, step)

    def _smallest(self, rows: Array, right: Array, damping: float = 0.0) -> Array:
        """Return the smallest step in the mass metric with `rows` step = `right`; less if damped.

        With multipliers the system is sparse for kits. Rows that repeat others share theirs, by a
        damping that does not show.
        """
        r = len(rows)
        from scipy.sparse import bmat, identity
        from scipy.sparse.linalg import splu

        soft = identity(r) * max(damping, SOFT)
        matrix = bmat([[self._sparse, rows.T], [rows, -soft]], format="csc")
        solved = splu(matrix).solve(np.concatenate([np.zeros(self.nv), right]))
        return np.asarray(solved[: self.nv])

    def _somehow_closed(self) -> Array:
        """Return a closed configuration, from the start or from places about it.

        At the start itself parts may be where nothing leads to a solution, as points that should be
        apart are while they coincide.
        """
        rng = np.random.default_rng(0)
        best = self._start
        for size in DISTURBANCES:
            x = self._closed(self._opened.integrate(self._start, size * rng.normal(size=self.nv)))
            best = min(best, x, key=self._gap)
            if self._gap(best) <= EXACT:
                break
        return best

    def _closed(self, x: Array) -> Array:
        return close(self, x, range(self.nv), lambda j, g, d: self._smallest(j, -g, d))[0]

    def _gap(self, x: Array) -> float:
        return float(np.abs(self._opened.gaps(x)[0]).max(initial=0.0))

    def _slid(self, x: Array) -> Array:
        """Return the closed configuration nearest to the start, from a closed one.

        With y the step from the start, the next is the smallest that the rows let pass, as they
        are at the last one, or a part of the way there that is nearer when it is closed. What two
        slides have in common is taken at once (D. Anderson, J. ACM 12, 1965).
        """
        share: float = 1.0
        last: tuple[Array, Array] | None = None
        for _ in range(MOST_SLIDES):
            y = np.asarray(self._opened.tree.difference(self._start, x))
            slide = self._least(x, y) - y
            if self._size(slide) <= STILL * self._size(y) or share < LEAST_SHARE:
                break
            aim = y + share * slide
            change = slide if last is None else slide - last[1]
            if last is not None and share == 1.0 and self._size(change) > 0.0:
                common = (slide @ self._inertia @ change) / (change @ self._inertia @ change)
                aim = aim - common * (aim - last[0] - last[1])
            trial = self._closed(self._opened.integrate(self._start, aim))
            gained = self._way(x) - self._way(trial)
            if self._gap(trial) <= EXACT and gained > 0.0:
                x, share, last = trial, min(1.0, 4.0 * share), (y, slide)
                if gained <= STILL * self._way(x):
                    break
            else:
                share, last = share if last is not None else 0.25 * share, None
        return x

    def _least(self, x: Array, y: Array) -> Array:
        """Return the smallest step from the start that closes the rows as they are at x."""
        gap, rows = self.gaps(x)
        rows = self._by_steps(rows, y)
        return self._smallest(rows, rows @ y - gap)

    def _by_steps(self, rows: Array, y: Array) -> Array:
        """Return the derivatives by y, the step from the start: rows D⁻¹, as ẏ = D v."""
        rows = np.array(rows)
        for kind, columns in self._groups.items():
            rates = np.linalg.inv(step_rate_matrix(kind, y[columns]))
            rows[:, columns] = np.einsum("rjk,jkl->rjl", rows[:, columns], rates)
        return rows

    def _way(self, x: Array) -> float:
        return self._size(np.asarray(self._opened.tree.difference(self._start, x)))

    def _size(self, step: Array) -> float:
        """Return the root of the mean square of a step, by mass [m]."""
        return float(np.sqrt(step @ self._inertia @ step / self._mass))


def _without_inertia(model: Model, inertia: Array) -> str:
    weak = np.linalg.eigh(inertia)[1][:, 0]
    names = [
        joint.name for joint in model.joints if np.abs(weak[joint.v_slice]).max(initial=0) > 0.1
    ]
    return f"the mass matrix is singular: a motion of joint {', '.join(names)} has no inertia"
