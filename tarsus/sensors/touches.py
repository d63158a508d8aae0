"""Contacts of states as sensors see them: sums of forces on a body, a link, or on everything."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.files import Array

GROUND = "ground"


class Touches:
    """N contacts of states with leading dimensions `lead`, in world axes.

    `state` (N,) is which state a contact belongs to, counted through `lead`, and `candidate` (N,)
    its row of `places`: the body that touches, what it touches ("ground" or a body), and the link.
    Forces (N, 3) [N] act on the body at points (N, 3) [m], normals (N, 3) point towards it.
    """

    def __init__(
        self,
        lead: tuple[int, ...],
        state: NDArray[np.int64],
        candidate: NDArray[np.int64],
        places: Sequence[tuple[str, str, str]],
        point: Array,
        normal: Array,
        force: Array,
    ) -> None:
        self.lead, self.places = lead, places
        self._state, self._candidate = state, candidate
        self._point, self._normal, self._force = point, normal, force

    def wrench(self, name: str | None) -> Array:
        """Return wrenches (…, 6) [N, N·m] about the world's origin on a body or link.

        None stands for all that the ground touches; bodies that cannot touch feel nothing.
        """
        rows = np.concatenate([self._force, np.cross(self._point, self._force)], axis=-1)
        return self._sum(self._signs(name)[:, None] * rows)

    def normal_force(self, name: str | None) -> Array:
        """Return sums (…,) of normal forces [N] on a body or link, or of the ground."""
        pressed = np.einsum("ij,ij->i", self._force, self._normal)
        return self._sum((np.abs(self._signs(name)) * pressed)[:, None])[..., 0]

    def _signs(self, name: str | None) -> Array:
        """Return 1 for contacts (N,) on what is called so, -1 where it is what is touched."""
        signs = np.array(
            [
                float(other == GROUND)
                if name is None
                else float(name in (body, link)) - float(other == name)
                for body, other, link in self.places
            ]
            or [0.0]
        )
        return np.asarray(signs[self._candidate])

    def _sum(self, rows: Array) -> Array:
        total = np.zeros((int(np.prod(self.lead, dtype=np.int64)), rows.shape[1]))
        np.add.at(total, self._state, rows)
        return total.reshape(*self.lead, rows.shape[1])
