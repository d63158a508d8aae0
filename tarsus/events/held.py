"""Models of which something is held."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.model import Editor, Model
from tarsus.model.checks import numbers
from tarsus.model.description import WORLD
from tarsus.parts import Where, place_of
from tarsus.parts.place import placement_of, split


def held(
    model: Model,
    where: Where | Sequence[Where],
    q: ArrayLike | None = None,
    *,
    kind: str = "spherical",
) -> Model:
    """Return the model with points held where they are at q (nq,), the neutral one unless stated.

    `where` is a frame or a list of frames, or of points in them. `kind` is what holds each, as
    `Builder.close_loop` knows it: "spherical" (the point), "weld" (the pose), "planar" (the height
    above z = 0 of the frame, and its tilt), … The constraints act in all algorithms.
    """
    at = np.asarray(model.neutral() if q is None else numbers(q, (model.nq,), "q"))
    point = isinstance(where, tuple) and len(where) == 2 and not isinstance(where[1], str | tuple)
    listed: list[Any] = [where] if isinstance(where, str) or point else list(where)  # type: ignore[arg-type]
    if not listed:
        raise ValueError("where is empty: name a frame to hold")
    editor = Editor(model)
    poses = np.asarray(model.forward_kinematics(at))
    for each in listed:
        place = place_of(model, each, "where")
        if place.body < 0:
            raise ValueError(f"{each!r} is part of the world: it stands still already")
        body, at = stated_place(model, each)
        editor.close_loop(
            *(kind, WORLD, poses[place.body] @ place.placement, body, at),
            constraint=True,
        )
    return editor.build()


def stated_place(model: Model, where: Where) -> tuple[str, Array]:
    """Return the body that has a place as it was stated, welded to another or not, and where."""
    name, at = split(where)
    point = placement_of(at, "where")
    for frame in model.description.frames:
        if frame.name == name:
            return frame.body, frame.placement @ point
    return name, point
