"""Motion of the arms, and angular momentum that they take up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import number, positive, reals
from tarsus._lib.files import Array
from tarsus.gait.anatomy import Anatomy
from tarsus.gait.limb_search import Limb
from tarsus.ik.costs import Comfort, Cost, MomentumTracking, MomentumWeight
from tarsus.ik.tasks.points import PartComTask
from tarsus.ik.tasks.posture import PostureTask
from tarsus.ik.tasks.task import Task
from tarsus.model.model import Model

# What arms do while legs walk: stay, swing, or make up for the legs' angular momentum.
#
# Five ways (M. Schwienbacher, "Efficient Algorithms for Biped Robots", TU München 2013, chapter 7):
#
#     Still         joints of the arms are held
#     Swinging      each arm's centre of mass follows that of the opposite leg (section 7.3.1)
#     Free          nothing is asked of the arms, and they cost as all joints do: W = 1
#     Tracking      arms move against the angular momentum of all the rest (section 7.3.2)
#     Minimising    angular momentum costs beside velocities, W = δ 1 + aᵀ a (section 7.5)
#
# All but the first two leave the arms to the null space of the walk, where a cost draws them back
# to their posture and others may keep them off the legs.


@dataclass(frozen=True)
class Still:
    """Arms that are held as they are when the walk begins."""


@dataclass(frozen=True)
class Swinging:
    """Arms that follow the opposite legs, `scale` times as far; the ratio of lengths if None."""

    scale: float | None = None


@dataclass(frozen=True)
class Free:
    """Arms of which nothing is asked."""


@dataclass(frozen=True)
class Tracking:
    """Arms against the momentum of the rest.

    With a `share`, from 0 to 1, they make up for as much of it where the walk begins, by a damped
    inverse. Without, the inverse is normalised as in eq. 7.9: how much that is depends on how
    heavy the arms are.
    """

    share: float | None = None

    def __post_init__(self) -> None:
        if self.share is not None and not 0.0 < number(self.share, "share") < 1.0:
            raise ValueError(f"share is {self.share}, must be between 0 and 1")


@dataclass(frozen=True)
class Minimising:
    """Velocities with little angular momentum; the smaller `delta`, the less is left."""

    delta: float = 0.5


REACH = 0.02
"""Weight of the task of an arm that swings; velocities of level 1 are damped by 0.01/√weight."""

Arms: TypeAlias = Still | Swinging | Free | Tracking | Minimising


@dataclass(frozen=True, eq=False)
class ArmMotion:
    """What a way to move arms adds to inverse kinematics, for one machine."""

    tasks: Sequence[Task] = ()
    costs: Sequence[Cost] = ()
    weight: float | MomentumWeight = 1.0
    swings: list[ArmSwing] = field(default_factory=list)

    def update(self, q: Array) -> None:
        """Set targets that depend on the configuration (nq,), once a step."""
        for swing in self.swings:
            swing.update(q)


def arm_joints(anatomy: Anatomy) -> tuple[str, ...]:
    """Return the joints of both arms from shoulder to elbow; hands stay as they are."""
    ways = [arm.joints[: arm.joints.index(arm.bend) + 1] for arm in anatomy.arms]
    return tuple(name for way in ways for name in way)


def arm_momentum(anatomy: Anatomy, q: Array) -> float:
    """Return a aᵀ [kg² m⁴], a the vertical angular momenta of the arms' joints at unit speed."""
    model = anatomy.model
    free = [k for name in arm_joints(anatomy) for k in range(model.nv)[model.joint(name).v_slice]]
    row = np.asarray(model.centroidal_momentum_matrix(q))[5, free]
    return float(row @ row)


def arm_motion(
    anatomy: Anatomy, posture: Array, arms: Arms, *, gain: float, comfort: float = 1.0
) -> ArmMotion:
    """Return tasks and costs that move the arms; `posture` (nq,) is where they begin.

    `gain` [1/s] is that of tasks, `comfort` [1/s] how fast arms that are free go back.
    """
    joints = arm_joints(anatomy)
    if isinstance(arms, Still):
        held = PostureTask(posture, joints=joints, level=0, gain=gain, name="arms")
        return ArmMotion([held])
    # costs are divided by the weight of velocities: arms go back as fast with any δ
    cost = comfort * arms.delta if isinstance(arms, Minimising) else comfort
    back = _back(anatomy, posture, joints, cost)
    if isinstance(arms, Swinging):
        return _swinging(anatomy, posture, arms, back, gain)
    if isinstance(arms, Tracking):
        damping = None if arms.share is None else _damping(anatomy, posture, arms.share)
        return ArmMotion(costs=[back, MomentumTracking(joints, damping=damping)])
    if isinstance(arms, Minimising):
        return ArmMotion(costs=[back], weight=MomentumWeight(arms.delta))
    if isinstance(arms, Free):
        return ArmMotion(costs=[back])
    kinds = "Still, Swinging, Free, Tracking or Minimising"
    raise TypeError(f"arms is {arms!r}, must be {kinds} of tarsus.walking.arms")


def length_ratio(arm: Limb, leg: Limb) -> float:
    """Return how long an arm is beside a leg."""
    return arm.reach / leg.reach


def _back(anatomy: Anatomy, posture: Array, joints: Sequence[str], comfort: float) -> Cost:
    rates = np.zeros(anatomy.model.nv)
    for name in joints:
        rates[anatomy.model.joint(name).v_slice] = positive(comfort, "comfort")
    return Comfort(posture, comfort=rates)


def _damping(anatomy: Anatomy, posture: Array, share: float) -> float:
    """Return λ for which a aᵀ/(a aᵀ + λ²) is the share, a the momentum of the arms' velocities."""
    return float(np.sqrt(arm_momentum(anatomy, posture) * (1.0 / share - 1.0)))


def _swinging(
    anatomy: Anatomy, posture: Array, arms: Swinging, back: Cost, gain: float
) -> ArmMotion:
    tasks, swings = [], []
    for arm in anatomy.arms:
        leg = next(leg for leg in anatomy.legs if leg.side == -arm.side)
        scale = length_ratio(arm, leg) if arms.scale is None else arms.scale
        # long steps lead arms to the end of their reach: a small weight damps them there
        seen = {"relative_to": "com", "axes": anatomy.torso}
        task = PartComTask(arm.root, **seen, weight=REACH, gain=gain, level=1)
        task.bind(anatomy.model)
        tasks.append(task)
        swings.append(ArmSwing(task, leg.root, posture, scale=scale))
    return ArmMotion(tasks, [back], swings=swings)


# Planned angular momentum of steps that turn, and what is left of it in a motion.
#
# A step that turns the machine by φ within T ends with the momentum I_zz φ/T and no change of it,
# I_zz the inertia about the vertical through the centre of mass of the standing machine. In between
# it is the cubic that begins as the last one ended, so it has no jumps and no kinks (Schwienbacher
# 2013, section 7.4). Steps straight ahead end with none.


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
