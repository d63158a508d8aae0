"""Parameters of mechanisms by which `tarsus.flow` differentiates motions.

They add up, and are multiplied by numbers: one that changes several is their sum.

    Mass("left leg") + Mass("right leg")
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import find, number, numbers
from tarsus._lib.files import Array
from tarsus.model.description import WITHOUT_SPRINGS, Body, Joint
from tarsus.model.description_builder import axis_of
from tarsus.model.editor import Editor
from tarsus.model.model import Model
from tarsus.spatial import rotation_from_vector

__all__ = [
    "CenterOfMass",
    "Damping",
    "Friction",
    "Gravity",
    "Inertia",
    "Length",
    "Mass",
    "Parameter",
    "Rest",
    "Slope",
    "Stiffness",
]

# What a parameter of a mechanism is: what it adds to the forces that a motion needs.


LENGTH, INERTIA, STIFFNESS, DAMPING, REST, GRAVITY, FRICTION = range(7)
"""Kinds of terms, as the core counts them."""
SAME = 1e-12
"""Parts of a sum whose numbers differ by a smaller share have one in common."""

Term: TypeAlias = tuple[int, int, list[float]]
"""Kind, index of a velocity or body, and numbers."""


class Parameter:
    """A number of a mechanism by which motions are differentiated; parameters add up."""

    def widened(self, model: Model, stated: Model) -> Model:
        """Return `model` with the joints that stand still for the lengths of `stated`."""
        return model

    def terms(self, model: Model, stated: Model) -> list[Term]:
        """Return what it changes in `model`, which was widened from the one that was stated."""
        raise NotImplementedError

    def value(self, model: Model) -> float:
        """Return the number that a model has."""
        raise NotImplementedError

    def changed(self, model: Model, by: float) -> Model:
        """Return the model with a number that is larger by this."""
        raise NotImplementedError

    @property
    def rubbed(self) -> tuple[str, ...]:
        """Names of joints of which a phase must say how they turn."""
        return ()

    def __add__(self, other: Parameter) -> Parameter:
        return Sum(((1.0, self), (1.0, other)))

    def __sub__(self, other: Parameter) -> Parameter:
        return Sum(((1.0, self), (-1.0, other)))

    def __mul__(self, by: float) -> Parameter:
        return Sum(((number(by, "factor"), self),))

    def __neg__(self) -> Parameter:
        return -1.0 * self

    __rmul__ = __mul__


@dataclass(frozen=True)
class Sum(Parameter):
    """One parameter that changes several, each by its factor: `parts` are (factor, parameter)."""

    parts: tuple[tuple[float, Parameter], ...]

    def __post_init__(self) -> None:
        for _, part in self.parts:
            if not isinstance(part, Parameter):
                raise TypeError(f"{part!r} must be one of ts.parameters")

    def widened(self, model: Model, stated: Model) -> Model:
        """Return the model with the joints of all parts."""
        for _, part in self.parts:
            model = part.widened(model, stated)
        return model

    def terms(self, model: Model, stated: Model) -> list[Term]:
        """Return the terms of all parts, multiplied."""
        return [
            (kind, index, [factor * x for x in listed])
            for factor, part in self.parts
            for kind, index, listed in part.terms(model, stated)
        ]

    def value(self, model: Model) -> float:
        """Return the number that all parts agree on, zero if they have none in common."""
        shared = [part.value(model) / factor for factor, part in self.parts if factor]
        return shared[0] if shared and np.ptp(shared) <= SAME * np.abs(shared).max() else 0.0

    def changed(self, model: Model, by: float) -> Model:
        """Return the model with all parts changed."""
        for factor, part in self.parts:
            model = part.changed(model, factor * by)
        return model

    @property
    def rubbed(self) -> tuple[str, ...]:
        """Names of all parts' joints."""
        return tuple(name for _, part in self.parts for name in part.rubbed)


def body_of(model: Model, name: str) -> tuple[Body, int, Array]:
    """Return a body as it was stated, the moving one that carries it, and where (4, 4) on that."""
    body = stated_body(model, name)
    frame = model.frame(name)
    if frame.body not in model.body_names:
        raise ValueError(f"body {name!r} is part of the world: nothing depends on it")
    return body, model.body(frame.body).index, frame.placement


def direction(axis: ArrayLike | str) -> Array:
    """Return the unit vector (3,) along an axis, or along "x", "y" or "z"."""
    along = np.array(numbers(np.asarray(axis_of("axis", axis)), (3,), "axis"))
    size = float(np.linalg.norm(along))
    if size == 0.0:
        raise ValueError("axis is zero, must be a direction")
    return along / size


def moments(mass: float, first: Array, second: Array) -> list[float]:
    """Return ten numbers of the core from mass, first (3,) and second moments (3, 3)."""
    listed = [second[i, j] for i in range(3) for j in range(i + 1)]
    return [float(x) for x in (mass, *first, *listed)]


def about(mass: float, at: Array) -> Array:
    """Return the inertia (3, 3) about the origin of a mass at a point (3,)."""
    return np.asarray(mass * (float(at @ at) * np.eye(3) - np.outer(at, at)))


