"""A quadruped like the Mini Cheetah: motors of low ratio, whose rotors are bodies that turn.

Masses, inertias, places and ratios are those of the Mini Cheetah in the public software of MIT
(B. Katz, J. Di Carlo, S. Kim, "Mini Cheetah: A Platform for Pushing the Limits of Dynamic
Quadruped Control", ICRA 2019) and of M. Chignoli, N. Adrian, S. Kim, P. M. Wensing, "Recursive
Rigid-Body Dynamics Algorithms for Systems with Kinematic Loops", arXiv 2311.13732, 2023.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tarsus.arrays import Array
from tarsus.model import WORLD, Builder, Model
from tarsus.robots import solids
from tarsus.robots.gears import Rotors, add_gear, checked_rotors
from tarsus.robots.solids import Triple

LEGS = {
    "front_right": (1, -1),
    "front_left": (1, 1),
    "hind_right": (-1, -1),
    "hind_left": (-1, 1),
}
"""The legs, and on which side of x and of y they are."""

THIGH_LENGTH, SHANK_LENGTH = 0.209, 0.195
ROTOR_MASS, ROTOR_AXIAL, ROTOR_ACROSS = 0.055, 63e-6, 33e-6


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
        mass=ROTOR_MASS,
        inertia=solids.rotor(link.axis, ROTOR_AXIAL, ROTOR_ACROSS),
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
