"""`tarsus.Editor`: a builder that begins with a model, and can also change, cut and remove.

e = Editor(pendulum)
e.change("body", "rod", mass=2.0)
e.cut("hinge")
loose = e.build()
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from tarsus._lib.checks import UnknownNameError, expect, is_triple, suggestion
from tarsus._lib.errors import ModelError
from tarsus.model.builder import Builder
from tarsus.model.description import COORDINATE_FIELDS, SIZES, Body, Description, Joint
from tarsus.model.description_builder import Draft, axis_of, placement_of, spread
from tarsus.model.model import Model
from tarsus.model.name_references import RENAMES, consistent, freed, without_body, without_poses

ELEMENTS: Mapping[str, str] = {
    "body": "bodies",
    "joint": "joints",
    "coupling": "couplings",
    "loop": "loops",
    "frame": "frames",
    "shape": "shapes",
    "force": "forces",
    "actuator": "actuators",
}
"""What can be changed or removed -> where a description has it."""


class Editor(Builder):
    """State changes to a model, then `build()` a new one; the old one stays as it is.

    Everything that a `Builder` can add can be added. `tarsus.carry` takes states of the old model
    over to the new one.
    """

    def __init__(self, model: Model) -> None:
        expect(model, Model, "model")
        self._draft = Draft.of(model.description, strict=model.strict)

    def change(self, what: str, name: str, /, **fields: Any) -> Self:
        """Change fields of a "body", "joint", "coupling", "loop", "frame", "shape", …

        Also of a "force" or an "actuator". Fields are those of `tarsus.Body`, `Joint`, … and may be
        stated as for the `Builder`; `name` is a new name, which everything that refers to it
        follows. A joint of another `kind` keeps its place and axis, and loses limits, springs and
        the like. Shapes and forces are known by the names that they have.
        """
        place = _place(what)
        elements = self._elements(what, name)
        fields = _parsed(elements[0], fields, f"{what} {name!r}")
        stated = dataclasses.fields(elements[0])
        valid = [field.name for field in stated if field.init and field.name != "source"]
        for key in fields:
            if key not in valid or (what, key) == ("joint", "child"):
                raise TypeError(f"{what} {name!r} has no field {key!r}{suggestion(key, valid)}")
        changed = {id(old): dataclasses.replace(old, **fields) for old in elements}
        before = self._draft.description
        after = _with(before, place, [changed.get(id(e), e) for e in getattr(before, place)])
        if what == "joint" and fields.get("kind", elements[0].kind) != elements[0].kind:
            after = without_poses(after, name)
        if what in RENAMES and fields.get("name", name) != name:
            after = RENAMES[what](after, name, fields["name"])
        return self._take(after)

    def remove(self, what: str, name: str) -> Self:
        """Remove a "body", "joint", "coupling", "loop", "frame", "shape", "force" or "actuator".

        With a body go its joint, frames, shapes, loops and forces, and bodies that it carried are
        free; with a joint go its actuators. A body without its joint needs another before the model
        is built; `cut` makes it free.
        """
        elements = {id(element) for element in self._elements(what, name)}
        stated = self._draft.description
        if what == "body":
            return self._without_body(name)
        place = _place(what)
        listed = [old for old in getattr(stated, place) if id(old) not in elements]
        if what == "joint":
            self._check_uncoupled(name)
        return self._take(consistent(_with(stated, place, listed)))

    def cut(self, joint: str) -> Self:
        """Let the child of a joint go: it is free from now on, where it is and as it moves."""
        self._elements("joint", joint)
        self._check_uncoupled(joint)
        return self._take(consistent(freed(self._draft.description, {joint})))

    def _without_body(self, name: str) -> Self:
        stated = self._draft.description
        own = [joint.name for joint in stated.joints if joint.child == name]
        carried = {joint.name for joint in stated.joints if joint.parent == name}
        for joint in (*own, *sorted(carried)):
            self._check_uncoupled(joint)
        return self._take(without_body(freed(stated, carried), name))

    def _elements(self, what: str, name: str) -> list[Any]:
        """Return what has this name; shapes may share one."""
        there = getattr(self._draft.description, _place(what))
        found = [element for element in there if element.name == name]
        if not found:
            names = dict.fromkeys(element.name for element in there if element.name)
            raise UnknownNameError(f"there is no {what} {name!r}{suggestion(name, names)}")
        return found

    def _check_uncoupled(self, joint: str) -> None:
        for coupling in self._draft.description.couplings:
            if joint in (*coupling.leaders, *coupling.followers):
                raise ModelError(
                    f"joint {joint!r} is part of coupling {coupling.name!r}; remove that first, "
                    f"with remove('coupling', {coupling.name!r})"
                )

    def _take(self, stated: Description) -> Self:
        self._draft = Draft.of(stated, strict=self._draft.strict)
        return self


def _place(what: str) -> str:
    if what not in ELEMENTS:
        raise ValueError(f"what is {what!r}, must be one of {', '.join(map(repr, ELEMENTS))}")
    return ELEMENTS[what]


def _with(stated: Description, place: str, elements: list[Any]) -> Description:
    listed: dict[str, Any] = {place: elements}
    return dataclasses.replace(stated, **listed)


def _parsed(old: Any, fields: dict[str, Any], what: str) -> dict[str, Any]:
    """Return the fields as a description has them, from the ways in which builders take them."""
    fields = dict(fields)
    position, rotation = (fields.pop(key, None) for key in ("position", "rotation"))
    if position is not None or rotation is not None:
        stated = placement_of(what, position, rotation, fields.get("placement"))
        place = np.array(getattr(old, "placement", np.eye(4)))
        if position is not None:
            place[:3, 3] = stated[:3, 3]
        if rotation is not None:
            place[:3, :3] = stated[:3, :3]
        fields["placement"] = place
    if isinstance(old, Body) and is_triple(fields.get("inertia")):
        fields["inertia"] = np.diag(fields["inertia"])
    if isinstance(old, Joint):
        for key in ("axis", "second_axis"):
            if key in fields:
                fields[key] = axis_of(what, fields[key])
        now = fields.get("kind", old.kind)
        for key in COORDINATE_FIELDS:
            if key in fields:
                fields[key] = spread(fields[key], now, key)
        if now != old.kind:
            fields = _forgotten(now) | fields
    return fields


def _forgotten(kind: str) -> dict[str, Any]:
    """Return what a joint that has become one of another kind does not keep."""
    lost: dict[str, Any] = dict.fromkeys(COORDINATE_FIELDS)
    lost |= {key: 0.0 for key, kinds in SIZES.items() if kind not in kinds}
    lost |= {} if kind == "rolling" else {"surface": None, "ground": None}
    return lost if kind == "universal" else lost | {"second_axis": None}
