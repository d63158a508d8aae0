"""What a run depends on, as hashes of its content: by them a checkpoint knows its simulation.

Two models, grounds or controllers are the same if all their numbers have the same bits, wherever
they come from. What a Python function computes cannot be compared: of a controller that is one
only its period counts, of a coupling its name, and of a reference its values at some times.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.control import Cascade, ControlLaw
from tarsus.simulation.board import content as board_content
from tarsus.simulation.controllers import steps_of
from tarsus.simulation.drives import Drive
from tarsus.simulation.external import Stated
from tarsus.simulation.watch import Watch

if TYPE_CHECKING:
    from tarsus.simulation.simulation import Simulation

PLAIN = (bool, int, float, str, np.ndarray)
"""What of a controller is compared by its values."""

MOMENTS = 16
"""How many times of a run a reference is compared at."""


def run_content(
    simulation: Simulation,
    drive: Drive,
    steps: int,
    watch: Watch | None = None,
    external: Stated | None = None,
) -> dict[str, str]:
    """Return hashes of all that a run of so many steps depends on besides its start, by name."""
    worlds, collision, ground = simulation.worlds, simulation.collision, simulation.surface
    law, integrator, stated = (
        simulation.contact,
        simulation.integrator,
        simulation.model.description,
    )
    assert worlds is not None and collision is not None
    parts: dict[str, list[Any]] = {
        # not how it looks, and where it was read
        "model": [stated.gravity, stated.bodies, stated.joints, stated.couplings, stated.loops],
        "ground": [ground.kind, ground.numbers, ground.parameters, ground.torsion, ground.rolling],
        "collision": [collision.arguments, *([collision.blends] if collision.blends else [])],
        "contact": [law.name, law.numbers],
        "integrator": [integrator.name, asdict(integrator)],
        "dt": [simulation.dt],
        "options": [worlds.options, simulation.effort],
        "controller": _of_drive(drive, simulation.dt, steps),
        "parts": board_content(simulation.board),
    }
    if watch is not None:
        parts["until"] = [watch.conditions]
    if external is not None:
        parts["external"] = [external]
    return {name: content_hash(*values) for name, values in parts.items()}


def check_same(path: str | Path, theirs: Mapping[str, str], own: Mapping[str, str]) -> None:
    """Raise if the hashes of a checkpoint are not those of the run that is to go on."""
    others = [name for name in {**own, **theirs} if own.get(name) != theirs.get(name)]
    if others:
        raise ValueError(
            f"{path} is of another simulation: it was written with another "
            f"{' and another '.join(others)}"
        )


def content_hash(*parts: Any) -> str:
    """Return a hash of numbers, words, arrays, and of lists, mappings and dataclasses of these."""
    found = hashlib.sha256()
    for piece in _pieces(parts):
        found.update(len(piece).to_bytes(8, "little"))
        found.update(piece)
    return found.hexdigest()


def _of_drive(drive: Drive, dt: float, steps: int) -> list[Any]:
    """Return the period, and of a joint controller its law, gains, limits and reference."""
    controller = getattr(drive, "controller", None)
    period = steps_of(controller, dt)
    if isinstance(controller, Cascade):
        inner = type(controller.inner).__name__
        return [period, controller.outer_period, inner, drive.effort, drive.gains]
    if not isinstance(controller, ControlLaw):
        return [period]
    follows = controller.reference.content(np.linspace(0.0, steps * dt, MOMENTS))
    kind, stated = type(controller).__name__, _stated(controller)
    return [period, kind, drive.effort, drive.gains, stated, follows]


def _stated(controller: ControlLaw) -> dict[str, Any]:
    """Return what a controller was made with, as if it had not been called yet."""
    fresh = copy.copy(controller)
    fresh.reset()
    found = {name: x for name, x in vars(fresh).items() if isinstance(x, PLAIN)}
    inner = {name: _stated(x) for name, x in vars(fresh).items() if isinstance(x, ControlLaw)}
    return {**found, **inner}


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
