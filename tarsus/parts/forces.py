"""Springs, dampers, strings, rubber bands, supports and joint springs; namespace `ts.forces`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tarsus._lib.checks import number
from tarsus.model.model import Model
from tarsus.parts.body_forces import Brake, Damping, Drag, GravityField, Weight, Wrench
from tarsus.parts.motor import Motor
from tarsus.parts.part import IN_WORLD, Part, Statement, Where, one_coordinate, place_of

__all__ = [
    "FORCES",
    "Brake",
    "Damper",
    "Damping",
    "Drag",
    "GravityField",
    "JointSpring",
    "Motor",
    "Rubber",
    "Spring",
    "String",
    "Support",
    "Weight",
    "Wrench",
]


# A linear spring with a damper beside it (Kelvin–Voigt) between two points.
#
#     T = k (l − l₀) + d l̇
#
# pulls the points together, or apart where it is compressed.


@dataclass(frozen=True, eq=False, repr=False)
class Spring(Part):
    """A spring from place `a` to place `b`: stiffness [N/m], rest length [m], damping [N s/m].

    Without a `rest_length` it is relaxed where it is added. Its force is at most `limit` [N].
    """

    kind: ClassVar[str] = "spring"

    a: Where
    b: Where
    stiffness: float
    rest_length: float | None = None
    damping: float = 0.0
    limit: float = float("inf")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(stiffness=0.0, damping=0.0, limit=0.0)
        if self.rest_length is not None:
            self._check(rest_length=0.0)

    def statement(self, model: Model) -> Statement:
        """Return the line between the points with the law of a spring."""
        return Statement(
            "line",
            "spring",
            place_of(model, self.a, "a"),
            place_of(model, self.b, "b"),
            target=self.rest_length,
            numbers={
                "stiffness": self.stiffness,
                "damping": self.damping,
                "limit": self.limit,
            },
        )


# A viscous damper between two points: T = d l̇.


@dataclass(frozen=True, eq=False, repr=False)
class Damper(Part):
    """A damper from place `a` to place `b`, damping [N s/m]; its force is at most `limit` [N]."""

    kind: ClassVar[str] = "damper"

    a: Where
    b: Where
    damping: float
    limit: float = float("inf")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(damping=0.0, limit=0.0)

    def statement(self, model: Model) -> Statement:
        """Return the line between the points with the law of a spring without stiffness."""
        return Statement(
            "line",
            "spring",
            place_of(model, self.a, "a"),
            place_of(model, self.b, "b"),
            numbers={"stiffness": 0.0, "damping": self.damping, "limit": self.limit},
        )


# A string: a spring with a damper that pulls and never pushes.
#
#     T = max(0, k (l − l₀) + d l̇)   where l > l₀, else 0
#
# The damper is what a one-sided law of Schröder (1990, section 7.2) does by a jump in its
# stiffness, without the jump, and without a stiff damper near rest.


@dataclass(frozen=True, eq=False, repr=False)
class String(Part):
    """A string from place `a` to place `b`: stiffness [N/m], rest length [m], damping [N s/m].

    Without a `rest_length` it is just straight where it is added.
    """

    kind: ClassVar[str] = "string"

    a: Where
    b: Where
    stiffness: float
    rest_length: float | None = None
    damping: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(stiffness=0.0, damping=0.0)
        if self.rest_length is not None:
            self._check(rest_length=0.0)

    def statement(self, model: Model) -> Statement:
        """Return the line between the points with the law of a string."""
        return Statement(
            "line",
            "string",
            place_of(model, self.a, "a"),
            place_of(model, self.b, "b"),
            target=self.rest_length,
            numbers={"stiffness": self.stiffness, "damping": self.damping},
        )


# Rubber after Schröder (1990, section 7.2): a string that pulls less when it gets shorter.
#
#     T = k max(0, l − l₀) σ(l̇),   σ = e + (1 − e) x² (3 − 2 x),   x = clamp((l̇ + ε) / 2 ε, 0, 1)
#
# σ is 1 when it is stretched and e when it returns. At rest σ is (1 + e) / 2, and near rest the law
# is a strong damper, of 0.75 k (l − l₀) (1 − e) / ε: stiff, if ε is small. `String` has neither.


@dataclass(frozen=True, eq=False, repr=False)
class Rubber(Part):
    """Rubber from place `a` to place `b`: stiffness [N/m], rest length [m].

    It returns with the part `return_ratio` (e) of its force, and changes from one to the other
    within rates of ± `smoothing` (ε) [m/s].
    """

    kind: ClassVar[str] = "rubber"

    a: Where
    b: Where
    stiffness: float
    rest_length: float | None = None
    return_ratio: float = 0.1
    smoothing: float = 0.05

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(stiffness=0.0, return_ratio=0.0, smoothing=1e-12)
        if self.return_ratio > 1.0:
            raise ValueError(f"return_ratio is {self.return_ratio}, must be from 0 to 1")
        if self.rest_length is not None:
            self._check(rest_length=0.0)

    def statement(self, model: Model) -> Statement:
        """Return the line between the points with the law of rubber."""
        return Statement(
            "line",
            "rubber",
            place_of(model, self.a, "a"),
            place_of(model, self.b, "b"),
            target=self.rest_length,
            numbers={
                "stiffness": self.stiffness,
                "return_ratio": self.return_ratio,
                "smoothing": self.smoothing,
            },
        )


# A support under a point: a spring with a damper that pushes up, and never pulls down.
#
# F = max(0, −k z − d ż)   where z < 0, else 0


@dataclass(frozen=True, eq=False, repr=False)
class Support(Part):
    """A support under the point `where`: stiffness [N/m], damping [N s/m], from `height` [m] on."""

    kind: ClassVar[str] = "support"

    where: Where
    stiffness: float
    damping: float = 0.0
    height: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(stiffness=0.0, damping=0.0, height=-np.inf)

    def statement(self, model: Model) -> Statement:
        """Return the height of the point with the law of a support."""
        ground = np.eye(4)
        ground[2, 3] = self.height
        return Statement(
            "frame",
            "support",
            IN_WORLD,
            place_of(model, self.where, "where"),
            rows=(("position", 2, 0),),
            target=ground,
            numbers={"stiffness": self.stiffness, "damping": self.damping},
        )


# A torsion spring along a combination of joint coordinates.
#
#     x = Σ r_j q_j − x₀,   τ_j = − r_j (k x + d ẋ)
#
# With one joint it is a spring in that joint; with a motor's and a link's it is the elasticity of
# the gear between them (Schwienbacher 2013, Table 2.3: types 3 and 5 of Lola), as in {"hip": 1,
# "motor": −1/N}.


@dataclass(frozen=True, eq=False, repr=False)
class JointSpring(Part):
    """A spring in the sum of joint positions times their ratios: {"knee": 1.0, "motor": -0.01}.

    Stiffness [N m/rad], damping [N m s/rad] (or N/m, N s/m), and the sum `rest` at which it is
    relaxed, where it is added if None. Its torque is at most `limit`.
    """

    kind: ClassVar[str] = "joint_spring"

    joints: Mapping[str, float]
    stiffness: float
    damping: float = 0.0
    rest: float | None = 0.0
    limit: float = float("inf")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(stiffness=0.0, damping=0.0, limit=0.0)
        if self.rest is not None:
            number(self.rest, "rest")
        if not isinstance(self.joints, Mapping) or not self.joints:
            raise TypeError(f"joints is {self.joints!r}, must be ratios by names of joints")
        for name, ratio in self.joints.items():
            number(ratio, f"joints[{name!r}]")
        if not any(self.joints.values()):
            raise ValueError(f"joints is {self.joints!r}, must have a ratio that is not zero")

    def statement(self, model: Model) -> Statement:
        """Return the sum of joint positions with the law of a spring."""
        for name in self.joints:
            one_coordinate(model, name)
        return Statement(
            "joint",
            "spring",
            joints=tuple((name, float(ratio)) for name, ratio in self.joints.items()),
            target=self.rest,
            numbers={
                "stiffness": self.stiffness,
                "damping": self.damping,
                "limit": self.limit,
            },
        )


# Forces on a mechanism, a file each: `ts.forces.Spring(…)`, for `Simulation(forces=[…])`.
#
# Places are names of frames ("hand"), points in them ("hand", (x, y, z)), or points of the world.


FORCES = {
    each.kind: each
    for each in (
        *(Brake, Damper, Damping, Drag, GravityField, JointSpring),
        *(Motor, Rubber, Spring, String, Support, Weight, Wrench),
    )
}
"""All kinds of forces by name."""
