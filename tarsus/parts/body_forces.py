"""Forces on single bodies: damping, drag, gravity fields, weight and wrenches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.typing import ArrayLike

from tarsus._lib.checks import UnknownNameError, numbers, suggestion
from tarsus.model.model import Model
from tarsus.parts.part import IN_WORLD, POINT, TURNS, Part, Place, Statement, Where, place_of, split

# A brake at a point of a body: viscous, F = −d V (Schröder 1990, section 6.6).


@dataclass(frozen=True, eq=False, repr=False)
class Brake(Part):
    """A brake at `where`, damping [N s/m]: against all motion of that point in the world."""

    kind: ClassVar[str] = "brake"

    where: Where
    damping: float

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(damping=0.0)

    def statement(self, model: Model) -> Statement:
        """Return the three coordinates of the point in the world with the law of drag."""
        return Statement(
            "frame",
            "drag",
            IN_WORLD,
            place_of(model, self.where, "where"),
            rows=POINT,
            numbers={"linear": self.damping, "quadratic": 0.0, "angular": 0.0},
        )


# Viscous damping of a body's motion: −d v at its centre of mass, and −d_t ω.


@dataclass(frozen=True, eq=False, repr=False)
class Damping(Part):
    """Damping of a body: `linear` [N s/m] at `where` (its centre of mass), `angular` [N m s/rad].

    Without an `angular` number it has the same as `linear` (Schröder 1990, section 6.6).
    """

    kind: ClassVar[str] = "damping"

    where: Where
    linear: float
    angular: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(linear=0.0)
        if self.angular is not None:
            self._check(angular=0.0)

    def statement(self, model: Model) -> Statement:
        """Return all six coordinates of the body in the world with the law of drag."""
        angular = self.linear if self.angular is None else self.angular
        return Statement(
            "frame",
            "drag",
            Place(-1, place_of(model, (0.0, 0.0, 0.0), "where").placement),
            at_center(model, self.where),
            rows=(*POINT, *TURNS),
            numbers={"linear": self.linear, "quadratic": 0.0, "angular": angular},
        )


def at_center(model: Model, where: Where) -> Place:
    """Return a place; that of a body's name is its centre of mass."""
    if isinstance(where, str) and where in model.body_names:
        return place_of(model, (where, model.body(where).com), "where")
    return place_of(model, where, "where")


# Drag in air at a point: F = −(d + c |V|) V.


@dataclass(frozen=True, eq=False, repr=False)
class Drag(Part):
    """Drag on a body: `quadratic` [N s²/m²] (½ ρ c_w A) and `linear` [N s/m], at `where`.

    The name of a body stands for its centre of mass.
    """

    kind: ClassVar[str] = "drag"

    where: Where
    quadratic: float
    linear: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(linear=0.0, quadratic=0.0)

    def statement(self, model: Model) -> Statement:
        """Return the three coordinates of the point in the world with the law of drag."""
        return Statement(
            "frame",
            "drag",
            IN_WORLD,
            at_center(model, self.where),
            rows=POINT,
            numbers={"linear": self.linear, "quadratic": self.quadratic, "angular": 0.0},
        )


# A field of gravity, beside the model's own: uniform, or towards a centre.
#
# f = m (g + μ (c − x) / |c − x|³)   at the centre of mass x of every body


@dataclass(frozen=True, eq=False, repr=False)
class GravityField(Part):
    """An `acceleration` (3,) [m/s²] of all bodies, and one to `center` (3,) by `mu` [m³/s²]."""

    kind: ClassVar[str] = "gravity"

    acceleration: ArrayLike = (0.0, 0.0, 0.0)
    center: ArrayLike = (0.0, 0.0, 0.0)
    mu: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        numbers(self.acceleration, (3,), "acceleration")
        numbers(self.center, (3,), "center")
        self._check(mu=0.0)

    def statement(self, model: Model) -> Statement:
        """Return a force on every body."""
        return Statement(
            "field",
            "gravity",
            numbers={
                "acceleration": numbers(self.acceleration, (3,), "acceleration"),
                "center": numbers(self.center, (3,), "center"),
                "mu": self.mu,
            },
        )


# The weight of one body, where the model has no gravity of its own: −m g along z of the world.


@dataclass(frozen=True, eq=False, repr=False)
class Weight(Part):
    """Pulls the body `where` down at its centre of mass, by its mass times `acceleration` [m/s²].

    The mass is that of the model (Schröder 1990, section 6.6).
    """

    kind: ClassVar[str] = "weight"

    where: Where
    acceleration: float = 9.81

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(acceleration=0.0)

    def statement(self, model: Model) -> Statement:
        """Return a constant force on the body; a point in `where` is checked, but has no effect."""
        bodies = {each.name: each for each in model.description.bodies}
        name, _ = split(self.where)
        if name not in bodies:
            raise UnknownNameError(f"where: there is no body {name!r}{suggestion(name, bodies)}")
        place_of(model, self.where, "where")
        body = bodies[name]
        return Statement(
            "body",
            "wrench",
            b=place_of(model, (name, tuple(body.com)), "where"),
            numbers={
                "force": (0.0, 0.0, -body.mass * self.acceleration),
                "torque": (0.0, 0.0, 0.0),
            },
        )


# A force and a torque at a point of a body, constant or as a plan or a script says.


AXES = ("world", "local")


@dataclass(frozen=True, eq=False, repr=False)
class Wrench(Part):
    """A `force` (3,) [N] and `torque` (3,) [N m] at `where`, in `axes` of "world" or "local".

    Its handle's `force` and `torque` may be changed at any time, for each state of a batch.
    """

    kind: ClassVar[str] = "wrench"

    where: Where
    force: ArrayLike = (0.0, 0.0, 0.0)
    torque: ArrayLike = (0.0, 0.0, 0.0)
    axes: str = "world"

    def __post_init__(self) -> None:
        super().__post_init__()
        numbers(self.force, (3,), "force")
        numbers(self.torque, (3,), "torque")
        if self.axes not in AXES:
            raise ValueError(f"unknown axes {self.axes!r}{suggestion(self.axes, AXES)}")

    def statement(self, model: Model) -> Statement:
        """Return a wrench on the body."""
        return Statement(
            "body",
            "wrench" if self.axes == "world" else "local_wrench",
            b=place_of(model, self.where, "where"),
            numbers={
                "force": numbers(self.force, (3,), "force"),
                "torque": numbers(self.torque, (3,), "torque"),
            },
        )
