"""Tasks of joint coordinates: posture, couplings, loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import names_of, number
from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.ik.tasks.task import AimedTask, Task, of_rows, targets
from tarsus.model.description import NONHOLONOMIC, QUASI_VELOCITIES
from tarsus.model.loops import n_rows
from tarsus.model.model import Model
from tarsus.model.views import JointView
from tarsus.spatial import relative_motion, step_rate_matrix, step_rate_matrix_rate

# A posture: where joints like to be.


class PostureTask(Task):
    """Leads joints to their positions in the configuration `target` (…, nq).

    `joints` are the names of those that count, unless stated all whose coordinates can be led
    to a place: all but the base, what skates or rolls (which comes to a place only by
    manoeuvres) and what follows others. Without a target: the neutral configuration. It stands on
    level 1, so that it takes what the tasks of level 0 leave. A target that moves has a
    `target_velocity` and a `target_acceleration` (…, nv).
    """

    def __init__(
        self,
        target: ArrayLike | None = None,
        *,
        joints: str | Sequence[str] | None = None,
        weight: ArrayLike = 1.0,
        gain: float | None = None,
        level: int = 1,
        name: str = "posture",
    ) -> None:
        super().__init__(name, weight, gain, level)
        self.joints = None if joints is None else names_of(joints, "joints")
        self._stated = target
        self._target: Array | None = None
        self._target_velocity: Array | None = None
        self._target_acceleration: Array | None = None

    def prepare(self, model: Model) -> int:
        """Look up the joints; the target is the neutral configuration."""
        views = _own(model) if self.joints is None else [model.joint(j) for j in self.joints]
        for view in views:
            if not _is_free(view):
                why = "follows others" if view.dependent else f"is of kind {view.kind}"
                raise ModelError(
                    f"task {self.name!r}: joint {view.name!r} {why}, it has no posture"
                )
        picked = [np.arange(view.v_slice.start, view.v_slice.stop) for view in views]
        self.velocities = np.concatenate(picked) if picked else np.zeros(0, np.intp)
        places = {int(v): q for q, v in enumerate(model.rate_index)}
        self.positions = [places[int(v)] for v in self.velocities if int(v) in places]
        self._groups = [view for view in views if view.kind in QUASI_VELOCITIES]
        self.target = model.neutral() if self._stated is None else self._stated
        return len(self.velocities)

    def error(self, q: ArrayLike) -> Array:
        """Return the steps (…, size) from the target to the joints' positions."""
        return np.asarray(self.model.difference(self.target, q)[..., self.velocities])

    def jacobian(self, q: ArrayLike) -> Array:
        """Return the derivative (…, size, nv) of the error along steps of the velocities."""
        whole = np.broadcast_to(np.eye(self.model.nv), (*np.shape(q)[:-1], *[self.model.nv] * 2))
        if self._groups:
            step = self.model.difference(self.target, q)
            whole = np.broadcast_to(whole, (*step.shape, self.model.nv)).copy()
            for view in self._groups:
                own = view.v_slice
                whole[..., own, own] = step_rate_matrix(view.kind, step[..., own])
        return np.asarray(whole[..., self.velocities, :])

    def feedforward(self, q: ArrayLike) -> Array:
        """Return what the target's velocity asks of the rows (…, size)."""
        if self._target_velocity is None:
            return np.zeros(self.size)
        found = np.array(self._target_velocity)
        if self._groups:
            step = np.asarray(self.model.difference(self.target, q))
            found = np.array(np.broadcast_to(found, np.broadcast_shapes(found.shape, step.shape)))
            for view in self._groups:
                own, none = view.v_slice, np.zeros(view.nv)
                seen = relative_motion(view.kind, step[..., own], none, found[..., own], none)
                found[..., own] = (seen.step_rate @ seen.target_velocity[..., None])[..., 0]
        return found[..., self.velocities]

    def drift(self, q: Array, v: Array) -> Array:
        """Return what the rate of the error gains (…, size) while joints do not accelerate."""
        none = np.zeros(self.model.nv)
        velocity = none if self._target_velocity is None else self._target_velocity
        faster = none if self._target_acceleration is None else self._target_acceleration
        found = -faster
        if self._groups:
            step = np.asarray(self.model.difference(self.target, q))
            lead = np.broadcast_shapes(found.shape, step.shape, velocity.shape, v.shape)
            found, velocity = (
                np.array(np.broadcast_to(found, lead)),
                np.broadcast_to(velocity, lead),
            )
            for view in self._groups:
                own, e = view.v_slice, step[..., view.v_slice]
                seen = relative_motion(
                    view.kind, e, v[..., own], velocity[..., own], -found[..., own]
                )
                w = seen.velocity[..., None]
                change = step_rate_matrix_rate(view.kind, e, (seen.step_rate @ w)[..., 0])
                gain = change @ w - seen.step_rate @ seen.target_acceleration[..., None]
                found[..., own] = gain[..., 0]
        return np.asarray(found[..., self.velocities])

    @property
    def target_velocity(self) -> Array | None:
        """How fast the target moves (…, nv); None for a target at rest."""
        return self._target_velocity

    @target_velocity.setter
    def target_velocity(self, value: ArrayLike | None) -> None:
        self.aimed += 1
        self._target_velocity = self._motion(value, "target_velocity")

    @property
    def target_acceleration(self) -> Array | None:
        """How the target's velocity changes (…, nv), for accelerations; or None."""
        return self._target_acceleration

    @target_acceleration.setter
    def target_acceleration(self, value: ArrayLike | None) -> None:
        self.aimed += 1
        self._target_acceleration = self._motion(value, "target_acceleration")

    def _motion(self, value: ArrayLike | None, what: str) -> Array | None:
        title = f"{what} of task {self.name!r}"
        return None if value is None else targets(value, (self.model.nv,), title)

    @property
    def target_moves(self) -> bool:
        """Whether the target has a velocity."""
        return self._target_velocity is not None

    def of_states(self, lead: tuple[int, ...], rows: NDArray[np.intp]) -> PostureTask:
        """Return the task of some `rows` of states with leading dimensions `lead`, in a line."""
        found, motion = copy(self), (self.model.nv,)
        found._target = of_rows(self.target, (self.model.nq,), lead, rows)
        if self._target_velocity is not None:
            found._target_velocity = of_rows(self._target_velocity, motion, lead, rows)
        if self._target_acceleration is not None:
            found._target_acceleration = of_rows(self._target_acceleration, motion, lead, rows)
        return found

    @property
    def on_groups(self) -> bool:
        """Whether some of the joints turn on groups: their steps are not differences."""
        return bool(self._groups)

    @property
    def target(self) -> Array:
        """The configuration (…, nq) that joints like."""
        return self.model.neutral() if self._target is None else self._target

    @target.setter
    def target(self, value: ArrayLike) -> None:
        if self._model is not None:
            what = f"target of task {self.name!r}"
            self._target = targets(value, (self._model.nq,), what)
        self._stated = value
        self.aimed += 1

    @property
    def target_is_finite(self) -> Array:
        """Whether the target has only finite numbers: one answer, or one a state."""
        found = np.isfinite(self.target).all(axis=-1)
        for motion in (self._target_velocity, self._target_acceleration):
            if motion is not None:
                found = found & np.isfinite(motion).all(axis=-1)
        return np.asarray(found)


