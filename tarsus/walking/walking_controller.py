"""The controller of a walk: measures, makes a cycle, and asks the whole body for torques."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.files import Array
from tarsus.control.whole_body import WholeBody
from tarsus.gait.anatomy import Anatomy
from tarsus.geometry.grounds import Terrain
from tarsus.walking.body_tasks import BodyTasks
from tarsus.walking.references import Aims, Measured
from tarsus.walking.state_feedback import TOUCHES, Known, Senses
from tarsus.walking.step_planner import LEFT_RIGHT, Stepping


@dataclass
class Cycles:
    """What the cycles of a walk did: one entry a cycle, (B, …) each."""

    t: list[float] = field(default_factory=list)
    step: list[Array] = field(default_factory=list)
    single: list[Array] = field(default_factory=list)
    error: list[Array] = field(default_factory=list)
    """Of the divergent component (B, 2) [m]."""
    pressure: list[Array] = field(default_factory=list)
    """The zero moment point that was asked for (B, 2) [m]."""
    code: list[NDArray[np.int64]] = field(default_factory=list)
    """How the programmes ended (B,)."""
    estimate: list[Array] = field(default_factory=list)
    """By how much the base is not where walkers took it to be (B, 5), as `senses.ERRORS` says."""
    felt: list[Array] = field(default_factory=list)
    """Forces on the trunk (B, 3) [N] that nobody planned, as momentum tells."""


class Walking:
    """A controller (t, q, v) → efforts that walks along footsteps, one machine or many.

    `ground` is what switches under its soles feel. Efforts are held over `period` [s]. With
    `senses` it knows its state by them alone, otherwise as it is.
    """

    remembers = True

    def __init__(
        self,
        body: Anatomy,
        tasks: BodyTasks,
        stepping: Stepping,
        *,
        ground: Terrain,
        period: float,
        effort: Any = None,
        threads: int = 1,
        senses: Senses | None = None,
    ) -> None:
        self.body, self.tasks, self.ground, self.period = body, tasks, ground, period
        self.stepping, self._start = stepping, copy.deepcopy(stepping)
        self.control = WholeBody(
            body.model, tasks.tasks, tasks.contacts, period=period, effort=effort, threads=threads
        )
        self.senses = senses
        self.cycles = Cycles()
        self.notes = True
        """Whether cycles are noted; those of thousands of walkers take much room."""
        self.error = np.zeros((stepping.walkers, 2))
        """The last error of the divergent component (B, 2) [m]."""
        self.shift: Array | None = None
        """By how much aims are moved (B, 3) [m], as `Aims.shifted` does, if at all."""
        points = [leg.sole.points for leg in body.legs]
        counts = [len(each) for each in points]
        self._corner_of = np.repeat(np.arange(len(points)), counts)
        self._first = np.concatenate([[0], np.cumsum(counts)[:-1]])
        ones = np.ones((sum(counts), 1))
        self._corners = np.concatenate([np.concatenate(points), ones], axis=1)[..., None]
        """Corners of both soles (k, 4, 1), each in axes of its foot, and where each sole begins."""

    def reset(self) -> None:
        """Begin at the first step again."""
        self.stepping = copy.deepcopy(self._start)
        self.control.reset()
        if self.senses is not None:
            self.senses.reset()
        self.cycles = Cycles()

    def restart(self, these: NDArray[np.bool_]) -> None:
        """Let some walkers (B,) begin at the first step again; the others go on."""
        if self.senses is not None:
            raise ValueError("walkers with sensors begin together: reset() them all")
        self.stepping.restart(these, self._start)
        self.error[these] = 0.0
        state = self.control.get_state()
        if state:
            state["working_set"][these] = 0.0
            self.control.set_state(state)

    def get_state(self) -> dict[str, Array]:
        """Return what the next call depends on: steps, the last programme, what is estimated."""
        parts = {name: part.get_state() for name, part in self._parts().items()}
        return {f"{part}.{key}": own for part, state in parts.items() for key, own in state.items()}

    def set_state(self, state: dict[str, Array]) -> None:
        """Go on from what `get_state` returned."""
        for name, part in self._parts().items():
            prefix = f"{name}."
            own = {k.removeprefix(prefix): v for k, v in state.items() if k.startswith(prefix)}
            part.set_state(own)

    def _parts(self) -> dict[str, Any]:
        """Return what remembers, by name."""
        parts = {"stepping": self.stepping, "body": self.control, "senses": self.senses}
        return {name: part for name, part in parts.items() if part is not None}

    def __call__(self, t: float, q: ArrayLike, v: ArrayLike) -> Array:
        """Return efforts (…, nv) at states q (…, nq), v (…, nv), and go on by one period."""
        at, moving = np.atleast_2d(np.asarray(q, float)), np.atleast_2d(np.asarray(v, float))
        if self.senses is None:
            now = self.measure(at, moving)
        else:
            at, moving, touching = self._sensed(self.senses, t, at, moving)
            now = replace(self.measure(at, moving), touching=touching)
        aims = self.stepping.cycle(now, self.period)
        if self.shift is not None:
            aims = aims.shifted(self.shift)
        omega = self.stepping.supports.omega
        self.tasks.aim(aims, now.com, now.velocity, omega)
        for arm in self.tasks.swings:
            arm.update(at, moving)
        self.control.targets.loads = aims.loads
        found = self.control.solve(at, moving)
        self._note(t, now, aims, found.found.code)
        limit = self.control.effort
        tau = np.minimum(np.maximum(found.tau, -limit), limit)
        if self.senses is not None:
            felt = self.senses.pushes.update(t, at, moving)
            wrenches = found.wrenches
            self.senses.pushes.act(tau, [wrenches[each.name] for each in self.tasks.contacts])
            if self.notes:
                self.cycles.felt.append(felt)
        return np.asarray(tau.reshape(*np.shape(v)[:-1], -1))

    def measure(self, q: Array, v: Array) -> Measured:
        """Return what walkers feel at states (B, nq), (B, nv)."""
        model = self.body.model
        com = np.asarray(model.center_of_mass(q))
        velocity = model.centroidal_momentum(q, v)[:, :3] / model.total_mass
        feet = self._feet(q)
        return Measured(com, velocity, feet @ self.tasks.soles, self._gaps(feet) < TOUCHES)

    def _sensed(self, senses: Senses, t: float, q: Array, v: Array) -> Known:
        """Return what walkers know that are in states (B, nq), (B, nv)."""
        own = self.stepping
        swings = own.single[:, None] & (own.swings[:, None] == LEFT_RIGHT)
        return senses.update(t, q, v, self._gaps(self._feet(q)), ~swings)

    def _feet(self, q: Array) -> Array:
        """Return where the feet are (B, 2, 4, 4)."""
        feet = np.empty((len(q), 2, 4, 4))
        for k, leg in enumerate(self.body.legs):
            feet[:, k] = self.body.model.frame_pose(q, leg.end)
        return feet

    def _gaps(self, feet: Array) -> Array:
        """Return how far off the ground the lowest corners of feet (B, 2, 4, 4) are (B, 2) [m]."""
        corners = (feet[:, self._corner_of, :3] @ self._corners)[..., 0]
        gap = corners[..., 2] - self.ground.height(corners[..., 0], corners[..., 1])
        return np.asarray(np.minimum.reduceat(gap, self._first, axis=-1))

    def _note(self, t: float, now: Measured, aims: Aims, code: NDArray[np.int64]) -> None:
        own, cycles = self.stepping, self.cycles
        xi = now.com + now.velocity / own.supports.omega
        self.error = (xi - aims.divergent)[:, :2]
        if not self.notes:
            return
        cycles.t.append(t)
        cycles.step.append(own.step)
        cycles.single.append(own.single)
        cycles.error.append(self.error)
        cycles.pressure.append(aims.pressure)
        cycles.code.append(np.atleast_1d(code))
        if self.senses is not None:
            cycles.estimate.append(self.senses.error)
