"""A simulated world as numbers: the compiled core and the dense oracle are made from the same."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from cone_problem import Array

import tarsus as ts

UP = (0.0, 0.0, 1.0, 0.0)
"""The plane z = 0: normal and offset."""


def array(numbers: Any, *shape: int) -> Array:
    """Return numbers as an array, (0, *shape) if there are none."""
    found = np.asarray(numbers, float)
    return found if found.size else np.zeros((0, *shape))


def four(sizes: Any) -> Array:
    """Return sizes of solids with four numbers each, as the core has them."""
    found = array(sizes, 4)
    return np.pad(found, ((0, 0), (0, 4 - found.shape[1])))


@dataclass(frozen=True)
class World:
    """Everything that `_core.World` asks for, with plain defaults, and the row of parameters."""

    model: ts.Model
    dt: float = 1e-3
    law: str = "exact"
    explicit: bool = False
    point_body: Any = ()
    point_position: Any = ()
    point_radius: Any = 0.0
    ring_body: Any = ()
    ring_position: Any = ()
    ring_axis: Any = ()
    ring_radius: Any = ()
    solid_body: Any = ()
    solid_kind: tuple[str, ...] = ()
    solid_placement: Any = ()
    solid_size: Any = ()
    pairs: Any = ()
    ground_kind: str = "plane"
    ground_numbers: tuple[float, ...] = UP
    max_contacts: int = 32
    law_numbers: dict[str, float] = field(default_factory=dict)
    joint_friction: bool = True
    joint_limits: bool = True
    stiction: Any = None
    torsional_friction: float = 0.0
    rolling_friction: float = 0.0
    limit_restitution: float = 0.0
    strict: bool = False
    controller: str = "torque"
    control_steps: int = 1
    effort: Any = None
    friction: float = 0.6
    viscous: float = 0.0
    restitution: float = 0.0
    rest_speed: float = 0.05
    kp: Any = 0.0
    kd: Any = 0.0
    ki: Any = 0.0
    mass_scale: Any = 1.0

    def but(self, **changes: Any) -> World:
        """Return a world with some things changed."""
        return replace(self, **changes)

    def core(self) -> Any:
        """Return the compiled world."""
        nv, count = self.model.nv, len(self.point_body)
        return ts._core.World(  # type: ignore[attr-defined]
            self.model,
            dt=self.dt,
            law=self.law,
            explicit=self.explicit,
            point_body=np.asarray(self.point_body, np.int32),
            point_position=array(self.point_position, 3),
            point_radius=np.broadcast_to(self.point_radius, count).astype(float),
            ring_body=np.asarray(self.ring_body, np.int32),
            ring_position=array(self.ring_position, 3),
            ring_axis=array(self.ring_axis, 3),
            ring_radius=array(self.ring_radius),
            solid_body=np.asarray(self.solid_body, np.int32),
            solid_kind=list(self.solid_kind),
            solid_placement=array(self.solid_placement, 4, 4),
            solid_size=four(self.solid_size),
            pairs=np.asarray(self.pairs, np.int32).reshape(-1, 2),
            ground_kind=self.ground_kind,
            ground_numbers=np.asarray(self.ground_numbers, float),
            max_contacts=self.max_contacts,
            law_numbers=self.law_numbers,
            joint_friction=self.joint_friction,
            joint_limits=self.joint_limits,
            stiction=np.zeros(nv) if self.stiction is None else np.asarray(self.stiction, float),
            controller=self.controller,
            control_steps=self.control_steps,
            effort=self.efforts(),
            torsional_friction=self.torsional_friction,
            rolling_friction=self.rolling_friction,
            limit_restitution=self.limit_restitution,
            strict=self.strict,
        )

    def efforts(self) -> Array:
        """Return the limits (nv,) of the actuators, inf where none was stated."""
        nv = self.model.nv
        return np.broadcast_to(np.inf if self.effort is None else self.effort, nv).astype(float)

    def gains(self) -> tuple[Array, Array, Array]:
        """Return kp, kd and ki (nv,)."""
        kp, kd, ki = (
            np.broadcast_to(gain, self.model.nv).astype(float)
            for gain in (self.kp, self.kd, self.ki)
        )
        return kp, kd, ki

    def parameters(self) -> Array:
        """Return the row (1, parameter_size)."""
        surface = [self.friction, self.viscous, self.restitution, self.rest_speed]
        scale = np.broadcast_to(self.mass_scale, self.model.n_bodies)
        return np.concatenate([surface, *self.gains(), scale])[None]

    def scaled_model(self) -> ts.Model:
        """Return the model with scaled masses and inertias, all welded parts included."""
        scale = np.broadcast_to(self.mass_scale, self.model.n_bodies)
        if np.all(scale == 1.0):
            return self.model
        bodies = []
        for body in self.model.description.bodies:
            carrier = self.model.frame(body.name).body
            factor = scale[self.model.body_names.index(carrier)]
            inertia = np.asarray(body.inertia) * factor
            bodies.append(replace(body, mass=body.mass * factor, inertia=inertia))
        return ts.Model(replace(self.model.description, bodies=bodies), strict=False)


@dataclass
class Run:
    """States of one or several mechanisms in a compiled world, and what it recorded."""

    world: Any
    parameters: Array
    commands: Array
    q: Array
    v: Array
    memory: Array
    step: int = 0
    hold: int = 1
    status: Any = None

    @classmethod
    def start(
        cls, world: World, q: Array, v: Array, commands: Array | None = None, **options: Any
    ) -> Run:
        """Return states (…, nq) and (…, nv) at rest in memory; commands (…, K, size) or zeros."""
        compiled = world.core()
        q, v = np.atleast_2d(np.array(q, float)), np.atleast_2d(np.array(v, float))
        if commands is None:
            commands = np.zeros((1, 1, compiled.command_size))
        commands = np.array(commands, float)
        commands = commands.reshape(-1, *commands.shape[-2:]) if commands.ndim > 1 else commands
        memory = np.zeros((len(q), compiled.memory_size))
        return cls(compiled, world.parameters(), commands, q, v, memory, **options)

    def record(self, samples: int) -> dict[str, Array]:
        """Return arrays for everything that can be recorded, filled with NaN."""
        size, nq, nv = len(self.q), self.q.shape[1], self.v.shape[1]
        sizes: dict[str, tuple[int, ...]] = {
            "q": (nq,),
            "v": (nv,),
            "tau": (nv,),
            "energy": (self.world.energy_size,),
            "contacts": (self.world.max_contacts, 13),
            "statistics": (5,),
        }
        return {name: np.full((size, samples, *own), np.nan) for name, own in sizes.items()}

    def advance(self, steps: int, every: int = 1, **options: Any) -> dict[str, Array]:
        """Go on, record every sample, and return the record."""
        record = self.record(steps // every)
        self.status = self.world.advance(
            self.q,
            self.v,
            self.memory,
            self.parameters,
            self.commands,
            hold=self.hold,
            first_step=self.step,
            steps=steps,
            every=every,
            record=record,
            **({"ledger": True} | options),
        )
        self.step += steps
        return record

    def energies(self) -> Array:
        """Return the rows of energies (B, energy_size) of the present states."""
        return np.asarray(self.world.energies(self.q, self.v, self.memory, self.parameters))
