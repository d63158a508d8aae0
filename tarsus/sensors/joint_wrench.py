"""Force and torque in a joint: what its body is held by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tarsus._lib.files import Array
from tarsus.sensors.sensor import SIX, FrameSensor, Sample
from tarsus.spatial import inverse


@dataclass(frozen=True)
class JointWrench(FrameSensor):
    """What the joint that carries the body of a frame does to it (6,), at the frame in its axes.

    Force [N] and moment [N·m] by which the parent holds the body, drive and contacts included.
    """

    unit: ClassVar[str] = "N, N m"
    needs: ClassVar[tuple[str, ...]] = ("q", "v", "contacts")

    @property
    def parts(self) -> tuple[str, ...]:
        """Force, then moment."""
        return SIX

    def measure(self, sample: Sample) -> Array:
        """Return the wrench (…, 6)."""
        model = sample.model
        frame = model.frame(self.frame)
        state = sample.q, sample.v, sample.a
        wrenches = np.asarray(model.reaction_wrenches(*state, sample.external))
        held = wrenches[..., model.body(frame.body).index, :]
        back = inverse(frame.placement)
        force = held[..., :3] @ back[:3, :3].T
        moment = held[..., 3:] - np.cross(frame.placement[:3, 3], held[..., :3])
        return np.concatenate([force, moment @ back[:3, :3].T], axis=-1)
