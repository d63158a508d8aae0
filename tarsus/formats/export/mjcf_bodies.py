"""Bodies and joints of exported MJCF files."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from tarsus._lib.checks import unused
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.formats.export.actuators import MeshReferences
from tarsus.formats.export.losses import LEAST, LeftOuts
from tarsus.formats.export.series import free_pose
from tarsus.formats.mjcf_shapes import DEFAULT_FRICTION
from tarsus.formats.xml import UNLIMITED, add, is_identity
from tarsus.model.description import Body, Description, Joint, Shape
from tarsus.model.model import Model
from tarsus.parts.part import Where, placement_of, split
from tarsus.spatial import inverse, quaternion_from_rotation, scalar_first, skew

# Joints of an MJCF file that is written: hinges, slides, balls, and free ones.


TYPES = {"revolute": "hinge", "prismatic": "slide", "spherical": "ball"}
NAMES = {"damping": "damping", "friction": "frictionloss", "armature": "armature"}
"""What MuJoCo calls the passive numbers of a joint, one for all of its coordinates."""


def add_joint(
    body: Element, joint: Joint, place: Array, position: Array | None, left_out: LeftOuts
) -> None:
    """Append a joint that is at `place` (4, 4) in the frame of its body.

    `position` is where it stands there.
    """
    numbers = _passive(joint, left_out)
    anchor = place[:3, 3] if place[:3, 3].any() else None
    common = {"name": joint.name, "type": TYPES[joint.kind], "pos": anchor}
    if joint.kind == "spherical":
        assert joint.rest is not None
        if numbers.get("stiffness") and abs(joint.rest[3]) < 1.0 - 1e-15:
            left_out.add("rest of the spring of joint", joint.name, "MJCF has none for a ball")
        add(body, "joint", **common, **numbers)
        return
    assert joint.axis is not None and joint.rest is not None
    assert joint.lower is not None and joint.upper is not None and joint.effort_limit is not None
    zero = 0.0 if position is None else float(position[0])
    if numbers.get("stiffness"):
        numbers["springref"] = float(joint.rest[0]) + zero
    limits = [float(joint.lower[0]) + zero, float(joint.upper[0]) + zero]
    bounds = [_finite(limit) for limit in limits] if np.isfinite(limits).any() else None
    effort = float(joint.effort_limit[0])
    add(
        body,
        "joint",
        **common,
        axis=place[:3, :3] @ joint.axis,
        ref=zero if zero else None,
        range=bounds,
        actuatorfrcrange=[-effort, effort] if 0.0 < effort < math.inf else None,
        **numbers,
    )
    if effort == 0.0:
        left_out.add("effort limit (0) of joint", joint.name, "MuJoCo has no empty ranges")
    _tell_speed(joint, left_out)


def add_free(body: Element, joint: Joint, left_out: LeftOuts) -> None:
    """Append the joint of a body that is free in the world."""
    if not is_identity(joint.placement):
        reason = "MuJoCo's free joints count from the origin of the world"
        left_out.add("placement of free joint", joint.name, reason)
    add(body, "joint", name=joint.name, type="free", **_passive(joint, left_out))
    _tell_speed(joint, left_out)


def _passive(joint: Joint, left_out: LeftOuts) -> dict[str, float]:
    """Return damping, friction, armature and stiffness, as far as they are the same for all."""
    found = {}
    for key, attribute in (NAMES | {"stiffness": "stiffness"}).items():
        values = getattr(joint, key)
        if values.any() and np.ptp(values) == 0.0:
            found[attribute] = float(values[0])
        elif values.any():
            reason = f"MJCF has one number for all axes of a {joint.kind} joint"
            left_out.add(f"{key} of joint", joint.name, reason)
    return found


def _tell_speed(joint: Joint, left_out: LeftOuts) -> None:
    assert joint.velocity_limit is not None
    if np.isfinite(joint.velocity_limit).any():
        left_out.add("velocity limit of joint", joint.name, "MJCF has none")


def _finite(limit: float) -> float:
    return limit if math.isfinite(limit) else math.copysign(UNLIMITED, limit)


# Bodies of an MJCF file that is written, inside each other, with joints, geoms and sites.


ROUNDING = 1e-9
THIN = 1e-6
"""Size [m] of what has none, as points that touch: MuJoCo's shapes have sizes."""
HALVES = {"capsule": (1.0, 0.5), "cylinder": (1.0, 0.5), "box": (0.5, 0.5, 0.5)}
GEOMS = ("sphere", "capsule", "cylinder", "ellipsoid", "box", "mesh")


