"""Joints that a part acts along."""

from __future__ import annotations

from tarsus.model import Model


def one_coordinate(model: Model, name: str, hint: str = "") -> None:
    """Raise unless the model has a joint `name` with one coordinate; `hint` ends the message."""
    joint = model.joint(name)
    if (joint.nq, joint.nv) != (1, 1):
        raise ValueError(f"joint {name!r} is {joint.kind}, must have one coordinate{hint}")
