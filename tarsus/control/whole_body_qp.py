"""The quadratic program of whole-body control, assembled and solved in the core."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from operator import is_not
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarsus import _core
from tarsus._lib.files import Array
from tarsus._lib.qp import QPSolution
from tarsus.control.actuation_rows import BodyDrives, BodyLimits
from tarsus.control.contact_patch import Contact
from tarsus.ik.core_tasks import CoreTasks, Statement, evaluated, given_rates, given_rows
from tarsus.ik.limits import free_ranges
from tarsus.ik.tasks.frames import LookAtTask
from tarsus.ik.tasks.posture import LoopTask
from tarsus.ik.tasks.task import Task
from tarsus.model.model import Model

# The quadratic program of whole-body control, at states of a machine.
#
# Accelerations a, forces λ of contacts (`contact_patch.py`) and multipliers μ of loops that are
# constraints are found together. With the mass matrix H, the forces h that motion, gravity, springs
# and dampers need, the forces of contacts Jᵀ W λ and of loops Gᵀ μ, what drives must do is
#
#     τ = H a + h − Jᵀ W λ − Gᵀ μ,
#
# zero for what has no drive, which are equations; for the rest |τ| ≤ effort are rows.
# Contacts that hold ask for J a + J̇ v = −k J v, loops for G a + Ġ v = −k G v, both as tasks that
# count much more than all others; so there is always a solution in which the dynamics hold
# (A. Herzog, N. Rotella, S. Mason, F. Grimminger, S. Schaal, L. Righetti, "Momentum control with
# hierarchical inverse dynamics on a torque-controlled humanoid", Autonomous Robots 40, 2016).
#
# Forces count in shares of the weight. Postures join the regularisation where there is one level.
#
# The core assembles and solves all of it (`core/kinematics/body_assembly.hpp`). Statements are
# handed over when they have changed. What the core does not evaluate is handed over with each
# state: rows of users' tasks and of frames that look, of loops, of motors behind gears and loops,
# and of limits other than those of coordinates.


HOLDING = 1e4
"""How much rows of contacts and loops count, beside tasks that count about one."""

YIELDING = 1e4
"""What a row of limits may push, in the units of the cost, before it gives way."""

BEYOND = 1e200
"""Takes the place of what is not finite: the solver tells of such numbers, too."""


class WholeBodyQP:
    """The quadratic programs of a machine with tasks and contacts.

    `usual` [1/s] is the gain of tasks that state none, `regularisation` what accelerations and
    shares of the weight cost.
    """

    def __init__(
        self,
        model: Model,
        tasks: Sequence[Task],
        contacts: Sequence[Contact],
        drives: BodyDrives,
        limits: BodyLimits,
        usual: float,
        regularisation: tuple[float, float],
    ) -> None:
        self.model, self.tasks, self.contacts = model, tuple(tasks), tuple(contacts)
        self.usual, self.drives, self.limits = usual, drives, limits
        self.loops = LoopTask().bind(model) if model.constraints else None
        gravity = float(np.linalg.norm(model.gravity))
        self.weight = model.total_mass * (gravity if gravity > 0.0 else 9.81)
        multipliers = 0 if self.loops is None else self.loops.size
        sizes = [contact.generators for contact in contacts]
        self.n = model.nv + sum(sizes) + multipliers
        ends = (model.nv + np.cumsum([0, *sizes])).tolist()
        self.generators = [slice(*each) for each in pairwise(ends)]
        self.held = sum(contact.rows for contact in contacts) + multipliers
        self.damping = np.full(self.n, regularisation[1])
        self.damping[: model.nv] = regularisation[0]
        self._force_damping = regularisation[1]
        self._rubs = any(view.friction.any() for view in model.joints)
        self._springs = self._rubs or any(
            view.stiffness.any() or view.damping.any() for view in model.joints
        )
        self._stated: list[int] | None = None
        self._edges: list[Array] = []

    def __getstate__(self) -> dict[str, Any]:
        """Return what is kept in a copy or a file: not the core's own, which `solve` makes anew."""
        kept = {key: value for key, value in vars(self).items() if key not in ("_core", "_tasks")}
        return {**kept, "_stated": None, "_edges": []}

    def solve(
        self, q: Array, v: Array, loads: Array, start: NDArray[np.int8] | None, threads: int = 1
    ) -> tuple[QPSolution, Array, Array]:
        """Return solutions, efforts (…, nv) and how far contacts slip (…)."""
        stated = [task.stated for task in self.tasks]
        edges = [contact.edges for contact in self.contacts]
        if stated != self._stated or any(map(is_not, edges, self._edges)):
            self._make()
            # the arrays themselves: an address may be that of another one later
            self._stated, self._edges = stated, edges
        lead = q.shape[:-1]
        count = prod(lead)
        targets, rates = self._targets(q, v)
        at, speed, load = (
            np.ascontiguousarray(each).reshape(count, each.shape[-1]) for each in (q, v, loads)
        )
        drives = None
        if self.drives.motors:
            every = np.broadcast_to(np.eye(self.model.nv), (*lead, self.model.nv, self.model.nv))
            drives = np.ascontiguousarray(self.drives.of(q, every)).reshape(count, -1)
        limits = (None, None, None) if self.limits.plain else self._given_limits(q, v)
        x, tau, slack, told, held, ends = self._core.solve(
            at, speed, targets, rates, load, start, threads, drives, *limits
        )
        code, worst, passes = ends.reshape(3, *lead).astype(np.int64)
        slip, missed = told.reshape(2, *lead)
        found = QPSolution(
            x.reshape(*lead, x.shape[-1]),
            slack.reshape(*lead, slack.shape[-1]),
            NONE,
            NONE,
            NONE,
            held.reshape(*lead, x.shape[-1] + slack.shape[-1]),
            code,
            passes,
            worst,
            missed,
        )
        efforts = tau.reshape(*lead, tau.shape[-1])
        return found, self.drives.given(q, efforts) if self.drives.motors else efforts, slip

    def _targets(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return the numbers of targets and their rates (states, numbers), or one row of each."""
        lead, given = q.shape[:-1], self._tasks.given
        if given or self.loops is not None:
            with np.errstate(invalid="ignore", over="ignore"):
                parts = [self._tasks.targets(lead, q), self._tasks.target_rates(lead, q, v)]
                if self.loops is not None and parts[0] is not None and parts[1] is not None:
                    parts = [
                        _beside(parts[0], given_rows(self.loops, q)),
                        _beside(parts[1], given_rates(self.loops, q, v)),
                    ]
            targets, rates = (None if part is None else _clipped(part) for part in parts)
        else:
            targets, rates = self._tasks.targets(lead), self._tasks.target_rates(lead)
        if targets is None or rates is None:
            raise ValueError(
                f"tasks have targets for other states than the {lead} of q, v and loads:"
                " one for all, or one a state"
            )
        if len(targets) != len(rates):
            targets, rates = np.broadcast_arrays(targets, rates)
        return targets, rates

    def _given_limits(self, q: Array, v: Array) -> tuple[Array | None, Array | None, Array | None]:
        """Return rows (states, rows nv), and between what they stay (states, rows)."""
        with np.errstate(invalid="ignore", over="ignore"):
            parts = self.limits.rows(q, v)
        if not parts:
            return None, None, None
        count, nv = prod(q.shape[:-1]), self.model.nv
        rows = np.concatenate([part.rows for part in parts], axis=-2)
        low = np.concatenate([part.low for part in parts], axis=-1)
        high = np.concatenate([part.high for part in parts], axis=-1)
        size = rows.shape[-2]
        flat = np.ascontiguousarray(rows).reshape(count, size * nv)
        return _clipped(flat), low.reshape(count, size), high.reshape(count, size)

    def _make(self) -> None:
        model, drives, limits = self.model, self.drives, self.limits
        tasks = sorted(self.tasks, key=lambda task: task.level)
        # at a frame that looks straight at its point dual numbers have no rate: √x at zero
        self._tasks = CoreTasks(
            model, tasks, lambda task: not evaluated(task) or type(task) is LookAtTask
        )
        gains = [
            self.usual
            if task.gain is None or not (task.holonomic or task.gain > 0.0)
            else task.gain
            for task in tasks
        ]
        sizes = [task.size for task in tasks]
        levels = sorted({task.level for task in tasks})
        joints = limits.joints
        lower, upper, position = free_ranges(model) if joints is None else joints.ranges
        free = np.full(model.nv, np.inf)
        twists = [("twist", [model.frame(c.frame).index], c.centre.tolist()) for c in self.contacts]
        loops: list[Statement] = [] if self.loops is None else [("given", [self.loops.size], [])]
        self._core = _core.BodyController(
            model,
            [*self._tasks.stated, *twists, *loops],
            self._tasks.centres,
            [_contact(contact, self.weight) for contact in self.contacts],
            weight=np.concatenate([np.zeros(0), *(task.weight for task in tasks)]),
            gain=np.repeat(np.array(gains, float), sizes),
            momentum=np.repeat([not task.holonomic for task in tasks], sizes).tolist(),
            levels=[sum(t.size for t in tasks if t.level == level) for level in levels] or [0],
            damping=self.damping[: model.nv],
            lower=lower,
            upper=upper,
            position=position,
            fastest=free if joints is None else joints.fastest,
            acceleration=free if joints is None else joints.acceleration,
            idle=[] if drives.motors else drives.idle.tolist(),
            driven=[] if drives.motors else drives.bounded.tolist(),
            effort=drives.effort,
            numbers=[
                self._force_damping,
                self.usual,
                limits.approach,
                self.weight,
                HOLDING,
                YIELDING,
            ],
            springs=self._springs,
            rubs=self._rubs,
            loops=0 if self.loops is None else self.loops.size,
            motors=drives.rows if drives.motors else -1,
        )


NONE = np.zeros(0)
"""Multipliers, which the core keeps to itself."""


def _beside(some: Array, own: Array) -> Array:
    """Return numbers of all states, or of each, and of each (states, numbers) side by side."""
    flat = own.reshape(-1, own.shape[-1])
    return np.concatenate([np.broadcast_to(some, (len(flat), some.shape[-1])), flat], axis=-1)


def _clipped(values: Array) -> Array:
    """Return values, with a number that no solver takes for what is not finite."""
    if np.isfinite(values).all():
        return values
    return np.nan_to_num(values, nan=BEYOND, posinf=BEYOND, neginf=-BEYOND)


def _contact(contact: Contact, weight: float) -> tuple[list[float], ...]:
    """Return a contact as the core reads it."""
    most = 3.0 if contact.force is None else contact.force / weight
    return (
        contact.levers.ravel().tolist(),
        contact.turns.ravel().tolist(),
        contact.edges.T.ravel().tolist(),
        contact.normal.tolist(),
        [contact.torsion, contact.damping, most],
    )
