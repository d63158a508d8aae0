"""What smooth motions know of parts, and how those that are held start: closed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tarsus._lib.files import Array
from tarsus.simulation.acting import Acting
from tarsus.simulation.integrators.smooth_motion import RECORD, SmoothMotion
from tarsus.simulation.part_set import Fitted
from tarsus.simulation.state import State

if TYPE_CHECKING:
    from tarsus.simulation.simulation import Simulation

CLOSED = 1e-4
"""[m, rad] A gap that is not larger is closed at once."""


def acting_on(simulation: Simulation, q: Array) -> Acting | None:
    """Return the parts on states q (B, nq); those that smooth motions do not know are refused."""
    acting = simulation.board.on(q)
    if acting is None:
        return None
    for k, each in enumerate(acting.parts.parts):
        own = acting.numbers[:, acting.parts.span(k)]
        what = unknown_of(each, own, each.name in acting.plans)
        if what:
            raise ValueError(
                f"part {each.name!r} {what}, which integrator {simulation.integrator.name!r} does "
                "not know; use 'semi_implicit'"
            )
    return acting


def unknown_of(part: Fitted, numbers: Array, planned: bool) -> str:
    """Return what smooth motions do not know of a part with these numbers (B, n), or nothing."""
    law = part.statement.law
    if planned:
        return "follows a plan"
    if part.statement.coordinates == "path":
        return "is held on a path"
    if law == "motor":
        return "is a motor"
    if law == "rigid" and np.isfinite(numbers[:, -1]).any():
        return "is held with a limit of force"
    return ""


def is_held(acting: Acting) -> bool:
    """Return whether some part is held."""
    return any(each.statement.law == "rigid" for each in acting.parts.parts)


def closed(motion: SmoothMotion, acting: Acting, state: State) -> State:
    """Return the states with all parts closed that have no time constant.

    Raises ValueError where a gap is open: what jumps is no smooth motion.
    """
    found = []
    for k, (q, v) in enumerate(zip(state.q, state.v, strict=True)):
        own = motion.of_state(k)
        check_gaps(acting, acting.numbers[k % len(acting.numbers)], own.pushed(q, v)[1])
        try:
            found.append(own.on_group(np.concatenate([q, v, np.zeros(own.works)])))
        except ArithmeticError as error:
            raise ValueError(f"parts are held that cannot be together: {error}") from error
    return replace(state, q=np.stack([q for q, *_ in found]), v=np.stack([v for _, v, _ in found]))


def check_gaps(acting: Acting, numbers: Array, records: Array) -> None:
    """Raise ValueError if a part without a time constant is open in one state."""
    for k, each in enumerate(acting.parts.parts):
        if each.statement.law != "rigid":
            continue
        on = numbers[acting.parts.slot(k, "on")[0]]
        time_constant = numbers[acting.parts.slot(k, "time_constant")[0]]
        rows = acting.parts.core.n_rows(k)
        gap = np.abs(records[RECORD * k + 8 : RECORD * k + 8 + rows]).max(initial=0.0)
        if on > 0.0 and time_constant == 0.0 and gap > CLOSED:
            raise ValueError(
                f"part {each.name!r} is open by {gap:.3g} m or rad at the start, must be closed "
                f"within {CLOSED:g}, or have a time_constant"
            )
