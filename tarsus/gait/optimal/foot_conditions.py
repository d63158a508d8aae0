"""Conditions on feet: friction, lift-off, flat impacts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tarsus._lib.checks import number, numbers
from tarsus._lib.differences import derivative
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.events.guards import GuardValues, Height
from tarsus.events.phase import CROSSINGS, Exit
from tarsus.gait.optimal.collocation import Slopes
from tarsus.gait.optimal.conditions import Condition, Require, Rows
from tarsus.gait.walkers.walker import Walker
from tarsus.model.editor import Editor
from tarsus.model.model import Model

# That a foot stands as its phase says: the ground pushes, holds it by friction, under its sole.
#
# The reaction of the ground is what six more joints at the root would have to give if the machine
# were free to move there and does not: so it has exact derivatives, as other efforts have.


SIDES = 8
"""Of the pyramid inside the friction cone; its edges are on the cone, two along the way."""
ROOT = "gait_root"


@dataclass(frozen=True, eq=False)
class Grip(Condition):
    """That the stance foot neither lifts, slips nor tips over during a phase.

    The ground pushes with at least `least` [N], and the foot needs no more than `friction`. With a
    `sole` (back, front, right, left) [m], the pressure under it stays between these lines, as seen
    from `at`, a point of the ground (3,), the origin unless stated. `slope` [rad] is that of the
    ground, which falls along x: the walker's unless stated.
    """

    friction: float = 0.6
    least: float = 0.0
    sole: tuple[float, float, float, float] | None = None
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)
    slope: float | None = None
    phase: int = 0
    points: int = 21
    label: str = "grip"

    def __post_init__(self) -> None:
        if not number(self.friction, "friction") > 0.0:
            raise ValueError(f"friction is {self.friction}, must be positive")
        if number(self.least, "least") < 0.0:
            raise ValueError(f"least is {self.least}, must not be negative")
        if self.slope is not None:
            number(self.slope, "slope")
        numbers(self.at, (3,), "at")
        if self.sole is not None:
            back, front, right, left = numbers(self.sole, (4,), "sole")
            if not (back < front and right < left):
                raise ValueError(f"sole is {self.sole}, must be back < front and right < left")

    def nodes(self, points: int | None = None) -> Array:
        """Return nodes of the whole phase."""
        return np.linspace(0.0, 1.0, points or self.points)

    def of(self, walker: Walker) -> Rows:
        """Return rows of the reaction."""
        reaction = Reaction(walker.phases[self.phase].model, np.array(self.at, float))
        lines = self._lines(walker.slope if self.slope is None else self.slope)
        return _GripRows(reaction, *lines)

    def _lines(self, slope: float) -> tuple[Array, Array]:
        """Return rows (n, 6) of the wrench, and how much each may lack (n,)."""
        normal = np.array([math.sin(slope), 0.0, math.cos(slope)])
        along = np.array([math.cos(slope), 0.0, -math.sin(slope)])
        beside = np.array([0.0, 1.0, 0.0])
        rows = [np.concatenate([normal, np.zeros(3)])]
        half = math.pi / SIDES
        for k in range(SIDES):
            turn = (2 * k + 1) * half
            way = math.cos(turn) * along + math.sin(turn) * beside
            force = self.friction * math.cos(half) * normal - way
            rows.append(np.concatenate([force, np.zeros(3)]))
        if self.sole is not None:
            # the pressure is at x = −m_y / f_n and y = m_x / f_n
            back, front, right, left = self.sole
            sides = ((front, beside), (-back, -beside), (left, -along), (-right, along))
            rows += [np.concatenate([far * normal, about]) for far, about in sides]
        lacks = np.zeros(len(rows))
        lacks[0] = self.least
        return np.array(rows), lacks


@dataclass(frozen=True, eq=False)
class _GripRows:
    reaction: Reaction
    lines: Array
    lacks: Array

    def slack(self, q: Array, v: Array, a: Array) -> Array:
        return np.asarray(self.reaction.values(q, v, a) @ self.lines.T - self.lacks)

    def slopes(self, q: Array, v: Array, a: Array) -> Slopes:
        by_q, by_v, by_a = (self.lines @ each for each in self.reaction.slopes(q, v, a))
        return by_q, by_v, by_a


class Reaction:
    """Force and moment (6,) about a point that the ground gives a machine, in world axes."""

    def __init__(self, model: Model, at: Array) -> None:
        editor = Editor(model)
        onto = [joint.name for joint in model.description.joints if joint.parent == WORLD]
        editor.body(f"{ROOT}_place").body(ROOT)
        editor.joint(f"{ROOT}_shift", "translation", WORLD, f"{ROOT}_place", position=at)
        editor.joint(f"{ROOT}_turn", "spherical_zyx", f"{ROOT}_place", ROOT)
        for name in onto:
            placed = next(j for j in model.description.joints if j.name == name).placement.copy()
            placed[:3, 3] -= at
            editor.change("joint", name, parent=ROOT, placement=placed)
        for frame in model.description.frames:
            if frame.body == WORLD:
                editor.remove("frame", frame.name)
        self.wide = editor.build()
        shift, turn = (self.wide.joint(f"{ROOT}_{each}").v_slice for each in ("shift", "turn"))
        # turns are about z, y and x
        places = (*range(shift.start, shift.stop), *reversed(range(turn.start, turn.stop)))
        self._rows = np.array(places)
        self._own = _places(model, self.wide)

    def values(self, q: Array, v: Array, a: Array) -> Array:
        """Return the reaction (n, 6)."""
        return np.asarray(self.wide.inverse_dynamics(*self._wide(q, v, a)))[..., self._rows]

    def slopes(self, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
        """Return its derivatives (n, 6, nv) by q, v and a."""
        found = self.wide.inverse_dynamics_derivatives(*self._wide(q, v, a))
        by_q, by_v, by_a = (each[..., self._rows[:, None], self._own] for each in found)
        return by_q, by_v, by_a

    def _wide(self, *states: Array) -> list[Array]:
        found = []
        for each in states:
            wide = np.zeros((*each.shape[:-1], self.wide.nv))
            wide[..., self._own] = each
            found.append(wide)
        return found


def _places(model: Model, wide: Model) -> Array:
    """Return where coordinates of a model are among those of the wide one (nv,)."""
    found = np.zeros(model.nv, dtype=int)
    for name in model.joint_names:
        here, there = model.joint(name).v_slice, wide.joint(name).v_slice
        found[here] = np.arange(there.start, there.stop)
    return found


# That strikes are taken where phases end: guards pass zero the right way, and `when` holds.


ABOVE = 1e-5
"""By how much `when` is above zero: more than may be missed, as it does not hold at zero."""
FAST = 1e-2
"""How fast a guard passes zero at least [1/s]: a strike that only grazes is missed by any error."""


@dataclass(frozen=True, eq=False)
class Taken(Condition):
    """That the first exit of a phase, which leads to the next one, is taken at the phase's end."""

    phase: int
    label: str = "exit is taken"

    @classmethod
    def of_all(cls, walker: Walker) -> list[Condition]:
        """Return those of all phases of a walker, by names of their exits."""
        found: list[Condition] = []
        for p, phase in enumerate(walker.phases):
            way: Exit = phase.exits[0]  # type: ignore[index]
            if way.when or CROSSINGS[way.crossing]:
                found.append(cls(p, f"{way.name or 'exit'} at the end of {phase.name}"))
        return found

    def nodes(self, points: int | None = None) -> Array:
        """Return the end alone."""
        return np.ones(1)

    def of(self, walker: Walker) -> Rows:
        """Return a row for each of `when`, and one for the crossing unless it may be any."""
        phase = walker.phases[self.phase]
        way: Exit = phase.exits[0]  # type: ignore[index]
        whens = [GuardValues(phase.model, each) for each in way.when]  # type: ignore[union-attr]
        return _TakenRows(whens, GuardValues(phase.model, way.guard), CROSSINGS[way.crossing])


