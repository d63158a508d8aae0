"""That a foot stands as its phase says: the ground pushes, holds it by friction, under its sole.

The reaction of the ground is what six more joints at the root would have to give if the machine
were free to move there and does not: so it has exact derivatives, as other efforts have.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import Array
from tarsus.gait.optimal.collocation import Slopes
from tarsus.gait.optimal.conditions import Condition, Rows
from tarsus.gait.walkers import Walker
from tarsus.model import WORLD, Editor, Model
from tarsus.model.checks import number, numbers

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
        found = np.asarray(self.wide.inverse_dynamics_derivatives(*self._wide(q, v, a)))
        by_q, by_v, by_a = found[..., self._rows[:, None], self._own]
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
