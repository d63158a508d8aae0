"""Numbers of a stage by name, for charts: `q:hinge`, `energy:kinetic`, `force:spring1` …

A name is a kind, a colon, and what it is of. Units are those of SI.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tarsus.model.checks import suggestion
from tarsus.simulation import EnergyLedger
from tarsus.studio.language import LineError

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage

STORED = ("kinetic", "gravity", "elastic", "in_parts")
LEDGER = (*STORED, "supplied", "parts", "damping", "contact_friction", "impacts")
AXES = "xyz"


@dataclass(frozen=True)
class Quantity:
    """A number of a stage: its unit, and how it is found."""

    unit: str
    value: Callable[[Stage], float]


def quantities(stage: Stage) -> dict[str, Quantity]:
    """Return all numbers that a stage has now, by name."""
    found: dict[str, Quantity] = {}
    found |= {f"energy:{name}": Quantity("J", _energy(name)) for name in LEDGER}
    found["energy:total"] = Quantity("J", lambda s: float(ledger(s).stored[0]))
    found["energy:residual"] = Quantity("J", residual)
    model = stage.machine.model
    for joint in model.joints:
        if joint.nv == 1:
            turns = joint.kind != "prismatic"
            place, speed = ("rad", "rad/s") if turns else ("m", "m/s")
            if joint.nq == 1 and joint.own_velocities:
                found[f"q:{joint.name}"] = Quantity(place, _position(joint.name))
                found[f"v:{joint.name}"] = Quantity(speed, _velocity(joint.name))
    for body in stage.machine.bodies():
        for axis in AXES:
            found[f"{axis}:{body.name}"] = Quantity("m", _coordinate(body.name, axis))
        found[f"speed:{body.name}"] = Quantity("m/s", _speed(body.name))
    for name in stage.machine.simulation.parts:
        found[f"force:{name}"] = Quantity("N", _force(name))
    return found


def checked(stage: Stage, names: Iterable[str]) -> tuple[str, ...]:
    """Return names, if the stage has these numbers."""
    known = quantities(stage)
    for name in names:
        if name not in known:
            raise LineError(f"there is no quantity {name!r}{suggestion(name, known)}", "QUANTITY")
    return tuple(names)


def values_of(stage: Stage) -> dict[str, float]:
    """Return the numbers that are charted, as they are now; those that are gone are left out."""
    charted = stage.document.charts
    known = quantities(stage) if charted else {}
    return {name: known[name].value(stage) for name in charted if name in known}


def ledger(stage: Stage) -> EnergyLedger:
    """Return the ledger as it is now."""
    return stage.machine.simulation.energy_now()


def residual(stage: Stage) -> float:
    """Return what the numbers made from nothing since the last edit [J]."""
    now = ledger(stage)
    works = sum(getattr(now, name)[0] for name in WORKS)
    return float(now.stored[0] - stage.machine.stored_at_start - works)


WORKS = (
    *("impacts", "contact_normal", "contact_friction", "loops", "limits", "corrections"),
    *("parts", "supplied", "damping", "joint_friction"),
)


def _energy(name: str) -> Callable[[Stage], float]:
    return lambda stage: float(getattr(ledger(stage), name)[0])


def _position(joint: str) -> Callable[[Stage], float]:
    return lambda stage: float(stage.machine.q[stage.machine.model.joint(joint).q_slice][0])


def _velocity(joint: str) -> Callable[[Stage], float]:
    return lambda stage: float(stage.machine.v[stage.machine.model.joint(joint).v_slice][0])


def _coordinate(body: str, axis: str) -> Callable[[Stage], float]:
    return lambda stage: float(stage.machine.pose(body)[AXES.index(axis), 3])


def _speed(body: str) -> Callable[[Stage], float]:
    def value(stage: Stage) -> float:
        machine = stage.machine
        return float(np.linalg.norm(machine.model.frame_velocity(machine.q, machine.v, body)[:3]))

    return value


def _force(part: str) -> Callable[[Stage], float]:
    return lambda stage: float(np.linalg.norm(stage.machine.simulation.parts[part].force))
