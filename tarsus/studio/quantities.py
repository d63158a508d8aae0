"""Numbers of a machine by name, for charts: `q:hinge`, `energy:kinetic`, `force:spring1` …

A name is a kind, a colon, and what it is of. Units are those of SI. Those of positions and
velocities can be had of any recorded moment; those of forces and works only as it happens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tarsus._lib.checks import suggestion
from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.parts.part import Part
from tarsus.simulation import EnergyLedger
from tarsus.studio.force_readout import (
    axial_force,
    joint_wrenches,
    loop_names,
    loop_wrenches,
    rods,
    tension,
)
from tarsus.studio.language import LineError
from tarsus.studio.live_model import Machine
from tarsus.studio.powers import kinetic_energies, port_names, unaccounted

WORKS = (
    *("supplied", "parts", "damping", "joint_friction", "contact_normal", "contact_friction"),
    *("impacts", "limits", "loops", "corrections"),
)
AXES = "xyz"
FORCE, MOMENT = slice(0, 3), slice(3, 6)
"""Places in a wrench."""
NAN = float("nan")


@dataclass(frozen=True, eq=False)
class Seen:
    """A state of a model, and the machine if it is in that state now."""

    model: Model
    q: Array
    v: Array
    machine: Machine | None = None


@dataclass(frozen=True)
class Quantity:
    """A number: its unit, and how it is found of what is seen; not a number if it cannot be."""

    unit: str
    value: Callable[[Seen], float]


def seen_now(machine: Machine) -> Seen:
    """Return what is seen of a machine now."""
    return Seen(machine.model, machine.q, machine.v, machine)


def quantities(machine: Machine) -> dict[str, Quantity]:
    """Return all numbers that a machine has, by name."""
    found = {
        "energy:kinetic": Quantity("J", lambda s: float(s.model.kinetic_energy(s.q, s.v))),
        "energy:gravity": Quantity("J", lambda s: float(s.model.potential_energy(s.q))),
        "energy:springs": _of_ledger("J", lambda x: x.elastic[0] + x.in_parts[0]),
        "energy:total": _of_ledger("J", lambda x: x.stored[0]),
    }
    found |= {f"work:{name}": _of_ledger("J", _work(name)) for name in WORKS}
    found["energy:residual"] = Quantity(
        "J", lambda s: NAN if s.machine is None else residual(s.machine)
    )
    for joint in machine.model.joints:
        if joint.nq == joint.nv == 1 and joint.own_velocities:
            place, speed = ("m", "m/s") if joint.kind == "prismatic" else ("rad", "rad/s")
            found[f"q:{joint.name}"] = Quantity(place, _position(joint.q_slice.start))
            found[f"v:{joint.name}"] = Quantity(speed, _velocity(joint.v_slice.start))
    for body in machine.bodies():
        for axis in AXES:
            found[f"{axis}:{body.name}"] = Quantity("m", _coordinate(body.name, axis))
        found[f"speed:{body.name}"] = Quantity("m/s", _speed(body.name))
    for name in [joint.name for joint in machine.model.joints] + loop_names(machine.model):
        found[f"reaction:{name}"] = Quantity("N", _reaction(name, FORCE))
        found[f"torque:{name}"] = Quantity("N m", _reaction(name, MOMENT))
    for index, link in enumerate(machine.model.body_names):
        found[f"kinetic:{machine.owner(link)}"] = Quantity("J", _kinetic(index))
    for name in port_names(machine):
        found[f"power:{name}"] = Quantity("W", _power(name))
    for name in rods(machine.model):
        found[f"axial:{name}"] = Quantity("N", _axial(name))
    for name, handle in machine.simulation.parts.items():
        found[f"force:{name}"] = Quantity(_unit(machine.model, handle.part), _force(name))
        if handle.part.statement(machine.model).coordinates == "line":
            found[f"tension:{name}"] = Quantity("N", _tension(name))
    return found


def checked(machine: Machine, names: Iterable[str]) -> tuple[str, ...]:
    """Return names, if the machine has these numbers."""
    known = quantities(machine)
    for name in names:
        if name not in known:
            raise LineError(f"there is no quantity {name!r}{suggestion(name, known)}", "QUANTITY")
    return tuple(names)


def values(machine: Machine, names: Sequence[str], seen: Seen | None = None) -> dict[str, float]:
    """Return numbers as they are now, or as they were; those that are gone are left out."""
    known = quantities(machine) if names else {}
    seen = seen_now(machine) if seen is None else seen
    return {name: known[name].value(seen) for name in names if name in known}


def residual(machine: Machine) -> float:
    """Return what the numbers made from nothing since the last edit [J]."""
    return unaccounted(machine.simulation.energy_now()) - machine.stored_at_start


def _of_ledger(unit: str, read: Callable[[EnergyLedger], float]) -> Quantity:
    def value(seen: Seen) -> float:
        return NAN if seen.machine is None else float(read(seen.machine.simulation.energy_now()))

    return Quantity(unit, value)


def _work(name: str) -> Callable[[EnergyLedger], float]:
    return lambda ledger: float(getattr(ledger, name)[0])


def _position(place: int) -> Callable[[Seen], float]:
    return lambda seen: float(seen.q[place])


def _velocity(place: int) -> Callable[[Seen], float]:
    return lambda seen: float(seen.v[place])


def _coordinate(body: str, axis: str) -> Callable[[Seen], float]:
    return lambda seen: float(seen.model.frame_pose(seen.q, body)[AXES.index(axis), 3])


def _speed(body: str) -> Callable[[Seen], float]:
    return lambda s: float(np.linalg.norm(s.model.frame_velocity(s.q, s.v, body)[:3]))


def _reaction(joint: str, rows: slice) -> Callable[[Seen], float]:
    def value(seen: Seen) -> float:
        if seen.machine is None or seen.machine.acceleration is None:
            return NAN
        wrenches = {**loop_wrenches(seen.machine), **joint_wrenches(seen.machine)}
        return float(np.linalg.norm(wrenches[joint][rows]))

    return value


def _tension(part: str) -> Callable[[Seen], float]:
    return lambda seen: NAN if seen.machine is None else tension(seen.machine, part)


def _kinetic(index: int) -> Callable[[Seen], float]:
    return lambda s: float(kinetic_energies(s.model, s.q, s.v)[index])


def _power(port: str) -> Callable[[Seen], float]:
    return lambda s: NAN if s.machine is None else s.machine.meter.flow().ports.get(port, NAN)


def _axial(body: str) -> Callable[[Seen], float]:
    return lambda seen: NAN if seen.machine is None else axial_force(seen.machine, body)


def _unit(model: Model, part: Part) -> str:
    """Return the unit of what a part pushes with: on joints that turn it is a torque."""
    joints = part.statement(model).joints
    turns = all(model.joint(name).kind != "prismatic" for name, _ in joints) if joints else False
    return "N m" if turns else "N"


def _force(part: str) -> Callable[[Seen], float]:
    def value(seen: Seen) -> float:
        if seen.machine is None:
            return NAN
        return float(np.linalg.norm(seen.machine.simulation.parts[part].force))

    return value
