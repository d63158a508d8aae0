"""`tarsus.snap`: put a loose state together: the nearest one in which all loops are closed.

Newton's method in the mass metric, so that heavy parts stay and light ones come; where closed
states are a family, it then slides along them to the one that is nearest to the start. Rows that
repeat others do no harm. Of rows that contradict each other, the error tells the names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.kit.opened import Opened
from tarsus.kit.states import checked_state, each
from tarsus.model import Model
from tarsus.model.checks import expect
from tarsus.model.diagnosis import FAINT, Diagnosis, diagnose
from tarsus.model.open_loops import EXACT, GOOD, close
from tarsus.spatial.groups import TURN, step_rate_matrix

MOST_SLIDES, LEAST_SHARE = 40, 1e-3
STILL = 1e-7
"""Slides below this share of the whole way [mass metric] end the search for the nearest state."""


class AssemblyError(ValueError):
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
    opened = Opened(model)
    x, w = opened.open_state(q, v)
    assert w is not None
    found = [_Search(opened, start).run(speed) for start, speed in each(x, w)]
    shape = q.shape[:-1]
    x, w = (np.array([one[k] for one in found]) for k in (0, 1))
    x, w = x.reshape(*shape, opened.tree.nq), w.reshape(*shape, opened.nv)
    q, v = opened.closed_state(x, w)
    gap, moved = (np.array([one[k] for one in found]).reshape(shape) for k in (2, 3))
    snapped = Snapped(q, v, gap, moved, tuple(one[4] for one in found))
    if strict and not snapped.closed:
        raise AssemblyError(_message(snapped), snapped)
    return snapped


class _Search:
    """The search from one state; the metric is that of the mass matrix there."""

    def __init__(self, opened: Opened, start: Array) -> None:
        self._opened, self._start = opened, start
        self._inertia = np.asarray(opened.tree.mass_matrix(start))
        self._mass = max(opened.tree.total_mass, np.finfo(float).tiny)
        # at the size of one, as the damping of Newton's method expects
        scale = np.trace(self._inertia) / max(1, opened.nv)
        try:
            self._factor = np.linalg.cholesky(self._inertia / scale)
        except np.linalg.LinAlgError:
            raise ValueError(_without_inertia(opened.tree, self._inertia)) from None
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
            x = self._closed(x)
            x = self._slid(x) if self._gap(x) <= EXACT else x
        gap, rows = self._opened.gaps(x)
        width = float(np.abs(gap).max(initial=0.0))
        names, inertia = self._opened.names, np.asarray(self._opened.tree.mass_matrix(x))
        if width > EXACT:
            return x, w, width, self._way(x), diagnose(rows, inertia, -gap, names, cut=FAINT)
        diagnosis = diagnose(rows, inertia, -(rows @ w), names)
        return x, w + diagnosis.step, width, self._way(x), diagnosis

    def gaps(self, x: Array) -> tuple[Array, Array]:
        """Return what must vanish, and its derivative by steps in the mass metric."""
        gap, rows = self._opened.gaps(x)
        held = self._opened.holonomic
        return gap[held], self._scaled(rows[held])

    def integrate(self, x: Array, step: Array) -> Array:
        """Return the configuration after a step in the mass metric."""
        return self._opened.integrate(x, self._back(step))

    def _scaled(self, rows: Array) -> Array:
        """Return derivatives by steps in the mass metric."""
        return np.asarray(scipy.linalg.solve_triangular(self._factor, rows.T, lower=True).T)

    def _back(self, step: Array) -> Array:
        """Return the velocities of a step in the mass metric."""
        back = scipy.linalg.solve_triangular(self._factor, step, lower=True, trans="T")
        return np.asarray(back)

    def _closed(self, x: Array) -> Array:
        return close(self, x, range(self.nv))[0]

    def _gap(self, x: Array) -> float:
        return float(np.abs(self._opened.gaps(x)[0]).max(initial=0.0))

    def _slid(self, x: Array) -> Array:
        """Return the closed configuration nearest to the start, from a closed one.

        With y the step from the start, the next is the smallest that the rows let pass, as they
        are at the last one, or a part of it that is nearer when it is closed.
        """
        held, share = self._opened.holonomic, 1.0
        for _ in range(MOST_SLIDES):
            y = np.asarray(self._opened.tree.difference(self._start, x))
            gap, rows = self._opened.gaps(x)
            rows = self._by_steps(rows[held], y)
            slide = self._back(_least(self._scaled(rows), rows @ y - gap[held])) - y
            if self._size(slide) <= STILL * self._size(y) or share < LEAST_SHARE:
                break
            trial = self._closed(self._opened.integrate(self._start, y + share * slide))
            if self._gap(trial) <= EXACT and self._way(trial) < self._way(x):
                x, share = trial, min(1.0, 2.0 * share)
            else:
                share *= 0.25
        return x

    def _by_steps(self, rows: Array, y: Array) -> Array:
        """Return the derivatives by y, the step from the start: rows D⁻¹, as ẏ = D v."""
        rows = np.array(rows)
        for kind, columns in self._groups.items():
            rates = np.linalg.inv(step_rate_matrix(kind, y[columns]))
            rows[:, columns] = np.einsum("rjk,jkl->rjl", rows[:, columns], rates)
        return rows

    def _way(self, x: Array) -> float:
        step = np.asarray(self._opened.tree.difference(self._start, x))
        return self._size(step)

    def _size(self, step: Array) -> float:
        """Return the root of the mean square of a step, by mass [m]."""
        return float(np.sqrt(step @ self._inertia @ step / self._mass))


def _least(rows: Array, right: Array) -> Array:
    """Return the smallest solution of `rows` x = `right`, or what misses it least."""
    solved = scipy.linalg.lstsq(rows, right, cond=1e-10, lapack_driver="gelsy")
    return np.asarray(solved[0])


def _without_inertia(tree: Model, inertia: Array) -> str:
    weak = np.linalg.eigh(inertia)[1][:, 0]
    names = [
        joint.name for joint in tree.joints if np.abs(weak[joint.v_slice]).max(initial=0) > 0.1
    ]
    return f"the mass matrix is singular: a motion of joint {', '.join(names)} has no inertia"


def _message(snapped: Snapped) -> str:
    """Return which loops cannot be closed, and with which others they are in conflict."""
    worst = int(np.argmax(snapped.gap))
    where = f" (state {worst})" if snapped.gap.ndim else ""
    found: Sequence[object] = snapped.diagnosis[worst].conflicts
    reason = "; ".join(str(group) for group in found) or "no row contradicts another at this place"
    return f"a gap of {snapped.gap.max():.3g} is left{where}: {reason}"
