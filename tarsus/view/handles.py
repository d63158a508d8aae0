"""Handles in the viewer: targets that people drag and turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.model.checks import numbers


class Handle:
    """A place (3,) [m] and, if it can be turned, a quaternion [w, x, y, z] in the world."""

    def __init__(
        self,
        name: str,
        position: ArrayLike,
        wxyz: ArrayLike | None,
        changed: Callable[[], None],
        moved: Callable[[Handle], None],
    ) -> None:
        self.name = name
        self.position: Array = numbers(position, (3,), "position")
        self.wxyz: Array | None = None if wxyz is None else numbers(wxyz, (4,), "wxyz")
        self._changed, self._moved = changed, moved

    def place(self, position: ArrayLike, wxyz: ArrayLike | None = None) -> None:
        """Put the handle elsewhere; nobody is called back."""
        self.position = numbers(position, (3,), "position")
        if wxyz is not None and self.wxyz is not None:
            self.wxyz = numbers(wxyz, (4,), "wxyz")
        self._changed()

    def data(self) -> dict[str, Any]:
        """Return what pages draw."""
        turn = None if self.wxyz is None else self.wxyz.tolist()
        return {"name": self.name, "position": self.position.tolist(), "wxyz": turn}

    def hear(self, message: Mapping[str, Any]) -> None:
        """Go where a page dragged it, and call back; what makes no sense is left alone."""
        position = _vector(message.get("position"), 3)
        wxyz = _vector(message.get("wxyz"), 4)
        if position is not None:
            self.position = position
        if wxyz is not None and self.wxyz is not None and np.linalg.norm(wxyz) > 1e-6:
            self.wxyz = wxyz / np.linalg.norm(wxyz)
        self._changed()
        self._moved(self)


def _vector(given: Any, size: int) -> Array | None:
    """Return a vector of finite numbers from JSON, or None."""
    if not isinstance(given, list) or len(given) != size:
        return None
    if not all(isinstance(x, (int, float)) and abs(x) < 1e6 for x in given):
        return None
    return np.array(given, np.float64)
