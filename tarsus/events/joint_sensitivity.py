"""Derivatives of a flow with respect to parameters of joints and of the ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.files import Array
from tarsus.events.sensitivity import (
    DAMPING,
    FRICTION,
    GRAVITY,
    LENGTH,
    REST,
    STIFFNESS,
    Parameter,
    Term,
    direction,
    stated_joint,
    under_gravity,
)
from tarsus.model.description import WITHOUT_SPRINGS
from tarsus.model.editor import Editor
from tarsus.model.model import Model
from tarsus.spatial import rotation_from_vector

# Parameters of joints that are one of their fields, the same change in all coordinates.


@dataclass(frozen=True)
class OfJoint(Parameter):
    """A field of a joint; `kind` is that of its terms in the core."""

    joint: str
    field: ClassVar[str]
    kind: ClassVar[int]

    def terms(self, model: Model, stated: Model) -> list[Term]:
        """Return a term for each velocity of the joint."""
        at = model.joint(self.joint).velocity_slice
        return [(self.kind, k, [1.0]) for k in range(at.start, at.stop)]

    def value(self, model: Model) -> float:
        """Return the field of the first coordinate."""
        return float(self._values(model)[0])

    def changed(self, model: Model, by: float) -> Model:
        """Return the model with more of it, in all coordinates of the joint."""
        value = self._values(model) + by
        return Editor(model).change("joint", self.joint, **{self.field: value}).build()

    def _values(self, model: Model) -> Array:
        stated = getattr(stated_joint(model, self.joint), self.field)
        return np.zeros(model.joint(self.joint).nv) if stated is None else np.array(stated, float)


class Damping(OfJoint):
    """The damping of a joint [N m s/rad or N s/m], of all its coordinates."""

    field, kind = "damping", DAMPING


class Friction(OfJoint):
    """The dry friction of a joint [N m or N]; phases say how it turns, with `rubbing`."""

    field, kind = "friction", FRICTION

    @property
    def rubbed(self) -> tuple[str, ...]:
        """The joint: its friction acts against the way in which it turns."""
        return (self.joint,)


class Rest(OfJoint):
    """Where the spring of a joint with one coordinate is relaxed [rad or m]."""

    field, kind = "rest", REST

    def terms(self, model: Model, stated: Model) -> list[Term]:
        """Return one term."""
        joint = model.joint(self.joint)
        if (joint.nq, joint.nv) != (1, 1):
            raise ValueError(f"joint {self.joint!r} is {joint.kind}, must have one coordinate")
        return super().terms(model, stated)


class Stiffness(OfJoint):
    """The stiffness of the spring in a joint [N m/rad or N/m], of all its coordinates."""

    field, kind = "stiffness", STIFFNESS

    def terms(self, model: Model, stated: Model) -> list[Term]:
        """Return a term for each velocity of a joint that may have a spring."""
        kind = model.joint(self.joint).kind
        if kind in WITHOUT_SPRINGS:
            raise ValueError(f"joint {self.joint!r} is {kind}, which has no springs")
        return super().terms(model, stated)


# Where a joint is on the body that carries it.


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


# How steep the ground is on which a mechanism stands.


@dataclass(frozen=True, eq=False)
class Slope(Parameter):
    """The angle of a slope [rad]: gravity turns about `axis`, while all else stays as it is.

    With the axis −y, as it is unless stated, a steeper slope is more downhill along +x.
    """

    axis: ArrayLike | str = (0.0, -1.0, 0.0)

    def terms(self, model: Model, stated: Model) -> list[Term]:
        """Return how gravity turns."""
        axis = direction(self.axis)
        return [(GRAVITY, 0, [float(x) for x in np.cross(axis, model.gravity)])]

    def value(self, model: Model) -> float:
        """Return how far gravity is turned from −z."""
        axis, down = direction(self.axis), np.array([0.0, 0.0, -1.0])
        across, along = axis @ np.cross(down, model.gravity), down @ model.gravity
        return float(np.arctan2(across, along - (axis @ down) * (axis @ model.gravity)))

    def changed(self, model: Model, by: float) -> Model:
        """Return the model on a steeper slope."""
        axis = direction(self.axis)
        return under_gravity(model, rotation_from_vector(by * axis) @ model.gravity)
