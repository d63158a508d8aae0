"""A step with parts, dense and in NumPy: values from poses, rows from differences of them.

    V = J v⁺ − r₀,   v⁺ = v* + H⁻¹ Jᵀ p,   p = −h (T + …) for forces,  V = target for what is held

Nothing of it is shared with the core but poses, the mass matrix and accelerations without parts,
which have oracles of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from gyration import over_step
from scipy.spatial.transform import Rotation
from turning_bases import carried, in_new_axes, moved

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.parts import Part, Place, Statement

STEP = 1e-6
"""Of central differences, on values whose third derivatives are of order one."""


@dataclass
class DensePart:
    """A part with its target and numbers, and what it remembers of the last step."""

    model: ts.Model
    part: Part
    target: Any
    rate: Array | None = None
    fresh: bool = True
    statement: Statement = field(init=False)

    def __post_init__(self) -> None:
        self.statement = self.part.statement(self.model)

    def values(self, q: Array) -> Array:
        """Return x (rows,), by definition."""
        s, poses = self.statement, np.asarray(self.model.forward_kinematics(q))
        if s.coordinates == "joint":
            x = np.asarray(self.model.joint_positions(q))
            own = [r * x[self.model.joint(n).position_slice.start] for n, r in s.joints]
            return np.array([sum(own) - self.target])
        assert s.a is not None and s.b is not None
        b = _pose(s.b, poses)
        if s.coordinates == "line":
            return np.array([np.linalg.norm(b[:3, 3] - _pose(s.a, poses)[:3, 3]) - self.target])
        a = _pose(Place(s.a.body, self.target), poses)
        seen = np.linalg.inv(a) @ b
        if {("position", i, 0) for i in range(3)} <= set(s.rows):  # in axes of the world
            seen[:3, 3] = b[:3, 3] - a[:3, 3]
        turn = Rotation.from_matrix(seen[:3, :3]).as_rotvec()
        found = {"position": lambda i, j: seen[i, 3], "turn": lambda i, j: turn[i]}
        found["rotation"] = lambda i, j: seen[i, j]
        return np.array([found[kind](i, j) for kind, i, j in s.rows])

    def rows(self, q: Array) -> Array:
        """Return J (rows, nv): for turns the angular velocity, for others the values' slopes."""
        eye = np.eye(self.model.nv)

        def along(value: Callable[[Array], Array]) -> Array:
            ends = [
                (value(moved(self.model, q, STEP * e)) - value(moved(self.model, q, -STEP * e)))
                for e in eye
            ]
            return np.array(ends).T / (2 * STEP)

        J = along(self.values)
        turns = [k for k, row in enumerate(self.statement.rows) if row[0] == "turn"]
        if turns:
            angular = along(self._small_turn(q))
            J[turns] = angular[[self.statement.rows[k][1] for k in turns]]
        return J

    def _small_turn(self, q: Array) -> Callable[[Array], Array]:
        """Return how much b has turned on a since q, in axes of a at q."""
        s = self.statement
        assert s.a is not None and s.b is not None

        def seen(at: Array) -> Array:
            poses = np.asarray(self.model.forward_kinematics(at))
            a, b = _pose(Place(s.a.body, self.target), poses), _pose(s.b, poses)
            return a[:3, :3].T @ b[:3, :3]

        start = seen(q)
        return lambda at: Rotation.from_matrix(seen(at) @ start.T).as_rotvec()


def _pose(place: Place, poses: Array) -> Array:
    return place.placement if place.body < 0 else poses[place.body] @ place.placement


@dataclass
class Pulls:
    """Forces against rows at the start of a step, and their slopes by value and by rate."""

    force: Array
    slope: Array
    damping: Array


