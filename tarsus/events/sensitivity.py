"""Derivatives of a flow with respect to parameters of bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import find, number, numbers
from tarsus._lib.files import Array
from tarsus.events.friction import Rubbing, acting, ways
from tarsus.model.description import NONHOLONOMIC, Body, Joint
from tarsus.model.description_builder import axis_of
from tarsus.model.editor import Editor
from tarsus.model.model import Model

# Models for derivatives of their motions: with a slide that stands still for each length.


@dataclass(frozen=True)
class Derivatives:
    """That derivatives are wanted, by the states of a model with `nv` velocities and parameters."""

    nv: int
    parameters: tuple[Parameter, ...]

    def wide(self, model: Model, rubbing: Rubbing) -> tuple[Model, tuple[Any, ...]]:
        """Return the widened model, and what the core reads about it."""
        check_smooth(model)
        self._check_friction(model, rubbing)
        wide = model
        for parameter in self.parameters:
            wide = parameter.widened(wide, model)
        terms: list[tuple[int, int, int, list[float]]] = []
        for k, parameter in enumerate(self.parameters):
            own = parameter.terms(wide, model)
            _check_fields(model, own)
            terms += [(kind, k, index, numbers) for kind, index, numbers in own]
        of_q, of_v, own_v = _numbered(model, wide)
        parts, part_numbers = acting(wide)
        count = len(self.parameters)
        listed = (of_q, of_v, own_v, parts, part_numbers, terms, 2 * self.nv + count, count)
        return wide, (wide, *listed, ways(wide, rubbing))

    def _check_friction(self, model: Model, rubbing: Rubbing) -> None:
        rubbed = {name for each in self.parameters for name in each.rubbed}
        for name in model.joint_names:
            if name not in rubbing and (np.any(model.joint(name).friction) or name in rubbed):
                raise ValueError(
                    f"joint {name!r} has dry friction, which jumps where it turns: say how it "
                    f"does, with rubbing={{{name!r}: 1}} of its phase, or −1, or 0 if it stands"
                )


def _numbered(model: Model, wide: Model) -> tuple[list[int], list[int], list[int]]:
    """Return where positions and velocities of the wide model are in the other, −1 for lengths."""
    of_q, of_v = np.full(wide.nq, -1), np.full(wide.nv, -1)
    for name in model.joint_names:
        at, there = model.joint(name), wide.joint(name)
        if at.own_velocities != there.own_velocities or len(_range(at.q_slice)) != len(
            _range(there.q_slice)
        ):
            raise ValueError(
                f"joint {name!r} is within a loop with a joint that has a length: how long links "
                "of loops are is no parameter of a flow"
            )
        of_q[there.q_slice], of_v[there.v_slice] = _range(at.q_slice), _range(at.v_slice)
    own = np.flatnonzero(of_v >= 0)
    return of_q.tolist(), of_v.tolist(), own[np.argsort(of_v[own])].tolist()


def _range(of: slice) -> range:
    return range(of.start, of.stop)


def check_smooth(model: Model) -> None:
    """Raise ValueError if motions of a model have no derivatives here, by what is in the way."""
    for name in model.joint_names:
        joint = model.joint(name)
        if joint.kind in NONHOLONOMIC:
            raise ValueError(
                f"joint {name!r} is {joint.kind}, which goes to places that no step leads to: "
                "flows with derivatives do not know it"
            )
    for coupling in model.description.couplings:
        if coupling.kind == "function":
            raise ValueError(
                f"coupling {coupling.name!r} is a function of yours: flows with derivatives do "
                "not know it"
            )
    for force in model.forces:
        statement = force.statement(model)
        damping = getattr(force, "damping", 0.0)
        if statement.law in ("string", "support") and np.any(damping):
            raise ValueError(
                f"force {force.name or force.kind!r} has damping, which jumps where it begins to "
                "act: flows with derivatives do not know it"
            )


def _check_fields(model: Model, terms: Sequence[Term]) -> None:
    if not any(kind == INERTIA for kind, *_ in terms):
        return
    for force in model.forces:
        if force.statement(model).coordinates == "field":
            raise ValueError(
                f"force {force.name or force.kind!r} is a field, whose forces depend on masses: "
                "flows do not know derivatives by masses with it"
            )


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
