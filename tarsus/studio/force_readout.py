"""Forces that the studio shows: reactions, axial forces, friction cones, distances."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.geometry.contact_candidates import GROUND
from tarsus.geometry.contact_material import blended
from tarsus.geometry.distances import Distances
from tarsus.geometry.volumes import Volumes
from tarsus.model.description import Shape
from tarsus.model.model import Model
from tarsus.parts.part import Statement
from tarsus.simulation.contact_record import Contact
from tarsus.studio.live_model import Machine

# What can be felt in a machine: forces of contacts and parts on bodies, and in its joints.


def external_wrenches(machine: Machine) -> Array:
    """Return what contacts and parts did in the last step (bodies, 6), in axes of the bodies."""
    model = machine.model
    poses = model.forward_kinematics(machine.q)
    found = np.zeros((model.n_bodies, 6))
    for contact in machine.simulation.contacts_now():
        for body, sign in ((contact.body, 1.0), (contact.other, -1.0)):
            if body not in (GROUND, "world"):
                index = model.body(body).index
                found[index] += _on(poses[index], contact.point, sign * contact.force, np.zeros(3))
    for handle in machine.simulation.parts.values():
        stated = handle.part.statement(model)
        if stated.coordinates in ("frame", "line", "path", "body"):
            _add_part(found, poses, stated, handle.force, handle.torque)
    return found


def joint_wrenches(machine: Machine) -> dict[str, Array]:
    """Return what each joint did to its body in the last step (6,) [N, N m], in axes of the body.

    Forces of fields, springs of joints and motors are inside of joints or are left out.
    """
    if machine.acceleration is None:
        return {}
    model = machine.model
    state = machine.q, machine.v, machine.acceleration
    wrenches = model.reaction_wrenches(*state, external_wrenches(machine))
    return {joint.name: wrenches[k] for k, joint in enumerate(model.joints)}


def loop_wrenches(machine: Machine) -> dict[str, Array]:
    """Return what loops of clusters did to their second body in the last step (6,), in frame b.

    Of forces that cannot be told apart, as of hinges in a plane, the smallest.
    """
    model = machine.model
    names = loop_names(model)
    if machine.acceleration is None or not names:
        return {}
    state = machine.q, machine.v, machine.acceleration
    wrenches = model.loop_wrenches(*state, external_wrenches(machine))
    stated = [loop.name for loop in model.description.loops]
    return {name: wrenches[stated.index(name)] for name in names}


def loop_names(model: Model) -> list[str]:
    """Return the loops that clusters close; others are constraints of the simulation."""
    held = {str(getattr(each, "name", each)) for each in model.constraints}
    return [loop.name for loop in model.description.loops if loop.name not in held]


def tension(machine: Machine, part: str) -> float:
    """Return what a spring, string or rod between two points pulls with [N], negative: pushes."""
    handle = machine.simulation.parts[part]
    stated = handle.part.statement(machine.model)
    poses = machine.model.forward_kinematics(machine.q)
    a, b = (_place(stated_end, poses) for stated_end in (stated.a, stated.b))
    length = float(np.linalg.norm(b - a))
    return float(handle.force @ (a - b)) / length if length > 0.0 else 0.0


def _place(end: Any, poses: Array) -> Array:
    if end.body < 0:
        return np.asarray(end.placement[:3, 3])
    return np.asarray(end.pose(poses[None])[0, :3, 3])


def _add_part(found: Array, poses: Array, stated: Statement, force: Array, torque: Array) -> None:
    """Add the wrench of a part on b, and its opposite on a, at the point of b."""
    assert stated.b is not None
    point = stated.b.pose(poses[None])[0, :3, 3]
    for place, sign in ((stated.b, 1.0), (stated.a, -1.0)):
        if place is not None and place.body >= 0:
            found[place.body] += _on(poses[place.body], point, sign * force, sign * torque)


def _on(pose: Array, point: Array, force: Array, torque: Array) -> Array:
    """Return a force at a point of the world as a wrench (6,) at a body's origin, in its axes."""
    turn = pose[:3, :3].T
    moment = torque + np.cross(point - pose[:3, 3], force)
    return np.concatenate([turn @ force, turn @ moment])


# The force along a rod: what its middle bears, from all that pulls and pushes at it.


SLENDER = 3.0
"""A rod is this much longer than it is wide."""
Pull = tuple[Array, Array]
"""A point of the world (3,) [m], and the force there (3,) [N]."""


