"""A robot on two legs: feet, legs, reach."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import finite
from tarsus._lib.files import Array
from tarsus.gait.anatomy import Anatomy
from tarsus.geometry.collision import Collision
from tarsus.geometry.ground_placement import stand
from tarsus.geometry.grounds import Ground, Terrain
from tarsus.walking.body_tasks import BodyTasks
from tarsus.walking.plans.adaptation import StepAdaptation, StepLimits
from tarsus.walking.plans.dcm import Supports
from tarsus.walking.plans.footsteps import Footsteps
from tarsus.walking.plans.swing import Swing
from tarsus.walking.plans.zmp_preview import PreviewSupports, ZmpPreview
from tarsus.walking.posture import GAP, SPREAD, fitting_crouch, on_strong_ankles, stance
from tarsus.walking.settings import Fallen, Style
from tarsus.walking.state_feedback import Senses
from tarsus.walking.step_planner import Stepping
from tarsus.walking.walking_controller import Walking

# A machine that is ready to walk: its stance, how it walks, its footsteps and its controller.


SWING, SHIFT, START = 2.2, 0.5, 3.5
"""Single and double support, and the first shift of weight, in times 1/ω of the pendulum, or of
legs that are longer than this is high."""
UNEVEN = 0.03
"""Where the ground is no plane, steps are moved by so much at most [m]."""
SPARE = 0.6
"""The share of what legs are shorter than stretched by which they may be longer on steps."""
OVER = {"rise": 0.35, "sink": 0.7, "wait": 0.28, "settle": 0.14}
"""How feet swing where the ground is no plane: up, over, and down."""
LIFT, LIFTED = 0.06, 0.09
"""Feet swing so high over the ground [m], but at most by this share of a leg's reach."""
SLOWER = 1.5
"""… and how much longer that takes."""
HORIZON = 3.0
"""How many steps preview control looks ahead."""
FALLEN = 0.6
"""A walk ends when the trunk is lower than this share of its height."""


