"""How heavy things are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.events.parameters.parameter import GRAVITY, Parameter, Term
from tarsus.model import Model


@dataclass(frozen=True)
class Gravity(Parameter):
    """The size of gravity [m/s²]; its direction stays as it is."""

    def terms(self, model: Model, stated: Model) -> list[Term]:
        """Return its direction."""
        size = float(np.linalg.norm(model.gravity))
        if size == 0.0:
            raise ValueError(f"model {stated.name!r} has no gravity: it has no direction")
        return [(GRAVITY, 0, [float(x) / size for x in model.gravity])]
