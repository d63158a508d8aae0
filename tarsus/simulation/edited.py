"""A simulation goes on with another model: what stays is carried over by names."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus import _core
from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.model.assembly.state_transfer import Carried, carry
from tarsus.simulation.board import Board
from tarsus.simulation.drives import Controller
from tarsus.simulation.part_set import PartSet

if TYPE_CHECKING:
    from tarsus.simulation.simulation import Simulation

MEMORY = _core.PART_MEMORY
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
    own = of_model(simulation)
    new = type(simulation)(model, **stated, forces=() if own is None else None)
    carried = carry(simulation.model, model, simulation.q, simulation.v)
    lost = move_parts(simulation.board, new.board, own or ())
    new.reset(carried.q, carried.v, controller=controller)
    core = new.moving().core
    steps = simulation.moving().core.steps
    core.restore(*np.atleast_2d(core.q, core.v), core.memory, flat(core.touched), steps)
    keep_numbers(simulation.board, new.board, own or ())
    for name, reason in lost.items():
        warnings.warn(f"part {name!r} is left behind: {reason}", LostPartWarning, stacklevel=3)
    return new, carried


def of_model(simulation: Simulation) -> tuple[str, ...] | None:
    """Return the names of parts that the model stated, None if it acts without them.

    With the new model they are what it states.
    """
    stated, parts = simulation.model.forces, simulation.board.parts.parts
    found = tuple(each.name for each in parts if any(each.part is force for force in stated))
    return found if len(found) == len(stated) else None


def flat(lists: Any) -> Any:
    """Return lists of contacts (B, 1, n, 13) as rows (B, n)."""
    return np.asarray(lists).reshape(len(lists), -1)


def move_parts(old: Board, new: Board, own: tuple[str, ...]) -> dict[str, str]:
    """Add all parts that find their places in the new model; return why the others do not.

    `own` are of the old model, and stay with it.
    """
    lost = {}
    for each in old.parts.parts:
        if each.name in own:
            continue
        try:
            new.add(replace(each.part, name=each.name))
        except (LookupError, ValueError) as error:
            lost[each.name] = str(error)
            continue
        if each.name in old.plans:
            new.plans[each.name] = old.plans[each.name]
    new.numbers = carried_numbers(old.parts, old.numbers, new.parts, new.numbers, own)
    return lost


def keep_numbers(old: Board, new: Board, own: tuple[str, ...]) -> None:
    """Give parts what they had in the motion: targets, whether they are on, currents of motors."""
    before, after = old.acting, new.acting
    if before is None or after is None or new.motion is None:
        return
    after.numbers = carried_numbers(before.parts, before.numbers, after.parts, after.numbers, own)
    keep_currents(old, new, own)


def keep_currents(old: Board, new: Board, own: tuple[str, ...] = ()) -> None:
    """Give parts what they remember of the motion: currents of motors, if they are motors still."""
    before, after = old.acting, new.acting
    if before is None or after is None or new.motion is None:
        return
    after.widen()
    for k, each in enumerate(after.parts.parts):
        if each.name in own or each.name not in before.parts.index:
            continue
        there, count = before.parts.number(each.name), len(each.part.keeps)
        if before.parts.parts[there].part.keeps != each.part.keeps:
            continue
        here, was = (MEMORY["size"] * at + MEMORY["own"] for at in (k, there))
        after.memory[:, here : here + count] = before.memory[:, was : was + count]
    new.motion.take(after)


def carried_numbers(
    before: PartSet, numbers: Array, after: PartSet, fresh: Array, own: tuple[str, ...]
) -> Array:
    """Return numbers (1 or B, n) of another set of parts: as they were, or `fresh` where new."""
    states = max(len(numbers), len(fresh))
    found = np.repeat(fresh, states, axis=0) if len(fresh) < states else fresh.copy()
    for k, each in enumerate(after.parts):
        if each.name not in own and each.name in before.index:
            found[:, after.span(k)] = numbers[:, before.span(before.number(each.name))]
    return found
