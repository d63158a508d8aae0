"""Snapshots of interactive motions: all that they need to go on to the same bits, in memory.

A snapshot is immutable. It may be restored as often as one likes, in its simulation or in another
one that is equal by content: forks of one motion.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus._lib.checks import expect, read_only
from tarsus._lib.files import Array
from tarsus.simulation.board import Kept
from tarsus.simulation.content import check_same
from tarsus.simulation.drives import Controller
from tarsus.simulation.motion import Motion
from tarsus.simulation.state import State

if TYPE_CHECKING:
    from tarsus.simulation.interactive import Interactive

COMPARED = 1000
"""Steps over which references of controllers are compared."""


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A motion at a moment: `q`, `v`, `t`, and what contacts and the controller remember.

    Its arrays cannot be written to. `Simulation.snapshot` makes it, `Simulation.restore` reads it.
    """

    q: Array
    """(nq,) or (B, nq)."""
    v: Array
    """(nv,) or (B, nv)."""
    step: int
    """Steps since `reset`."""
    dt: float
    memory: Array
    """What the core keeps between steps (B, n)."""
    touched: Array
    """Contacts of the last step (B, 13 max_contacts)."""
    parameters: Array
    """Friction, gains and masses (1 or B, n)."""
    driven: bool
    """Whether there was a controller."""
    control: Mapping[str, Array]
    """What the controller remembers."""
    kept: Kept
    """The parts, their numbers and what they remember."""
    threads: int = 1
    controller: Controller | None = None
    """That with which it was taken; None if it was read from a file."""
    origin: Interactive | None = None
    """Where it was taken; None if it was read from a file."""
    stated: Mapping[str, str] = field(default_factory=dict)
    """What its file says about its content."""
    ledger: bool = False
    """Whether works were counted."""

    @property
    def t(self) -> float:
        """The time since `reset` [s]."""
        return self.step * self.dt

    @property
    def content(self) -> Mapping[str, str]:
        """Hashes of all that the motion depends on, by name."""
        if self.origin is None:
            return self.stated
        return _content(self.origin, self.controller)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "control": dict(self.control)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # arrays that were pickled can be written to
        vars(self).update(
            {k: read_only(x) if isinstance(x, np.ndarray) else x for k, x in state.items()}
        )
        vars(self)["control"] = MappingProxyType(state["control"])

    def __repr__(self) -> str:
        batch = f"{len(self.q)} states, " if self.q.ndim > 1 else ""
        return f"<tarsus.Snapshot: {batch}t = {self.t:.6g} s>"


def taken(simulation: Interactive, motion: Motion) -> Snapshot:
    """Return a snapshot of the motion of a simulation."""
    core, drive = motion.core, motion.drive
    touched = core.touched
    return Snapshot(
        read_only(core.q),
        read_only(core.v),
        core.steps,
        motion.dt,
        read_only(core.memory),
        read_only(touched.reshape(len(touched), -1)),
        motion.parameters,
        drive is not None,
        MappingProxyType({} if drive is None else copies(drive.get_state())),
        simulation.board.kept(motion),
        motion.threads,
        getattr(drive, "controller", None),
        simulation,
        ledger=motion.core.ledger,
    )


def restored(simulation: Interactive, snapshot: Snapshot, controller: Controller | None) -> Motion:
    """Return a motion of a simulation that goes on from a snapshot, checked."""
    expect(snapshot, Snapshot, "snapshot")
    own = snapshot.controller if controller is None else controller
    if snapshot.driven != (own is not None):
        which = "a controller: pass the same" if snapshot.driven else "no controller: pass none"
        raise ValueError(f"the snapshot is of a motion with {which}")
    if snapshot.origin is not simulation or own is not snapshot.controller:
        check_same("the snapshot", snapshot.content, _content(simulation, own))
    starts = simulation.started()
    drive = starts.drive(own)
    q, v = np.atleast_2d(snapshot.q, snapshot.v)
    motion = Motion(
        simulation.model,
        starts.worlds.get(drive),
        starts.worlds.places,
        drive if snapshot.driven else None,
        State(q, v, snapshot.memory, snapshot.step, snapshot.q.ndim > 1),
        snapshot.parameters,
        dt=simulation.dt,
        threads=snapshot.threads,
        ledger=snapshot.ledger,
    )
    motion.core.restore(q, v, snapshot.memory, snapshot.touched, snapshot.step)
    simulation.board.put_back(snapshot.kept, motion)
    if snapshot.driven:
        drive.set_state(copies(snapshot.control))
    return motion


def copies(memory: Mapping[str, Any]) -> dict[str, Array]:
    """Return copies of what a controller remembers, which must be arrays."""
    found = {name: np.array(value) for name, value in memory.items()}
    for name, value in found.items():
        if value.dtype.kind not in "biufU":
            raise TypeError(
                f"the controller's memory {name!r} is {memory[name]!r}, must be numbers"
            )
    return found


def _content(simulation: Interactive, controller: Controller | None) -> Mapping[str, str]:
    found = simulation.content(simulation.started().drive(controller), COMPARED)
    return {name: each for name, each in found.items() if name != "parts"}  # they are put back
