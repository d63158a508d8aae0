"""The controller of a walk: measures, makes a cycle, and asks the whole body for torques."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus.arrays import Array
from tarsus.control import WholeBody
from tarsus.gait.aims import Aims, Measured
from tarsus.gait.anatomy import Anatomy
from tarsus.gait.body_tasks import BodyTasks
from tarsus.gait.stepping import Stepping
from tarsus.geometry.terrain import Terrain

TOUCHES = 2e-4
"""Soles that are nearer to the ground than this touch it [m]."""


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


class Walking:
    """A controller (t, q, v) → efforts that walks along footsteps, one machine or many.

    `ground` is what switches under its soles feel. Efforts are held over `period` [s].
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
    ) -> None:
        self.body, self.tasks, self.ground, self.period = body, tasks, ground, period
        self.stepping, self._start = stepping, copy.deepcopy(stepping)
        self.control = WholeBody(
            body.model, tasks.tasks, tasks.contacts, period=period, effort=effort
        )
        self.cycles = Cycles()
        self._points = [leg.sole.points for leg in body.legs]

    def reset(self) -> None:
        """Begin at the first step again."""
        self.stepping = copy.deepcopy(self._start)
        self.control.reset()
        self.cycles = Cycles()

    def __call__(self, t: float, q: ArrayLike, v: ArrayLike) -> Array:
        """Return efforts (…, nv) at states q (…, nq), v (…, nv), and go on by one period."""
        at, moving = np.atleast_2d(np.asarray(q, float)), np.atleast_2d(np.asarray(v, float))
        now = self.measure(at, moving)
        aims = self.stepping.cycle(now, self.period)
        omega = self.stepping.supports.omega
        self.tasks.aim(aims, now.com, now.velocity, omega)
        self.tasks.swing(at, moving)
        self.control.targets.loads = aims.loads
        found = self.control.solve(at, moving)
        self._note(t, now, aims, found.found.code)
        limit = self.control.effort
        tau = np.clip(found.tau, -limit, limit)
        return np.asarray(tau.reshape(*np.shape(v)[:-1], -1))

    def measure(self, q: Array, v: Array) -> Measured:
        """Return what walkers feel at states (B, nq), (B, nv)."""
        model = self.body.model
        com = np.asarray(model.center_of_mass(q))
        velocity = np.asarray(model.centroidal_momentum(q, v))[..., :3] / model.total_mass
        soles = self.tasks.soles(q)
        return Measured(com, velocity, soles, self._touching(q))

    def _touching(self, q: Array) -> NDArray[np.bool_]:
        """Return which soles (B, 2) feel the ground, as switches at their corners would."""
        model, found = self.body.model, []
        for leg, points in zip(self.body.legs, self._points, strict=True):
            pose = model.frame_pose(q, leg.end)
            corners = points @ np.swapaxes(pose[..., :3, :3], -1, -2) + pose[..., None, :3, 3]
            gap = corners[..., 2] - self.ground.height(corners[..., 0], corners[..., 1])
            found.append(gap.min(axis=-1))
        return np.asarray(np.stack(found, axis=-1) < TOUCHES)

    def _note(self, t: float, now: Measured, aims: Aims, code: NDArray[np.int64]) -> None:
        own, cycles = self.stepping, self.cycles
        xi = now.com + now.velocity / own.supports.omega
        cycles.t.append(t)
        cycles.step.append(own.step)
        cycles.single.append(own.single)
        cycles.error.append((xi - aims.divergent)[:, :2])
        cycles.pressure.append(aims.pressure)
        cycles.code.append(np.atleast_1d(code))
