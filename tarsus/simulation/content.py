"""What a run depends on, as hashes of its content: by them a checkpoint knows its simulation.

Two models, grounds or controllers are the same if all their numbers have the same bits, wherever
they come from. What a Python function computes cannot be compared: of a controller that is one
only its period counts, of a coupling its name, and of a reference its values at some times.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus._lib.data import content_hash
from tarsus.control.controller import Cascade, ControlLaw
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
