"""`tarsus.snap`: put a loose state together: the nearest one in which all loops are closed.

Newton's method in the mass metric, so that heavy parts stay and light ones come; where closed
states are a family, it then slides along them to the one that is nearest to the start. Rows that
repeat others do no harm. Of rows that contradict each other, the error tells the names.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.kit.nearest import Search
from tarsus.kit.opened import opened
from tarsus.kit.states import checked_state, each
from tarsus.model import Model
from tarsus.model.checks import expect
from tarsus.model.diagnosis import Diagnosis
from tarsus.model.open_loops import EXACT


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
    found = [Search(parts, start).run(speed) for start, speed in each(x, w)]
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
