"""The model that moves in the studio: contacts, dependent bodies."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.geometry.collision import Collision
from tarsus.geometry.contact_candidates import GROUND
from tarsus.model.assembly.state_transfer import carry
from tarsus.model.model import Model
from tarsus.parts.motions import Grab
from tarsus.parts.part import Part, place_of, placement_of, split
from tarsus.parts.rigid_constraints import Joint, PointToPoint, Weld
from tarsus.simulation.edited import flat, keep_currents
from tarsus.simulation.errors import StartError
from tarsus.simulation.simulation import Simulation
from tarsus.spatial import inverse, pose, rotation_from_quaternion
from tarsus.studio.bindings import Plan, Targets, plan_of, targets_of, ways
from tarsus.studio.document import Document, carriers
from tarsus.studio.powers import PowerMeter, unaccounted

# A document that moves: its model, its simulation, and its state carried over edits.


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
            strict = before is None or before.model.strict
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


# What touches what while a machine is being built: all that does not stick in each other now.
#
# Bodies of different linkages touch. Where an edit leaves two of them in each other, as rods that
# cross, they do not, until they are apart when something is edited next. What flies together is one
# linkage already: parts could not meet within each other otherwise.


Pair = tuple[str, str]


def simulation_of(document: Document, model: Model, q: Array) -> tuple[Simulation, list[Pair]]:
    """Return a simulation without its parts, and the pairs of bodies that may pass each other."""
    simulation = _made(document, model, document.collision)
    if document.collision is not None or simulation.starts is None:
        return simulation, []
    pairs, deep = _pairs(simulation, q)
    linkage = _linkages(document, model)
    apart = [pair for pair in pairs if linkage[pair[0]] != linkage[pair[1]]]
    deep = [pair for pair in deep if pair in apart]
    if len(apart) == len(pairs) and not deep:
        return simulation, []
    touching = [pair for pair in apart if pair not in deep]
    return _made(document, model, Collision.from_model(model, self_collision=touching)), deep


def _linkages(document: Document, model: Model) -> dict[str, int]:
    """Return the linkage of each body; loops and joints that are constraints are of it, too."""
    bodies = [model.body(name) for name in model.body_names]
    pairs = [(body.index, body.parent) for body in bodies]
    for loop in model.description.loops:
        ends = loop.body_a, loop.body_b
        first, second = (place_of(model, body, "loop").body for body in ends)
        pairs.append((first, second))
    for part in document.parts.values():
        if isinstance(part, (Joint, Weld, PointToPoint)):
            first, second = (place_of(model, where, "where").body for where in (part.a, part.b))
            pairs.append((first, second))
    linkage = list(range(len(bodies)))
    for first, second in pairs:
        if min(first, second) >= 0:
            old, new = linkage[first], linkage[second]
            linkage = [new if own == old else own for own in linkage]
    # what is welded to the world touches all, also what is hinged to the world
    return {WORLD: -1} | dict(zip(model.body_names, linkage, strict=True))


def _made(document: Document, model: Model, collision: Collision | None) -> Simulation:
    return Simulation(
        model,
        ground=document.ground,
        collision=collision,
        contact=document.contact,
        dt=document.dt,
        forces=(),
        **document.settings,
    )


def _pairs(simulation: Simulation, q: Array) -> tuple[list[Pair], list[Pair]]:
    """Return all pairs of bodies that could touch, and those that are in each other at q (nq,)."""
    starts = simulation.started()
    world, places = starts.worlds.get(starts.drive(None)), starts.worlds.places
    if not places:
        return [], []
    apart = world.contacts(q[None])[0, :, 0]
    named = [(each.body, each.other) for each in places]
    between = [pair for pair in named if pair[1] != GROUND]
    # what rests on something is a little in it, as deep as a motion may begin
    deep = [
        pair
        for pair, gap in zip(named, apart, strict=True)
        if pair[1] != GROUND and gap < -starts.worlds.start_depth
    ]
    return _unique(between), _unique(deep)


def _unique(pairs: Iterable[Pair]) -> list[Pair]:
    return sorted(set(pairs))


# What follows expressions of time: targets of parts in each step, their numbers in each frame.


def follow_targets(machine: Machine) -> None:
    """Let targets of parts follow the expressions that they are bound to."""
    found = ways(machine.model, machine.document.parts)
    for target, expression in machine.document.bindings.items():
        name, _, number = target.rpartition(".")
        count = target_size(machine, name)
        if number == "target" and count:
            plan = _later(targets_of(expression, count, found), machine.lag)
            machine.simulation.parts[name].follow(plan)


def bound_numbers(machine: Machine) -> dict[tuple[str, str], Plan]:
    """Return plans of numbers of parts that are bound, but for targets, which steps follow."""
    found = {}
    for target, expression in machine.document.bindings.items():
        name, _, number = target.rpartition(".")
        if number != "target" and has_number(machine, name, number):
            found[name, number] = plan_of(expression)
    return found


def target_size(machine: Machine, part: str) -> int:
    """Return how many numbers a part's target has, 3 for a point, 0 if it has none."""
    parts = machine.simulation.parts
    if part not in parts or "target" not in dir(parts[part]):
        return 0
    return 1 if np.ndim(parts[part].target) == 0 else 3


def has_number(machine: Machine, part: str, number: str) -> bool:
    """Whether a part has a number of this name that may be turned while it acts."""
    if part not in machine.simulation.parts:
        return False
    handle = machine.simulation.parts[part]
    stated = getattr(handle.part, number, None)
    return (
        isinstance(stated, (int, float))
        and not isinstance(stated, bool)
        and number in dir(handle)
        and np.ndim(getattr(handle, number)) == 0
    )


def bindable(machine: Machine, part: str) -> list[str]:
    """Return what of a part may follow an expression: numbers of it, and last its target."""
    stated = fields(machine.document.parts[part]) if part in machine.document.parts else ()
    numbers = [x.name for x in stated if x.name != "target" and has_number(machine, part, x.name)]
    return [*numbers, "target"] if target_size(machine, part) else numbers


def _later(plan: Targets, start: float) -> Targets:
    """Return a plan of the world's time as one of the time since a motion began."""
    return lambda t: plan(start + t)
