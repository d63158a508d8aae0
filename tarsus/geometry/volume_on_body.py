"""Swept spheres as what touches: on moving bodies, as shapes are."""

from __future__ import annotations

from dataclasses import dataclass

from tarsus.geometry.swept_sphere import SweptSphere


@dataclass(frozen=True, eq=False)
class VolumeOnBody:
    """A `volume` in the frame of the moving `body` that carries its link."""

    body: str
    volume: SweptSphere

    @property
    def name(self) -> str:
        """The name of the volume, or an empty one."""
        return self.volume.name

    @property
    def kind(self) -> str:
        """What is swept over: "ball", "line" or "triangle"."""
        return self.volume.kind
