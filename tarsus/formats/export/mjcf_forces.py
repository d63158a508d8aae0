"""Forces between points and in joints as tendons of an MJCF file that is written."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element

from tarsus.arrays import Array
from tarsus.forces import Damper, JointSpring, Spring, String
from tarsus.formats.export.left_out import LeftOuts
from tarsus.formats.export.mjcf_bodies import Bodies
from tarsus.formats.export.xml_text import add
from tarsus.model.checks import unused
from tarsus.model.description import Description


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
