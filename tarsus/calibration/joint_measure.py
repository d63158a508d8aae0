"""A second sensor on the way: the position of a joint that follows from those with encoders.

A motor that counts beside an absolute encoder, or a joint of a loop: no camera is needed to find
what is wrong with a linkage (J. M. Hollerbach, C. W. Wampler, "The calibration index and taxonomy
for robot kinematic calibration methods", International Journal of Robotics Research 1996).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import number
from tarsus._lib.files import Array
from tarsus.calibration.measure import Measure, measured_values
from tarsus.model import Model


@dataclass(frozen=True)
class JointPosition(Measure):
    """The position of a joint of one coordinate [rad or m], with the deviation `sigma`."""

    joint: str
    sigma: float = 1e-3
    rows: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if number(self.sigma, "sigma") <= 0.0:
            raise ValueError(f"sigma is {self.sigma}, must be positive")

    @property
    def title(self) -> str:
        return f"position of joint {self.joint}"

    def units(self, model: Model) -> tuple[str, ...]:
        return ("m",) if model.joint(self.joint).kind == "prismatic" else ("rad",)

    @property
    def deviations(self) -> Array:
        return np.array([self.sigma])

    def check(self, model: Model) -> None:
        model.motor_positions(model.neutral(), motors=[self.joint])

    def values(self, value: ArrayLike, count: int) -> Array:
        return measured_values(value, (), count, self.title)

    def look(self, model: Model, q: Array) -> Array:
        return model.motor_positions(q, motors=[self.joint])

    def motion(self, model: Model, q: Array, seen: Array) -> Array:
        return model.motor_matrix(q, motors=[self.joint])

    def of(self, seen: Array) -> Array:
        return seen[:, 0]

    def residuals(self, seen: Array, measured: Array) -> Array:
        return np.asarray(seen - measured[:, None])

    def derivatives(self, seen: Array, measured: Array, motion: Array) -> Array:
        return motion

    def reach(self, seen: Array) -> float:
        return 0.0

    def noisy(self, measured: Array, rng: np.random.Generator) -> Array:
        return np.asarray(measured + self.sigma * rng.normal(size=measured.shape))
