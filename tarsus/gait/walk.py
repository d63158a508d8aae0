"""`ts.gait.walk`: a machine on two legs walks, in simulation with contact.

walked = ts.gait.walk(model, speed=0.3, steps=10)
print(walked.report)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.gait.anatomy import Anatomy
from tarsus.gait.body_tasks import BodyGains, BodyTasks
from tarsus.gait.plans.adaptation import StepAdaptation, StepLimits
from tarsus.gait.plans.footsteps import Footsteps
from tarsus.gait.plans.supports import Supports
from tarsus.gait.plans.swing import Swing
from tarsus.gait.posture import GAP, stance
from tarsus.gait.stepping import Stepping
from tarsus.gait.walked import Walked
from tarsus.gait.walking import Walking
from tarsus.geometry import Ground, stand
from tarsus.geometry.terrain import Terrain
from tarsus.model import Model
from tarsus.model.checks import count, expect
from tarsus.simulation import Simulation
from tarsus.simulation.external import External

SWING, SHIFT, START = 2.2, 0.5, 3.5
"""Single and double support, and the first shift of weight, in times 1/ω of the pendulum."""
FURTHEST = 0.9
"""A step is at most this share of a leg's reach long."""
INSIDE = 0.6
"""The share of a sole in which the zero moment point is led."""
FALLEN, TILTED = 0.6, np.cos(np.radians(50.0))
"""A walk ends when the trunk is lower than this share of its height, or more tilted."""


@dataclass(frozen=True)
class Style:
    """How a machine walks; what is None fits its size.

    `single` and `double` [s] are the phases, `lift` [m] how high feet swing over the ground,
    `crouch` by which share legs are shorter than stretched, `width` [m] how far soles are apart.
    `adapt` lets steps be adapted to the measured state. `gain` [1/s] is that of the divergent
    component, `period` [s] that of control.
    """

    single: float | None = None
    double: float | None = None
    lift: float = 0.06
    crouch: float = 0.08
    width: float | None = None
    adapt: bool = True
    gain: float = 3.0
    period: float = 0.002
    gains: BodyGains = BodyGains()


@dataclass(frozen=True, eq=False)
class Walker:
    """A machine that is ready to walk: its anatomy, stance, and how it walks."""

    body: Anatomy
    stance: Array
    style: Style
    supports: Supports
    height: float
    """Of the centre of mass over the soles [m]."""
    width: float

    @property
    def step_time(self) -> float:
        """How long a step lasts, with double support [s]."""
        return self.supports.single + self.supports.double

    @property
    def sole(self) -> Array:
        """Length and width of the smaller sole (2,) [m]."""
        return np.asarray(np.min([leg.sole.size for leg in self.body.legs], axis=0))


def walker(body: Anatomy, style: Style) -> Walker:
    """Return a machine that stands ready to walk in a style."""
    q = stance(body, crouch=style.crouch, width=style.width)
    height = float(body.model.center_of_mass(q)[2])
    omega = float(np.sqrt(np.linalg.norm(body.model.gravity) / height))
    supports = Supports(
        omega,
        SWING / omega if style.single is None else style.single,
        SHIFT / omega if style.double is None else style.double,
        START / omega,
    )
    feet = [(body.model.frame_pose(q, leg.end) @ leg.sole.placement)[1, 3] for leg in body.legs]
    return Walker(body, q, style, supports, height, float(feet[0] - feet[1]))


def walk(
    model: Model | Anatomy,
    *,
    speed: float = 0.3,
    sideways: float = 0.0,
    turn: float = 0.0,
    steps: int = 10,
    path: ArrayLike | None = None,
    ground: Terrain | None = None,
    friction: float | None = None,
    known: Terrain | None = None,
    push: External | None = None,
    style: Style | None = None,
    duration: float | None = None,
    **simulation: Any,
) -> Walked:
    """Let a machine on two legs walk some `steps`, and return the run with a report.

    `speed` ahead and `sideways` to the left [m/s], `turn` to the left [rad/s]; with a `path`
    (K, 2) [m] it walks along it at this speed instead. `ground` is what it walks on, level unless
    given, with its own `friction` if that is stated; `known` is what the machine takes it for,
    the same unless given. `push` acts as `external` of `Simulation.run` does. `duration` [s] is
    that of the steps and two seconds more, unless given. What else is named goes to `Simulation`.
    """
    expect(model, (Model, Anatomy), "model")
    body = Anatomy.from_model(model) if isinstance(model, Model) else model
    count(steps, "steps", 1)
    surface = Ground() if ground is None else ground
    expect(surface, Terrain, "ground")
    if friction is not None:
        surface = replace(surface, friction=friction)
    told = surface if known is None else known
    own = walker(body, _wide_enough(body, Style() if style is None else style, sideways))
    plan = footsteps(own, speed, sideways, turn, steps, path).on(told, body.legs[0].sole.corners)
    control = walking(own, plan, told)
    settings = {"collision": body.collision(), "dt": 1e-3, **simulation}
    sim = Simulation(body.model, ground=surface, **settings)
    q = _placed(own, plan, surface, settings["collision"])
    long = own.supports.start + plan.steps * own.step_time + 2.0 if duration is None else duration
    run = sim.run(q, duration=long, controller=control, external=push, until=_fallen(own))
    return Walked(own, plan, control, run, float(np.min(surface.friction)))


