"""Simulations as other processes take them: what they were made with, their parts, their motion.

What the core compiled is made anew on the other side, from the same numbers and to the same bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.simulation.acting import Plan
from tarsus.simulation.part_set import PartSet
from tarsus.simulation.snapshot import Snapshot

if TYPE_CHECKING:
    from tarsus.simulation.simulation import Simulation


@dataclass(frozen=True, eq=False)
class Pickled:
    """All that makes an equal simulation; a take that is being recorded stays where it is."""

    kind: type[Simulation]
    model: Model
    stated: Mapping[str, Any]
    parts: PartSet
    numbers: Array
    plans: Mapping[str, Plan]
    motion: Snapshot | None

    @classmethod
    def of(cls, simulation: Simulation) -> Pickled:
        """Return what to pickle of a simulation."""
        board = simulation.board
        # the snapshot would name the simulation, which is being taken apart
        motion = None if board.motion is None else replace(simulation.snapshot(), origin=None)
        made = type(simulation), simulation.model, simulation.stated
        return cls(*made, board.parts, board.numbers, dict(board.plans), motion)


def remade(of: Pickled) -> Simulation:
    """Return the simulation, with its motion where it was."""
    simulation = of.kind(of.model, **of.stated, forces=())
    board = simulation.board
    board.parts, board.numbers, board.plans = of.parts, of.numbers.copy(), dict(of.plans)
    if of.motion is not None:
        simulation.restore(replace(of.motion, origin=simulation))
    return simulation