def rods(model: Model) -> dict[str, tuple[Array, Array, float]]:
    """Return long bodies that close no loop: middle (3,) and way (3,) in the body, length [m]."""
    loops = model.description.loops
    ends = {name for each in loops for name in (each.body_a, each.body_b)} - {WORLD}
    closed = {model.frame(name).body for name in ends}
    found = {}
    for shape in model.description.shapes:
        axis, length = _longest(shape)
        if shape.body == WORLD or not length > 0.0:
            continue
        if model.frame(shape.body).body not in closed:
            found[shape.body] = (shape.placement[:3, 3], shape.placement[:3, axis], length)
    return found


def axial_force(machine: Machine, body: str) -> float:
    """Return the tension in the middle of a rod in the last step [N], negative if it is pressed.

    The halves of the rod are balanced: what pulls at them, less what turns with them.
    """
    if machine.acceleration is None:
        return float("nan")
    middle, way, length = rods(machine.model)[body]
    pose = machine.pose(body)
    center, along = pose[:3, :3] @ middle + pose[:3, 3], pose[:3, :3] @ way
    pulls = _pulls(machine, machine.model.body(machine.model.frame(body).body).index)
    torn = sum(float(np.sign((at - center) @ along)) * float(force @ along) for at, force in pulls)
    mass = next(each.mass for each in machine.model.description.bodies if each.name == body)
    turning = machine.model.frame_velocity(machine.q, machine.v, body)[3:]
    across = np.cross(turning, pose[:3, :3] @ way)
    return 0.5 * torn + mass * float(across @ across) * length / 8


def _pulls(machine: Machine, index: int) -> list[Pull]:
    """Return all forces on a moving body in the last step: contacts, parts, joints."""
    model, found = machine.model, []
    poses = model.forward_kinematics(machine.q)
    name = model.body_names[index]
    for contact in machine.simulation.contacts_now():
        for body, sign in ((contact.body, 1.0), (contact.other, -1.0)):
            if body != GROUND and model.frame(body).body == name:
                found.append((contact.point, sign * contact.force))
    for handle in machine.simulation.parts.values():
        stated = handle.part.statement(model)
        for place, sign in ((stated.b, 1.0), (stated.a, -1.0)):
            if place is not None and place.body == index:
                found.append((place.pose(poses[None])[0, :3, 3], sign * handle.force))
    wrenches = list(joint_wrenches(machine).values())
    parents = [model.body(each).parent for each in model.body_names]
    for k, wrench in enumerate(wrenches):
        force = poses[k][:3, :3] @ wrench[:3]
        if k == index and model.joints[k].kind != "free":
            found.append((poses[k][:3, 3], force))
        elif parents[k] == index:
            found.append((poses[k][:3, 3], -force))
    return found


def _longest(shape: Shape) -> tuple[int, float]:
    """Return the axis and the length of a shape that is a rod, 0 and 0 for others."""
    size = np.ravel(shape.size)
    if shape.kind in ("cylinder", "capsule"):
        return (2, float(size[1])) if size[1] > 2 * SLENDER * size[0] else (0, 0.0)
    if shape.kind != "box":
        return 0, 0.0
    axis = int(np.argmax(size))
    return (axis, float(size[axis])) if size[axis] > SLENDER * np.sort(size)[1] else (0, 0.0)


# Friction cones: how far a contact force may lean from the normal before the contact slips.


@dataclass(frozen=True, eq=False)
class Cone:
    """A contact with its coefficient of friction; its force leans by a share of what it may."""

    contact: Contact
    coefficient: float

    @property
    def axis(self) -> Array:
        """The part of the force along the normal (3,) [N]: as high as the cone is drawn."""
        return self.contact.normal_force * self.contact.normal

    @property
    def share(self) -> float:
        """The force across the normal, divided by the largest that there can be; 1 if it slips."""
        most = self.coefficient * self.contact.normal_force
        across = float(np.linalg.norm(self.contact.force - self.axis))
        return across / most if most > 0.0 else 0.0


def cones(machine: Machine) -> list[Cone]:
    """Return the contacts of the last step, each with its coefficient of friction."""
    simulation = machine.simulation
    ground = float(np.ravel(simulation.surface.friction)[0])
    rows = (
        {} if simulation.collision is None else simulation.collision.blends_on(simulation.surface)
    )
    contacts = simulation.contacts_now()
    coefficients = np.full(len(contacts), ground)
    if "friction" in rows and contacts:
        coefficients = blended(rows["friction"][[each.candidate for each in contacts]], ground)
    return [Cone(*each) for each in zip(contacts, coefficients.tolist(), strict=True)]


# How near bodies are to each other: distances of the volumes around their shapes.
#
# Neighbours on a joint, what is fixed to each other, and links of one machine that are in each
# other where it begins, as thighs are in the volume around a hip, are not compared. Volumes hold
# what they enclose, so bodies are never nearer than is told here.