def pulls(part: DensePart, x: Array, rate: Array) -> Pulls:
    """Return what the law of a part says."""
    n, law = part.statement.numbers, part.statement.law
    k, d = float(n.get("stiffness", 0.0)), float(n.get("damping", 0.0))
    one = np.ones_like(x)
    if law == "spring":
        return Pulls(k * x + d * rate, k * one, d * one)
    if law == "string":
        taut = (x > 0.0).astype(float)
        return Pulls(np.maximum(k * x + d * rate, 0.0) * taut, k * taut, d * taut)
    if law == "support":
        deep = (x < 0.0).astype(float)
        return Pulls(np.minimum(k * x + d * rate, 0.0) * deep, k * deep, d * deep)
    if law == "rubber":
        e, width = n["return_ratio"], n["smoothing"]
        u = np.clip((rate + width) / (2 * width), 0.0, 1.0)
        sigma = e + (1 - e) * u * u * (3 - 2 * u)
        taut = np.maximum(x, 0.0)
        bend = (1 - e) * 6 * u * (1 - u) / (2 * width)
        return Pulls(k * taut * sigma, k * sigma * (x > 0.0), k * taut * bend)
    size = np.linalg.norm(rate[:3])
    damping = np.full(len(x), n["linear"] + n["quadratic"] * size)
    damping[3:] = n["angular"]
    return Pulls(damping * rate, 0.0 * one, damping)


def step(
    model: ts.Model, q: Array, v: Array, parts: list[DensePart], h: float
) -> tuple[Array, Array]:
    """Return q and v after a step with unbounded parts; what they remember changes."""
    a = np.asarray(model.forward_dynamics(q, v, np.zeros(model.nv)))
    mass = np.asarray(model.mass_matrix(q))
    held = any(part.statement.law == "rigid" for part in parts)
    change, later = over_step(model, q, v, h, mass, mass @ a, held)
    free = v + change + h * carried(model, v, later)
    inverse = np.linalg.inv(mass)
    J = np.concatenate([part.rows(q) for part in parts])
    x = [part.values(q) for part in parts]
    rates = np.split(J @ v, np.cumsum([len(each) for each in x])[:-1])
    A = J @ inverse @ J.T
    targets, compliance, on = [], [], []
    at = 0
    for part, value, rate in zip(parts, x, rates, strict=True):
        own = slice(at, at + len(value))
        at += len(value)
        if part.statement.law == "rigid":
            targets.append(held_velocity(part, value, rate, h))
            compliance.append(np.zeros(len(value)))
            on.append(np.ones(len(value), dtype=bool))
            continue
        pull = pulls(part, value, rate)
        stops = np.minimum(1.0, pull.damping * h * np.diag(A)[own])
        lag = 0.25 * (1 - stops)
        inert = pull.damping + lag * h * pull.slope
        steep = inert + stops * h * pull.slope
        acts = steep > 0.0
        steep = np.where(acts, steep, 1.0)
        targets.append(-(pull.force - inert * rate) / steep)
        compliance.append(1 / (h * steep))
        on.append(acts)
    rows = np.concatenate(on)
    b = (J @ free - np.concatenate(targets))[rows]
    whole = A + np.diag(np.concatenate(compliance))
    p = -least_squares(whole[np.ix_(rows, rows)], b)
    after = free + inverse @ J[rows].T @ p
    for part, rate in zip(
        parts, np.split(J @ after, np.cumsum([len(e) for e in x])[:-1]), strict=True
    ):
        part.rate, part.fresh = rate, False
    return moved(model, q, h * after), in_new_axes(model, after, h * after)


def least_squares(A: Array, b: Array) -> Array:
    """Return the least p with the least |A p − b|, both at the size of the rows' diagonals."""
    size = np.diag(A)
    moves = size > 1e-14 * max(size.max(), 1.0)
    scale = np.where(moves, 1 / np.sqrt(np.maximum(size, 1e-300)), 0.0)
    scaled = scale[:, None] * A * scale
    return scale * np.linalg.lstsq(scaled, scale * b, rcond=1e-9)[0]


def held_velocity(part: DensePart, x: Array, rate: Array, h: float) -> Array:
    """Return the velocity at which a gap closes, less half of what the rows' turning changed."""
    tau = part.statement.numbers["time_constant"]
    if part.fresh:
        if tau == 0.0:
            return -0.5 * x / h
        return ((x + (rate + x / tau) * h) * np.exp(-h / tau) - x) / h
    assert part.rate is not None
    curve, mean = 0.5 * (rate - part.rate), 0.5 * (rate + part.rate)
    root = np.exp(-h / tau) * np.minimum(1.0, np.abs(x) / 1e-4) if tau else 0.0
    closes = (1 - root) ** 2 if tau else 0.5
    return np.asarray(root**2 * mean - closes * x / h - curve)
