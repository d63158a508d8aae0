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

MOST_SLIDES = 40
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
        scaled = scipy.linalg.solve_triangular(self._factor, rows[held].T, lower=True)
        return gap[held], np.asarray(scaled.T)

    def integrate(self, x: Array, step: Array) -> Array:
        """Return the configuration after a step in the mass metric."""
        back = scipy.linalg.solve_triangular(self._factor, step, lower=True, trans="T")
        return self._opened.integrate(x, back)

    def _closed(self, x: Array) -> Array:
        return close(self, x, range(self.nv))[0]

    def _gap(self, x: Array) -> float:
        return float(np.abs(self._opened.gaps(x)[0]).max(initial=0.0))

    def _slid(self, first: Array) -> Array:
        """Return the closed configuration nearest to the start, from a closed one.

        Each step goes back to the start as far as the rows let it, and closes what bends open.
        """
        x, share, last = first, 1.0, np.inf
        for _ in range(MOST_SLIDES):
            gap, rows = self.gaps(x)
            back = self._factor.T @ self._opened.tree.difference(x, self._start)
            step = back - _least(rows, rows @ back + gap)
            size = float(np.linalg.norm(step))
            if size <= STILL * np.linalg.norm(back):
                break
            share = share if size < 0.7 * last else max(0.1, 0.5 * share)
            x, last = self.integrate(x, share * step), size
        x = self._closed(x)
        return x if self._gap(x) <= EXACT and self._way(x) < self._way(first) else first

    def _way(self, x: Array) -> float:
        step = self._opened.tree.difference(self._start, x)
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
