"""Writing of MJCF, for MuJoCo: bodies inside each other, joints, equalities, tendons, sites.

Coordinates are those of the model: each joint's `ref` is where it stands in the initial
configuration, as MuJoCo states bodies there. Equalities, which hold exactly here, are held there by
stiff springs.
MuJoCo wants a mass in everything that moves; what has none gets `LEAST`, which is lost in rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from tarsus._lib.checks import unused
from tarsus._lib.files import Array
from tarsus.formats.export.actuators import MeshReferences
from tarsus.formats.export.losses import LeftOuts
from tarsus.formats.export.mjcf_bodies import Bodies
from tarsus.formats.export.mjcf_controls import add_actuators, add_keyframes, add_sensors
from tarsus.formats.export.urdf import mimics
from tarsus.formats.mjcf_joints import Polynomial
from tarsus.formats.xml import add, document
from tarsus.model.description import Coupling, Description, Loop
from tarsus.parts.forces import Damper, JointSpring, Spring, String
from tarsus.spatial import pose

KEEPS = ("revolute", "prismatic", "spherical", "free", "fixed")
MOST_FACES = 200_000
"""Faces of an .stl file that MuJoCo reads."""


def mujoco_reads(file: Path) -> bool:
    """Whether MuJoCo reads a mesh: .obj, and .stl that is binary and not too large."""
    if file.suffix.lower() != ".stl":
        return file.suffix.lower() == ".obj"
    with file.open("rb") as stream:
        head = stream.read(84)
    faces = int.from_bytes(head[80:84], "little")
    return 0 < faces <= MOST_FACES and file.stat().st_size == 84 + 50 * faces


def write_mjcf(
    stated: Description,
    positions: Mapping[str, Array],
    meshes: MeshReferences,
    left_out: LeftOuts,
    mass_at: Callable[[str], float],
) -> str:
    """Return the text of an MJCF file; the joints of the description are among those it has.

    `mass_at` tells the mass that is moved by a push at a link [kg].
    """
    root = Element("mujoco", model=stated.name)
    add(root, "compiler", angle="radian", autolimits="true", inertiafromgeom="false")
    add(root, "option", gravity=stated.gravity)
    asset, world = add(root, "asset"), add(root, "worldbody")
    bodies = Bodies(stated, positions, meshes, asset, left_out, mass_at)
    bodies.write(world)
    contact, equality, tendon = (add(root, tag) for tag in ("contact", "equality", "tendon"))
    add_loops(equality, stated, bodies, left_out)
    add_couplings(equality, stated, left_out)
    add_forces(tendon, stated, positions, bodies, left_out)
    actuator, keyframe = add(root, "actuator"), add(root, "keyframe")
    written = add_actuators(actuator, tendon, world, stated, left_out)
    add_keyframes(keyframe, world, stated, positions, written, left_out)
    sensor = add(root, "sensor")
    add_sensors(sensor, stated, bodies, left_out)
    for first, second in stated.metadata.get("excluded_contacts", ()):
        add(contact, "exclude", body1=first, body2=second)
    for section in (asset, contact, equality, tendon, actuator, keyframe, sensor):
        if not len(section):
            root.remove(section)
    return document(root)


# Loops and couplings as equality constraints of an MJCF file that is written.


TAGS = {"spherical": "connect", "weld": "weld"}
ARM = 0.1
"""Between the two points that hold the axis of a loop joint that turns [m]."""


def add_loops(equality: Element, stated: Description, bodies: Bodies, left_out: LeftOuts) -> None:
    """Append the loops: points that meet, bodies that are welded, axes held in two points."""
    for loop in stated.loops:
        for key in ("independent", "constraint"):
            if getattr(loop, key) is not None:
                left_out.add(f"{key} of loop", loop.name, "MJCF leaves it to the reader")
        if loop.kind in TAGS:
            _add(equality, TAGS[loop.kind], loop.name, loop, np.eye(4), bodies)
        elif loop.kind == "revolute":
            _add(equality, "connect", loop.name, loop, np.eye(4), bodies)
            along = pose([0.0, 0.0, ARM])
            _add(equality, "connect", f"{loop.name}_axis", loop, along, bodies)
        else:
            left_out.add("loop", loop.name, f"is {loop.kind}, which MJCF has not")


def _add(equality: Element, tag: str, name: str, loop: Loop, offset: Array, bodies: Bodies) -> None:
    sites = [
        bodies.site(f"{name}_{end}", body, placement @ offset)
        for end, body, placement in (
            ("a", loop.body_a, loop.placement_a),
            ("b", loop.body_b, loop.placement_b),
        )
    ]
    add(equality, tag, name=name, site1=sites[0], site2=sites[1])


def add_couplings(equality: Element, stated: Description, left_out: LeftOuts) -> None:
    """Append the couplings, polynomials of one leader among them."""
    curved = [c for c in stated.couplings if isinstance(c.function, Polynomial)]
    for coupling in curved:
        add(
            equality,
            "joint",
            name=coupling.name,
            joint1=coupling.followers[0],
            joint2=coupling.leaders[0],
            polycoef=_about_zero(coupling),
        )
    others = [coupling for coupling in stated.couplings if coupling not in curved]
    linear = Description("", couplings=others)
    for mimic in mimics(linear, left_out, "MJCF"):
        add(
            equality,
            "joint",
            name=mimic.name,
            joint1=mimic.follower,
            joint2=mimic.leader,
            polycoef=[mimic.offset, mimic.factor, 0.0, 0.0, 0.0],
        )


def _about_zero(coupling: Coupling) -> Array:
    """Return the five coefficients of a polynomial in the leader's position itself."""
    assert isinstance(coupling.function, Polynomial)
    about = coupling.function
    shifted = np.polynomial.Polynomial(about.factors)(
        np.polynomial.Polynomial([-about.second, 1.0])
    )
    coefficients = np.zeros(5)
    coefficients[: len(shifted.coef)] = shifted.coef
    coefficients[0] += about.first
    return coefficients


