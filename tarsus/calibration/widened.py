"""A model with a joint for each error: slides and hinges that stand still, but could move.

The errors of a place are joints of one coordinate in front of it, so that the frame Jacobians of
the core have their columns: screws of the errors, through trees, couplings and closed loops alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.checks import find
from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.calibration.parameters import (
    COMPONENTS,
    JointError,
    LoopError,
    Placed,
    joints_above,
)
from tarsus.model import Editor, Model
from tarsus.model.actuator_map import MotorSearch
from tarsus.model.actuators import motors_of
from tarsus.model.description import Description, Frame, Joint, Loop
from tarsus.spatial import pose, rotation_from_rpy

ORDER = ("x", "y", "z", "rz", "ry", "rx")
"""Shifts first, and turns so that the last three are roll, pitch and yaw."""


class Widened:
    """A model and its errors: `model` has a joint more for each of `names`."""

    def __init__(self, model: Model, placed: Sequence[Placed]) -> None:
        self.stated = model
        self.placed = tuple(placed)
        self.names = tuple(name for each in self.placed for name in each.names)
        editor = Editor(model)
        for each in self.placed:
            _insert(editor, model, each)
        self._name_independent(editor)
        self.model = editor.build()
        views = [self.model.joint(name) for name in self.names]
        self.columns = np.array([view.v_slice.start for view in views], dtype=np.intp)
        self._places = np.array([view.q_slice.start for view in views], dtype=np.intp)
        self._from = _carried_positions(model, self.model)

    def _name_independent(self, editor: Editor) -> None:
        """State that errors on the way of a loop stay independent, with those that were."""
        stated = self.stated.description
        carried = {joint.child: joint for joint in stated.joints}
        constraints = {each.name for each in self.stated.constraints}
        for loop in stated.loops:
            if loop.name in constraints:
                continue
            ends = [{j.name for j in joints_above(carried, b)} for b in (loop.body_a, loop.body_b)]
            between = ends[0] ^ ends[1]
            own = [
                n for c in self.stated.clusters if between & set(c.joints) for n in c.independent
            ]
            errors = [
                name
                for each in self.placed
                if (isinstance(each, JointError) and each.element in between)
                or (isinstance(each, LoopError) and each.element == loop.name)
                for name in each.names
            ]
            if errors:
                independent = tuple(dict.fromkeys([*own, *errors]))
                editor.change("loop", loop.name, independent=independent, constraint=False)

    def configuration(
        self, positions: Array, joints: Sequence[str], q: Array, errors: Array
    ) -> Array:
        """Return configurations (states, nq) of the wide model with encoders at positions.

        `q` (nq,) or (states, nq) of the stated model is where the search begins.
        """
        start = np.empty((len(positions), self.model.nq))
        start[:, self._from >= 0] = np.broadcast_to(q, (len(positions), self.stated.nq))[
            :, self._from[self._from >= 0]
        ]
        start[:, self._places] = errors
        movable = np.ones(self.model.nv, dtype=bool)
        movable[self.columns] = False
        motors = motors_of(self.model, joints)
        return MotorSearch(self.model, motors, positions, self.model.close(start), movable).run()

    def corrected(self, errors: Array) -> Model:
        """Return the stated model with its places corrected by errors (names,)."""
        editor, value = Editor(self.stated), dict(zip(self.names, errors.tolist(), strict=True))
        for each in self.placed:
            own = dict(zip(each.components, (value[name] for name in each.names), strict=True))
            x, y, z, *turns = (own.get(component, 0.0) for component in COMPONENTS)
            error = pose((x, y, z), rotation_from_rpy(turns))
            old, (_, place) = _element(editor.description(), self.stated, each), each.fields
            editor.change(each.kind, each.element, **{place: getattr(old, place) @ error})
        return editor.build()


def _insert(editor: Editor, model: Model, each: Placed) -> None:
    """Put slides and hinges between a joint, frame or loop and what carries it."""
    old, (carrier, place) = _element(editor.description(), model, each), each.fields
    parent, placement = getattr(old, carrier), getattr(old, place)
    names = dict(zip(each.components, each.names, strict=True))
    for component in ORDER:
        if component in names:
            name = names[component]
            kind = "revolute" if component.startswith("r") else "prismatic"
            editor.body(name)
            editor.joint(name, kind, parent, name, placement=placement, axis=component[-1])
            parent, placement = name, np.eye(4)
    editor.change(each.kind, each.element, **{carrier: parent, place: placement})


def _element(stated: Description, model: Model, each: Placed) -> Any:
    """Return the joint, frame or loop with the errors."""
    listed: Sequence[Joint | Frame | Loop] = getattr(stated, f"{each.kind}s")
    found = {element.name: element for element in listed}
    if each.kind == "frame" and each.element not in found and each.element in model.frame_names:
        raise ModelError(
            f"frame {each.element!r} is a body: it is where its joint brings it; state the "
            "error of that joint, or of a frame that was added to the body"
        )
    return find(found, each.element, each.kind)


def _carried_positions(model: Model, wide: Model) -> NDArray[np.intp]:
    """Return for each position of the wide model its place in the other's q, −1 for errors."""
    found = np.full(wide.nq, -1, dtype=np.intp)
    for joint in model.joints:
        there = wide.joint(joint.name)
        if joint.own_velocities != there.own_velocities:
            raise ModelError(
                f"joint {joint.name!r} is in a loop that cannot bear these errors: state fewer, "
                "such as those in the plane of a planar linkage"
            )
        found[there.q_slice] = range(joint.q_slice.start, joint.q_slice.stop)
    return found