REACH = 0.25
"""Bodies are watched that are nearer than this share of the machine's size."""
MOST_PAIRS = 20_000
NOTHING = "there is nothing to compare"


@dataclass(frozen=True, eq=False)
class Nearness:
    """The nearest pair, where it is nearest, and how far each body is from the next one [m]."""

    least: float
    """Negative where bodies are in each other, infinite if none is within reach."""
    pair: tuple[str, str]
    points: Array
    """On both of them (2, 3)."""
    reach: float
    """How near bodies must be to be told."""
    bodies: dict[str, float]
    """Those that have another one within reach."""
    reason: str = ""
    """Why nothing is compared, where the reach is 0."""

    def __str__(self) -> str:
        """Return it in words."""
        if not self.reach:
            return self.reason
        if not np.isfinite(self.least):
            return f"nothing is nearer than {_length(self.reach)}"
        a, b = self.pair
        far = _length(abs(self.least))
        return f"{a} is in {b} by {far}" if self.least < 0.0 else f"{a} and {b} are {far} apart"


def nearness(machine: Machine, q: Array | None = None) -> Nearness:
    """Return how near the bodies of a machine are to each other, now or at q (nq,)."""
    distances = distances_of(machine.model)
    if isinstance(distances, str):
        return Nearness(np.inf, ("", ""), np.zeros((2, 3)), 0.0, {}, distances)
    near = distances.near(machine.q if q is None else q, gradient=False)
    found: dict[str, float] = {}
    pairs = []
    for number, distance in zip(near.pair, near.distance.tolist(), strict=True):
        pair = distances.pairs[number]
        ends = machine.owner(pair.first), machine.owner(pair.second)
        pairs.append(ends)
        for end in ends:
            found[end] = min(found.get(end, np.inf), distance)
    if not pairs:
        return Nearness(np.inf, ("", ""), np.zeros((2, 3)), distances.activation, {})
    k = int(np.argmin(near.distance))
    points = np.array([near.point_a[k], near.point_b[k]])
    return Nearness(float(near.distance[k]), pairs[k], points, distances.activation, found)


def plain_nearness(machine: Machine, q: Array | None = None) -> dict[str, Any]:
    """Return how near bodies are as plain data, for pages."""
    near = nearness(machine, q)
    return {
        "least": near.least,
        "pair": list(near.pair),
        "points": near.points.tolist(),
        "reach": near.reach,
        "bodies": near.bodies,
        "text": str(near),
    }


@lru_cache(maxsize=4)
def distances_of(model: Model) -> Distances | str:
    """Return distances of the links of a model, or why there are none."""
    seen, felt = (Volumes.from_model(model, shapes) for shapes in ("visual", "collision"))
    volumes = Volumes({**seen, **felt})
    size = _size(model)
    if not volumes or not size > 0.0:
        return NOTHING
    near = Distances(model, volumes, activation=REACH * size)
    if len(near.pairs) > MOST_PAIRS:
        return (
            f"{len(near.pairs)} pairs of bodies are too many to compare, {MOST_PAIRS} are the most"
        )
    apart = near.distance(model.initial_configuration) > 0.0
    pairs = [
        pair
        for pair, far in zip(near.pairs, apart.tolist(), strict=True)
        if far or _root(model, pair.first) != _root(model, pair.second)
    ]
    return Distances(model, volumes, pairs, activation=REACH * size) if pairs else NOTHING


def _size(model: Model) -> float:
    """Return the largest side of the box around all shapes' places in the neutral position [m]."""
    stated = [shape for shape in model.description.shapes if shape.body != WORLD]
    if not stated:
        return 0.0
    places = np.array([model.frame_pose(model.neutral(), x.body) @ x.placement for x in stated])
    extents = np.array([max(np.ravel(x.size), default=0.0) if not x.file else 0.2 for x in stated])
    low = (places[:, :3, 3] - extents[:, None] / 2).min(axis=0)
    high = (places[:, :3, 3] + extents[:, None] / 2).max(axis=0)
    return float((high - low).max())


def _root(model: Model, link: str) -> int:
    """Return the body that carries all of a link's machine, −1 for what is on the world."""
    name = WORLD if link == WORLD else model.frame(link).body
    index = -1 if name == WORLD else model.body(name).index
    parents = [body.parent for body in model.bodies]
    while index >= 0 and parents[index] >= 0:
        index = parents[index]
    fixed = index >= 0 and model.joint(model.bodies[index].joint).kind != "free"
    return -1 if fixed else index


def _length(metres: float) -> str:
    return f"{metres:.3g} m" if metres >= 1.0 else f"{1e3 * metres:.3g} mm"
