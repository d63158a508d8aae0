"""A posture: where joints like to be."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus.arrays import Array
from tarsus.ik.arguments import names_of, of_rows, targets
from tarsus.ik.tasks.task import Task
from tarsus.model import Model, ModelError
from tarsus.model.kinds import NONHOLONOMIC, QUASI_VELOCITIES
from tarsus.model.views import JointView
from tarsus.spatial.groups import relative_motion, step_rate_matrix, step_rate_matrix_rate


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