def _own(model: Model) -> list[JointView]:
    """Return the joints that can have a posture."""
    return [view for view in model.joints if view is not model.base and _is_free(view)]


def _is_free(view: JointView) -> bool:
    """Whether the velocities of a joint lead it to any place, however it gets there.

    A joint on a group needs all its velocities; of others those that are its own count.
    """
    if view.kind in QUASI_VELOCITIES:
        return len(view.own_velocities) == view.nv
    return view.kind not in NONHOLONOMIC and len(view.own_velocities) > 0


# Joints whose positions shall be in a ratio: Σ ratios · positions = target.


class CouplingTask(AimedTask):
    """Leads a sum of joint positions, `ratios` by name, to `target` (…, 1), zero at first.

    `CouplingTask({"left_knee": 1.0, "right_knee": -1.0})` bends both knees alike; one joint with
    the ratio 1 is a task of that joint. Joints that follow others count as any: they need one
    coordinate.
    """

    target_shape = (1,)
    velocity_size = 1

    def __init__(
        self,
        ratios: Mapping[str, float],
        target: ArrayLike = (0.0,),
        *,
        weight: ArrayLike = 1.0,
        gain: float | None = None,
        level: int = 0,
        name: str | None = None,
    ) -> None:
        if not isinstance(ratios, Mapping) or not ratios:
            raise TypeError(f"ratios is {ratios!r}, must be numbers by the names of joints")
        self.ratios = {
            joint: number(value, f"ratio of joint {joint!r}") for joint, value in ratios.items()
        }
        place = np.atleast_1d(np.asarray(target)) if np.ndim(target) == 0 else target
        super().__init__(name or " and ".join(self.ratios), place, weight, gain, level)

    def prepare(self, model: Model) -> int:
        """Look up the joints."""
        views = [model.joint(name) for name in self.ratios]
        for view in views:
            if (view.nq, view.nv) != (1, 1):
                message = f"task {self.name!r}: joint {view.name!r} is {view.kind}, it has "
                raise ModelError(f"{message}{view.nq} coordinates and must have one")
        self.positions = [view.position_slice.start for view in views]
        self.velocities = [view.velocity_slice.start for view in views]
        self._numbers = np.array(list(self.ratios.values()))
        return 1

    def error(self, q: ArrayLike) -> Array:
        """Return the sum less the target (…, 1)."""
        positions = self.model.joint_positions(q)[..., self.positions]
        return np.asarray((positions @ self._numbers)[..., None] - self.target)

    def jacobian(self, q: ArrayLike) -> Array:
        """Return the derivative (…, 1, nv) of the error along steps of the velocities."""
        rows = self.model.coupling_matrix(q)[..., self.velocities, :]
        return np.asarray((self._numbers @ rows)[..., None, :])

    def feedforward(self, q: ArrayLike) -> Array:
        """Return the target's rate (…, 1)."""
        return np.zeros(1) if self._target_velocity is None else self._target_velocity

    def drift(self, q: Array, v: Array) -> Array:
        """Return what the rate of the sum gains (…, 1) while coordinates do not accelerate."""
        still = np.zeros(self.model.nv)
        own = self.model.joint_accelerations(q, v, still)[..., self.velocities]
        gain = np.asarray((own @ self._numbers)[..., None])
        moving = self._target_acceleration
        return gain if moving is None else np.asarray(gain - moving)


