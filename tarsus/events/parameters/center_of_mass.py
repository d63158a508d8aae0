"""Where the centre of mass of a body is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarsus.events.parameters.parameter import (
    INERTIA,
    Parameter,
    Term,
    body_of,
    direction,
    moments,
    stated_body,
)
from tarsus.model import Editor, Model


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
