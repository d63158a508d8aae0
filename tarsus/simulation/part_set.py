"""The parts of a simulation: what they are for the core, and the numbers that they start with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tarsus import _core
from tarsus.arrays import Array
from tarsus.model import Model
from tarsus.model.checks import expect, find
from tarsus.parts import Part, Statement
from tarsus.simulation.errors import SimulationError
from tarsus.spatial import quaternion_from_rotation


@dataclass(frozen=True, eq=False)
class Fitted:
    """A part in a model: its name there, what it is by numbers, and the numbers themselves.

    A target that is not a number stands for where things are when the part is put on.
    """

    name: str
    part: Part
    statement: Statement
    core: dict[str, Any]
    """Arguments of the core."""

    def row(self, slots: dict[str, tuple[int, int]]) -> Array:
        """Return the part's numbers, in the core's order."""
        first = min(at for at, _ in slots.values())
        row = np.zeros(sum(count for _, count in slots.values()))
        values: dict[str, Any] = {"on": 1.0, **self.statement.numbers}
        if "target" in slots:
            values["target"] = target_numbers(self.statement.target, slots["target"][1])
        for name, value in values.items():
            at, count = slots[name]
            row[at - first : at - first + count] = value
        return row


@dataclass(frozen=True, eq=False)
class PartSet:
    """Parts in the order in which they were added; immutable: one more is another set."""

    model: Model
    parts: tuple[Fitted, ...]
    core: _core.Parts

    @classmethod
    def of(cls, model: Model, parts: Any = ()) -> PartSet:
        """Return the set of these parts."""
        found = cls(model, (), _core.Parts(model))
        for part in parts:
            found = found.added(part)
        return found

    def added(self, part: Part) -> PartSet:
        """Return the set with one part more."""
        expect(part, Part, "part")
        names = {each.name for each in self.parts}
        if part.name in names:
            raise ValueError(f"there is a part {part.name!r} already; give it another name")
        name = part.name or free_name(part.kind, names)
        statement = part.statement(self.model)
        fitted = Fitted(name, part, statement, core_arguments(self.model, statement))
        return PartSet(self.model, (*self.parts, fitted), self.core.added(**fitted.core))

    def without(self, name: str) -> PartSet:
        """Return the set with one part less."""
        index = self.index(name)
        rest = (*self.parts[:index], *self.parts[index + 1 :])
        return PartSet(self.model, rest, self.core.without(index))

    def index(self, name: str) -> int:
        """Return the number of a part."""
        numbers: dict[str, int] = {each.name: k for k, each in enumerate(self.parts)}
        return find(numbers, name, "part")

    @cached_property
    def slots(self) -> tuple[dict[str, tuple[int, int]], ...]:
        """Where each part's numbers are, by name: (first, how many)."""
        return tuple(self.core.numbers(k) for k in range(len(self.parts)))

    @cached_property
    def numbers(self) -> Array:
        """The numbers of all parts as they were stated (1, n)."""
        rows = [each.row(slots) for each, slots in zip(self.parts, self.slots, strict=True)]
        return np.concatenate([np.zeros(0), *rows])[None]

    def filled(self, numbers: Array, q: Array) -> Array:
        """Return numbers (1 or B, n) whose targets are where things are in q (B, nq)."""
        unknown = np.isnan(numbers)
        if not unknown.any():
            return numbers.copy()
        found = np.broadcast_to(numbers, (len(q), numbers.shape[1])).copy()
        poses = np.asarray(self.model.forward_kinematics(q))
        for fitted, slots in zip(self.parts, self.slots, strict=True):
            at, count = slots.get("target", (0, 0))
            missing = np.isnan(found[:, at : at + count]).any(axis=1)
            if missing.any():
                found[missing, at : at + count] = self._here(fitted, q, poses)[missing]
        return found

    def _here(self, fitted: Fitted, q: Array, poses: Array) -> Array:
        """Return the targets (B, n) of a part at which its values are zero."""
        statement, zeros = fitted.statement, np.zeros((len(q), 1))
        if statement.coordinates == "joint":
            positions = np.asarray(self.model.joint_positions(q))
            joints = [(self.model.joint(name), ratio) for name, ratio in statement.joints]
            value = sum(ratio * positions[:, joint.position_slice.start] for joint, ratio in joints)
            return np.column_stack([value, zeros])
        a, b = statement.a, statement.b
        assert a is not None and b is not None
        here, there = (
            place.placement if place.body < 0 else poses[:, place.body] @ place.placement
            for place in (a, b)
        )
        if statement.coordinates == "line":
            apart = np.broadcast_to(there[..., :3, 3] - here[..., :3, 3], (len(q), 3))
            return np.column_stack([np.linalg.norm(apart, axis=1), zeros])
        # the place of b on the body of a; its axes are those of b, where turns are held
        body = np.eye(4) if a.body < 0 else poses[:, a.body]
        seen = np.broadcast_to(np.linalg.inv(body) @ there, (len(q), 4, 4)).copy()
        if not any(kind == "turn" for kind, _, _ in statement.rows):
            seen[:, :3, :3] = a.placement[:3, :3]
        quaternions = quaternion_from_rotation(seen[:, :3, :3])
        return np.concatenate([seen[:, :3, 3], quaternions, np.zeros((len(q), 6))], axis=1)


def target_numbers(target: Any, count: int) -> Array:
    """Return the numbers of a target: a pose with its velocity, or a value with its rate."""
    found = np.zeros(count)
    if target is None:
        found[: 7 if count > 2 else 1] = np.nan
    elif count > 2:
        pose = np.asarray(target)
        found[:3], found[3:7] = pose[:3, 3], quaternion_from_rotation(pose[:3, :3])
    else:
        found[0] = float(target)
    return found


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


def free_name(kind: str, names: set[str]) -> str:
    """Return a name that no part has yet."""
    number = 1
    while (name := f"{kind}{number}") in names:
        number += 1
    return name


def contradiction(missed: dict[str, float]) -> SimulationError:
    """Return the error of constraints that cannot all hold."""
    listed = ", ".join(f"{name!r} by {speed:.2g} m/s" for name, speed in missed.items())
    return SimulationError(f"constraints contradict each other: {listed}")
