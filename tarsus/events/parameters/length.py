"""Where a joint is on the body that carries it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.events.parameters.parameter import LENGTH, Parameter, Term, direction, stated_joint
from tarsus.model import Editor, Model


@dataclass(frozen=True, eq=False)
class Length(Parameter):
    """How far a joint is along `axis` (3,) of its parent, or "x", "y", "z" [m].

    Unless stated the axis is that from the parent's origin to the joint: its length is that of the
    link. A joint may be fixed. It is the coordinate of a slide that stands still.
    """

    joint: str
    axis: ArrayLike | str | None = None

    def widened(self, model: Model, stated: Model) -> Model:
        """Return the model with a slide before the joint."""
        name = self._name(stated)
        if name in model.joint_names:
            return model
        joint = stated_joint(model, self.joint)
        turned = np.array(joint.placement)
        turned[:3, 3] = 0.0
        editor = Editor(model).body(name)
        editor.joint(
            *(name, "prismatic", joint.parent, name),
            position=joint.placement[:3, 3],
            axis=self._axis(stated),
        )
        return editor.change("joint", self.joint, parent=name, placement=turned).build()

    def terms(self, model: Model, stated: Model) -> list[Term]:
        """Return the velocity of the slide."""
        slide = model.joint(self._name(stated))
        if slide.v_slice.stop - slide.v_slice.start != 1:
            raise ValueError(
                f"joint {self.joint!r} is within a loop: how long its links are is no parameter "
                "of a flow"
            )
        return [(LENGTH, slide.v_slice.start, [1.0])]

    def value(self, model: Model) -> float:
        """Return how far it is."""
        return float(stated_joint(model, self.joint).placement[:3, 3] @ self._axis(model))

    def changed(self, model: Model, by: float) -> Model:
        """Return the model with the joint farther away."""
        placement = np.array(stated_joint(model, self.joint).placement)
        placement[:3, 3] += by * self._axis(model)
        return Editor(model).change("joint", self.joint, placement=placement).build()

    def _axis(self, model: Model) -> Array:
        joint = stated_joint(model, self.joint)
        axis = joint.placement[:3, 3] if self.axis is None else self.axis
        if not np.any(axis):
            raise ValueError(
                f"joint {self.joint!r} is at the origin of its parent: state the axis of its length"
            )
        return direction(axis)

    def _name(self, model: Model) -> str:
        x, y, z = self._axis(model)
        return f"place of {self.joint} along ({x:g}, {y:g}, {z:g})"
