"""The mass of a body, or one that is added to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarsus.events.parameters.parameter import (
    INERTIA,
    Parameter,
    Term,
    about,
    body_of,
    moments,
    stated_body,
)
from tarsus.model import Editor, Model
from tarsus.model.checks import numbers


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
