"""Robots with geared rotors: Lola and the Mini Cheetah."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple, SupportsIndex

import numpy as np

from tarsus._lib.checks import checked_size
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.model.builder import Builder
from tarsus.model.model import Model
from tarsus.robots import building as solids
from tarsus.robots.building import Rotors, Triple, add_gear, checked_rotors

# The humanoid Lola in three depths of modelling, with its drives as bodies that turn.
#
# M. Schwienbacher, "Efficient Algorithms for Biped Robots, Simulation, Collision Avoidance and
# Angular Momentum Tracking", TU München 2013: types 1 to 3 of Table 2.3, the knee spindle of
# section 3.2 and the parallel drive of the ankle of section 3.3. The thesis gives the tree of
# joints only through the non-zeros of its mass matrix (Table 2.4), which this tree has, and
# neither lengths nor masses: those here are plausible for 180 cm and 60 kg, not measured.


class Segment(NamedTuple):
    """A joint and the segment that it carries, a box of `size` whose centre is at `com`."""

    joint: str
    body: str
    axis: str
    position: Triple
    mass: float
    com: Triple
    size: Triple
    parent: str = ""


PELVIS = (
    Segment("rotation", "bow", "z", (0, 0, 0), 1.2, (0, 0, -0.02), (0.14, 0.14, 0.1)),
    Segment("adduction", "ring", "x", (0, 0, -0.05), 3.2, (0, 0, -0.02), (0.14, 0.3, 0.1)),
)
LEG = (
    Segment("hip_rotation", "hip_bow", "z", (0, 0.115, -0.05), 1.3, (0, 0, 0), (0.12, 0.12, 0.1)),
    Segment("hip_adduction", "hip_cross", "x", (0, 0, 0), 1.3, (0, 0, 0), (0.12, 0.1, 0.12)),
    Segment("hip_flexion", "thigh", "y", (0, 0, 0), 5.0, (0, 0, -0.2), (0.14, 0.12, 0.44)),
    Segment("knee_flexion", "shank", "y", (0, 0, -0.44), 3.2, (0, 0, -0.18), (0.11, 0.1, 0.4)),
    Segment("ankle_flexion", "ankle_cross", "y", (0, 0, -0.43), 0.3, (0, 0, 0), (0.05, 0.05, 0.05)),
    Segment("ankle_adduction", "foot", "x", (0, 0, 0), 1.2, (0.03, 0, -0.05), (0.2, 0.1, 0.06)),
    Segment("toe_flexion", "toe", "y", (0.13, 0, -0.07), 0.4, (0.03, 0, -0.01), (0.07, 0.1, 0.03)),
)
ARM = (
    Segment("shoulder_flexion", "shoulder", "y", (0, 0.24, 0.42), 1.0, (0, 0, 0), (0.1, 0.1, 0.1)),
    Segment(
        "shoulder_adduction", "upper_arm", "x", (0, 0, 0), 1.5, (0, 0, -0.14), (0.08, 0.08, 0.3)
    ),
    Segment("elbow_flexion", "forearm", "y", (0, 0, -0.28), 1.4, (0, 0, -0.2), (0.07, 0.07, 0.26)),
)
HEAD = (
    Segment("pan", "neck", "z", (0, 0, 0.5), 0.5, (0, 0, 0.05), (0.08, 0.08, 0.1)),
    Segment("tilt", "skull", "y", (0, 0, 0.1), 1.2, (0.02, 0, 0.06), (0.14, 0.16, 0.14)),
)
TORSO_MASS, TORSO_COM, TORSO_SIZE = 15.9, (0.0, 0.0, 0.25), (0.2, 0.36, 0.5)
SIDES = (("left_", 1), ("right_", -1))

HARMONIC_DRIVE_RATIO = 100.0
ROTOR_MASS, ROTOR_AXIAL, ROTOR_ACROSS = 0.15, 3e-5, 2e-5
SCREW_MASS, SCREW_AXIAL, SCREW_ACROSS = 0.35, 4e-5, 1.2e-3
SPINDLE_LEAD = 0.005
"""Way of the nut of a roller screw in one turn [m]; the thesis' 1256.6 rad/m (section 3.2)."""


