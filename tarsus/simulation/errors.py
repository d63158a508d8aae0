"""What can go wrong in a run, as exceptions that tell when, where and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tarsus._lib.errors import TarsusError
from tarsus._lib.files import Array
from tarsus.model import Model

if TYPE_CHECKING:
    from tarsus.simulation.trajectory import Trajectory


class SimulationError(TarsusError, RuntimeError):
    """A run that could not go on, with all that was simulated until then."""

    def __init__(
        self,
        cause: str,
        *,
        time: float = 0.0,
        body: str | None = None,
        trajectory: Trajectory | None = None,
    ) -> None:
        super().__init__(cause)
        self.cause = cause
        self.time = time
        """When it happened [s]."""
        self.body = body
        """The body where it happened, None if it concerns the whole mechanism."""
        self.trajectory = trajectory
        """What was simulated until then; None if nothing was."""

    def __str__(self) -> str:
        where = f", body {self.body!r}" if self.body else ""
        return f"at t = {self.time:.6g} s{where}: {self.cause}"


class StartError(SimulationError):
    """A state from which no run can start: shapes that penetrate, or loops that are open."""


class RunFileError(TarsusError, ValueError):
    """A saved run or checkpoint that cannot be read; the message names the file."""


class EnergyError(TarsusError, AssertionError):
    """A ledger of energy whose residual is larger than it may be."""


NOT_FINITE, CROWDED, LOOPS_LOST, UNSOLVED, DIVERGED = range(1, 6)
CAUSES = {
    NOT_FINITE: "the state is not finite any more: forces or gains are far too large",
    CROWDED: "there are more contacts than there is room for; state a larger max_contacts",
    LOOPS_LOST: "loops cannot be closed any more: the motion went through a singular position, or "
    "the loops contradict each other",
    UNSOLVED: "the contact solver found no solution; take more iterations or a shorter dt",
    DIVERGED: "the motion diverged (a velocity is above 1e8): the step dt is too long for the "
    "gains, or for the stiffness of contacts",
}
"""What the numbers mean that the core reports for a state."""


FASTEST = 1e8
"""Velocities beyond this count as diverged, as in the core."""


def diverged(model: Model, v: Array, time: float = 0.0) -> SimulationError:
    """Return the error of a motion whose velocities (nv,) became too fast."""
    cause, body = fault(model, DIVERGED, int(np.argmax(np.abs(v))))
    return SimulationError(cause, time=time, body=body)


def fault(model: Model, code: int, element: int) -> tuple[str, str | None]:
    """Return the cause of a fault that the core reports, and the body where it happened."""
    cause = CAUSES.get(code, f"the core reports fault {code}")
    if code not in (NOT_FINITE, DIVERGED):
        return cause, None
    for joint in model.joints:
        if joint.v_slice.start <= element < joint.v_slice.stop:
            return cause, joint.child
    return cause, None