@dataclass(frozen=True, eq=False)
class _TakenRows:
    whens: list[GuardValues]
    guard: GuardValues
    sign: int

    def slack(self, q: Array, v: Array, a: Array) -> Array:
        rows = [each.values(q, v) - ABOVE for each in self.whens]
        if self.sign:
            rows.append(self.sign * self._rates(q, v, a) - FAST)
        return np.stack(rows, axis=-1)

    def slopes(self, q: Array, v: Array, a: Array) -> Slopes:
        rows = [(*each.slopes(q, v), np.zeros_like(a)) for each in self.whens]
        if self.sign:
            by_q, by_v, by_a = self._rate_slopes(q, v, a)
            rows.append((self.sign * by_q, self.sign * by_v, self.sign * by_a))
        by_q, by_v, by_a = (np.stack(each, axis=-2) for each in zip(*rows, strict=True))
        return by_q, by_v, by_a

    def _rates(self, q: Array, v: Array, a: Array) -> Array:
        """Return how fast the guard changes (…), by velocities and, if it has any, their rates."""
        by_q, by_v = self.guard.slopes(q, v)
        return np.asarray((by_q * v + by_v * a).sum(axis=-1))

    def _rate_slopes(self, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
        units = np.eye(q.shape[-1])
        here = [np.broadcast_to(x[:, None, :], (len(x), *units.shape)) for x in (q, v, a)]

        def rates(k: int, step: Array | float) -> Array:
            moved = [*here]
            moved[k] = here[k] + np.asarray(step) * units
            return self._rates(*moved)

        by_q, by_v = (derivative(lambda step, k=k: rates(k, step)) for k in (0, 1))  # type: ignore[misc]
        return by_q, by_v, self.guard.slopes(q, v)[1]


# That a flat foot comes down flat, straight ahead, and clear of the ground on its way.


SIDE = (0.0, 1.0, 0.0)
AWAY = 0.04
"""Part of a phase at its ends where the edges of a sole may touch the ground."""


def flat_strike(
    foot: str,
    sole: tuple[float, float, float, float],
    *,
    clearance: float = 0.02,
    phase: int = -1,
) -> list[Condition]:
    """Return what a gait on level ground must keep so that a flat foot strikes as one.

    `foot` is the frame of the swing foot's sole, x ahead and z up, and `sole` (back, front, right,
    left) [m] are its edges. At the end of the phase the sole is level and points straight ahead;
    before, its corners are above the ground, and its middle is by the `clearance` [m] half-way.
    """
    back, front, right, left = numbers(sole, (4,), "sole")
    number(clearance, "clearance")
    ahead, beside = (foot, (front, 0.0, 0.0)), (foot, (0.0, left, 0.0))
    level = {"low": 0.0, "high": 0.0, "during": (1.0, 1.0), "phase": phase}
    found: list[Condition] = [
        Require(Height(ahead), label="level ahead", **level),  # type: ignore[arg-type]
        Require(Height(beside), label="level aside", **level),  # type: ignore[arg-type]
        Require(
            Height(ahead, normal=SIDE) - Height(foot, normal=SIDE),
            label="straight ahead",
            **level,  # type: ignore[arg-type]
        ),
        Require(
            Height(foot), low=clearance, during=(0.3, 0.7), phase=phase, points=7, label="clearance"
        ),
    ]
    for x in (back, front):
        for y in (right, left):
            corner = Height((foot, (x, y, 0.0)))
            away = (AWAY, 1.0 - AWAY)
            found.append(
                Require(corner, low=0.0, during=away, phase=phase, points=15, label="corners")
            )
    return found
