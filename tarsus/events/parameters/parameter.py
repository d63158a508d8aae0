"""What a parameter of a mechanism is: what it adds to the forces that a motion needs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.model import Body, Editor, Joint, Model
from tarsus.model.checks import find, number, numbers
from tarsus.model.stating import axis_of

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


def along_joint(model: Model, name: str, kind: int) -> list[Term]:
    """Return a term for each velocity of a joint."""
    at = model.joint(name).velocity_slice
    return [(kind, k, [1.0]) for k in range(at.start, at.stop)]


def stated_body(model: Model, name: str) -> Body:
    """Return a body as it was stated."""
    return find({each.name: each for each in model.description.bodies}, name, "body")


def stated_joint(model: Model, name: str) -> Joint:
    """Return a joint as it was stated."""
    return find({each.name: each for each in model.description.joints}, name, "joint")


def of_joint(model: Model, name: str, field: str) -> Array:
    """Return the numbers of a field of a joint, one for each of its velocities."""
    stated = getattr(stated_joint(model, name), field)
    return np.zeros(model.joint(name).nv) if stated is None else np.array(stated, float)


def joint_changed(model: Model, name: str, field: str, by: float) -> Model:
    """Return the model with a field of a joint that is larger by this in all coordinates."""
    value = of_joint(model, name, field) + by
    return Editor(model).change("joint", name, **{field: value}).build()


def under_gravity(model: Model, gravity: Array) -> Model:
    """Return the model under other gravity (3,) [m/s²]."""
    return Model(replace(model.description, gravity=gravity), strict=model._strict)
