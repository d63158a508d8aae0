"""Zero moment point: where gravity and inertia press, from the motion alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.sensors.pressure import pressed_point
from tarsus.sensors.sensor import Sample, Sensor


@dataclass(frozen=True)
class ZeroMomentPoint(Sensor):
    """The point at `height` [m] (3,) about which gravity and inertia do not tip the machine.

    If nothing but level ground pushes, it is the centre of pressure (M. Vukobratović and
    B. Borovac 2004). NaN in free fall.
    """

    height: float = 0.0
    unit: ClassVar[str] = "m"

    def check(self, model: Model) -> None:
        """Every model has one."""

    def measure(self, sample: Sample) -> Array:
        """Return the point (…, 3)."""
        model, q, v, a = sample.model, sample.q, sample.v, sample.a
        matrix = np.asarray(model.centroidal_momentum_matrix(q))
        rate = np.asarray(model.centroidal_momentum_matrix_rate(q, v))
        change = (matrix @ a[..., None] + rate @ v[..., None])[..., 0]
        force = change[..., :3] - model.total_mass * model.gravity
        moment = change[..., 3:] + np.cross(model.center_of_mass(q), force)
        return pressed_point(np.concatenate([force, moment], axis=-1), self.height)
