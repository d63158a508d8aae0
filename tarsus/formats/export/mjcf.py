"""Writing of MJCF, for MuJoCo: bodies inside each other, joints, equalities, tendons, sites.

Coordinates are those of the model: each joint's `ref` is where it stands in the initial
configuration, as MuJoCo states bodies there. Equalities, which hold exactly here, are held there by
stiff springs.
MuJoCo wants a mass in everything that moves; what has none gets `LEAST`, which is lost in rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from xml.etree.ElementTree import Element

from tarsus._lib.files import Array
from tarsus.formats.export.actuators import MeshReferences
from tarsus.formats.export.losses import LeftOuts
from tarsus.formats.export.mjcf_bodies import Bodies
from tarsus.formats.export.mjcf_controls import add_actuators, add_keyframes, add_sensors
from tarsus.formats.export.mjcf_equalities import add_couplings, add_forces, add_loops
from tarsus.formats.xml import add, document
from tarsus.model.description import Description

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
