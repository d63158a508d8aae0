"""The quadratic program of whole bodies in NumPy, term by term, beside that of the core."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from oracle import Array

from tarsus._lib.qp import NOT_FINITE
from tarsus.control import Contact, WholeBody
from tarsus.control.actuation_rows import BodyDrives, BodyLimits
from tarsus.control.whole_body import BodySolution
from tarsus.control.whole_body_qp import HOLDING, YIELDING
from tarsus.ik import PostureTask, Task, solve_qp
from tarsus.ik.priorities import wanted_acceleration
from tarsus.ik.tasks.posture import LoopTask
from tarsus.model import Model


def programme_of(law: WholeBody) -> BodyProgramme:
    """Return the programme of a controller in NumPy."""
    own = law.programme
    regularisation = float(own.damping[0]), float(own.damping[-1])
    terms = own.drives, own.limits, own.usual, regularisation
    return BodyProgramme(own.model, own.tasks, own.contacts, *terms)


def statement_of(law: WholeBody) -> Statement:
    """Return the programmes of the last call of a controller."""
    assert law.last is not None
    return programme_of(law).at(*law.last.state)


def numpy_solve(law: WholeBody, q: Array, v: Array) -> BodySolution:
    """Return what a controller finds by the programme in NumPy, from a cold start."""
    loads = law.targets.loads
    lead = np.broadcast_shapes(q.shape[:-1], v.shape[:-1], loads.shape[:-1])
    q, v, loads = (np.broadcast_to(x, (*lead, x.shape[-1])) for x in (q, v, loads))
    own = programme_of(law)
    stated = own.at(q, v, loads)
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
    )
    lost = found.code == NOT_FINITE
    efforts = np.where(lost[..., None], 0.0, stated.efforts(found.v))
    tau = own.drives.given(q, efforts)
    slip = np.where(lost, 0.0, stated.slip(found.v, own.held))
    return BodySolution(tau, slip, found, (q, v, loads), law.programme)


@dataclass(frozen=True)
class Statement:
    """Programmes of states (…), as `tarsus.ik.solve_qp` reads them, and what torques follow."""

    task: Array
    target: Array
    weight: Array
    levels: list[int]
    damping: Array
    reference: Array
    lower: Array
    upper: Array
    rows: Array
    rows_lower: Array
    rows_upper: Array
    penalty: Array
    forces: Array
    """From unknowns to the efforts that they need (…, nv, n)."""
    bias: Array
    """… and what is needed without them (…, nv)."""

    def efforts(self, x: Array) -> Array:
        """Return the efforts (…, nv) of unknowns x (…, n)."""
        return np.asarray((self.forces @ x[..., None])[..., 0] + self.bias)

    def slip(self, x: Array, held: int) -> Array:
        """Return how far the first rows, which hold contacts, are from what they ask for (…)."""
        apart = (self.task[..., :held, :] @ x[..., None])[..., 0] - self.target[..., :held]
        own = np.where(self.weight[..., :held] > 0.0, np.abs(apart), 0.0)
        return np.asarray(own.max(axis=-1, initial=0.0))


class BodyProgramme:
    """The programmes of a machine with tasks and contacts.

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
        self.sizes = [contact.generators for contact in contacts]
        self.multipliers = 0 if self.loops is None else self.loops.size
        self.n = model.nv + sum(self.sizes) + self.multipliers
        self._scale = np.concatenate([np.full(drives.rows, 1.0 / self.weight), 1.0 / drives.effort])
        self._room = np.concatenate([np.zeros(drives.rows), np.ones(len(drives.effort))])
        self._yielding = np.where(self._room == 0.0, np.inf, YIELDING)
        self.damping = np.full(self.n, regularisation[1])
        self.damping[: model.nv] = regularisation[0]
        self.rubs = any(view.friction.any() for view in model.joints)
        self.springs = self.rubs or any(
            view.stiffness.any() or view.damping.any() for view in model.joints
        )
        self._spans = self._contact_spans()
        self.generators = [columns for columns, _ in self._spans]
        self.held = sum(contact.rows for contact in contacts) + self.multipliers

    def _contact_spans(self) -> list[tuple[slice, slice]]:
        """Return where the generators and the motions of each contact are."""
        found, column, row = [], self.model.nv, 0
        for contact, size in zip(self.contacts, self.sizes, strict=True):
            found.append((slice(column, column + size), slice(row, row + contact.rows)))
            column, row = column + size, row + contact.rows
        return found

    def at(self, q: Array, v: Array, loads: Array) -> Statement:
        """Return the programmes at states q (…, nq), v (…, nv).

        `loads` (…, contacts) are from 0, a contact that is open, to 1, one that may push as it can.
        """
        model, nv, lead = self.model, self.model.nv, q.shape[:-1]
        forces = np.zeros((*lead, nv, self.n))
        forces[..., :nv] = model.mass_matrix(q)
        bias = model.bias_forces(q, v) - self.passive(q, v)
        held, aimed, counts = self._held(q, v, loads, forces)
        levels = self._levels(q, v)
        damping, reference = self._regular(q, v, lead)
        rows, low, high, penalty = self._rows(q, v, loads, forces, bias)
        lower, upper = self._bounds(q, v, loads)
        sizes = [len(each[2]) for each in levels] or [0]
        sizes[0] += held.shape[-2]
        task = np.zeros((*lead, sum(sizes), self.n))
        task[..., : held.shape[-2], :] = held
        target, weight = [aimed], [counts]
        at = held.shape[-2]
        for jacobian, wanted, own in levels:
            task[..., at : at + len(own), :nv] = jacobian
            at += len(own)
            target.append(np.broadcast_to(wanted, (*lead, len(own))))
            weight.append(np.broadcast_to(own, (*lead, len(own))))
        return Statement(
            task,
            np.concatenate(target, axis=-1),
            np.concatenate(weight, axis=-1),
            sizes,
            damping,
            reference,
            lower,
            upper,
            rows,
            low,
            high,
            penalty,
            forces,
            bias,
        )

    def passive(self, q: Array, v: Array) -> Array:
        """Return the forces (…, nv) of joint springs and dampers.

        Dry friction, the same at v and at 2 v, is not made up for: at rest its sign is unknown.
        """
        whole = self.model.passive_forces
        if not self.springs:
            return np.zeros(v.shape)
        if not self.rubs:
            return np.asarray(whole(q, v))
        return np.asarray(whole(q, 0.0 * v) + whole(q, 2.0 * v) - whole(q, v))

    def _held(self, q: Array, v: Array, loads: Array, forces: Array) -> tuple[Array, Array, Array]:
        """Return rows, targets and weights of contacts and loops; `forces` gets their columns."""
        model, nv, lead = self.model, self.model.nv, q.shape[:-1]
        count = self.held
        held = np.zeros((*lead, count, self.n))
        aimed, counts = np.zeros((*lead, count)), np.full((*lead, count), HOLDING)
        for k, (contact, (columns, rows)) in enumerate(
            zip(self.contacts, self._spans, strict=True)
        ):
            jacobian, drift, rotation = contact.twist(model, q, v)
            push = contact.wrenches(rotation)
            forces[..., columns] = -self.weight * (np.swapaxes(jacobian, -1, -2) @ push)
            held[..., rows, :nv] = contact.held(jacobian, rotation)
            moves = -contact.damping * (jacobian @ v[..., None]) - drift[..., None]
            aimed[..., rows] = contact.held(moves, rotation)[..., 0]
            counts[..., rows] *= loads[..., k, None]
        if self.loops is not None:
            rows = slice(count - self.multipliers, count)
            jacobian, wanted = wanted_acceleration(self.loops, q, v, self.usual)
            held[..., rows, :nv], aimed[..., rows] = jacobian, wanted
            forces[..., self.n - self.multipliers :] = -self.weight * np.swapaxes(jacobian, -1, -2)
        return held, aimed, counts

    @property
    def folds(self) -> list[PostureTask]:
        """Postures that join the regularisation: those of machines' only level."""
        if len({task.level for task in self.tasks}) != 1:
            return []
        return [t for t in self.tasks if type(t) is PostureTask and not t.on_groups]

    def _levels(self, q: Array, v: Array) -> list[tuple[Array, Array, Array]]:
        """Return J, what J a shall be and weights of the tasks of each level."""
        found, folded = [], self.folds
        for number in sorted({task.level for task in self.tasks}):
            own = [t for t in self.tasks if t.level == number and t not in folded]
            parts = [wanted_acceleration(task, q, v, self.usual) for task in own]
            lead, nv = q.shape[:-1], self.model.nv
            rows = [np.broadcast_to(j, (*lead, *j.shape[-2:])) for j, _ in parts]
            goals = [np.broadcast_to(b, (*lead, b.shape[-1])) for _, b in parts]
            found.append(
                (
                    np.concatenate(rows or [np.zeros((*lead, 0, nv))], axis=-2),
                    np.concatenate(goals or [np.zeros((*lead, 0))], axis=-1),
                    np.concatenate([task.weight for task in own] or [np.zeros(0)]),
                )
            )
        return found

    def _regular(self, q: Array, v: Array, lead: tuple[int, ...]) -> tuple[Array, Array]:
        """Return what unknowns cost (n,), and where they cost nothing (…, n).

        What no task leads comes to rest.
        """
        damping, reference = self.damping.copy(), np.zeros((*lead, self.n))
        reference[..., : self.model.nv] = -self.usual * v
        for task in self.folds:
            gain = self.usual if task.gain is None else task.gain
            at, own = task.velocities, task.weight
            moving = v[..., at] - task.feedforward(q)
            goal = -2.0 * gain * moving - gain**2 * task.error(q) - task.drift(q, v)
            whole = damping[at] + own
            reference[..., at] = (damping[at] * reference[..., at] + own * goal) / whole
            damping[at] = whole
        return damping, reference

    def _rows(
        self, q: Array, v: Array, loads: Array, forces: Array, bias: Array
    ) -> tuple[Array, Array, Array, Array]:
        """Return rows, their bounds and penalties: dynamics, efforts, loads and distances."""
        lead = q.shape[:-1]
        both = np.concatenate([forces, bias[..., None]], axis=-1)
        drives = self.drives.of(q, both) * self._scale[:, None]
        rows, needed = [drives[..., :-1]], -drives[..., -1]
        low, high, penalty = [needed - self._room], [needed + self._room], [self._yielding]
        for k, (contact, (columns, _)) in enumerate(zip(self.contacts, self._spans, strict=True)):
            if not ((loads[..., k] > 0.0) & (loads[..., k] < 1.0)).any():
                continue
            row = np.zeros((*lead, 1, self.n))
            row[..., columns] = 1.0
            rows.append(row)
            most = 3.0 if contact.force is None else contact.force / self.weight
            low.append(np.full((*lead, 1), -np.inf))
            high.append(np.where(loads[..., k, None] < 1.0, loads[..., k, None] * most, np.inf))
            penalty.append(np.array([np.inf]))
        for limits in self.limits.rows(q, v):
            wide = np.zeros((*lead, limits.rows.shape[-2], self.n))
            wide[..., : self.model.nv] = limits.rows
            rows.append(wide)
            low.append(limits.low)
            high.append(limits.high)
            penalty.append(np.full(limits.rows.shape[-2], YIELDING))
        return (
            np.concatenate(rows, axis=-2),
            np.concatenate(low, axis=-1),
            np.concatenate(high, axis=-1),
            np.concatenate(penalty),
        )

    def _bounds(self, q: Array, v: Array, loads: Array) -> tuple[Array, Array]:
        """Return the least and most that unknowns may be (…, n)."""
        nv, lead = self.model.nv, q.shape[:-1]
        lower, upper = np.full((*lead, self.n), -np.inf), np.full((*lead, self.n), np.inf)
        lower[..., :nv], upper[..., :nv] = self.limits.bounds(q, v)
        for k, (columns, _) in enumerate(self._spans):
            lower[..., columns] = 0.0
            upper[..., columns] = np.where(loads[..., k, None] > 0.0, np.inf, 0.0)
        return lower, upper
