"""A posture: where joints like to be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.ik.arguments import names_of, targets
from tarsus.ik.tasks.task import Task
from tarsus.model import Model, ModelError
from tarsus.model.kinds import NONHOLONOMIC, QUASI_VELOCITIES
from tarsus.model.views import JointView
from tarsus.spatial.groups import step_rate_matrix


class PostureTask(Task):
    """Leads joints to their positions in the configuration `target` (…, nq).

    `joints` are the names of those that count, unless stated all whose coordinates can be led
    to a place: all but the base, what skates or rolls (which comes to a place only by
    manoeuvres) and what follows others. Without a target: the neutral configuration. It stands on
    level 1, so that it takes what the tasks of level 0 leave.
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
        return np.asarray(np.isfinite(self.target).all(axis=-1))


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
