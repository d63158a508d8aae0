"""Motions that the core makes: steps in C++, with Python only where a controller is asked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

import numpy as np

from tarsus import _core
from tarsus.simulation.errors import CAUSES, NOT_FINITE, SimulationError, diverged
from tarsus.simulation.integrators.adaptive import Parts
from tarsus.simulation.integrators.linkages import linkages
from tarsus.simulation.integrators.motion import Effort, SmoothMotion

REACHED, PAUSED, TOO_SHORT, NOT_SOLVED, LOST, DIVERGED = range(6)
"""Why the core stopped."""
WHY = {
    TOO_SHORT: "the step became too short: forces jump, or change far faster than anything else",
    NOT_SOLVED: "the stages of a step were not found: dt is too long for these speeds or springs; "
    "shorten it, or use 'radau'",
    LOST: CAUSES[NOT_FINITE],
}
CHUNK = 256
"""Times that the core is given at once, for one state."""


class CoreSolver:
    """The motion of one state by a method of the core; `step` is the first or the only length.

    By "rk4" some states move together: then q, v, works and held efforts are rows of these.
    """

    def __init__(
        self,
        motion: SmoothMotion,
        method: str,
        order: int,
        *,
        rtol: float = 1.0,
        atol: float = 1.0,
        step: float = 0.0,
    ) -> None:
        self.motion, self.order = motion, order
        self.ahead: int | None = None
        """Times that the core is given at once at most."""
        of_q, of_v = linkages(motion.model)
        self._flow = _core.Flow(
            motion.model,
            method,
            rtol=rtol,
            atol=atol,
            step=step,
            friction=motion.friction,
            linkage_of_q=of_q.tolist(),
            linkage_of_v=of_v.tolist(),
            parts=motion.parts,
            part_numbers=None if motion.numbers is None else motion.numbers[0],
        )

    def between(
        self, t: float, state: Parts, times: Iterable[float], end: float, effort: Effort
    ) -> Iterator[Parts | None]:
        """Yield the states at rising times, from a state at t; None: it goes on."""
        rows = state[0].shape[:-1]
        states = math.prod(rows)
        self._flow.start(t, state[0].ravel(), state[1].ravel(), state[2].ravel(), states)
        rising = iter(times)
        # Ctrl-C is seen between chunks; where Python is asked anyway they may be short
        chunk = 1
        if isinstance(effort, np.ndarray):
            chunk, effort = max(1, (self.ahead or CHUNK) // states), np.ravel(effort)
        while len(some := np.fromiter(islice(rising, chunk), np.float64)):
            while len(some):
                q, v, work, ended = self._flow.go(some, end, effort)
                if rows:
                    q, v, work = (
                        part.reshape(len(part), states, part.shape[1] // states)
                        for part in (q, v, work)
                    )
                yield from zip(q, v, work, strict=True)
                some = some[len(q) :]
                if ended == PAUSED:
                    yield None
                elif ended != REACHED:
                    self._fail(ended, effort)

    @property
    def statistics(self) -> Mapping[str, float]:
        """What was done until now."""
        return {"order": self.order, **self._flow.statistics}

    def _fail(self, ended: int, effort: Effort) -> None:
        """Raise what says why it could not go on."""
        t, model = self._flow.t, self.motion.model
        q, v = (row[0] for row in self._flow.lost)
        if ended == DIVERGED:
            raise diverged(model, v, t)
        reason = ""
        if ended != NOT_SOLVED and len(q) == model.nq:
            try:
                self.motion.rates(t, q, v, effort)
                model.integrate(q, np.zeros(model.nv))
            except (ArithmeticError, ValueError) as error:
                reason = f" ({error})"
        raise SimulationError(f"{WHY[ended]}{reason}", time=t)
