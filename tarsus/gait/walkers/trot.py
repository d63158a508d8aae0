"""Trotting walkers and their drive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike

from tarsus._lib.checks import number, numbers
from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.gait.walkers.feet import Foot
from tarsus.gait.walkers.foot_groups import Feet, Groups, footed
from tarsus.gait.walkers.walker import Factory, State, Walker, on_feet
from tarsus.model.editor import Editor
from tarsus.model.model import Model
from tarsus.robots.quadrupeds import quadruped
from tarsus.robots.quadrupeds import standing as posture_of
from tarsus.spatial import pose

# A quadruped that trots: diagonal feet stand in turn, and springs lead its joints.
#
# On two points it can fall about the line between them, which no joint prevents; it does so for a
# step, and the other two feet catch it. Where both of them land at the same time, and how far ahead
# of the body they stand, decides whether it pitches: `offset` levels it.


FEET: Feet = (["front_left_tip", "hind_right_tip"], ["front_right_tip", "hind_left_tip"])
"""Those of `ts.robots.quadruped()`."""


def trot(
    model: Model | None = None,
    feet: Feet = FEET,
    posture: ArrayLike | None = None,
    *,
    step: float = 0.08,
    beat: float = 0.2,
    lift: float = 0.02,
    offset: float = 0.0,
    stiffness: float = 3000.0,
    damping: float = 40.0,
    slope: float = 0.0,
) -> Walker:
    """Return a quadruped that trots with steps of length `step` [m] in about `beat` [s].

    `feet` are the diagonal pairs, front left and hind right first, and `posture` (nq,) is the
    configuration around which it does; both are those of `ts.robots.quadruped()` unless stated.
    Feet swing as high as `lift` [m], all of them `offset` [m] ahead of where the posture has them;
    joints have `stiffness` [N m/rad] and `damping` [N m s/rad].
    """
    given = {
        "step": step,
        "beat": beat,
        "lift": lift,
        "offset": offset,
        "stiffness": stiffness,
        "damping": damping,
        "slope": slope,
    }
    for name in ("beat", "lift", "stiffness"):
        if not number(given[name], name) > 0.0:
            raise ModelError(f"trot: {name} is {given[name]:g}, must be positive")
    if model is None:
        model = _smooth(quadruped())
        posture = posture_of(model, "P2") if posture is None else posture
    elif posture is None:
        raise ValueError("posture is missing: the configuration around which the model trots")
    base = np.array(numbers(posture, (model.nq,), "posture"))
    made, told = footed(model, feet, "point", 0.0, slope, False)
    if not isinstance(made, Groups):
        raise ValueError(f"feet are {feet!r}, must be two lists of feet that stand together")
    way = Trotting(step, beat, lift, offset)
    standing = (made.stance.feet[0], *made.beside)
    plan = TrotPlan(model, base, standing, made.landing, way)
    drive = TrotDrive(plan, made.stance.standing, (stiffness, damping))
    walker = on_feet(
        *(made, drive),
        name="trot",
        start=_start(plan, made),
        slope=slope,
        factory=Factory(partial(trot, model, feet, base), given),
        clocked=True,
        longest=3.0 * beat,
    )
    return replace(walker, notes=(*told, *walker.notes))


def _smooth(model: Model) -> Model:
    """Return a model whose joints have no dry friction, which would jump wherever they turn."""
    editor = Editor(model)
    for joint in model.joints:
        if np.any(joint.friction):
            editor.change("joint", joint.name, friction=0.0)
    return editor.build()


def _start(plan: TrotPlan, support: Groups) -> State:
    """Return the state at the beginning of a step that goes as planned, its feet on the ground."""
    m, way = plan.model, plan.way
    q, soon = plan.angles(0.0), plan.angles(1e-4)
    v = np.asarray(m.difference(q, soon)) / (1e-4 * way.beat)
    v[0] = way.step / way.beat  # along x of the body, which is level
    name, at = support.stance.feet[0]
    place = pose((np.asarray(m.frame_pose(q, name)) @ at)[:3, 3])
    state = support.stance.standing.from_original(q, v, at=place @ support.stance.at)
    there, rates, _ = support.planted.strike(state.q, state.v)
    return there, rates


# Joints of four legs led along a trot: feet that stand go back, feet that swing go ahead.
#
# Over a step, s from 0 to 1, a foot that stands goes from half a step ahead of its place below the
# body to half a step behind it; one that swings goes ahead in a cubic that begins and ends as fast
# as the ground goes, and rises faster than it comes down. Both go on beyond 1, where a foot that is
# late comes to the ground. Joints do it with springs and dampers, and what weight takes of them is
# known to them.


DEGREE = 12
"""Of the Chebyshev polynomials through the angles of joints."""
LATE = 1.3
"""How far the plan goes on, of a step; later joints stay where they are."""
HIGHEST = 5.0**1.25 / 4.0
"""Makes the height of a swing, u (1 − u⁴), one where it is highest."""
REACHED, MOST_TRIES = 1e-12, 50


@dataclass(frozen=True)
class Trotting:
    """How feet go in a trot."""

    step: float
    """How far a step leads [m]."""
    beat: float
    """How long it should take [s]."""
    lift: float
    """How high feet swing [m]."""
    offset: float
    """How far ahead of their places in the posture all feet are [m]."""

    def stands(self, s: Array) -> Array:
        """Return where feet that stand are from their places (…, 3), of parts s (…) of a step."""
        return self._at(0.5 - s, 0.0 * s)

    def swings(self, s: Array) -> Array:
        """Return where feet that swing are from their places (…, 3)."""
        left = 1.0 - s
        return self._at(-0.5 - s + 6.0 * s**2 - 4.0 * s**3, HIGHEST * left * (1.0 - left**4))

    def _at(self, along: Array, up: Array) -> Array:
        ahead = self.offset + self.step * along
        return np.stack([ahead, np.zeros_like(ahead), self.lift * up], axis=-1)


@dataclass(frozen=True, eq=False)
class TrotPlan:
    """Angles of joints over a step of a trot, and the efforts that weight takes of them."""

    model: Model
    posture: Array
    """Of the machine that floats (nq,), level, its feet at their places."""
    standing: tuple[Foot, ...]
    swinging: tuple[Foot, ...]
    way: Trotting

    @cached_property
    def legs(self) -> list[list[int]]:
        """Velocities of the joints of each leg, standing first, from its foot inwards."""
        m = self.model
        found = []
        for name, _ in (*self.standing, *self.swinging):
            rows = np.asarray(m.frame_jacobian(self.posture, name))
            free = m.joints[0].v_slice.stop
            found.append([k for k in range(free, m.nv) if np.abs(rows[:, k]).max() > REACHED])
        return found

    @cached_property
    def joints(self) -> list[str]:
        """The joints of all legs."""
        own = sorted({k for leg in self.legs for k in leg})
        at = {joint.v_slice.start: joint.name for joint in self.model.joints}
        return [at[k] for k in own]

    def angles(self, s: float) -> Array:
        """Return the configuration of the machine (nq,) at a part of a step."""
        q, m = self.posture.copy(), self.model
        feet = (*self.standing, *self.swinging)
        ways = [self.way.stands] * len(self.standing) + [self.way.swings] * len(self.swinging)
        for (name, at), way, leg in zip(feet, ways, self.legs, strict=True):
            place = (np.asarray(m.frame_pose(self.posture, name)) @ at)[:3, 3]
            wanted = place + way(np.array(s))
            for _ in range(MOST_TRIES):
                away = wanted - (np.asarray(m.frame_pose(q, name)) @ at)[:3, 3]
                if np.abs(away).max() < REACHED:
                    break
                move = np.zeros(m.nv)
                move[leg] = np.linalg.lstsq(self._rows(q, name, at)[:, leg], away, rcond=None)[0]
                q = np.asarray(m.integrate(q, move))
            else:
                raise ModelError(
                    f"foot {name!r} does not reach {np.round(wanted, 4).tolist()} m from the body: "
                    "take shorter or lower steps"
                )
        return q

    def weight(self, q: Array) -> Array:
        """Return efforts (nv,) that hold the machine at q if feet that stand bear equal loads."""
        m = self.model
        bears = -m.total_mass * m.gravity / len(self.standing)
        held = np.array(m.gravity_forces(q))
        for name, at in self.standing:
            held -= self._rows(q, name, at).T @ bears
        return held

    def _rows(self, q: Array, name: str, at: Array) -> Array:
        """Return how a foot moves with velocities (3, nv), in axes of the world."""
        rows = np.asarray(self.model.frame_jacobian(q, name, "local_world_aligned"))
        arm = np.asarray(self.model.frame_pose(q, name))[:3, :3] @ at[:3, 3]
        return np.asarray(rows[:3] + np.cross(rows[3:], arm, axisb=-1, axisa=0, axisc=0))


class TrotDrive:
    """The controller of a trot: (t, q, v) → tau, springs and dampers to a plan, t since a strike.

    `gains` are stiffness [N m/rad] and damping [N m s/rad] of all joints of legs.
    """

    def __init__(self, plan: TrotPlan, model: Model, gains: Sequence[float]) -> None:
        end = LATE * plan.way.beat
        nodes = 0.5 * (1.0 + chebyshev.chebpts1(DEGREE + 1))
        states = [plan.angles(LATE * float(s)) for s in nodes]
        own = [plan.model.joint(name) for name in plan.joints]
        angles = np.array([[q[joint.q_slice.start] for joint in own] for q in states])
        weights = np.array([plan.weight(q)[[j.v_slice.start for j in own]] for q in states])
        fit = chebyshev.chebfit(2.0 * nodes - 1.0, np.hstack([angles, weights]), DEGREE)
        n = len(own)
        self.end, self.gains = end, tuple(float(x) for x in gains)
        rates = chebyshev.chebder(fit[:, :n]) * 2.0 / end
        faster = chebyshev.chebder(rates) * 2.0 / end
        of_weight = chebyshev.chebder(fit[:, n:]) * 2.0 / end
        stacked = [fit, np.pad(rates, ((0, 1), (0, 0))), np.pad(faster, ((0, 2), (0, 0)))]
        self.fit = np.hstack([*stacked, np.pad(of_weight, ((0, 1), (0, 0)))])
        there = [model.joint(name) for name in plan.joints]
        self.at_q = np.array([joint.q_slice.start for joint in there])
        self.at_v = np.array([joint.v_slice.start for joint in there])
        self.nv = model.nv

    def plan(self, t: float) -> tuple[Array, Array, Array, Array, Array]:
        """Return angles, efforts, rates, accelerations, and how efforts change: (n,)."""
        x = min(max(2.0 * t / self.end - 1.0, -1.0), 1.0)
        found = np.cos(np.arange(len(self.fit)) * np.arccos(x)) @ self.fit
        angles, weights, rates, faster, changes = found.reshape(5, -1)
        still = 0.0 if t > self.end else 1.0
        return angles, weights, still * rates, still * faster, still * changes

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        angles, weights, rates, _, _ = self.plan(t)
        stiffness, damping = self.gains
        tau = np.zeros(self.nv)
        own = stiffness * (angles - q[self.at_q]) + damping * (rates - v[self.at_v])
        tau[self.at_v] = own + weights
        return tau

    def derivative(self, t: float, q: Array, v: Array) -> Array:
        """Return how efforts change (nv, 2 nv + 1) with steps of q, with v and with t."""
        _, _, rates, faster, changes = self.plan(t)
        stiffness, damping = self.gains
        found = np.zeros((self.nv, 2 * self.nv + 1))
        found[self.at_v, self.at_v] = -stiffness
        found[self.at_v, self.nv + self.at_v] = -damping
        found[self.at_v, -1] = stiffness * rates + damping * faster + changes
        return found
