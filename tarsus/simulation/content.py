"""What a run depends on, as hashes of its content: by them a checkpoint knows its simulation.

Two models, grounds or controllers are the same if all their numbers have the same bits, wherever
they come from. What a Python function computes cannot be compared: of a controller that is one
only its period counts, of a coupling its name, and of a reference its values at some times.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from tarsus.control import Cascade
from tarsus.geometry import Terrain
from tarsus.model import Model
from tarsus.simulation.controllers import steps_of
from tarsus.simulation.drives import Drive, LawDrive

MOMENTS = 16
"""How many times of a run a reference is compared at."""


def content_hash(*parts: Any) -> str:
    """Return a hash of numbers, words, arrays, and of lists, mappings and dataclasses of these."""
    found = hashlib.sha256()
    for piece in _pieces(parts):
        found.update(len(piece).to_bytes(8, "little"))
        found.update(piece)
    return found.hexdigest()


def model_content(model: Model) -> str:
    """Return a hash of what decides how a model moves: not how it looks and where it was read."""
    stated = model.description
    return content_hash(
        stated.gravity, stated.bodies, stated.joints, stated.couplings, stated.loops
    )


def ground_content(ground: Terrain) -> str:
    """Return a hash of the surface of a ground, and of how it rubs and bounces."""
    return content_hash(
        ground.kind, ground.numbers, ground.parameters, ground.torsion, ground.rolling
    )


def drive_content(drive: Drive, dt: float, steps: int) -> str:
    """Return a hash of the law, gains, limits, reference and period of a run of so many steps."""
    controller = getattr(drive, "controller", None)
    period = steps_of(controller, dt)
    if isinstance(controller, Cascade):
        inner = type(controller.inner).__name__
        return content_hash(period, controller.outer_period, inner, drive.effort, drive.gains)
    if not isinstance(drive, LawDrive):
        return content_hash(period)
    times = np.linspace(0.0, steps * dt, MOMENTS)
    reference = drive.controller.reference.sample(times)
    return content_hash(period, drive.name, drive.effort, drive.gains, reference)


def _pieces(value: Any) -> Iterable[bytes]:
    """Yield a value as bytes, each piece behind the kind of what it belongs to."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        yield f"array {value.shape}".encode()
        yield value.astype(np.float64).tobytes()
    elif isinstance(value, (bool, int, float, np.generic)):
        yield b"number"
        yield np.float64(value).tobytes()
    elif isinstance(value, Mapping):
        yield f"mapping {len(value)}".encode()
        for name in sorted(value):
            yield from _pieces((name, value[name]))
    elif isinstance(value, (list, tuple)):
        yield f"list {len(value)}".encode()
        for item in value:
            yield from _pieces(item)
    elif is_dataclass(value):
        yield type(value).__name__.encode()
        for field in fields(value):
            if field.compare:
                yield from _pieces((field.name, getattr(value, field.name)))
    elif isinstance(value, str) or value is None:
        yield repr(value).encode()
    elif isinstance(value, Callable):  # type: ignore[arg-type]
        yield getattr(value, "__qualname__", type(value).__name__).encode()
    else:
        raise TypeError(f"{value!r} has no content that can be compared")
