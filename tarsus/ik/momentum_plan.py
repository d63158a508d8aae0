"""Planned angular momentum of steps that turn, and what is left of it in a motion.

A step that turns the machine by φ within T ends with the momentum I_zz φ/T and no change of it,
I_zz the inertia about the vertical through the centre of mass of the standing machine. In between
it is the cubic that begins as the last one ended, so it has no jumps and no kinks (Schwienbacher
2013, section 7.4). Steps straight ahead end with none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.ik.arguments import positive
from tarsus.ik.tasks.part_com import PartComTask
from tarsus.model import Model
from tarsus.model.checks import number, reals


@dataclass(frozen=True)
class MomentumPlan:
    """The momentum of a step: from `start` [N·m·s] with `rate` [N·m] to `end`, in `duration`."""

    start: float
    rate: float
    end: float
    duration: float

    def __post_init__(self) -> None:
        for name in ("start", "rate", "end"):
            number(getattr(self, name), name)
        positive(self.duration, "duration")

    @staticmethod
    def of_turn(
        inertia: float, turn: float, duration: float, after: MomentumPlan | None = None
    ) -> MomentumPlan:
        """Return the plan of a step that turns by `turn` [rad], after another step or from rest."""
        end = positive(inertia, "inertia") * number(turn, "turn") / positive(duration, "duration")
        return MomentumPlan(0.0 if after is None else after.end, 0.0, end, duration)

    def at(self, t: ArrayLike) -> tuple[Array, Array]:
        """Return momentum and its rate (…) at times (…) [s] since the step began."""
        x, long = np.clip(np.asarray(t, np.float64), 0.0, self.duration), self.duration
        way = self.end - self.start
        square = (3.0 * way - 2.0 * self.rate * long) / long**2
        cube = (self.rate * long - 2.0 * way) / long**3
        value = self.start + x * (self.rate + x * (square + x * cube))
        slope = self.rate + x * (2.0 * square + 3.0 * x * cube)
        return np.asarray(value), np.asarray(slope)


def vertical_inertia(model: Model, q: ArrayLike) -> Array:
    """Return the inertia (…) [kg m²] about the vertical through the centre of mass."""
    poses = np.asarray(model.forward_kinematics(q))
    centre = np.asarray(model.center_of_mass(q))
    total = np.zeros(centre.shape[:-1])
    for body in model.bodies:
        rotation = poses[..., body.index, :3, :3]
        turned = rotation @ body.inertia @ np.swapaxes(rotation, -1, -2)
        arm = poses[..., body.index, :3, 3] + rotation @ body.com - centre
        total = total + turned[..., 2, 2] + body.mass * (arm[..., 0] ** 2 + arm[..., 1] ** 2)
    return np.asarray(total)


@dataclass(frozen=True)
class MomentumPeaks:
    """Largest and mean sizes of an angular momentum [N·m·s] and of its rate [N·m] in a motion."""

    peak: float
    rms: float
    rate_peak: float
    rate_rms: float


def momentum_peaks(
    model: Model, times: ArrayLike, q: ArrayLike, v: ArrayLike, axis: str = "z"
) -> MomentumPeaks:
    """Return what angular momentum about `axis` a motion has: states (N, nq), (N, nv) at times."""
    if axis not in ("x", "y", "z"):
        raise ValueError(f"axis is {axis!r}, must be 'x', 'y' or 'z'")
    at = reals(times, "times")
    momentum = np.asarray(model.centroidal_momentum(q, v))[..., 3 + "xyz".index(axis)]
    if at.shape != momentum.shape or len(at) < 2:
        message = f"times has shape {at.shape}, states are {momentum.shape}: must be (N,), N ≥ 2"
        raise ValueError(message)
    rate = np.diff(momentum) / np.diff(at)
    return MomentumPeaks(*_sizes(momentum), *_sizes(rate))


def _sizes(values: Array) -> tuple[float, float]:
    return float(np.abs(values).max()), float(np.sqrt(np.mean(values**2)))


class ArmSwing:
    """Lets an arm's centre of mass follow that of the opposite leg, `scale` times as far.

    Both are seen from the centre of mass of the machine, in the axes of the torso (Schwienbacher
    2013, section 7.3.1). `update(q)` sets the target of the arm's task, once a step; they begin
    where they are in `rest` (nq,).
    """

    def __init__(self, arm: PartComTask, leg: str, rest: ArrayLike, *, scale: float = 0.5) -> None:
        if arm.relative_to != "com" or arm.axes is None:
            raise ValueError("the arm's task must be relative_to='com', with the torso as axes")
        self.arm = arm
        self._leg = PartComTask(leg, relative_to="com", axes=arm.axes).bind(arm.model)
        self.scale = positive(scale, "scale")
        self._arm_rest = np.asarray(arm.place(rest))
        self._leg_rest = np.asarray(_place(self._leg, rest))

    def update(self, q: ArrayLike, v: ArrayLike | None = None) -> None:
        """Set the arm's target for configurations (…, nq), and with v (…, nv) its velocity."""
        moved = _place(self._leg, q) - self._leg_rest
        self.arm.target = self._arm_rest + self.scale * moved
        if v is not None:
            rate = self._leg.jacobian(q) @ np.asarray(v, np.float64)[..., None]
            self.arm.target_velocity = self.scale * rate[..., 0]


def _place(task: object, q: ArrayLike) -> Array:
    assert isinstance(task, PartComTask)
    return task.place(q)
