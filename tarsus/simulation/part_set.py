"""The parts of a simulation: what they are for the core, and the numbers that they start with."""

from __future__ import annotations

import itertools
from collections.abc import Container
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarsus import _core
from tarsus._lib.checks import find, suggestion
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.parts.part import Part, Statement
from tarsus.spatial import quaternion_from_rotation

Slots = dict[str, tuple[int, int]]
"""Where numbers are in a row of them, by name: (first, how many)."""

SHORTEST = 1e-9
"""Distances [m] that can be held."""

MEMORY = _core.PART_MEMORY["size"]
"""Numbers that a state keeps of each part."""

NO_TURN, STRAIGHT = np.eye(3).tolist(), np.array([0.0, 0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Fitted:
    """A part in a model: its name there, what it is by numbers, and the numbers themselves."""

    name: str
    part: Part
    statement: Statement
    core: dict[str, Any]
    """Arguments of the core."""
    slots: Slots
    """Where its numbers are among its own."""
    row: Array
    """Its numbers (n,); a target that is not a number stands for where things are at the start."""

    def filled(self, model: Model, q: Array, numbers: Array) -> Array:
        """Return numbers (1 or B, n) whose targets are where things are in q (B, nq)."""
        if not np.isnan(numbers).any():
            return numbers
        at, count = self.slots["target"]
        found = np.empty((len(q), numbers.shape[1]))
        found[:] = numbers
        targets = found[:, at : at + count]
        # a point may have been set, and how it is turned may not
        np.copyto(targets, here(self.statement, model, q), where=np.isnan(targets))
        held = (self.statement.coordinates, self.statement.law) == ("line", "rigid")
        if held and (targets[:, 0] < SHORTEST).any():
            raise ValueError(
                f"the points of {self.name!r} are at the same place, where a distance has no "
                "direction; state its length, or use PointToPoint"
            )
        return found


@dataclass(frozen=True, eq=False)
class PartSet:
    """Parts in the order in which they were added; immutable: one more is another set."""

    model: Model
    parts: tuple[Fitted, ...]
    core: _core.Parts
    index: dict[str, int]
    """The numbers of parts by name."""
    starts: tuple[int, ...]
    """Where the numbers of each part start in a row of all, and where they end."""

    @classmethod
    def of(cls, model: Model, parts: Any = ()) -> PartSet:
        """Return the set of these parts."""
        found = cls(model, (), _core.Parts(model), {}, (0,))
        for part in parts:
            found = found.added(part)
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (self.model, tuple((each.part, each.name) for each in self.parts))

    def added(self, part: Part, name: str = "") -> PartSet:
        """Return the set with one part more, of this name unless it has one."""
        if not isinstance(part, Part):
            what = f"the class {part.__name__}" if isinstance(part, type) else f"{part!r}"
            raise TypeError(
                f"part is {what}, must be one of ts.constraint or ts.forces, such as "
                'ts.constraint.Nail("hand")'
            )
        if part.name in self.index:
            raise ValueError(f"there is a part {part.name!r} already; give it another name")
        name = part.name or name or free_name(part.kind, self.index)
        statement = part.statement(self.model)
        arguments = core_arguments(self.model, statement)
        try:
            core = self.core.added(**arguments)
        except ValueError as error:
            on = " and ".join(map(repr, {*bodies_of(self.model, statement)} - {WORLD}))
            raise ValueError(f"part {name!r} on {on}: {error}") from None
        start = self.starts[-1]
        slots = {
            each: (at - start, count) for each, (at, count) in core.numbers(len(self.parts)).items()
        }
        row = row_of(statement, slots)
        fitted = Fitted(name, part, statement, arguments, slots, row)
        index = {**self.index, name: len(self.parts)}
        starts = (*self.starts, start + len(row))
        return PartSet(self.model, (*self.parts, fitted), core, index, starts)

    def without(self, name: str) -> PartSet:
        """Return the set with one part less."""
        k = self.number(name)
        rest = (*self.parts[:k], *self.parts[k + 1 :])
        starts = (0, *itertools.accumulate(len(each.row) for each in rest))
        index = {each.name: k for k, each in enumerate(rest)}
        return PartSet(self.model, rest, self.core.without(k), index, starts)

    def number(self, name: str) -> int:
        """Return the number of a part."""
        return find(self.index, name, "part")

    def span(self, k: int) -> slice:
        """Return where the numbers of part k are in a row of all."""
        return slice(self.starts[k], self.starts[k + 1])

    def slot(self, k: int, name: str) -> tuple[int, int]:
        """Return where a number of part k is in a row of all, and how many there are."""
        slots = self.parts[k].slots
        if name not in slots:
            what = f"part {self.parts[k].name!r} has no number {name!r}"
            raise AttributeError(f"{what}{suggestion(name, slots)}")
        return self.starts[k] + slots[name][0], slots[name][1]


def _remade(model: Model, parts: tuple[tuple[Part, str], ...]) -> PartSet:
    """Return the set of parts with these names, which was pickled."""
    found = PartSet.of(model)
    for part, name in parts:
        found = found.added(part, name)
    return found


def bodies_of(model: Model, statement: Statement) -> list[str]:
    """Return the names of the bodies that a part is attached to, the world among them."""
    places = [place for place in (statement.a, statement.b) if place is not None]
    return [WORLD if place.body < 0 else model.body_names[place.body] for place in places]


def here(statement: Statement, model: Model, q: Array) -> Array:
    """Return the targets (B, n) of a part at which its values are zero in states q (B, nq)."""
    found = np.zeros((len(q), 13 if statement.coordinates == "frame" else 2))
    if statement.coordinates == "joint":
        positions = np.asarray(model.joint_positions(q))
        for name, ratio in statement.joints:
            found[:, 0] += ratio * positions[:, model.joint(name).position_slice.start]
        return found
    poses = np.asarray(model.forward_kinematics(q))
    a, b = statement.a, statement.b
    assert a is not None and b is not None
    last = b.pose(poses)
    if statement.coordinates == "line":
        apart = last[:, :3, 3] - a.pose(poses)[:, :3, 3]
        found[:, 0] = np.sqrt((apart * apart).sum(axis=1))
        return found
    # the place of b on the body of a; its axes are those of b, where turns are held
    position, rotation = last[:, :3, 3], last[:, :3, :3]
    if a.body >= 0:
        body = poses[:, a.body]
        back = np.swapaxes(body[:, :3, :3], 1, 2)
        position = (back @ (position - body[:, :3, 3])[..., None])[..., 0]
        rotation = back @ rotation
    if all(kind == "position" for kind, _, _ in statement.rows):
        turn = quaternion_of(a.placement)
    else:
        turn = quaternion_from_rotation(rotation)
    found[:, :3], found[:, 3:7] = position, turn
    return found


def row_of(statement: Statement, slots: Slots) -> Array:
    """Return the numbers of a part, in the core's order."""
    row = np.zeros(sum(count for _, count in slots.values()))
    values: dict[str, Any] = {"on": 1.0, **statement.numbers}
    if "target" in slots:
        values["target"] = target_numbers(statement.target, slots["target"][1])
    for name, value in values.items():
        at, count = slots[name]
        row[at : at + count] = value
    return row


def target_numbers(target: Any, count: int) -> Array:
    """Return the numbers of a target: a pose with its velocity, or a value with its rate."""
    found = np.zeros(count)
    if target is None:
        found[: 7 if count > 2 else 1] = np.nan
    elif count > 2:
        pose = np.asarray(target)
        found[:3], found[3:7] = pose[:3, 3], quaternion_of(pose)
    else:
        found[0] = float(target)
    return found


def quaternion_of(placement: Array) -> Array:
    """Return the quaternion (4,) of a placement (4, 4): at once where it turns nothing, as most."""
    rotation = placement[:3, :3]
    if rotation.tolist() == NO_TURN:
        return STRAIGHT
    return quaternion_from_rotation(rotation)


def core_arguments(model: Model, statement: Statement) -> dict[str, Any]:
    """Return what the core is told of a part."""
    a, b = statement.a, statement.b
    joints = [(model.joint(name), ratio) for name, ratio in statement.joints]
    for joint, _ in joints:
        if joint.nv != 1:
            raise ValueError(f"joint {joint.name!r} is {joint.kind}, must have one coordinate")
    return {
        "coordinates": statement.coordinates,
        "law": statement.law,
        "body_a": -1 if a is None else a.body,
        "body_b": -1 if b is None else b.body,
        "placement_a": [] if a is None else a.placement.ravel().tolist(),
        "placement_b": [] if b is None else b.placement.ravel().tolist(),
        "rows": [kind for kind, _, _ in statement.rows],
        "axes": [axis for _, i, j in statement.rows for axis in (i, j)],
        "joints": [joint.velocity_slice.start for joint, _ in joints],
        "ratios": [ratio for _, ratio in joints],
        "path": [] if statement.path is None else spline_pieces(statement).ravel().tolist(),
        "closed": statement.path is not None and bool(statement.target),
    }


def spline_pieces(statement: Statement) -> Array:
    """Return p, a, b, c (n, 4, 3) of the pieces of a smooth path, each by u from 0 to 1."""
    from scipy.interpolate import CubicSpline  # slow to import, and only needed here

    points = np.asarray(statement.path)
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    at = np.concatenate([[0.0], np.cumsum(steps)])
    spline = CubicSpline(at, points, bc_type="periodic" if statement.target else "natural")
    scales = steps[:, None] ** np.arange(4)
    return np.asarray(np.moveaxis(spline.c[::-1], 0, 1) * scales[:, :, None])


def free_name(kind: str, names: Container[str]) -> str:
    """Return a name that no part has yet."""
    number = 1
    while (name := f"{kind}{number}") in names:
        number += 1
    return name
