"""Pushes of a run as its settings and parts tell them: where they act, and with which forces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tarsus.arrays import Array

if TYPE_CHECKING:
    from tarsus.simulation.trajectory import Trajectory


class _Push(NamedTuple):
    body: int
    point: Array
    forces: Array


class Pushes:
    """All external wrenches of the run of one state; none where nothing was recorded."""

    def __init__(self, run: Trajectory | None) -> None:
        self._found: list[_Push] = []
        places = {} if run is None else run.settings.get("pushed")
        if run is None or not isinstance(places, dict):
            return
        records = run.parts
        for name, place in places.items():
            known = _place(run.model.body_names, place)
            if name in records and known is not None:
                self._found.append(_Push(*known, records[name].force))

    def at(self, sample: int, poses: Array) -> tuple[Array, Array]:
        """Return points and forces (m, 3) of those that push at a sample; poses (bodies, 4, 4)."""
        acting = [each for each in self._found if each.forces[sample].any()]
        points = [
            poses[each.body, :3, :3] @ each.point + poses[each.body, :3, 3] for each in acting
        ]
        forces = [each.forces[sample] for each in acting]
        return np.reshape(points, (-1, 3)), np.reshape(forces, (-1, 3))


def _place(bodies: tuple[str, ...], place: Any) -> tuple[int, Array] | None:
    """Return the number of a body and a point (3,) of it; None where a file states none."""
    try:
        body, point = bodies.index(place["body"]), np.asarray(place["point"], np.float64)
    except (KeyError, TypeError, ValueError):
        return None
    return (body, point) if point.shape == (3,) and np.isfinite(point).all() else None
