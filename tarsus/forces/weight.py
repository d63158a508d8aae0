"""The weight of one body, where the model has no gravity of its own: −m g along z of the world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarsus.model import Model
from tarsus.model.checks import UnknownNameError, suggestion
from tarsus.parts import Part, Statement, Where, place_of
from tarsus.parts.place import split


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