@dataclass(frozen=True, eq=False)
class Biped:
    """A machine that is ready to walk."""

    body: Anatomy
    style: Style
    stance: Array
    """The configuration (nq,) in which it stands on level ground."""
    supports: Supports
    """How long its phases are."""
    height: float
    """Of the centre of mass over the soles [m]."""
    width: float
    """Between the middles of the soles [m]."""
    half: Array
    """How far from the origins of the soles (2,) the zero moment point may be [m]."""
    crouch: float
    """By which share its legs are shorter than stretched."""
    lift: float
    """How high its feet swing over the ground [m]."""

    @classmethod
    def ready(
        cls,
        body: Anatomy,
        style: Style | None = None,
        sideways: float = 0.0,
        ground: Terrain | None = None,
    ) -> Self:
        """Return a machine that stands ready to walk on a ground, level unless given.

        For steps `sideways` [m/s] its soles are wide enough apart; where the ground is no plane
        its steps take longer.
        """
        own = Style() if style is None else style
        crouch = fitting_crouch(body) if own.crouch is None else own.crouch
        lift = min(LIFT, LIFTED * body.legs[0].reach) if own.lift is None else own.lift
        slower = 1.0 if ground is None or isinstance(ground, Ground) else SLOWER
        posture: dict[str, Any] = {"crouch": crouch, "width": own.width, "away": SPREAD}
        body, half = on_strong_ankles(body, stance(body, **posture))
        q = stance(body, **posture)
        height = float(body.model.center_of_mass(q)[2])
        gravity = float(np.linalg.norm(body.model.gravity))
        omega = float(np.sqrt(gravity / height))
        # legs are pendulums, too: long ones under a low centre of mass swing slowly
        swing = SWING * float(np.sqrt(max(height, body.legs[0].reach) / gravity))
        supports = Supports(
            omega,
            slower * swing if own.single is None else own.single,
            SHIFT / omega if own.double is None else own.double,
            START / omega,
        )
        left, right = (
            (body.model.frame_pose(q, leg.end) @ leg.sole.placement)[1, 3] for leg in body.legs
        )
        found = cls(body, own, q, supports, height, float(left - right), half, crouch, lift)
        least = float(found.sole[1]) + GAP + abs(sideways) * found.step_time
        if own.width is not None or sideways == 0.0 or found.width >= least:
            return found
        return cls.ready(body, replace(own, width=least), ground=ground)

    @property
    def step_time(self) -> float:
        """How long a step lasts, with double support [s]."""
        return self.supports.single + self.supports.double

    @property
    def sole(self) -> Array:
        """Length and width of the smaller sole (2,) [m]."""
        return np.asarray(np.min([leg.sole.size for leg in self.body.legs], axis=0))

    @property
    def reach(self) -> StepReach:
        """How far, high and sharp its steps are at most."""
        return StepReach(self.body.legs[0].reach)

    @property
    def nearest(self) -> float:
        """How near the middles of the soles may come [m]."""
        return float(self.sole[1]) + GAP / 2

    def footsteps(
        self,
        speed: ArrayLike = 0.0,
        sideways: ArrayLike = 0.0,
        turn: ArrayLike = 0.0,
        steps: int = 10,
        path: ArrayLike | None = None,
    ) -> Footsteps:
        """Return footsteps at speeds [m/s, rad/s], or along a path (K, 2) [m]."""
        given = {"speed": speed, "sideways": sideways, "turn": turn}
        rates = {name: finite(value, name) for name, value in given.items()}
        length, aside, turned = (rate * self.step_time for rate in rates.values())
        self.reach.check_rates(rates["speed"], rates["turn"], self.step_time)
        if path is None:
            return Footsteps.steady(
                steps=steps,
                width=self.width,
                length=length,
                sideways=aside,
                turn=turned,
                least=self.nearest,
            )
        for name in ("sideways", "turn"):
            if rates[name].any():
                raise ValueError(f"{name} is {given[name]!r}, must be zero along a path")
        if rates["speed"].ndim or not rates["speed"] > 0.0:
            raise ValueError(f"speed is {speed!r}, must be one above zero along a path")
        return Footsteps.along(finite(path, "path"), width=self.width, length=float(length))

    def grounded(self, plan: Footsteps, ground: Terrain) -> Footsteps:
        """Return footsteps put on a ground, if legs reach from each to the next."""
        found = plan.on(ground, self.body.legs[0].sole.corners)
        self.reach.check_rise(found.position[..., 2])
        return found

    def controller(
        self,
        plan: Footsteps,
        ground: Terrain,
        felt: Terrain | None = None,
        walkers: int = 1,
        threads: int = 1,
        senses: Senses | None = None,
    ) -> Walking:
        """Return the controller of walkers along footsteps, on a ground as they know it.

        `felt` is the ground that switches under their soles feel, the same unless given; `threads`
        share the walkers. With `senses` they know themselves by these alone.
        """
        style, sole, even = self.style, self.sole, isinstance(ground, Ground)
        stepping = Stepping(
            plan,
            self.supports,
            height=self.height,
            half=self.half,
            length=float(sole[0]),
            swing=Swing(lift=self.lift, **({} if even else OVER)),
            adaptation=self._adaptation(ground) if style.adapt else None,
            preview=self._preview() if style.plan == "preview" else None,
            ground=ground,
            gain=style.gain,
            spare=SPARE * self.crouch * self.body.legs[0].reach,
            walkers=walkers,
        )
        slippery = float(np.min(ground.friction))
        margin = 0.05 * float(sole.min())
        tasks = BodyTasks(self.body, self.stance, 0.9 * slippery, style.gains, margin, style.arms)
        for contact in tasks.contacts:
            contact.normal = plan.normal.reshape(-1, 3)[0]
        feels = ground if felt is None else felt
        return Walking(
            self.body,
            tasks,
            stepping,
            ground=feels,
            period=style.period,
            threads=threads,
            senses=senses,
        )

    def _preview(self) -> PreviewSupports:
        gravity, period = float(np.linalg.norm(self.body.model.gravity)), self.style.period
        horizon = HORIZON * self.step_time
        law = ZmpPreview(self.height, dt=period, horizon=horizon, gravity=gravity)
        return PreviewSupports(self.supports, law)

    def _adaptation(self, ground: Terrain) -> StepAdaptation:
        reach, single = self.body.legs[0].reach, self.supports.single
        limits = StepLimits(
            ahead=self.reach.furthest,
            near=self.nearest,
            far=max(self.width + 0.35 * reach, 0.5 * reach),
            stray=np.inf if isinstance(ground, Ground) else UNEVEN,
            shortest=0.5 * single,
            longest=1.5 * single,
        )
        return StepAdaptation(self.supports.omega, self.supports.double, limits)

    def placed(self, plan: Footsteps, ground: Terrain, collision: Collision) -> Array:
        """Return the configuration (nq,) on the first footsteps, just touching the ground."""
        # walkers of a batch begin side by side in the same place
        soles = plan.poses.reshape(-1, *plan.poses.shape[-3:])[0, :2]
        frames = soles if plan.side[0] > 0 else soles[..., ::-1, :, :]
        q = stance(self.body, crouch=self.crouch, soles=frames, away=SPREAD)
        return stand(self.body.model, q, ground, collision)

    def fallen(self) -> Fallen:
        """Return the condition that ends a walk."""
        feet = tuple(leg.end for leg in self.body.legs)
        soles = np.stack([leg.sole.placement[:3, 3] for leg in self.body.legs])
        return Fallen(self.body.trunk, feet, soles, float(FALLEN * self.stance[2]))


# How far, how high and how sharp the steps of legs are at most.


FURTHEST = 0.65
"""A step is at most this share of a leg's reach long."""
HIGHEST = 0.4
"""… and leads up or down by at most this share."""
SHARPEST = 0.8
"""A step turns by so much at most [rad]."""


@dataclass(frozen=True)
class StepReach:
    """What legs of a reach [m] can step."""

    leg: float

    @property
    def furthest(self) -> float:
        """The length of the longest step [m]."""
        return FURTHEST * self.leg

    def check_rates(self, speed: Array, turn: Array, step_time: float) -> None:
        """Raise if a step at speeds [m/s] and turns [rad/s] is longer or sharper than legs make."""
        limits = (("speed", speed, self.furthest, "m"), ("turn", turn, SHARPEST, "rad"))
        for name, rates, most, unit in limits:
            own = float(np.abs(rates).max()) * step_time
            if own > most:
                raise ValueError(
                    f"{name} is {rates} {unit}/s: steps of {own:.2f} {unit} in {step_time:.2f} s "
                    f"are longer than {most:.2f} {unit}, which legs of {self.leg:.2f} m reach"
                )

    def check_rise(self, heights: Array) -> None:
        """Raise if legs do not reach from a footstep to the next, by their heights (…, n) [m]."""
        rise = np.abs(np.diff(heights, axis=-1))
        most = HIGHEST * self.leg
        if rise.max() > most:
            raise ValueError(
                f"ground rises or sinks by {rise.max():.2f} m from a footstep to the next; legs of "
                f"{self.leg:.2f} m reach {most:.2f} m"
            )
