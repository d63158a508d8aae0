"""A sphere about the origin."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from tarsus.surfaces.ellipsoid import Ellipsoid


@dataclass(frozen=True, eq=False)
class Sphere(Ellipsoid):
    """A sphere of a `radius` [m], an ellipsoid with equal half axes; u: longitude, latitude."""

    kind: ClassVar[str] = "sphere"

    rx: float = field(init=False, repr=False)
    ry: float = field(init=False, repr=False)
    rz: float = field(init=False, repr=False)
    radius: float

    def __post_init__(self) -> None:
        self._positive("radius")
        for name in ("rx", "ry", "rz"):
            self._set(name, self.radius)
