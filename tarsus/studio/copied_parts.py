"""Copies of forces and constraints, on copies of what they act on."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from tarsus.model import WORLD
from tarsus.parts import Part
from tarsus.parts.place import placement_of, split
from tarsus.studio.copies import Image

IN_WORLD = ("nail", "move_to", "grab")
"""Parts whose targets are places of the world."""
WITH_IMAGES = (
    *("spring", "damper", "string", "rubber", "damping", "drag", "support", "brake", "weight"),
    *("wrench", "distance", "motor", "joint_spring", *IN_WORLD),
)
"""Parts that can be mirrored."""


def copied_part(part: Part, image: Image, name: str, loose: Collection[str]) -> Part | None:
    """Return the copy of a part, None if it acts on something that is not copied.

    `loose` are joints whose copies are free.
    """
    if image.mirrors and part.kind not in WITH_IMAGES:
        return None
    changed: dict[str, Any] = {"name": name, "source": None}
    acts = False
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        if "Where" in str(field.type):
            if split(value)[0] not in (WORLD, *image.names):
                return None
            acts = acts or split(value)[0] != WORLD
            changed[field.name] = _where(value, image)
        elif field.name in ("joint", "joints") and value:
            names = [value] if isinstance(value, str) else list(value)
            if not all(each in image.names and each not in loose for each in names):
                return None
            acts, changed[field.name] = True, _joints(value, image)
    if not acts:
        return None
    changed |= _vectors(part, image) | _target(part, image)
    return dataclasses.replace(part, **changed)


def _where(where: Any, image: Image) -> Any:
    name, at = split(where)
    if isinstance(where, str):
        return image.names[name]
    placement = image.place(name, placement_of(at, "where"))
    found = placement if np.ndim(at) == 2 else tuple(placement[:3, 3].tolist())
    return found if name == WORLD else (image.names[name], found)


def _joints(value: Any, image: Image) -> Any:
    if isinstance(value, str):
        return image.names[value]
    if isinstance(value, Mapping):
        return {image.names[name]: each for name, each in value.items()}
    return type(value)(image.names[name] for name in value)


def _vectors(part: Part, image: Image) -> dict[str, Any]:
    """Return forces and torques of a wrench as they are mirrored."""
    if part.kind != "wrench" or not image.mirrors:
        return {}
    force, torque = (np.asarray(getattr(part, name), float) for name in ("force", "torque"))
    return {"force": tuple(image.polar(force)), "torque": tuple(image.axial(torque))}


def _target(part: Part, image: Image) -> dict[str, Any]:
    target = getattr(part, "target", None)
    if part.kind not in IN_WORLD or target is None:
        return {}
    placement = image.in_world(placement_of(target, "target"))
    return {"target": placement if np.ndim(target) == 2 else tuple(placement[:3, 3].tolist())}
