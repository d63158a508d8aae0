"""Runs with rigid contacts whose events are located, one state after the other."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus import _core
from tarsus._lib.checks import count, threads_of
from tarsus._lib.console import progress_of
from tarsus._lib.files import Array
from tarsus.control.joint_control import ImplicitPD
from tarsus.model import Model
from tarsus.simulation.contact.event import Event
from tarsus.simulation.contact_record import NUMBERS, Contacts, Place
from tarsus.simulation.convergence import ConvergenceWarning
from tarsus.simulation.drives import Controller
from tarsus.simulation.errors import SimulationError, diverged
from tarsus.simulation.events import Events
from tarsus.simulation.integrators.methods import (
    CHUNK,
    DIVERGED,
    LOST,
    NOT_SOLVED,
    PAUSED,
    REACHED,
    TOO_SHORT,
    Parts,
)
from tarsus.simulation.integrators.smooth_motion import Effort, SmoothMotion, linkages
from tarsus.simulation.parameters import MassScale
from tarsus.simulation.recorder import Record, names_of
from tarsus.simulation.smooth import SmoothRun
from tarsus.simulation.smooth_parts import acting_on, is_held
from tarsus.simulation.smooth_steps import SmoothSteps
from tarsus.simulation.trajectory import Trajectory
from tarsus.simulation.watch import Until, Watch

if TYPE_CHECKING:
    from tarsus.simulation.simulation import Simulation

OWN_WORKS = ("contact_friction", "impacts", "limits")
"""Works beside those of smooth motions, as the core counts them."""
COLUMN = {"impacts": 4, "contact_friction": 6, "limits": 8}
"""Where they are in a row of the ledger."""
FOREVER, ENTERED = 6, 7
WHY = {
    TOO_SHORT: "the step became too short: forces jump, or a point slides so slowly that friction "
    "changes far faster than anything else",
    NOT_SOLVED: "the forces or impulses of contacts were not found",
    FOREVER: "contacts change without end: as many events or merged times as there may be",
    LOST: "the accelerations are not finite any more",
}
MERGED = (
    "contacts changed faster than events can follow each other: {count} short times were made one "
    "step each, with impulses instead of forces (run.integration.merged)"
)


class ContactMotion(SmoothMotion):
    """A motion with contacts: its works are those of a smooth one and three more."""

    world: _core.World
    parameters: Array
    """(1 or B, n)."""
    places: tuple[Place, ...]
    """The body and what it may touch, of each candidate."""
    slips: bool

    def ledger(self, q: Array, v: Array, work: Array) -> Array:
        """Return rows of the ledger (…, T, n)."""
        smooth, own = np.split(work, [work.shape[-1] - len(OWN_WORKS)], axis=-1)
        rows = super().ledger(q, v, smooth)
        for k, name in enumerate(OWN_WORKS):
            rows[..., COLUMN[name]] = own[..., k]
        return rows

    def part_records(self, q: Array, v: Array, tau: Array, work: Array) -> Array:
        """Return what parts did (B, T, n): their works are those of a smooth motion."""
        return super().part_records(q, v, tau, work[..., : -len(OWN_WORKS)])


@dataclass(frozen=True)
class Located:
    """How a run goes from event to event."""

    name: ClassVar[str] = "event"

    rtol: float
    atol: float
    creep: float

    def solver(self, motion: SmoothMotion, dt: float) -> EventSolver:
        """Return what makes the steps of one state."""
        assert isinstance(motion, ContactMotion)
        return EventSolver(motion, self)


class EventSolver:
    """The motion of one state from event to event."""

    def __init__(self, motion: ContactMotion, numbers: Located) -> None:
        self.motion = motion
        of_q, of_v = linkages(motion.model)
        self.flow = _core.ContactFlow(
            motion.world,
            rtol=numbers.rtol,
            atol=numbers.atol,
            creep=numbers.creep,
            linkage=[*of_q.tolist(), *of_v.tolist()],
            parameters=motion.parameters[0],
            parts=motion.parts,
            part_numbers=None if motion.numbers is None else motion.numbers[0],
        )
        self.stop: Callable[[], bool] | None = None
        """Tells whether to stop, when it takes long."""
        self.contacts: list[Array] = []
        """Rows (n, 13) of each time that was reached."""

    def between(
        self, t: float, state: Parts, times: Iterable[float], end: float, effort: Effort
    ) -> Iterator[Parts | None]:
        """Yield the states at rising times, from a state at t; None: it goes on."""
        self.flow.start(t, *state)
        rising = iter(times)
        chunk = CHUNK if isinstance(effort, np.ndarray) else 1
        while len(some := np.fromiter(islice(rising, chunk), np.float64)):
            while len(some):
                q, v, work, ended, contacts = self.flow.go(some, end, effort, self.stop)
                for rows, *found in zip(contacts, q, v, work, strict=True):
                    self.contacts.append(rows)
                    yield found[0], found[1], found[2]
                some = some[len(q) :]
                if ended == PAUSED:
                    yield None
                elif ended != REACHED:
                    self._fail(ended)

    @property
    def statistics(self) -> Mapping[str, float]:
        """What was done until now."""
        return {"order": 8, **self.flow.statistics}

    def _fail(self, ended: int) -> None:
        """Raise what says why it could not go on."""
        t, model = self.flow.t, self.motion.model
        if ended == DIVERGED:
            raise diverged(model, self.flow.lost[1][0], t)
        if ended == ENTERED:
            place = self.motion.places[self.flow.entered]
            raise SimulationError(
                f"{place.body!r} has entered {place.other!r} unseen: its gap jumped, as at "
                "edges of a ground; use contact 'exact' there",
                time=t,
                body=place.body,
            )
        hint = ""
        if ended == NOT_SOLVED and not self.motion.slips:
            hint = (
                "; with slips=False no joint may be at a limit or have dry friction, and at most "
                "twelve contacts may touch at once"
            )
        raise SimulationError(WHY[ended] + hint, time=t)


class LocatedRun(SmoothRun):
    """A run whose samples have contacts, and which has events."""

    places: tuple[Place, ...]
    joints: tuple[list[str], list[str]]

    def _touched(self, step: int) -> tuple[Array, NDArray[np.int64]] | None:
        """Return rows of contacts after a step, with the state and the sample of each."""
        found = [self._rows(k, step) for k in range(len(self.steps.solvers))]
        states = np.repeat(np.arange(len(found)), [len(each) for each in found])
        return np.concatenate(found), np.stack([states, np.zeros_like(states)])

    def _rows(self, state: int, step: int) -> Array:
        """Return the contacts (n, 13) of a state after a step."""
        solver = self.steps.solvers[state]
        assert isinstance(solver, EventSolver)
        known = 0 < step <= len(solver.contacts)
        return solver.contacts[step - 1] if known else np.zeros((0, NUMBERS))

    def _trajectory(self) -> Trajectory:
        run = super()._trajectory()
        steps = [sample.step for sample in self.samples]
        rows: list[Array] = []
        states: list[int] = []
        samples: list[int] = []
        events: list[Array] = []
        of: list[int] = []
        for k, solver in enumerate(self.steps.solvers):
            assert isinstance(solver, EventSolver)
            for index, step in enumerate(steps):
                found = self._rows(k, step)
                rows.extend(found)
                states += [k] * len(found)
                samples += [index] * len(found)
            happened = solver.flow.events
            events.append(happened[happened[:, 0] <= steps[-1] * self.steps.dt])
            of += [k] * len(events[-1])
        touched = Contacts(
            np.array(rows).reshape(-1, NUMBERS),
            np.array(states, np.int64),
            np.array(samples, np.int64),
            run.recorded["q"].shape[:-1],
            self.places,
        )
        told = Events(np.concatenate(events), np.array(of, np.int64), self.places, *self.joints)
        if (merged := int(sum(solver.statistics["merged"] for solver in self.steps.solvers))) > 0:
            warnings.warn(MERGED.format(count=merged), ConvergenceWarning, stacklevel=4)
        return replace(run, touched=touched, happened=told)


def run_located(
    simulation: Simulation,
    q0: ArrayLike | None,
    v0: ArrayLike | None,
    steps: int,
    controller: Controller | None,
    until: Until | None,
    record: Record,
    every: int,
    mass_scale: MassScale,
    threads: int,
    progress: bool | None,
) -> Trajectory:
    """Simulate a number of times dt, as `run` does where events are located."""
    law, model = simulation.contact, simulation.model
    starts = simulation.starts
    assert isinstance(law, Event) and simulation.worlds is not None and starts is not None
    if isinstance(getattr(controller, "inner", controller), ImplicitPD):
        raise ValueError(
            "efforts of ts.control.ImplicitPD belong to a step of dt, which contact 'event' does "
            "not make; use ts.control.PD with the same gains"
        )
    count(every, "every")
    names, show = names_of(record), progress_of(progress)
    world, state, numbers = starts.prepare(starts.limp, q0, v0, mass_scale)
    acting = acting_on(simulation, state.q)
    if acting is not None and is_held(acting):
        held = next(x.name for x in acting.parts.parts if x.statement.law == "rigid")
        raise ValueError(
            f"part {held!r} is held, which contact 'event' does not know; close a loop of the "
            "model instead, or use contact='exact'"
        )
    if not law.slips:
        numbers = np.array(numbers)
        numbers[:, 0] = np.inf
    motion = ContactMotion(
        model,
        friction=simulation.joint_friction,
        parts=None if acting is None else acting.parts.core,
        numbers=None if acting is None else acting.numbers,
    )
    motion.works += len(OWN_WORKS)
    motion.world, motion.parameters = world, numbers
    motion.places, motion.slips = simulation.worlds.places, law.slips
    steps_of_all = SmoothSteps(
        model,
        Located(law.rtol, law.atol, law.creep),
        controller,
        simulation.effort,
        dt=simulation.dt,
        threads=threads_of(threads),
        batched=state.batched,
        states=len(state.q),
        acting=acting,
        motion=motion,
    )
    for solver in steps_of_all.solvers:
        assert isinstance(solver, EventSolver)
        solver.stop = lambda: steps_of_all.interrupt.pressed
    watch = None
    if until is not None:
        watch = Watch(until, model, simulation.worlds.places, len(state.q), state.batched)
    made = LocatedRun(steps_of_all, every, ends=record is False, watch=watch)
    made.places = simulation.worlds.places
    made.joints = (
        joints_of(model, world.limit_velocities),
        joints_of(model, world.friction_velocities),
    )
    run = made.go(state, steps, show)
    wanted = {*names, *(["parts"] if "energy" in names else [])}
    kept = {name: array for name, array in run.recorded.items() if name in wanted}
    settings = {**simulation.settings, "every": every}
    return replace(run, recorded=kept, settings=settings, ground=simulation.ground)


def joints_of(model: Model, velocities: Sequence[int]) -> list[str]:
    """Return the names of the joints with these velocities among those of all joints."""
    owner = {
        w: joint.name
        for joint in model.joints
        for w in range(joint.velocity_slice.start, joint.velocity_slice.stop)
    }
    return [owner[w] for w in velocities]
