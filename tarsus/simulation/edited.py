"""A simulation goes on with another model: what stays is carried over by names."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.kit import Carried, carry
from tarsus.model import Model
from tarsus.simulation.board import Board
from tarsus.simulation.drives import Controller

if TYPE_CHECKING:
    from tarsus.simulation.simulation import Simulation

OF_THE_MODEL = ("collision", "stiction", "max_contacts")
"""What a simulation may be made with that belongs to its model."""


class LostPartWarning(UserWarning):
    """A part that has no place in the new model."""


def edited(
    simulation: Simulation, model: Model, controller: Controller | None
) -> tuple[Simulation, Carried]:
    """Return a simulation of `model` that is where the motion of `simulation` is."""
    stated = dict(simulation.stated)
    for name in OF_THE_MODEL:
        if stated[name] is not None:
            raise ValueError(
                f"the simulation was made with {name}, which belongs to its model: make a new one "
                "with ts.Simulation, and carry its state over with ts.carry"
            )
    new = type(simulation)(model, **stated, forces=())
    carried = carry(simulation.model, model, simulation.q, simulation.v)
    lost = move_parts(simulation.board, new.board)
    new.reset(carried.q, carried.v, controller=controller)
    core = new.moving().core
    steps = simulation.moving().core.steps
    core.restore(*np.atleast_2d(core.q, core.v), core.memory, flat(core.touched), steps)
    keep_numbers(simulation.board, new.board)
    for name, reason in lost.items():
        warnings.warn(f"part {name!r} is left behind: {reason}", LostPartWarning, stacklevel=3)
    return new, carried


def flat(lists: Any) -> Any:
    """Return lists of contacts (B, 1, n, 13) as rows (B, n)."""
    return np.asarray(lists).reshape(len(lists), -1)


def move_parts(old: Board, new: Board) -> dict[str, str]:
    """Add all parts that find their places in the new model; return why the others do not."""
    lost = {}
    for each in old.parts.parts:
        try:
            new.add(replace(each.part, name=each.name))
        except (LookupError, ValueError) as error:
            lost[each.name] = str(error)
            continue
        if each.name in old.plans:
            new.plans[each.name] = old.plans[each.name]
    return lost


def keep_numbers(old: Board, new: Board) -> None:
    """Give parts the numbers that they had in the motion: targets, and whether they are on."""
    before, after = old.acting, new.acting
    if before is None or after is None:
        return
    if len(before.numbers) > 1:
        new.widen()
    for k, each in enumerate(after.parts.parts):
        there = before.parts.number(each.name)
        after.numbers[:, after.parts.span(k)] = before.numbers[:, before.parts.span(there)]
