"""What the contact benchmark knows of a robot: its file, feet, stance and gains.

All robots are in the package example-robot-data. Their feet are spheres: one under each leg of a
quadruped, four at the corners of each sole of a biped.
"""

from __future__ import annotations

import importlib.metadata
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

import tarsus as ts
from tarsus.robots.load import FOLDER
from tarsus.walking.plans import Walk

TINY = 1e-12
"""A moment of inertia that counts as none [kg m²]."""


@dataclass(frozen=True)
class Robot:
    """What the benchmark has to know of a robot; angles that are not stated are zero."""

    file: str
    """In the folder of example-robot-data."""
    feet: Mapping[str, str]
    """Frames by leg."""
    angles: Mapping[str, float]
    """Of the stance [rad]."""
    kp: float
    """[N m/rad], of all joints."""
    kd: float
    """[N m s/rad]."""
    points: tuple[tuple[float, float, float], ...] = ((0.0, 0.0, 0.0),)
    """Centres of the spheres of a foot, from its frame [m]."""
    radius: float = 0.02
    """Of these spheres [m]."""
    level: bool = False
    """Whether the points are along the axes of the world in the stance, else of the frame."""
    walk: Walk = field(default_factory=Walk)
    mended: bool = False
    """Whether inertias that no body can have are replaced; MuJoCo refuses them."""

    @property
    def biped(self) -> bool:
        """Whether it has two legs."""
        return len(self.feet) == 2

    def load(self) -> ts.Model:
        """Return the robot as its file has it, with a free base."""
        package = importlib.metadata.distribution("example-robot-data")
        path = Path(str(package.locate_file(f"{FOLDER}/{self.file}")))
        model = ts.load(path, "free", mimic="independent")
        return mend(model) if self.mended else model


def mend(model: ts.Model) -> ts.Model:
    """Return the model with balls of water for bodies whose inertias are impossible."""
    text = model.description
    bodies = []
    for body in text.bodies:
        smallest, middle, largest = np.linalg.eigvalsh(body.inertia)
        if body.mass > 0.0 and (smallest < TINY or smallest + middle < largest):
            radius = math.cbrt(3.0 * body.mass / (4.0 * math.pi * 1000.0))
            body = replace(body, inertia=0.4 * body.mass * radius**2 * np.eye(3))
        bodies.append(body)
    return ts.Model(replace(text, bodies=bodies), strict=False)