def lola(type: SupportsIndex = 2) -> Model:
    """Return the humanoid Lola (about 60 kg, 180 cm) as a model of `type` 1, 2 or 3.

    Type 1 has 6 degrees of freedom: all joints are locked. Type 2 has 30: the free torso and 24
    joints, each of which turns the rotor of its drive: harmonic drives, spindles at the knees,
    two spindles in parallel at the ankles. Type 3 has 46: the harmonic drives, but those of the
    head, are elastic, and their 16 rotors are joints of their own. The springs of these gears
    act between two joints and are up to who simulates: a twist φ/N − q, with the motor's angle
    φ, the joint's q and the ratio N = 100. Lengths and masses are plausible, not the real ones.
    """
    depth = checked_size(type, "type", 1, 3)
    builder = Builder(f"lola({depth})")
    builder.body("torso", TORSO_MASS, TORSO_COM, solids.box(TORSO_MASS, TORSO_SIZE))
    builder.joint("root", "free", WORLD, "torso")
    kind = "fixed" if depth == 1 else "revolute"
    segments = list(_segments())
    for part in segments:
        builder.body(part.body, part.mass, part.com, solids.box(part.mass, part.size))
        builder.joint(
            part.joint, kind, part.parent, part.body, position=part.position, axis=part.axis
        )
    geared = [part for part in segments if "knee" not in part.joint and "ankle" not in part.joint]
    for part in geared:
        _add_harmonic_drive(builder, part, depth, elastic="head" not in part.joint)
    for side, sign in SIDES:
        _add_knee_drive(builder, side, depth)
        _add_ankle_drive(builder, side, sign, depth)
        builder.frame(f"{side}sole", f"{side}foot", position=(0.03, 0.0, -0.09))
    return builder.build()


def _segments() -> Iterator[Segment]:
    """Yield all segments in order, each with the name of the body that carries it."""
    yield from _limb(PELVIS, "pelvis_", 1, "torso")
    for limb, parent in ((LEG, "pelvis_ring"), (ARM, "torso")):
        for side, sign in SIDES:
            yield from _limb(limb, side, sign, parent)
    yield from _limb(HEAD, "head_", 1, "torso")


def _limb(parts: tuple[Segment, ...], prefix: str, sign: int, parent: str) -> Iterator[Segment]:
    """Yield the segments of a limb, each carried by the one before it, on the side of `sign`."""
    for part in parts:
        (x, y, z), body = part.position, prefix + part.body
        yield part._replace(
            joint=prefix + part.joint, body=body, parent=parent, position=(x, sign * y, z)
        )
        parent = body


def _add_harmonic_drive(builder: Builder, part: Segment, depth: int, *, elastic: bool) -> None:
    """Add the rotor of a joint, on the body that carries the joint and about the same axis."""
    rotor, motor = f"{part.joint}_rotor", f"{part.joint}_motor"
    builder.body(rotor, ROTOR_MASS, inertia=solids.rotor(part.axis, ROTOR_AXIAL, ROTOR_ACROSS))
    if depth == 2 or (depth == 3 and not elastic):
        builder.gear(part.joint, HARMONIC_DRIVE_RATIO, rotor, name=motor)
        return
    kind = "fixed" if depth == 1 else "revolute"
    builder.joint(motor, kind, part.parent, rotor, position=part.position, axis=part.axis)


def _add_knee_drive(builder: Builder, side: str, depth: int) -> None:
    """Add the spindle that bends the knee; its pivot is in the thigh, its nut behind the knee."""
    knee, pivot = (0.0, 0.0, -0.44), (-0.02, 0.0, -0.11)
    _add_screw(builder, f"{side}knee", f"{side}thigh", pivot, depth)
    if depth > 1:
        builder.transmission(
            "spindle",
            [f"{side}knee_flexion"],
            [f"{side}knee_motor"],
            motor=True,
            pivot=(knee[0] - pivot[0], 0.0, knee[2] - pivot[2]),
            nut=(-0.07, 0.0, 0.01),
            lead=SPINDLE_LEAD,
        )


def _add_ankle_drive(builder: Builder, side: str, sign: int, depth: int) -> None:
    """Add the two spindles in the shank that bend and tilt the foot by couplers."""
    width = 0.05 * sign
    tops = [(-0.05, width, 0.3), (-0.05, -width, 0.3)]
    names = [f"{side}ankle_{place}" for place in ("outer", "inner")]
    for name, (x, y, z) in zip(names, tops, strict=True):
        _add_screw(builder, name, f"{side}shank", (x, y, z - 0.43), depth)
    if depth > 1:
        builder.transmission(
            "parallel_ankle",
            [f"{side}ankle_flexion", f"{side}ankle_adduction"],
            [f"{name}_motor" for name in names],
            motor=True,
            ankle=(0.0, 0.0, 0.0),
            first_axis=(0.0, 1.0, 0.0),
            second_axis=(1.0, 0.0, 0.0),
            screw_axis=(0.0, 0.0, -1.0),
            coupler=0.25,
            tops=tops,
            bottoms=[(-0.08, width, 0.02), (-0.08, -width, 0.02)],
            lead=SPINDLE_LEAD,
        )


def _add_screw(builder: Builder, name: str, parent: str, position: Triple, depth: int) -> None:
    kind = "fixed" if depth == 1 else "revolute"
    builder.body(f"{name}_screw", SCREW_MASS, inertia=solids.rotor("z", SCREW_AXIAL, SCREW_ACROSS))
    builder.joint(f"{name}_motor", kind, parent, f"{name}_screw", position=position, axis="z")


