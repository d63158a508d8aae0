"""Whole-body control: tasks on accelerations, forces of contacts and torques in one programme.

L. Sentis, O. Khatib, "Synthesis of whole-body behaviors through hierarchical control of behavioral
primitives", International Journal of Humanoid Robotics 2, 2005; A. Del Prete, N. Mansard,
O. Ramos, O. Stasse, F. Nori, "Implementing torque control with high-ratio gear boxes and without
joint-torque sensors", 2016. The programme is in `body_programme.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.control.arguments import not_negative
from tarsus.control.body_contact import Contact
from tarsus.control.body_drives import BodyDrives, Stated
from tarsus.control.body_limits import BodyLimits
from tarsus.control.body_programme import BodyProgramme
from tarsus.control.body_solution import BodySolution
from tarsus.control.body_targets import BodyTargets
from tarsus.control.control_law import ControlLaw
from tarsus.control.core_body import CoreBody
from tarsus.control.joint_gains import Gains
from tarsus.control.reference import Setpoint, Source
from tarsus.geometry import Distances
from tarsus.ik import Avoid, Limits, Task, Within, solve_qp
from tarsus.ik.avoid import avoid_of
from tarsus.ik.programme import NOT_FINITE
from tarsus.model import Model
from tarsus.model.checks import count, reals, suggestion

Outputs = Literal["torques", "references"]


class WholeBody(ControlLaw):
    """Leads a machine by tasks while it pushes against contacts: tau = control(t, q, v).

    `tasks` are those of `tarsus.ik`, with weights and levels; their `gain` [1/s] is the rate at
    which errors fade, critically damped, and `gain` here that of those which state none. Their
    targets, with velocities and accelerations, may be set at any time, or come from `reference`: a
    mapping, or a function of time that returns one, from names of tasks to targets (or targets with
    velocity and acceleration), and from names of contacts to loads from 0 (open) to 1. Between 0
    and 1 a load is the share of its largest force that a contact may take: contacts come and go
    without jumps if loads rise and fall.

    `effort` as of `ControlLaw`: what has none is not driven, and the machine moves so that it
    needs none. `motors` names those that drive instead, by gears and through loops, or their
    largest torques by name; what no motor moves is not driven then. `limits` are those of joints,
    also of those that follow others, and `avoid` what shall stay apart, both approached at most
    with the rate `limit_rate` [1/s]; `within` are tasks that stay between bounds, with their own.
    `regularisation` is what accelerations [1/(m/s²)²] and forces, in shares of the weight, cost
    beside tasks that count about one.

    With `outputs="references"` a call returns q, v and efforts for the joint controllers of a
    `Cascade`, as they shall be after `period`. `last` is what the last call found. `threads` share
    the states of a batch.
    """

    remembers = True

    def __init__(
        self,
        model: Model,
        tasks: Sequence[Task],
        contacts: Sequence[Contact] = (),
        reference: Source | None = None,
        *,
        gain: float = 10.0,
        limits: Limits | bool | None = True,
        avoid: Avoid | Distances | None = None,
        within: Sequence[Within] = (),
        limit_rate: float = 20.0,
        regularisation: tuple[float, float] = (1e-4, 1e-2),
        outputs: Outputs = "torques",
        motors: Stated | None = None,
        effort: Gains | None = None,
        period: float | None = None,
        threads: int = 1,
    ) -> None:
        if outputs not in get_args(Outputs):
            raise ValueError(f"outputs is {outputs!r}{suggestion(outputs, get_args(Outputs))}")
        if outputs == "references" and period is None:
            raise ValueError("outputs='references' needs a period: references are of its end")
        self.tasks = _listed(tasks, Task, "tasks", "tarsus.ik")
        self.contacts = _listed(contacts, Contact, "contacts", "tarsus.control")
        for contact in self.contacts:
            model.frame(contact.frame)
        self.gain = not_negative(gain, "gain")
        self.outputs: Outputs = outputs
        count(threads, "threads", 1, 1024)
        self.threads = threads
        for task in self.tasks:
            task.bind(model)
        self.targets = BodyTargets(self.tasks, self.contacts)
        super().__init__(model, reference, effort=effort, period=period)  # type: ignore[arg-type]
        stated = Limits() if limits is True else limits or None
        kept = _listed(within, Within, "within", "tarsus.ik")
        rate = not_negative(limit_rate, "limit_rate")
        bounds = BodyLimits(model, stated, avoid_of(model, avoid), kept, rate)
        drives = BodyDrives(model, self.effort, motors)
        self.programme = BodyProgramme(
            model, self.tasks, self.contacts, drives, bounds, self.gain, regularisation
        )
        self.last: BodySolution | None = None
        self._start: NDArray[np.int8] | None = None
        self._core = CoreBody(self.programme) if CoreBody.knows(self.programme) else None

    def setpoint(self, value: Any) -> Setpoint:
        """Return targets and loads by name as a checked setpoint."""
        return self.targets.setpoint(value)

    def reset(self) -> None:
        """Forget where the last programme ended, from which the next one begins."""
        self._start = None

    def get_state(self) -> dict[str, Array]:
        """Return which bounds and rows were active, from which the next programme begins."""
        start = self._start
        return {} if start is None else {"working_set": start.astype(np.float64)}

    def set_state(self, state: dict[str, Array]) -> None:
        """Go on from what `get_state` returned."""
        found = state.get("working_set")
        self._start = None if found is None else self._working_set(found)

    def _working_set(self, given: Array) -> NDArray[np.int8]:
        """Return a working set (…, n + rows), checked."""
        found, own = reals(given, "working_set"), self.programme
        least = own.n + own.drives.rows + len(own.drives.effort)
        if found.ndim == 0 or found.shape[-1] < least:
            raise ValueError(f"working_set has shape {found.shape}, must be (…, {least} or more)")
        if not np.isin(found, range(-2, 3)).all():
            raise ValueError("working_set must have whole numbers from −2 to 2")
        return found.astype(np.int8)

    def solve(self, q: Array, v: Array) -> BodySolution:
        """Return what is found at states q (…, nq), v (…, nv), with targets as they are."""
        loads = self.targets.loads
        if not q.shape[:-1] == v.shape[:-1] == loads.shape[:-1]:
            lead = np.broadcast_shapes(q.shape[:-1], v.shape[:-1], loads.shape[:-1])
            q, v, loads = (np.broadcast_to(x, (*lead, x.shape[-1])) for x in (q, v, loads))
        state = q, v, loads
        if self._core is not None:
            told = self._core.solve(*state, self._start, self.threads)
            if told is not None:
                found, tau, slip = told
                self._start = found.working_set
                return BodySolution(tau, slip, found, state, self.programme)
        return self._solve(state)

    def _solve(self, state: tuple[Array, Array, Array]) -> BodySolution:
        """Return the same in NumPy, for whatever the core does not know."""
        stated, q = self.programme.at(*state), state[0]
        size = stated.lower.shape[-1] + stated.rows.shape[-2]
        fits = self._start is not None and self._start.shape == (*q.shape[:-1], size)
        found = solve_qp(
            stated.task,
            stated.target,
            weight=stated.weight,
            levels=stated.levels,
            damping=stated.damping,
            reference=stated.reference,
            lower=stated.lower,
            upper=stated.upper,
            rows=stated.rows,
            rows_lower=stated.rows_lower,
            rows_upper=stated.rows_upper,
            penalty=stated.penalty,
            start=self._start if fits else None,
            threads=self.threads,
        )
        self._start = found.working_set
        # states in which numbers overflow have no solution: nothing is done there
        lost = found.code == NOT_FINITE
        efforts = np.where(lost[..., None], 0.0, stated.efforts(found.v))
        tau = self.programme.drives.given(q, efforts)
        slip = np.where(lost, 0.0, stated.slip(found.v, self.programme.held))
        return BodySolution(tau, slip, found, state, self.programme)

    def law(self, t: float, q: Array, v: Array, setpoint: Setpoint) -> Array:
        """Return efforts (…, nv) without limits."""
        self.targets.aim(setpoint)
        self.last = self.solve(q, v)
        return self.last.tau

    def within(self, limits: Array, t: float, q: Any, v: Any, reference: Any = None) -> Any:
        """Return efforts (…, nv) within limits (nv,), or q, v and these as references."""
        tau = super().within(limits, t, q, v, reference)
        if self.outputs == "torques":
            return tau
        assert self.last is not None and self.period is not None
        a, dt = self.last.acceleration, self.period
        after = v + a * dt
        return self.model.integrate(q, 0.5 * dt * (v + after)), after, tau


def _listed(values: Sequence[Any], kind: type, what: str, room: str) -> tuple[Any, ...]:
    """Return a list of tasks or contacts as a tuple; raise if one of them is none."""
    if isinstance(values, kind):
        raise TypeError(f"{what} is {values!r} alone, must be a list")
    for value in values:
        if not isinstance(value, kind):
            name = type(value).__name__
            raise TypeError(f"{what} has a {name}, must be of {room}.{kind.__name__}")
    return tuple(values)
