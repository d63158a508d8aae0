"""Moments of inertia of a body."""

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