class Bodies:
    """Writes the bodies of a description, and sites for whoever asks."""

    def __init__(
        self,
        stated: Description,
        positions: Mapping[str, Array],
        meshes: MeshReferences,
        asset: Element,
        left_out: LeftOuts,
        mass_at: Callable[[str], float],
    ) -> None:
        self.stated, self.positions, self.left_out = stated, positions, left_out
        self.mass_at = mass_at
        self.meshes, self.asset = meshes, asset
        self.masses = {body.name: body for body in stated.bodies}
        self.below: dict[str, list[Joint]] = defaultdict(list)
        for joint in stated.joints:
            self.below[joint.parent].append(joint)
        self.frames = {frame.name: frame for frame in stated.frames}
        self.elements: dict[str, Element] = {}
        self.sites = {frame.name for frame in stated.frames}
        self.mesh_names: dict[tuple[str, tuple[float, ...]], str] = {}
        self.taken_meshes: set[str] = set()
        self.geoms: set[str] = set()
        self.used = self._used()
        looks = any(shape.role == "visual" for shape in stated.shapes)
        self.group = "3" if looks else None  # which MuJoCo's viewer hides

    def write(self, world: Element) -> None:
        """Append all bodies to the world."""
        self.elements[WORLD] = world
        self._add_shapes(world, WORLD)
        stack = [(world, joint) for joint in reversed(self.below[WORLD])]
        while stack:
            parent, joint = stack.pop()
            element, body = self._add_body(parent, joint)
            stack += [(element, each) for each in reversed(self.below[body])]
        for frame in self.stated.frames:
            self._add_site(frame.name, frame.body, frame.placement)

    def site(self, name: str, body: str, placement: Array, radius: float | None = None) -> str:
        """Append a site to a body, a ball, and return its name, one that is not taken."""
        name = unused(name, self.sites)
        self._add_site(name, body, placement, radius)
        return name

    def site_at(self, name: str, where: Where) -> str:
        """Return the site where a force is attached: that of a frame, or a new one."""
        frame, at = split(where)
        placement = placement_of(at, name)
        if frame in self.frames:
            if is_identity(placement):
                return frame
            placement = self.frames[frame].placement @ placement
            frame = self.frames[frame].body
        return self.site(name, frame, placement)

    def _used(self) -> set[str]:
        """Bodies that have something on them, so that they must be there as bodies."""
        used = {shape.body for shape in self.stated.shapes}
        used |= {frame.body for frame in self.stated.frames}
        for loop in self.stated.loops:
            used |= {loop.body_a, loop.body_b}
        for force in self.stated.forces:
            places = (getattr(force, key, None) for key in ("a", "b", "frame", "body"))
            used |= {split(place)[0] for place in places if place is not None}
        for pair in self.stated.metadata.get("excluded_contacts", ()):
            used |= set(pair)
        return used

    def _add_body(self, parent: Element, joint: Joint) -> tuple[Element, str]:
        """Append a body with its joint, or with several where bodies between are nothing."""
        chain = [joint]
        while joint.kind != "free" and self._is_bare(chain[-1]):
            after = self.below[chain[-1].child][0]
            turned = not np.array_equal(after.placement[:3, :3], np.eye(3))
            if turned and any(each.kind == "spherical" for each in chain):
                break  # a ball counts its turns in the axes of its body
            chain.append(after)
        name, at = chain[-1].child, joint.placement
        for each in chain[1:]:
            at = at @ each.placement
        if joint.kind == "free":
            at = joint.placement @ free_pose(joint, self.stated, self.positions)
        quat = scalar_first(quaternion_from_rotation(at[:3, :3]))
        turned = not np.array_equal(at[:3, :3], np.eye(3))
        element = add(parent, "body", name=name, pos=at[:3, 3], quat=quat if turned else None)
        self.elements[name] = element
        moving = any(each.kind != "fixed" for each in chain)
        self._add_inertial(element, self.masses[name], moving)
        back = np.eye(4)
        places = []
        for each in reversed(chain):
            places.append((each, inverse(back)))
            back = each.placement @ back
        for each, place in reversed(places):
            if each.kind == "free":
                add_free(element, each, self.left_out)
            elif each.kind != "fixed":
                add_joint(element, each, place, self.positions.get(each.name), self.left_out)
        self._add_shapes(element, name)
        return element, name

    def _is_bare(self, joint: Joint) -> bool:
        """Whether the child of a joint is nothing but a place between it and the next.

        Such bodies, of chains and of MJCF files, have the name of the joint in theirs.
        """
        body, below = joint.child, self.below[joint.child]
        own, made = self.masses[body], body.endswith(f".{joint.name}")
        nothing = not (own.mass or own.inertia.any()) and body not in self.used
        return made and nothing and len(below) == 1 and below[0].kind != "free"

    def _add_inertial(self, element: Element, body: Body, moving: bool) -> None:
        if not moving and not (body.mass or body.inertia.any()):
            return
        least = LEAST if moving else 0.0
        moments, axes = np.linalg.eigh(body.inertia)
        written = np.maximum(moments, least)
        written[2] = min(written[2], written[0] + written[1])
        if np.abs(written - moments).max() > max(ROUNDING * abs(moments[2]), LEAST):
            reason = "is that of no body, MuJoCo refuses it: moments are written as near as can be"
            self.left_out.add("inertia of body", body.name, reason)
        add(
            element,
            "inertial",
            pos=body.com,
            quat=scalar_first(quaternion_from_rotation(axes * np.sign(np.linalg.det(axes)))),
            mass=max(body.mass, least),
            diaginertia=written,
        )

    def _add_shapes(self, element: Element, body: str) -> None:
        for shape in self.stated.shapes:
            if shape.body == body:
                self._add_geom(element, shape)

    def _add_geom(self, element: Element, shape: Shape) -> None:
        if shape.kind not in GEOMS:
            reason = f"MJCF has no {shape.kind}"
            self.left_out.add(f"{shape.role} shape of body", shape.body, reason)
            return
        mesh = self._mesh(shape) if shape.kind == "mesh" else None
        if shape.kind == "mesh" and mesh is None:
            return
        half = HALVES.get(shape.kind, (1.0,) * len(shape.size))
        size = None if mesh else np.maximum(np.array(shape.size) * half, THIN)
        if min(shape.size) == 0.0:
            reason = f"MuJoCo has no points and lines: written {THIN:g} m thick"
            self.left_out.add(f"{shape.role} shape of body", shape.body, reason)
        visual = "0" if shape.role == "visual" else None
        at = shape.placement
        turned = not np.array_equal(at[:3, :3], np.eye(3))
        add(
            element,
            "geom",
            name=unused(shape.name, self.geoms) if shape.name else None,
            type=shape.kind,
            size=size,
            mesh=mesh,
            pos=at[:3, 3],
            quat=scalar_first(quaternion_from_rotation(at[:3, :3])) if turned else None,
            rgba=shape.color,
            contype=visual,
            conaffinity=visual,
            group="2" if visual else self.group,
            **_surface(shape),
            solref=self._solref(shape),
        )
        if shape.restitution is not None:
            self.left_out.add("restitution of shape of body", shape.body, "MJCF has none")

    def _solref(self, shape: Shape) -> Array | None:
        """−stiffness and −damping per mass, as MuJoCo states them; critical if none is stated."""
        if shape.stiffness is None and shape.damping is None:
            return None
        mass = np.inf if shape.body == WORLD else self.mass_at(shape.body)
        if shape.stiffness is None or not np.isfinite(mass):
            why = "stiffness and damping of MJCF are per mass that moves, and both"
            self.left_out.add("stiffness and damping of shape of body", shape.body, why)
            return None
        critical = 2.0 * np.sqrt(shape.stiffness * mass)
        damping = critical if shape.damping is None else shape.damping
        # not below zero would be a time constant
        return np.array([-shape.stiffness / mass, -max(damping / mass, THIN)])

    def _mesh(self, shape: Shape) -> str | None:
        file = self.meshes.of(shape)
        if file is None:
            return None
        key = file, tuple(shape.size)
        if key not in self.mesh_names:
            stem = file.rpartition("/")[2].rpartition(".")[0]
            name = self.mesh_names[key] = unused(stem or "mesh", self.taken_meshes)
            scale = None if set(shape.size) == {1.0} else np.array(shape.size)
            # flat meshes have no volume, from which MuJoCo would take inertias
            add(self.asset, "mesh", name=name, file=file, scale=scale, inertia="shell")
        return self.mesh_names[key]

    def _add_site(
        self, name: str, body: str, placement: Array, radius: float | None = None
    ) -> None:
        turned = not np.array_equal(placement[:3, :3], np.eye(3))
        quat = scalar_first(quaternion_from_rotation(placement[:3, :3])) if turned else None
        add(self.elements[body], "site", name=name, pos=placement[:3, 3], quat=quat, size=radius)


