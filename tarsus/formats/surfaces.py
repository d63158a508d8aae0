"""How surfaces rub and bounce: <surface> of SDF, and Gazebo's elements in URDF."""

from __future__ import annotations

from typing import Any

from tarsus.formats.context import Context
from tarsus.formats.xml import Element
from tarsus.model.checks import surface_number
from tarsus.model.description import Shape


def sdf_surface(collision: Element, context: Context) -> dict[str, Any]:
    """Friction and restitution of a <collision>, as far as it states them.

    Friction is that of ODE in its first direction, or else that of Bullet.
    """
    surface = collision.find("surface")
    if surface is None:
        return {}
    context.ignore_except(surface, "friction", "bounce")
    found: dict[str, Any] = {}
    friction = surface.find("friction")
    if friction is not None:
        context.ignore_except(friction, "ode", "bullet")
        ode, bullet = friction.find("ode"), friction.find("bullet")
        first = _number(ode, "mu", "friction")
        found["friction"] = _number(bullet, "friction", "friction") if first is None else first
        _tell_directions(ode, ("mu", "mu2"), context)
    found["restitution"] = _number(surface.find("bounce"), "restitution_coefficient", "restitution")
    return found


def read_gazebo(robot: Element, shapes: list[Shape], context: Context) -> None:
    """Set frictions of links that <gazebo reference="link"> states as <mu1>."""
    for element in robot.all("gazebo"):
        link = element.attributes.get("reference")
        friction = _number(element, "mu1", "friction")
        mine = [shape for shape in shapes if shape.body == link and shape.role == "collision"]
        if friction is None or not mine:
            # plugins are told by their names
            only = element.children and all(child.tag == "plugin" for child in element.children)
            context.ignored["gazebo"] += not only
            continue
        context.ignore_except(element, "mu1", "mu2")
        _tell_directions(element, ("mu1", "mu2"), context)
        for shape in mine:
            shape.friction = friction


def _number(element: Element | None, tag: str, name: str) -> float | None:
    child = None if element is None else element.find(tag)
    if child is None:
        return None
    # older files have it as an attribute
    stated = "value" in child.attributes
    found = child.number("value") if stated else float(child.text_vector(1)[0])
    return surface_number(name, found, child.label, child.source)


def _tell_directions(element: Element | None, tags: tuple[str, str], context: Context) -> None:
    first, second = (_number(element, tag, "friction") for tag in tags)
    if first is not None and second is not None and first != second:
        assert element is not None
        context.warnings.append(
            f"{element.source}: <{tags[1]}> ({second:g}) is left out: friction is the same in all "
            f"directions here, <{tags[0]}> ({first:g})"
        )
