"""How heavy things are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.events.parameters.parameter import GRAVITY, Parameter, Term, under_gravity
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

    def value(self, model: Model) -> float:
        """Return its size."""
        return float(np.linalg.norm(model.gravity))

    def changed(self, model: Model, by: float) -> Model:
        """Return the model under more gravity."""
        size = self.value(model)
        if size == 0.0:
            raise ValueError(f"model {model.name!r} has no gravity: it has no direction")
        return under_gravity(model, model.gravity * (1.0 + by / size))