# Forces between points and in joints as tendons of an MJCF file that is written.


def add_forces(
    tendon: Element,
    stated: Description,
    positions: Mapping[str, Array],
    bodies: Bodies,
    left_out: LeftOuts,
) -> None:
    """Append springs, dampers and strings as tendons, and tell of other forces."""
    taken: set[str] = {force.name for force in stated.forces if force.name}
    for number, force in enumerate(stated.forces, 1):
        reason = _reason(force)
        if reason:
            left_out.add(f"force ({force.kind})", force.name or f"#{number}", reason)
            continue
        name = force.name or unused(f"{force.kind}_{number}", taken)
        if isinstance(force, JointSpring):
            _add_fixed(tendon, name, force)
            continue
        ends = [bodies.site_at(f"{name}_{end}", getattr(force, end)) for end in ("a", "b")]
        spatial = add(tendon, "spatial", name=name, **_numbers(force))
        for end in ends:
            add(spatial, "site", site=end)


def _reason(force: Any) -> str:
    """Why a force becomes no tendon, empty if it does."""
    if not isinstance(force, (Spring, Damper, String, JointSpring)):
        return "MJCF has no such element, or one with another law"
    if getattr(force, "limit", math.inf) < math.inf:
        return "tendons have no limits of force"
    if isinstance(force, String) and force.damping:
        return "dampers of tendons act also when they are slack"
    rest = force.rest if isinstance(force, JointSpring) else getattr(force, "rest_length", 0.0)
    if rest is None:
        return "it is relaxed where a simulation starts, which no file knows"
    if isinstance(force, JointSpring) and rest < 0.0:
        return "tendons have no negative lengths at rest"
    return ""


def _numbers(force: Spring | Damper | String) -> dict[str, Any]:
    if isinstance(force, Damper):
        return {"damping": force.damping}
    lower = 0.0 if isinstance(force, String) else force.rest_length
    return {
        "stiffness": force.stiffness,
        "damping": force.damping or None,
        "springlength": [lower, force.rest_length],
    }


def _add_fixed(tendon: Element, name: str, force: JointSpring) -> None:
    rest = [force.rest, force.rest]
    fixed = add(
        tendon,
        "fixed",
        name=name,
        stiffness=force.stiffness,
        damping=force.damping or None,
        springlength=rest,
    )
    for joint, ratio in force.joints.items():
        add(fixed, "joint", joint=joint, coef=ratio)
