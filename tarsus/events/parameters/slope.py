"""How steep the ground is on which a mechanism stands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarsus.events.parameters.parameter import GRAVITY, Parameter, Term
from tarsus.model import Model
from tarsus.model.stating import axis_of


@dataclass(frozen=True, eq=False)
class Slope(Parameter):
    """The angle of a slope [rad]: gravity turns about `axis`, while all else stays as it is.

    With the axis −y, as it is unless stated, a steeper slope is more downhill along +x.
    """

    axis: ArrayLike | str = (0.0, -1.0, 0.0)

    def terms(self, model: Model, stated: Model) -> list[Term]:
        """Return how gravity turns."""
        axis = np.asarray(axis_of("axis", self.axis), float)
        return [(GRAVITY, 0, [float(x) for x in np.cross(axis, model.gravity)])]
