"""Equality constraints, tendons and forces of exported MJCF files."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from tarsus._lib.checks import unused
from tarsus._lib.files import Array
from tarsus.formats.export.losses import LeftOuts
from tarsus.formats.export.mjcf_bodies import Bodies
from tarsus.formats.export.urdf import mimics
from tarsus.formats.mjcf_joints import Polynomial
from tarsus.formats.xml import add
from tarsus.model.description import Coupling, Description, Loop
from tarsus.parts.forces import Damper, JointSpring, Spring, String
from tarsus.spatial import pose

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