def footsteps(
    own: Walker,
    speed: ArrayLike,
    sideways: ArrayLike,
    turn: ArrayLike,
    steps: int,
    path: ArrayLike | None = None,
) -> Footsteps:
    """Return the footsteps of a walker at speeds [m/s, rad/s], or along a path."""
    long = own.step_time
    least = float(own.sole[1]) + GAP / 2
    if path is not None:
        return Footsteps.along(path, width=own.width, length=float(np.max(speed)) * long)
    moves = (np.asarray(each, float) * long for each in (speed, sideways, turn))
    length, aside, turned = moves
    furthest = FURTHEST * own.body.legs[0].reach
    if np.abs(length).max() > furthest:
        raise ValueError(
            f"speed is {speed} m/s: steps of {np.abs(length).max():.2f} m in {long:.2f} s are "
            f"longer than {furthest:.2f} m, which legs of {own.body.legs[0].reach:.2f} m reach"
        )
    return Footsteps.steady(
        steps=steps, width=own.width, length=length, sideways=aside, turn=turned, least=least
    )


def walking(own: Walker, plan: Footsteps, ground: Terrain, walkers: int = 1) -> Walking:
    """Return the controller of walkers along footsteps on a ground as they know it."""
    style, omega, sole = own.style, own.supports.omega, own.sole
    reach = own.body.legs[0].reach
    limits = StepLimits(
        ahead=FURTHEST * reach,
        near=float(sole[1]) + GAP / 2,
        far=max(own.width + 0.35 * reach, 0.5 * reach),
        shortest=0.5 * own.supports.single,
        longest=1.5 * own.supports.single,
    )
    stepping = Stepping(
        plan,
        own.supports,
        height=own.height,
        half=INSIDE * sole / 2,
        length=float(sole[0]),
        swing=Swing(lift=style.lift),
        adaptation=StepAdaptation(omega, own.supports.double, limits) if style.adapt else None,
        ground=ground,
        gain=style.gain,
        walkers=walkers,
    )
    slippery = float(np.min(ground.friction))
    tasks = BodyTasks(own.body, own.stance, 0.9 * slippery, style.gains, margin=0.05 * sole.min())
    for contact in tasks.contacts:
        contact.normal = plan.normal.reshape(-1, 3)[0]
    return Walking(own.body, tasks, stepping, ground=ground, period=style.period)


def _wide_enough(body: Anatomy, style: Style, sideways: float) -> Style:
    """Return the style with soles so far apart that they do not touch in steps to a side."""
    if style.width is not None or sideways == 0.0:
        return style
    own = walker(body, style)
    least = float(own.sole[1]) + GAP + abs(sideways) * own.step_time
    return style if own.width >= least else replace(style, width=least)


def _placed(own: Walker, plan: Footsteps, ground: Terrain, collision: Any) -> Array:
    """Return the stance (nq,) on the first footsteps, just touching the ground."""
    soles = plan.poses[..., :2, :, :]
    frames = soles if plan.side[0] > 0 else soles[..., ::-1, :, :]
    q = stance(own.body, crouch=own.style.crouch, soles=frames)
    return stand(own.body.model, q, ground, collision)


def _fallen(own: Walker) -> Any:
    """Return the condition that a machine has fallen, of states (…)."""
    model, trunk = own.body.model, own.body.trunk
    upright = model.frame_pose(own.stance, trunk)
    lowest = FALLEN * float(upright[2, 3])

    def fallen(t: float, q: Array, v: Array) -> Any:
        pose = model.frame_pose(q, trunk)
        feet = [model.frame_pose(q, leg.end)[..., 2, 3] for leg in own.body.legs]
        low = pose[..., 2, 3] - np.minimum(*feet) < lowest
        return low | (pose[..., 2, 2] < TILTED)

    return fallen
