"""`WholeBodyControl`: torques of a legged robot from tasks and contacts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.checks import count, not_negative, reals, suggestion
from tarsus._lib.files import Array
from tarsus._lib.qp import ITERATIONS, NOT_FINITE, QPSolution
from tarsus.control.actuation_rows import BodyDrives, BodyLimits, Stated
from tarsus.control.contact_patch import BodyTargets, Contact
from tarsus.control.controller import ControlLaw, Gains, Setpoint, Source
from tarsus.control.whole_body_qp import WholeBodyQP
from tarsus.geometry.distances import Distances
from tarsus.ik.collision_avoidance import Avoid, avoid_of
from tarsus.ik.limits import Limits
from tarsus.ik.priorities import Within
from tarsus.ik.tasks.task import Task
from tarsus.model.model import Model
from tarsus.spatial import skew

# Whole-body control: tasks on accelerations, forces of contacts and torques in one programme.
#
# L. Sentis, O. Khatib, "Synthesis of whole-body behaviors through hierarchical control of
# behavioral primitives", International Journal of Humanoid Robotics 2, 2005; A. Del Prete, N.
# Mansard, O. Ramos, O. Stasse, F. Nori, "Implementing torque control with high-ratio gear boxes and
# without joint-torque sensors", 2016. The quadratic program is in `whole_body_qp.py`.


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
        self.programme = WholeBodyQP(
            model, self.tasks, self.contacts, drives, bounds, self.gain, regularisation
        )
        self.last: BodySolution | None = None
        self._start: NDArray[np.int8] | None = None

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
        found, tau, slip = self.programme.solve(q, v, loads, self._start, self.threads)
        self._start = found.working_set
        return BodySolution(tau, slip, found, (q, v, loads), self.programme)

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


# What whole-body control found at states: accelerations, forces of contacts, and what gave way.


TOLD = 1e-6
"""Shares of a limit by which it is missed and not told."""

SLIPS = 0.1
"""Accelerations of contacts [m/s²] that are told: those below are what their weight leaves."""


@dataclass(frozen=True, eq=False)
class BodySolution:
    """Solutions of the programmes of states (…)."""

    tau: Array
    """Efforts (…, nv) before they are cut to their limits."""
    slip: Array
    """How far contacts that hold are from the accelerations they ask for (…) [m/s², rad/s²]."""
    found: QPSolution = field(repr=False)
    """The solution of the programme: accelerations, then forces as shares of the weight."""
    state: tuple[Array, Array, Array] = field(repr=False)
    """q, v and the loads of contacts."""
    programme: WholeBodyQP = field(repr=False)

    @property
    def acceleration(self) -> Array:
        """Accelerations (…, nv)."""
        return self.found.v[..., : self.programme.model.nv]

    @property
    def wrenches(self) -> dict[str, Array]:
        """The wrench (…, 6) [N, N·m] of each contact by name, at its frame and in world axes."""
        model, found = self.programme.model, {}
        for contact, push in self._pushes():
            rotation = model.frame_pose(self.state[0], contact.frame)[..., :3, :3]
            own = (contact.wrenches(rotation) @ push[..., None])[..., 0]
            arm = rotation @ contact.centre
            own[..., 3:] += (skew(arm) @ own[..., :3, None])[..., 0]
            found[contact.name] = own
        return found

    @property
    def pressure_centres(self) -> dict[str, Array]:
        """The centre of pressure (…, 3) [m] of each contact by name, in axes of its frame.

        NaN where a contact does not push.
        """
        return {contact.name: contact.pressure_centre(push) for contact, push in self._pushes()}

    @property
    def missed(self) -> dict[str, Array]:
        """By how much (…) each kind of limit is missed: efforts as shares of themselves."""
        slack, idle = self.found.slack, self.programme.drives.rows
        last = idle + len(self.programme.drives.effort)
        return {
            "dynamics": slack[..., :idle].max(axis=-1, initial=0.0),
            "effort": slack[..., idle:last].max(axis=-1, initial=0.0),
            "contact": self.slip,
            "loads and distances": slack[..., last:].max(axis=-1, initial=0.0),
        }

    @property
    def saturated(self) -> NDArray[np.bool_]:
        """Which efforts are at their limits (…, limits), in the order of `limited`."""
        first = self.found.v.shape[-1] + self.programme.drives.rows
        at = self.found.working_set[..., first : first + len(self.programme.drives.effort)]
        return np.asarray(at != 0)

    @property
    def limited(self) -> tuple[str, ...]:
        """Names of the joints or motors whose efforts have limits."""
        return tuple(self.programme.drives.limited)

    @property
    def status(self) -> str | NDArray[np.str_]:
        """How it ended: "solved", or what gave way most and by how much."""
        codes, missed = np.ravel(self.found.code), self.missed
        told = [np.ravel(np.broadcast_to(each, self.found.code.shape)) for each in missed.values()]
        words = [
            _words(int(codes[k]), dict(zip(missed, (float(each[k]) for each in told), strict=True)))
            for k in range(codes.size)
        ]
        if np.ndim(self.found.code) == 0:
            return words[0]
        return np.array(words, dtype=np.str_).reshape(self.found.code.shape)

    def _pushes(self) -> list[tuple[Contact, Array]]:
        """Return the contacts, and the weights of their generators (…, generators) [N]."""
        own = self.programme
        return [
            (contact, own.weight * self.found.v[..., columns])
            for contact, columns in zip(own.contacts, own.generators, strict=True)
        ]


def _words(code: int, missed: dict[str, float]) -> str:
    if code == NOT_FINITE:
        return "not finite"
    if code == ITERATIONS:
        return "iterations"
    limits = {name: value for name, value in missed.items() if name != "contact"}
    worst = max(limits, key=lambda name: limits[name])
    if limits[worst] > TOLD:
        return f"{worst} missed by {limits[worst]:.3g}"
    if missed["contact"] > SLIPS:
        return f"contact slips by {missed['contact']:.3g} m/s²"
    return "solved"