def _surface(shape: Shape) -> dict[str, Any]:
    """Return what a geom states of its friction, and how many of these numbers count."""
    stated = shape.friction, shape.torsion, shape.rolling
    if all(x is None for x in stated):
        return {}
    numbers = [own if x is None else x for x, own in zip(stated, DEFAULT_FRICTION, strict=True)]
    condim = 6 if shape.rolling is not None else 4 if shape.torsion is not None else None
    return {"friction": np.array(numbers), "condim": None if condim is None else str(condim)}


# The mass that a push at a link moves at first: MuJoCo states contacts per such a mass.


def moved_mass(model: Model, link: str) -> float:
    """Return 3 / tr(J M⁻¹ Jᵀ) [kg] of a link's centre of mass, where the model starts.

    J (3, nv) is the Jacobian of that point: the inverse of MuJoCo's weight of a body, the mean over
    all directions.
    """
    q = model.initial_configuration
    center = next(body.com for body in model.description.bodies if body.name == link)
    turned = model.frame_pose(q, link)[:3, :3] @ np.asarray(center)
    both = model.frame_jacobian(q, link, reference="local_world_aligned")
    jacobian = both[:3] - skew(turned) @ both[3:]
    inverse = jacobian @ np.linalg.solve(model.mass_matrix(q), jacobian.T)
    return float(3.0 / np.trace(inverse)) if np.trace(inverse) > 0.0 else np.inf
