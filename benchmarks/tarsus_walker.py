"""Walkers on a floor in Tarsus: exact contact, the same feet and control as in `mujoco_walker`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from walkers import DT, Walker

import tarsus as ts
from tarsus import _core
from tarsus.bench.timing import Contender
from tarsus.model.description import Array

FLOOR = np.array([0.0, 0.0, 1.0, 0.0])
"""The plane z = 0."""
CODE_OK = 0


def spheres_on_floor(
    model: ts.Model,
    bodies: Sequence[int],
    centres: Array,
    radii: Array,
    effort: Array,
    dry_friction: bool = True,
) -> _core.World:
    """Return the core's world with exact contact: spheres of bodies on a level plane."""
    none = np.zeros(0)
    return _core.World(
        model,
        dt=DT,
        law="exact",
        law_numbers={},
        point_body=bodies,
        point_position=centres,
        point_radius=radii,
        ring_body=[],
        ring_position=none.reshape(0, 3),
        ring_axis=none.reshape(0, 3),
        ring_radius=none,
        solid_body=[],
        solid_kind=[],
        solid_placement=none.reshape(0, 4, 4),
        solid_size=none.reshape(0, 3),
        pairs=[],
        ground_kind="plane",
        ground_numbers=FLOOR,
        max_contacts=len(bodies),
        joint_friction=dry_friction,
        stiction=np.zeros(model.nv),
        controller="pd",
        effort=effort,
    )


class TarsusWalker:
    """So many states of a walker, at first at rest in its stance."""

    def __init__(self, walker: Walker, friction: float, states: int = 1) -> None:
        self.walker, model = walker, walker.model
        bodies, centres, radii = zip(*walker.spheres, strict=True)
        effort = np.where(np.arange(model.nv) < 6, 0.0, model.effort_limit)
        self.world = spheres_on_floor(
            model, bodies, np.array(centres), np.array(radii), effort, walker.dry_friction
        )
        kp, kd = walker.gains
        ground = [friction, 0.0, 0.0, 0.05]
        row = np.concatenate([ground, kp, kd, np.zeros(model.nv), np.ones(model.n_bodies)])
        self.parameters = row[None]
        self.q, self.v = np.tile(walker.stance, (states, 1)), np.zeros((states, model.nv))
        self.memory = np.zeros((states, self.world.memory_size))

    def follow(self, rows: Array, record: dict[str, Array] | None = None) -> None:
        """Advance by references (states, steps, nq + 2 nv)."""
        status = self.world.advance(
            self.q,
            self.v,
            self.memory,
            self.parameters,
            np.ascontiguousarray(rows),
            steps=rows.shape[1],
            record=record,
        )
        if np.any(status[:, 0] != CODE_OK):
            raise RuntimeError(f"{self.walker.title}: {np.unique(status, axis=0)}")

    def rollout(self, rows: Array) -> Contender:
        """Return `World.advance` from here, by references as in `follow`, states recorded."""
        states, steps = rows.shape[:2]
        start = {"q": self.q.copy(), "v": self.v.copy(), "memory": self.memory.copy()}
        names = self._names(rows) | {f"{key}_start": array for key, array in start.items()}
        shapes = {"q": self.q.shape[1], "v": self.v.shape[1]}
        names["record"] = {key: np.ones((states, steps, n)) for key, n in shapes.items()}
        again = "; ".join(f"copyto({key}, {key}_start)" for key in start)
        call = f"advance(q, v, memory, parameters, commands, steps={steps}, record=record)"
        return Contender(f"{again}; {call}", names, units=states * steps)

    def stand(self, rows: Array, steps: int) -> Contender:
        """Return calls of `World.advance` with so many steps each, for all states."""
        call = f"advance(q, v, memory, parameters, commands, steps={steps})"
        return Contender(call, self._names(rows), units=len(self.q) * steps)

    def load(self, rows: Array) -> float:
        """Return the sum of the normal forces on the feet [N] of the first state, a step later."""
        contacts = np.zeros((len(self.q), 1, len(self.walker.spheres), 13))
        self.follow(rows[:, :1], {"contacts": contacts})
        first = contacts[0, 0]
        return float(first[first[:, 0] >= 0.0, 9].sum())

    def _names(self, rows: Array) -> dict[str, Any]:
        """Return what a timed call needs, with arrays of its own that it may change."""
        return {
            "advance": self.world.advance,
            "copyto": np.copyto,
            "q": self.q.copy(),
            "v": self.v.copy(),
            "memory": self.memory.copy(),
            "parameters": self.parameters,
            "commands": np.ascontiguousarray(rows),
        }
