"""Loops and couplings as equality constraints of an MJCF file that is written."""

from __future__ import annotations

from xml.etree.ElementTree import Element

import numpy as np

from tarsus.arrays import Array
from tarsus.formats.export.couplings import mimics
from tarsus.formats.export.left_out import LeftOuts
from tarsus.formats.export.mjcf_bodies import Bodies
from tarsus.formats.export.xml_text import add
from tarsus.formats.mjcf_equality import Polynomial
from tarsus.model.description import Coupling, Description, Loop
from tarsus.spatial import pose

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
