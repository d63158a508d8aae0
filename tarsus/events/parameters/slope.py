"""How steep the ground is on which a mechanism stands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarsus.events.parameters.parameter import GRAVITY, Parameter, Term, direction, under_gravity
from tarsus.model import Model
from tarsus.spatial import rotation_from_vector


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
