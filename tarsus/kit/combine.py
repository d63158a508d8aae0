"""`tarsus.combine`, `attach`, `detach`: several machines as one model, with prefixed names.

    scene = ts.combine(robot, table, box, names=("robot", "table", "box"), at=(None, (1, 0, 0), …))
    armed = ts.attach(arm, gripper, to="hand", name="gripper")

Every name gets the name of its machine in front, as "robot/knee". Joints, gears, loops, shapes and
forces are kept; machines keep their roots, so that trees stay trees.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.model import WORLD, Model
from tarsus.model.checks import UnknownNameError, expect, is_triple, numbers, pose, suggestion
from tarsus.model.description import Description, Joint, ModelError
from tarsus.model.editor import Editor
from tarsus.model.poses import joined_poses
from tarsus.model.references import EXCLUDED, PAIR_FRICTIONS, SENSORS, with_names
from tarsus.spatial import pose as move

SEPARATOR = "/"


def combine(
    *model: Model,
    names: Sequence[str] | None = None,
    at: Sequence[ArrayLike | None] | None = None,
    gravity: ArrayLike | None = None,
    name: str = "scene",
) -> Model:
    """Return one model of several, each at a point (3,) or pose (4, 4), or where it is by itself.

    `names` are put in front of all names, those of the models unless stated. `gravity` (3,) must be
    stated if the models do not agree on it. States go over by `tarsus.join_states`.
    """
    models = model
    if not models:
        raise ValueError("there is no model, must be at least one")
    for each in models:
        expect(each, Model, "model")
    chosen = _names(models, names)
    if at is not None and len(at) != len(models):
        raise ValueError(f"at has {len(at)} places for {len(models)} models")
    places = [None] * len(models) if at is None else list(at)
    parts = [
        _moved(_prefixed(each.description, prefix), place)
        for each, prefix, place in zip(models, chosen, places, strict=True)
    ]
    whole = dataclasses.replace(_joined(parts, name), gravity=_gravity(models, gravity))
    return Model(whole, strict=all(each._strict for each in models))


def attach(
    model: Model,
    tool: Model,
    to: str,
    *,
    at: ArrayLike | None = None,
    name: str | None = None,
) -> Model:
    """Return a model with another one welded to its frame `to`, at a point or pose (4, 4) of it.

    The tool's one root joint is given up; names of the tool get its `name` in front.
    """
    expect(model, Model, "model")
    expect(tool, Model, "tool")
    frame = model.frame(to)
    prefix = tool.name if name is None else name
    stated = _prefixed(tool.description, prefix)
    roots = [joint for joint in stated.joints if joint.parent == WORLD]
    if len(roots) != 1:
        raise ModelError(f"tool {tool.name!r} has {len(roots)} roots, must have one to be attached")
    root = roots[0]
    place = frame.placement if at is None else frame.placement @ placement_of(at, "at")
    if root.kind != "free":
        place = place @ root.placement
    weld = Joint(root.name, "fixed", frame.body, root.child, place)
    joints = [weld if joint is root else joint for joint in stated.joints]
    whole = _joined([model.description, dataclasses.replace(stated, joints=joints)], model.name)
    return Model(whole, strict=model._strict and tool._strict)


def detach(model: Model, body: str) -> Model:
    """Return a model in which a body that was attached, and what it carries, is free."""
    expect(model, Model, "model")
    carrier = {joint.child: joint.name for joint in model.description.joints}
    if body not in carrier:
        raise UnknownNameError(f"there is no body {body!r}{suggestion(body, carrier)}")
    return Editor(model).cut(carrier[body]).build()


def join_states(model: Model, *states: ArrayLike) -> Array:
    """Return q (…, nq) of a combined model from those of its parts, or v (…, nv), in order."""
    arrays = [np.asarray(state, float) for state in states]
    lead = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
    whole = [np.broadcast_to(array, (*lead, array.shape[-1])) for array in arrays]
    found = np.concatenate(whole, axis=-1)
    if found.shape[-1] not in (model.nq, model.nv):
        raise ValueError(
            f"states have {found.shape[-1]} numbers, the model has nq = {model.nq}, nv = {model.nv}"
        )
    return found


def _names(models: Sequence[Model], names: Sequence[str] | None) -> list[str]:
    if names is None:
        names = [model.name for model in models]
    if isinstance(names, str) or len(names) != len(models):
        raise ValueError(f"names are {names!r}, must be one for each of {len(models)} models")
    for name in names:
        if list(names).count(name) > 1:
            raise ValueError(f"two models are called {name!r}: state names, one for each")
    return list(names)


def _gravity(models: Sequence[Model], gravity: ArrayLike | None) -> Array:
    if gravity is not None:
        return np.array(numbers(gravity, (3,), "gravity"))
    stated = [model.description.gravity for model in models]
    for model, each in zip(models, stated, strict=True):
        if not np.array_equal(each, stated[0]):
            raise ValueError(
                f"gravity is {each} for {model.name!r} and {stated[0]} for {models[0].name!r}: "
                "state gravity="
            )
    return stated[0]


def _prefixed(stated: Description, prefix: str) -> Description:
    """Return a description with a word in front of all names but that of the world."""

    def new(name: str) -> str:
        return name if name in (WORLD, "") else f"{prefix}{SEPARATOR}{name}"

    return with_names(stated, new)


def placement_of(at: ArrayLike, what: str) -> Array:
    """Return the placement (4, 4) of a point (3,) or of a pose (4, 4)."""
    return move(np.array(numbers(at, (3,), what))) if is_triple(at) else pose(at, what)


def _moved(stated: Description, at: ArrayLike | None) -> Description:
    """Return a description whose roots, and what is on the world, are at a place."""
    if at is None:
        return stated
    place = placement_of(at, "at")

    def follow(elements: Sequence[Any], on: Callable[[Any], str]) -> list[Any]:
        return [
            dataclasses.replace(each, placement=place @ each.placement)
            if on(each) == WORLD
            else each
            for each in elements
        ]

    loops = [
        dataclasses.replace(
            loop,
            placement_a=place @ loop.placement_a if loop.body_a == WORLD else loop.placement_a,
            placement_b=place @ loop.placement_b if loop.body_b == WORLD else loop.placement_b,
        )
        for loop in stated.loops
    ]
    return dataclasses.replace(
        stated,
        joints=follow(stated.joints, lambda joint: joint.parent),
        frames=follow(stated.frames, lambda frame: frame.body),
        shapes=follow(stated.shapes, lambda shape: shape.body),
        loops=loops,
    )


def _joined(parts: Sequence[Description], name: str) -> Description:
    def every(key: str) -> list[Any]:
        return [each for part in parts for each in getattr(part, key)]

    metadata: dict[str, Any] = {}
    for part in parts:
        metadata |= part.metadata
    metadata |= joined_poses(part.metadata for part in parts)
    for key in (EXCLUDED, PAIR_FRICTIONS):
        if pairs := [pair for part in parts for pair in part.metadata.get(key, ())]:
            metadata[key] = pairs
    sensors = {name: x for part in parts for name, x in part.metadata.get(SENSORS, {}).items()}
    if sensors:
        metadata[SENSORS] = sensors
    keys = (
        "bodies",
        "joints",
        "couplings",
        "loops",
        "frames",
        "shapes",
        "forces",
        "actuators",
        "warnings",
    )
    lists: Mapping[str, Any] = {key: every(key) for key in keys}
    return Description(name, **lists, gravity=parts[0].gravity, metadata=metadata)
