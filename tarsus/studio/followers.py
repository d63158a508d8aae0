"""What follows expressions of time: targets of parts in each step, their numbers in each frame."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np

from tarsus.studio.bindings import Plan, Targets, plan_of, targets_of
from tarsus.studio.ways import ways

if TYPE_CHECKING:
    from tarsus.studio.machine import Machine


def follow_targets(machine: Machine) -> None:
    """Let targets of parts follow the expressions that they are bound to."""
    found = ways(machine.model, machine.document.parts)
    for target, expression in machine.document.bindings.items():
        name, _, number = target.rpartition(".")
        count = target_size(machine, name)
        if number == "target" and count:
            plan = _later(targets_of(expression, count, found), machine.lag)
            machine.simulation.parts[name].follow(plan)


def bound_numbers(machine: Machine) -> dict[tuple[str, str], Plan]:
    """Return plans of numbers of parts that are bound, but for targets, which steps follow."""
    found = {}
    for target, expression in machine.document.bindings.items():
        name, _, number = target.rpartition(".")
        if number != "target" and has_number(machine, name, number):
            found[name, number] = plan_of(expression)
    return found


def target_size(machine: Machine, part: str) -> int:
    """Return how many numbers a part's target has, 3 for a point, 0 if it has none."""
    parts = machine.simulation.parts
    if part not in parts or "target" not in dir(parts[part]):
        return 0
    return 1 if np.ndim(parts[part].target) == 0 else 3


def has_number(machine: Machine, part: str, number: str) -> bool:
    """Whether a part has a number of this name that may be turned while it acts."""
    if part not in machine.simulation.parts:
        return False
    handle = machine.simulation.parts[part]
    stated = getattr(handle.part, number, None)
    return (
        isinstance(stated, (int, float))
        and not isinstance(stated, bool)
        and number in dir(handle)
        and np.ndim(getattr(handle, number)) == 0
    )


def bindable(machine: Machine, part: str) -> list[str]:
    """Return what of a part may follow an expression: numbers of it, and last its target."""
    stated = fields(machine.document.parts[part]) if part in machine.document.parts else ()
    numbers = [x.name for x in stated if x.name != "target" and has_number(machine, part, x.name)]
    return [*numbers, "target"] if target_size(machine, part) else numbers


def _later(plan: Targets, start: float) -> Targets:
    """Return a plan of the world's time as one of the time since a motion began."""
    return lambda t: plan(start + t)
