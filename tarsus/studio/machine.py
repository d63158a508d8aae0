"""A document that moves: its model, its simulation, and its state carried over edits."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tarsus.arrays import Array
from tarsus.constraint import Grab
from tarsus.kit import carry
from tarsus.model import WORLD, Model
from tarsus.parts import Part
from tarsus.parts.place import placement_of, split
from tarsus.simulation import StartError
from tarsus.simulation.edited import flat, keep_currents
from tarsus.spatial import inverse, pose, rotation_from_quaternion
from tarsus.studio.carriers import carriers
from tarsus.studio.document import Document
from tarsus.studio.followers import bound_numbers, follow_targets
from tarsus.studio.powers import PowerMeter, unaccounted
from tarsus.studio.touching import simulation_of

HAND = "hand"
"""What the part is called by which a person pulls; no document has it."""
MOST_STEPS = 2**31 - 1
"""On the clock of a machine."""
DRIFT = 1e-3
"""How far loops may be open when a motion begins [m, or sine of an angle]."""
POINTS = ("nail", "move_to", "grab")
"""Constraints whose targets are points."""


@dataclass(frozen=True)
class ShownBody:
    """A body as people know it: on moving body number `index` (−1: the world) at `placement`."""

    name: str
    index: int
    placement: Array


class Machine:
    """A document with its model and an interactive motion of it.

    `start` is a state (q, v) of the model at the time `t` [s]; `before` is the machine that it was
    edited from, whose state, currents of motors and hands go on here.
    """

    def __init__(
        self,
        document: Document,
        start: tuple[Array, Array] | None = None,
        before: Machine | None = None,
        *,
        model: Model | None = None,
        t: float = 0.0,
    ) -> None:
        if model is None:
            strict = before is None or before.model._strict
            model = Model(document.description, strict=strict)
        self.model: Model = model
        if start is None and before is not None:
            carried = carry(before.model, self.model, before.q, before.v)
            start = carried.q, carried.v
        if start is None:
            start = self.model.initial_configuration, np.zeros(self.model.nv)
        self.simulation, self.passing = simulation_of(document, self.model, start[0])
        """The simulation, and pairs of bodies that pass each other, because they began inside."""
        for part in document.parts.values():
            self.simulation.add(part)
        self.start = start
        """The state in which its motion began."""
        self._begin(document)
        self._set_clock(t)
        self.document = self._anchored(document)
        if before is not None:
            self._go_on_as(before)
        for name, handle in self.simulation.parts.items():
            handle.on = name not in self.document.resting
        self.follow_bindings()
        self._knobs = bound_numbers(self)
        self.turn_knobs(t)
        self.acceleration: Array | None = None
        """In the last step (nv,), None before the first."""
        self.stored_at_start = float(self.simulation.energy_now().stored[0])
        """What was stored when its motion began [J]."""
        self.meter = PowerMeter(self)
        """What reads powers."""

    def _begin(self, document: Document) -> None:
        """Let the motion begin; loops may be as open as they become on the way."""
        q, v = self.start
        try:
            self.simulation.reset(q, v, controller=document.controller, ledger=True)
        except StartError:
            gaps = np.abs(self.model.loop_gaps(q))
            if not 0.0 < gaps.max(initial=0.0) < DRIFT:
                raise
            closed = carry(self.model, self.model, q, v)
            self.simulation.reset(closed.q, closed.v, controller=document.controller, ledger=True)
            self.put(q, v)

    def put(self, q: Array, v: Array) -> None:
        """Let the motion go on from q (nq,) and v (nv,), as they are."""
        core = self.simulation.moving().core
        core.restore(q[None], v[None], core.memory, flat(core.touched), core.steps)

    def step(self, count: int) -> None:
        """Make steps; the acceleration of the last one is kept, for what joints bear."""
        if count > 1:
            self.simulation.step(steps=count - 1)
        before = self.v
        self.simulation.step(steps=1)
        self.acceleration = (self.v - before) / self.simulation.dt

    @property
    def q(self) -> Array:
        """The configuration (nq,)."""
        return self.simulation.q

    @property
    def v(self) -> Array:
        """The velocity (nv,)."""
        return self.simulation.v

    def bodies(self) -> list[ShownBody]:
        """Return the bodies as they are known to people, each on the body that moves it."""
        return self._bodies

    @functools.cached_property
    def _bodies(self) -> list[ShownBody]:
        found = []
        for body in self.model.description.bodies:
            if body.name not in self._carriers:
                frame = self.model.frame(body.name)
                index = -1 if frame.body == WORLD else self.model.body(frame.body).index
                found.append(ShownBody(body.name, index, frame.placement))
        # those that move first, in the order in which they hang on each other
        return sorted(found, key=lambda body: body.index % (len(found) + 1))

    @functools.cached_property
    def frame_names(self) -> list[str]:
        """The names of bodies and frames that people gave."""
        return [name for name in self.model.frame_names if name not in self._carriers]

    @functools.cached_property
    def _carriers(self) -> dict[str, str]:
        return carriers(self.model.description)

    def owner(self, link: str) -> str:
        """Return the body that is known to people on a link: "crank" for "crank.pivot"."""
        return self._carriers.get(link, link)

    def poses(self, q: Array | None = None) -> Array:
        """Return where the bodies of `bodies` are (n, 4, 4), now or at q."""
        moving = self.model.forward_kinematics(self.q if q is None else q)
        placed = [
            body.placement if body.index < 0 else moving[body.index] @ body.placement
            for body in self.bodies()
        ]
        return np.array(placed).reshape(-1, 4, 4)

    def pose(self, body: str) -> Array:
        """Return where a body or frame is now (4, 4)."""
        return np.eye(4) if body == WORLD else self.model.frame_pose(self.q, body)

    def add(self, part: Part) -> Part:
        """Put a part on, and return it with what was taken from where things are."""
        handle = self.simulation.add(part)
        try:
            stated = _stated(part, handle)
        except Exception:
            self.simulation.remove(handle)
            raise
        self.document = self.document.with_part(stated)
        return stated

    def follow_bindings(self) -> None:
        """Let targets of parts follow the expressions that they are bound to."""
        follow_targets(self)

    def turn_knobs(self, t: float) -> None:
        """Set numbers of parts that are bound to what their expressions are at a time [s]."""
        for (part, number), plan in self._knobs.items():
            setattr(self.simulation.parts[part], number, plan(t))

    @contextmanager
    def other_parts(self) -> Iterator[None]:
        """Let a part come or go in the midst of a motion: what it brings or takes is not made."""
        before = unaccounted(self.simulation.energy_now())
        yield
        self.stored_at_start += unaccounted(self.simulation.energy_now()) - before
        self.meter = PowerMeter(self)

    def _set_clock(self, t: float) -> None:
        """Let controllers and plans, which go by time, go on: the clock counts whole steps."""
        steps = min(max(round(t / self.simulation.dt), 0), MOST_STEPS)
        core = self.simulation.moving().core
        state = np.atleast_2d(core.q, core.v)
        core.restore(*state, core.memory, flat(core.touched), steps)
        self.began_at, self.lag = t, t - self.simulation.t
        """When its motion began, and what its clock lacks to the time [s]."""

    def _anchored(self, document: Document) -> Document:
        """Return the document with parts as they hold now, so that edits leave them there."""
        handles = self.simulation.parts
        parts = {name: _stated(part, handles[name]) for name, part in document.parts.items()}
        return document.but(parts=parts, resting=document.resting & parts.keys())

    def _go_on_as(self, before: Machine) -> None:
        """Keep currents of motors, and the hand where it is; numbers are those of the document."""
        hand = before.simulation.parts.get(HAND)
        grab = None if hand is None else hand.part
        if isinstance(grab, Grab) and split(grab.where)[0] in self.model.frame_names:
            self.simulation.add(replace(grab, target=before.simulation.parts[HAND].target[:3]))
        keep_currents(before.simulation.board, self.simulation.board)


def _stated(part: Part, handle: Any) -> Part:
    """Return a part whose target is stated, where it was left to where things are."""
    fields: dict[str, Any] = getattr(type(part), "__dataclass_fields__", {})
    for name in ("target", "rest_length", "length", "rest"):
        if name in fields and getattr(part, name) is None:
            return replace(part, **{name: _target(part, handle, name)})
    return part


def _target(part: Part, handle: Any, name: str) -> Any:
    value = handle.target
    if name != "target" or np.ndim(value) == 0:
        return float(value)
    if part.kind in POINTS and not getattr(part, "pose", False):
        return tuple(float(x) for x in value[:3])
    whole = pose(value[:3], rotation_from_quaternion(value[3:]))
    return inverse(placement_of(split(part.of)[1], "of")) @ whole if hasattr(part, "of") else whole
