"""What all sensors have in common: what they see, what they tell, and how they err.

A sensor is a frozen dataclass with a `place`, `parts` and a `unit` (what its numbers are), `needs`
(what it looks at), `check(model)`, and `measure(sample)`, which returns numbers (…, size).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.sensors.errors import Errors
from tarsus.sensors.touches import Touches
from tarsus.spatial import inverse

XYZ = ("x", "y", "z")
SIX = (*XYZ, "rx", "ry", "rz")
EXACT = Errors()


@dataclass(frozen=True)
class Sample:
    """States (…) as sensors see them: q (…, nq), v (…, nv), and what led to them.

    `a` (…, nv) is the acceleration, in runs the mean one since the last sample; `tau` (…, nv) are
    efforts of the last step and `touches` the contacts in it, where they are known.
    """

    model: Model
    q: Array
    v: Array
    a: Array
    tau: Array | None = None
    touches: Touches | None = None

    @property
    def contacts(self) -> Touches:
        """The contacts; an error where they are not known."""
        if self.touches is None:
            raise ValueError(
                "contacts are not known here: sensors of contacts work in steps with contacts, "
                "their records, controllers and sim.read(…), and in environments"
            )
        return self.touches

    @cached_property
    def external(self) -> Array | None:
        """Contact wrenches on all bodies, each in its frame (…, n_bodies, 6); None if unknown."""
        if self.touches is None:
            return None
        poses = np.asarray(self.model.forward_kinematics(self.q))
        found = np.zeros((*self.q.shape[:-1], self.model.n_bodies, 6))
        for body in self.model.bodies:
            found[..., body.index, :] = in_frame(
                self.touches.wrench(body.name), poses[..., body.index, :, :]
            )
        return found


@dataclass(frozen=True, kw_only=True)
class Sensor(ABC):
    """One sensor; `errors` are those of its readings, none unless stated."""

    errors: Errors = field(default=EXACT)
    unit: ClassVar[str] = ""
    needs: ClassVar[tuple[str, ...]] = ("q", "v")
    """What a run must record for it."""

    @property
    def parts(self) -> tuple[str, ...]:
        """What its numbers are called, one word each."""
        return XYZ

    @property
    def size(self) -> int:
        """How many numbers it tells."""
        return len(self.parts)

    def stated(self) -> dict[str, Any]:
        """Return the sensor as plain data: its kind, and what differs from what is usual."""
        usual = {each.name: each.default for each in fields(self)}
        found = {name: getattr(self, name) for name in usual if name != "errors"}
        data: dict[str, Any] = {"kind": type(self).__name__}
        data |= {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in found.items()
            if value != usual[name]
        }
        if self.errors != EXACT:
            data["errors"] = {e.name: getattr(self.errors, e.name) for e in fields(self.errors)}
        return data

    @abstractmethod
    def check(self, model: Model) -> None:
        """Raise unless the model has what the sensor sits on."""

    @abstractmethod
    def measure(self, sample: Sample) -> Array:
        """Return what it would tell without errors (…, size)."""


@dataclass(frozen=True)
class FrameSensor(Sensor):
    """A sensor that sits at a frame of a model."""

    frame: str

    def check(self, model: Model) -> None:
        """Raise unless the model has the frame."""
        model.frame(self.frame)


def in_frame(wrench: Array, pose: Array) -> Array:
    """Return wrenches (…, 6) about the world's origin as they are at frames (…, 4, 4)."""
    back = inverse(pose)[..., :3, :3]
    force, moment = wrench[..., :3], wrench[..., 3:]
    moment = moment - np.cross(pose[..., :3, 3], force)
    turned = [(back @ part[..., None])[..., 0] for part in (force, moment)]
    return np.concatenate(turned, axis=-1)


def into(rotation: Array, vectors: Array) -> Array:
    """Return vectors (…, 3) of world axes in axes with the rotation (…, 3, 3)."""
    return np.asarray((np.swapaxes(rotation, -1, -2) @ vectors[..., None])[..., 0])