# The loops of a machine that are constraints: they must stay closed, whatever tasks ask.


FIRST = -1
"""The level before those of users."""


class LoopTask(Task):
    """Keeps loops closed that are in no cluster; a knife edge has no gap, only a direction."""

    def __init__(self) -> None:
        super().__init__("loops", 1.0, None, 0)
        self._level = FIRST

    def prepare(self, model: Model) -> int:
        """Find the rows of the loops that are constraints."""
        names = {constraint.name for constraint in model.constraints}
        sizes = [(loop, n_rows(loop.kind)) for loop in model.description.loops]
        chosen = [np.full(size, loop.name in names) for loop, size in sizes]
        skates = [np.full(size, loop.kind == "knife_edge") for loop, size in sizes]
        self._chosen = np.flatnonzero(np.concatenate(chosen))
        self._slides = np.concatenate(skates)[self._chosen]
        return len(self._chosen)

    def error(self, q: ArrayLike) -> Array:
        """Return how far the loops are open (…, size) [m, or sines of angles]."""
        gaps = np.asarray(self.model.loop_gaps(q))[..., self._chosen]
        return np.asarray(np.where(self._slides, 0.0, gaps))

    def jacobian(self, q: ArrayLike) -> Array:
        """Return the rows (…, size, nv) of the constraints."""
        return np.asarray(self.model.constraint_jacobian(q))
