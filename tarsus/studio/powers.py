"""Where power comes from and where it goes: ports that give to the motion, bodies that take it up.

    d/dt Σ kinetic energies of bodies = Σ powers of ports

A port that stores, as gravity and springs do, gives what it stores no more; one that loses, as
dampers do, gives less than nothing. The last port is `steps`: what the steps of time make from
nothing or lose, and the half step by which their velocities lag behind positions. All is read off
the ledger, over the last frame of 1/60 s, so that impacts are in it, too.

A. van der Schaft, D. Jeltsema, Port-Hamiltonian Systems Theory, 2014.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.simulation import EnergyLedger
from tarsus.simulation.energy import BY_JOINT, COUNTED

if TYPE_CHECKING:
    from tarsus.studio.live_model import Machine

SPRINGS = ("spring", "rubber", "string", "joint_spring", "support")
STORES = (*SPRINGS, "gravity", "weight")
LOSES = ("damper", "damping", "drag", "brake")
"""Kinds of parts that keep energy, and that turn it to heat; others give and take as told."""
ARMATURES = "armatures"
"""What is on joints and is no body."""
WORKS = (*BY_JOINT, *COUNTED, "parts")


@dataclass(frozen=True)
class Port:
    """A place where power goes in or out: what it has given since the start [J], and its kind.

    A kind is "store", "loss", "source" or "steps".
    """

    given: float
    kind: str


@dataclass(frozen=True, eq=False)
class Flow:
    """Mean powers over a time: what ports give, what bodies take up as kinetic energy [W]."""

    ports: Mapping[str, float]
    bodies: Mapping[str, float]
    kinds: Mapping[str, str]


NOTHING = Flow({}, {}, {})


class PowerMeter:
    """Reads powers of a machine off its ledger, between marks that are set each frame."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._last: tuple[float, EnergyLedger, Array, Array] | None = None
        self._begin = self._now()

    def mark(self) -> None:
        """Let the next powers be those from now on; until something moves, the last ones stay."""
        self._last, self._begin = self._begin, self._now()

    def flow(self) -> Flow:
        """Return the mean powers since the mark, or if nothing moved since, of the time before."""
        now = self._now()
        begin = self._begin if now[0] > self._begin[0] else self._last
        if begin is None or not now[0] > begin[0]:
            return NOTHING
        time = now[0] - begin[0]
        before, after = (ports(self.machine, each[1]) for each in (begin, now))
        first, last = (kinetic_energies(self.machine.model, *each[2:]) for each in (begin, now))
        bodies = [*map(self.machine.owner, self.machine.model.body_names), ARMATURES]
        return Flow(
            {name: (after[name].given - before[name].given) / time for name in after},
            dict(zip(bodies, ((last - first) / time).tolist(), strict=True)),
            {name: port.kind for name, port in after.items()},
        )

    def _now(self) -> tuple[float, EnergyLedger, Array, Array]:
        simulation = self.machine.simulation
        return simulation.t, simulation.energy_now(), simulation.q, simulation.v


def port_names(machine: Machine) -> list[str]:
    """Return the names of all ports of a machine."""
    return list(ports(machine, machine.simulation.energy_now()))


def ports(machine: Machine, ledger: EnergyLedger) -> dict[str, Port]:
    """Return what each port has given to the motion since its start, by name."""
    found = {
        "gravity": Port(-float(ledger.gravity[0]), "store"),
        "contact": Port(float(ledger.contact_normal[0] - ledger.in_contacts[0]), "loss"),
        "friction": Port(float(ledger.contact_friction[0]), "loss"),
        "impacts": Port(float(ledger.impacts[0]), "loss"),
        "limits": Port(float(ledger.limits[0]), "loss"),
        "loops": Port(float(ledger.loops[0]), "steps"),
        "corrections": Port(float(ledger.corrections[0]), "steps"),
        "steps": Port(unaccounted(ledger) - float(ledger.staggering[0]), "steps"),
    }
    for own in (_of_parts(machine, ledger), _of_joints(machine, ledger)):
        for name, port in own.items():
            while name in found:  # a spring may be called gravity, or as its joint
                name += "_"
            found[name] = port
    return found


def unaccounted(ledger: EnergyLedger) -> float:
    """Return what is stored, less all works [J]: but for what steps make, it stays as it is."""
    return float(ledger.stored[0]) - sum(float(getattr(ledger, name)[0]) for name in WORKS)


def _of_joints(machine: Machine, ledger: EnergyLedger) -> dict[str, Port]:
    """Return what drives, damping, friction and springs of joints have given."""
    found = {"springs": Port(-float(ledger.elastic[0]), "store")}
    for kind, ending, sort in (
        ("supplied", "", "source"),
        ("damping", ".damping", "loss"),
        ("joint_friction", ".friction", "loss"),
    ):
        works = ledger.by_joint(kind)
        has = _stated(machine, kind)
        found |= {f"{x}{ending}": Port(float(works[x][0]), sort) for x in works if x in has}
    return found


def _stated(machine: Machine, kind: str) -> set[str]:
    """Return the joints that are driven, damped or rub; those that follow count with others."""
    joints = machine.model.joints
    if kind == "supplied":
        return {x.name for x in joints if x.nv} if machine.document.controller else set()
    field = {"damping": "damping", "joint_friction": "friction"}[kind]
    clusters = [x.joints for x in machine.model.clusters]
    rubbing = {x.name for x in joints if np.any(np.ravel(getattr(x, field, 0.0)))}
    return {name for names in clusters if rubbing & {*names} for name in names}


def _of_parts(machine: Machine, ledger: EnergyLedger) -> dict[str, Port]:
    """Return what parts have given; springs that lose energy have a port for that, too."""
    found = {}
    for name, (energy, work) in ledger.by_part().items():
        part = machine.simulation.parts[name].part
        kind = "store" if part.kind in STORES else "loss" if part.kind in LOSES else "source"
        stored, done = float(energy[0]), float(work[0])
        if part.kind in SPRINGS and getattr(part, "damping", part.kind == "rubber"):
            found[name], found[f"{name}.damping"] = Port(-stored, kind), Port(done, "loss")
        else:
            found[name] = Port(done - stored, kind)
    return found


def kinetic_energies(model: Model, q: Array, v: Array) -> Array:
    """Return the kinetic energy of each body, and last of what is on joints beside (n + 1,) [J]."""
    found = []
    for body in model.bodies:
        speed = model.frame_velocity(q, v, body.name)
        linear = speed[:3] + np.cross(speed[3:], body.com)
        turning = speed[3:] @ body.inertia @ speed[3:]
        found.append(0.5 * float(body.mass * (linear @ linear) + turning))
    return np.array([*found, float(model.kinetic_energy(q, v)) - sum(found)])