def stated_body(model: Model, name: str) -> Body:
    """Return a body as it was stated."""
    return find({each.name: each for each in model.description.bodies}, name, "body")


def stated_joint(model: Model, name: str) -> Joint:
    """Return a joint as it was stated."""
    return find({each.name: each for each in model.description.joints}, name, "joint")


def under_gravity(model: Model, gravity: Array) -> Model:
    """Return the model under other gravity (3,) [m/s²]."""
    return Model(replace(model.description, gravity=gravity), strict=model.strict)


# The mass of a body, or one that is added to it.


@dataclass(frozen=True, eq=False)
class Mass(Parameter):
    """Mass of a body [kg] at the point `at` (3,) of it, its centre of mass unless stated.

    There the centre and the moments of inertia about it stay as they are; elsewhere it is a point
    mass that is added.
    """

    body: str
    at: ArrayLike | None = None

    def terms(self, model: Model, stated: Model) -> list[Term]:
        """Return the moments of a unit of mass."""
        body, index, place = body_of(model, self.body)
        at = body.com if self.at is None else numbers(self.at, (3,), "at")
        point = place[:3, :3] @ np.asarray(at) + place[:3, 3]
        return [(INERTIA, index, moments(1.0, point, about(1.0, point)))]

    def value(self, model: Model) -> float:
        """Return the mass of the body; nothing is added elsewhere."""
        return float(stated_body(model, self.body).mass) if self.at is None else 0.0

    def changed(self, model: Model, by: float) -> Model:
        """Return the model with more mass there."""
        body = stated_body(model, self.body)
        at = body.com if self.at is None else np.asarray(numbers(self.at, (3,), "at"))
        mass = body.mass + by
        if self.at is None or not mass:
            return Editor(model).change("body", self.body, mass=mass).build()
        com = (body.mass * body.com + by * at) / mass
        # both about the new centre
        inertia = body.inertia + about(body.mass, body.com - com) + about(by, at - com)
        return Editor(model).change("body", self.body, mass=mass, com=com, inertia=inertia).build()


# Moments of inertia of a body.


@dataclass(frozen=True, eq=False)
class Inertia(Parameter):
    """The moment of inertia of a body about `axis` (3,) of it, or "x", "y", "z" [kg m²].

    Those about axes across it stay as they are.
    """

    body: str
    axis: ArrayLike | str = "z"

    def terms(self, model: Model, stated: Model) -> list[Term]:
        """Return how its moments change."""
        _, index, place = body_of(model, self.body)
        way = place[:3, :3] @ direction(self.axis)
        return [(INERTIA, index, moments(0.0, np.zeros(3), np.outer(way, way)))]

    def value(self, model: Model) -> float:
        """Return the moment of inertia about the axis."""
        way = direction(self.axis)
        return float(way @ stated_body(model, self.body).inertia @ way)

    def changed(self, model: Model, by: float) -> Model:
        """Return the model with a larger moment of inertia."""
        way = direction(self.axis)
        inertia = stated_body(model, self.body).inertia + by * np.outer(way, way)
        return Editor(model).change("body", self.body, inertia=inertia).build()


# Where the centre of mass of a body is.


@dataclass(frozen=True, eq=False)
class CenterOfMass(Parameter):
    """The centre of mass of a body along `axis` (3,) of it, or "x", "y", "z" [m].

    Its moments of inertia about the centre stay as they are.
    """

    body: str
    axis: ArrayLike | str = "z"

    def terms(self, model: Model, stated: Model) -> list[Term]:
        """Return how its moments change."""
        body, index, place = body_of(model, self.body)
        way = place[:3, :3] @ direction(self.axis)
        at = place[:3, :3] @ body.com + place[:3, 3]
        cross = np.outer(at, way)
        second = body.mass * (2.0 * float(at @ way) * np.eye(3) - cross - cross.T)
        return [(INERTIA, index, moments(0.0, body.mass * way, second))]

    def value(self, model: Model) -> float:
        """Return where the centre is along the axis."""
        return float(stated_body(model, self.body).com @ direction(self.axis))

    def changed(self, model: Model, by: float) -> Model:
        """Return the model with the centre moved."""
        com = stated_body(model, self.body).com + by * direction(self.axis)
        return Editor(model).change("body", self.body, com=com).build()


# How heavy things are.


@dataclass(frozen=True)
class Gravity(Parameter):
    """The size of gravity [m/s²]; its direction stays as it is."""

    def terms(self, model: Model, stated: Model) -> list[Term]:
        """Return its direction."""
        size = float(np.linalg.norm(model.gravity))
        if size == 0.0:
            raise ValueError(f"model {stated.name!r} has no gravity: it has no direction")
        return [(GRAVITY, 0, [float(x) / size for x in model.gravity])]

    def value(self, model: Model) -> float:
        """Return its size."""
        return float(np.linalg.norm(model.gravity))

    def changed(self, model: Model, by: float) -> Model:
        """Return the model under more gravity."""
        size = self.value(model)
        if size == 0.0:
            raise ValueError(f"model {model.name!r} has no gravity: it has no direction")
        return under_gravity(model, model.gravity * (1.0 + by / size))


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
