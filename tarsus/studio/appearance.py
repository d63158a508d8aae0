"""How a machine looks: surfaces of its bodies, arrows of forces, lines of springs and strings."""

from __future__ import annotations

import base64
from collections.abc import Set
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus._lib.files import Array
from tarsus.parts.part import place_of
from tarsus.studio.force_readout import cones, joint_wrenches
from tarsus.studio.live_model import HAND, Machine
from tarsus.view.frame_sequence import Stage as Picture

if TYPE_CHECKING:
    from tarsus.studio.session import Stage


LINES = ("spring", "damper", "string", "rubber", "distance")
LEAST = 1e-6
"""Forces below this share of the weight are not drawn."""


def surfaces_of(
    machine: Machine,
) -> tuple[list[list[dict[str, Any]]], float, dict[str, Any] | None]:
    """Return the surfaces of each shown body in its own frame, the size [m], and the ground."""
    document = machine.document
    found: list[list[dict[str, Any]]] = [[] for _ in machine.bodies()]
    if not found:
        return found, 1.0, _ground(document.ground, 1.0)
    picture = Picture(machine.model, q=machine.q, ground=document.ground)
    shapes = machine.model.description.shapes
    known = {body.name: k for k, body in enumerate(machine.bodies())}
    first = {body.index: k for k, body in reversed(list(enumerate(machine.bodies())))}
    for surface in picture.surfaces:
        # a shape of a carrier, or a stick of a skeleton, is of what moves with it
        stated = shapes[surface.shape].body if surface.shape >= 0 else ""
        number = known.get(stated, first.get(surface.body, -1))
        if number < 0:
            continue
        back = np.linalg.inv(machine.bodies()[number].placement)
        vertices = surface.vertices @ back[:3, :3].T + back[:3, 3]
        found[number].append(_packed(vertices, surface.triangles, surface.color))
    return found, picture.size, _ground(document.ground, picture.size)


def arrows(stage: Stage) -> tuple[list[dict[str, Any]], Array]:
    """Return forces that act now: what they are, and points with vectors (n, 6) [m, N]."""
    machine, shown = stage.machine, stage.document.shown
    named: list[dict[str, Any]] = []
    rows: list[Array] = []
    weight = 9.81 * max(machine.model.total_mass, 1e-9)
    if {"contacts", "cones"} & shown:
        add_contacts(machine, shown, LEAST * weight, named, rows)
    for name, handle in machine.simulation.parts.items():
        if name != HAND and "forces" not in shown:
            continue
        statement = handle.part.statement(machine.model)
        if statement.b is None or not np.linalg.norm(handle.force) > LEAST * weight:
            continue
        kind = "drag" if name == HAND else "force"
        named.append({"name": name, "kind": kind, "state": ""})
        rows.append(np.concatenate([_at(machine, statement.b), handle.force]))
    if "reactions" in shown:
        for name, wrench in joint_wrenches(machine).items():
            add_reaction(machine, name, wrench, named, rows)
    if "velocities" in shown:
        for body in machine.bodies():
            pose = machine.pose(body.name)
            speed = pose[:3, :3] @ machine.model.frame_velocity(machine.q, machine.v, body.name)[:3]
            named.append({"name": body.name, "kind": "velocity", "state": ""})
            rows.append(np.concatenate([pose[:3, 3], speed]))
    return named, np.array(rows).reshape(-1, 6)


def add_contacts(
    machine: Machine,
    shown: Set[str],
    least: float,
    named: list[dict[str, Any]],
    rows: list[Array],
) -> None:
    """Add what contacts push with, if it is at least so much [N], and their friction cones."""
    found = cones(machine)
    forces = np.linalg.norm([cone.contact.force for cone in found] or np.zeros((0, 3)), axis=1)
    for cone, force in zip(found, forces.tolist(), strict=True):
        contact = cone.contact
        if not force > least:
            continue
        told: dict[str, Any] = {"name": machine.owner(contact.body), "state": str(contact.state)}
        if "cones" in shown:
            told |= {"friction": cone.coefficient, "share": cone.share}
            # as long as the force that leans in it, so that both are drawn to one scale
            named.append({**told, "kind": "cone", "force": force})
            rows.append(np.concatenate([contact.point, cone.axis]))
        if "contacts" in shown:
            named.append({**told, "kind": "contact"})
            rows.append(np.concatenate([contact.point, contact.force]))


def add_reaction(
    machine: Machine, name: str, wrench: Array, named: list[dict[str, Any]], rows: list[Array]
) -> None:
    """Add the arrow of what a joint does to its body, at the origin of the body."""
    joint = machine.model.joint(name)
    if joint.kind in ("free", "planar"):
        return
    pose = machine.model.frame_pose(machine.q, joint.child)
    named.append({"name": name, "kind": "reaction", "state": ""})
    rows.append(np.concatenate([pose[:3, 3], pose[:3, :3] @ wrench[:3]]))


def lines(stage: Stage, poses: Array) -> tuple[list[dict[str, Any]], Array]:
    """Return lines between the ends of springs, strings and the hand (n, 6) [m]."""
    machine = stage.machine
    named, rows = [], []
    for name, handle in machine.simulation.parts.items():
        part: Any = handle.part
        if part.kind in LINES:
            ends = [_at(machine, place_of(machine.model, x, "a")) for x in (part.a, part.b)]
        elif name == HAND:
            ends = [_at(machine, place_of(machine.model, part.where, "where")), handle.target[:3]]
        else:
            continue
        named.append({"name": name, "kind": part.kind})
        rows.append(np.concatenate(ends))
    return named, np.array(rows).reshape(-1, 6)


def _at(machine: Machine, place: Any) -> Array:
    """Return where a place is in the world (3,)."""
    if place.body < 0:
        return np.asarray(place.placement[:3, 3])
    carrier = machine.model.frame_pose(machine.q, machine.model.body_names[place.body])
    return np.asarray((carrier @ place.placement)[:3, 3])


def ground_numbers(ground: Any) -> dict[str, Any] | None:
    """Return the kind of a ground and its numbers, None if there is none."""
    if ground is None or ground.kind == "space":
        return None
    named = ("friction", "restitution", "slope", "torsion", "rolling")
    numbers = {
        name: float(np.ravel(getattr(ground, name))[0]) for name in named if hasattr(ground, name)
    }
    return {"kind": ground.kind, **numbers}


def _ground(ground: Any, size: float) -> dict[str, Any] | None:
    numbers = ground_numbers(ground)
    if numbers is None:
        return None
    reach = 10.0 * max(size, 1.0)
    vertices, triangles = ground.mesh((-reach, -reach), (reach, reach))
    return {**_packed(vertices, triangles, (0.9, 0.9, 0.9)), **numbers}


def _packed(vertices: Array, triangles: Any, color: Any) -> dict[str, Any]:
    return {
        "vertices": base64.b64encode(np.ascontiguousarray(vertices, "<f4").tobytes()).decode(),
        "triangles": base64.b64encode(np.ascontiguousarray(triangles, "<u4").tobytes()).decode(),
        "color": [float(x) for x in color[:3]],
    }
