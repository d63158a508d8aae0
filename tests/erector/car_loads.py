"""An oracle for the car of Schröder (1990, section 7.3) at rest: balance of forces and moments."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import fsolve

MASS, GRAVITY = 2000.0, 9.81
FRONT, REAR, STIFFNESS = 1.95, 1.521, 50_000.0


def loads() -> tuple[float, float]:
    """Return what a front and a rear wheel carry [N] if they end as high as the centre of mass."""
    half = MASS * GRAVITY / 2
    return half * REAR / (FRONT + REAR), half * FRONT / (FRONT + REAR)


def balance(height: float) -> tuple[float, float, float, float]:
    """Return loads of a front and a rear wheel [N], height of the centre [m] and nose up [rad].

    Wheels end `height` [m] below the centre of mass: the more, the more a car that leans back
    shifts its weight there.
    """

    def wheel(x: float, z: float, up: float) -> tuple[float, float]:
        """Return how far ahead of the centre a wheel ends, and what it carries."""
        ahead = x * np.cos(up) + height * np.sin(up)
        return ahead, -STIFFNESS * (z + x * np.sin(up) - height * np.cos(up))

    def missing(state: NDArray[np.float64]) -> list[float]:
        (front, lift), (rear, hold) = (wheel(x, *state) for x in (FRONT, -REAR))
        return [2 * (lift + hold) / MASS - GRAVITY, (front * lift + rear * hold) / MASS]

    z, up = fsolve(missing, [height, 0.0], xtol=1e-14)
    return wheel(FRONT, z, up)[1], wheel(-REAR, z, up)[1], float(z), float(up)