# A quadruped like the Mini Cheetah: motors of low ratio, whose rotors are bodies that turn.
#
# Masses, inertias, places and ratios are those of the Mini Cheetah in the public software of MIT
# (B. Katz, J. Di Carlo, S. Kim, "Mini Cheetah: A Platform for Pushing the Limits of Dynamic
# Quadruped Control", ICRA 2019) and of M. Chignoli, N. Adrian, S. Kim, P. M. Wensing, "Recursive
# Rigid-Body Dynamics Algorithms for Systems with Kinematic Loops", arXiv 2311.13732, 2023.


LEGS = {
    "front_right": (1, -1),
    "front_left": (1, 1),
    "hind_right": (-1, -1),
    "hind_left": (-1, 1),
}
"""The legs, and on which side of x and of y they are."""

THIGH_LENGTH, SHANK_LENGTH = 0.209, 0.195
ROTOR_MASS_MINI_CHEETAH, ROTOR_AXIAL_MINI_CHEETAH, ROTOR_ACROSS_MINI_CHEETAH = 0.055, 63e-6, 33e-6


class Link(NamedTuple):
    """A link of the front left leg, the joint that carries it, and the rotor of that joint.

    `inertia` has the moments xx, yy, zz and the products xy, xz, yz [1e-6 kg m²].
    """

    name: str
    axis: str
    position: Triple
    turned: bool
    """Whether the joint is turned by π about z on its parent."""
    mass: float
    com: Triple
    inertia: tuple[float, float, float, float, float, float]
    ratio: float
    rotor_position: Triple


LINKS = (
    Link(
        *("abduction", "x", (0.19, 0.049, 0.0), False),
        *(0.54, (0.0, 0.036, 0.0), (381.0, 560.0, 444.0, 58.0, 0.45, 0.95)),
        *(6.0, (0.125, 0.049, 0.0)),
    ),
    Link(
        *("hip", "y", (0.0, 0.062, 0.0), True),
        # zz is 408 where it was published, which no body with these other moments can have
        *(0.634, (0.0, 0.016, -0.02), (1983.0, 2103.0, 506.0, 245.0, 13.0, 1.5)),
        *(6.0, (0.0, 0.04, 0.0)),
    ),
    Link(
        *("knee", "y", (0.0, 0.0, -THIGH_LENGTH), False),
        *(0.064, (0.0, 0.0, -0.061), (6.0, 248.0, 245.0, 0.0, 0.0, 0.0)),
        *(9.33, (0.0, 0.0, 0.0)),
    ),
)


def mini_cheetah(rotors: Rotors = "exact") -> Model:
    """Return a quadruped of 18 degrees of freedom (8.9 kg) like the Mini Cheetah.

    Twelve motors turn 6, 6 and 9.33 times as fast as the joints "abduction", "hip" and "knee" of
    a leg. `rotors` is "exact" (bodies that turn), "reflected" (welded where they are, with the
    inertia n² J on the joint) or "none". Each foot has a frame, such as "front_left_foot".
    """
    checked_rotors(rotors)
    builder = Builder("mini_cheetah")
    builder.body("trunk", 3.3, inertia=(11253e-6, 36203e-6, 42673e-6))
    builder.joint("root", "free", WORLD, "trunk")
    for leg, (front, left) in LEGS.items():
        parent = "trunk"
        for link in LINKS:
            parent = _add_link(builder, link, f"{leg}_{link.name}", parent, front, left, rotors)
        builder.frame(f"{leg}_foot", parent, position=(0.0, 0.0, -SHANK_LENGTH))
    return builder.build()


def _add_link(
    builder: Builder, link: Link, name: str, parent: str, front: int, left: int, rotors: Rotors
) -> str:
    """Add a link with its joint and rotor to a leg; returns the name of its body."""
    body = f"{name}_link"
    com, inertia = _mirrored(link, left)
    rotation = (0.0, 0.0, math.pi if link.turned else 0.0)
    builder.body(body, link.mass, com, inertia)
    builder.joint(
        name,
        "revolute",
        parent,
        body,
        position=_on_leg(link.position, front, left),
        rotation=rotation,
        axis=link.axis,
    )
    add_gear(
        builder,
        name,
        link.ratio,
        rotors,
        mass=ROTOR_MASS_MINI_CHEETAH,
        inertia=solids.rotor(link.axis, ROTOR_AXIAL_MINI_CHEETAH, ROTOR_ACROSS_MINI_CHEETAH),
        position=_on_leg(link.rotor_position, front, left),
        rotation=rotation,
        axis=link.axis,
    )
    return body


def _on_leg(position: Triple, front: int, left: int) -> Triple:
    x, y, z = position
    return front * x, left * y, z


def _mirrored(link: Link, left: int) -> tuple[Triple, Array]:
    """Return the centre of mass and the inertia of a link; those on the right are mirrored."""
    (x, y, z), (xx, yy, zz, xy, xz, yz) = link.com, link.inertia
    xy, yz = left * xy, left * yz
    inertia = 1e-6 * np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return (x, left * y, z), inertia
