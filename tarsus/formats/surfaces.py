"""How surfaces rub, bounce and give way: <surface> of SDF, and Gazebo's elements in URDF."""

from __future__ import annotations

from typing import Any

from tarsus.formats.context import Context
from tarsus.formats.xml import Element
from tarsus.model.checks import surface_number
from tarsus.model.description import Shape


def sdf_surface(collision: Element, context: Context) -> dict[str, Any]:
    """Friction, restitution, stiffness and damping of a <collision>, as far as it states them.

    Friction is that of ODE in its first direction, or else that of Bullet.
    """
    surface = collision.find("surface")
    if surface is None:
        return {}
    context.ignore_except(surface, "friction", "bounce", "contact")
    found: dict[str, Any] = {}
    friction = surface.find("friction")
    if friction is not None:
        context.ignore_except(friction, "ode", "bullet")
        ode, bullet = friction.find("ode"), friction.find("bullet")
        first = _number(ode, "mu", "friction")
        found["friction"] = _number(bullet, "friction", "friction") if first is None else first
        _tell_directions(ode, ("mu", "mu2"), context)
    found["restitution"] = _number(surface.find("bounce"), "restitution_coefficient", "restitution")
    if (contact := surface.find("contact")) is not None:
        context.ignore_except(contact, "ode")
        if (ode := contact.find("ode")) is not None:
            context.ignore_except(ode, "kp", "kd")
            found |= _springs(ode)
    return found


def read_gazebo(robot: Element, shapes: list[Shape], context: Context) -> None:
    """Set what <gazebo reference="link"> states of a link's surfaces as <mu1>, <kp> and <kd>."""
    for element in robot.all("gazebo"):
        link = element.attributes.get("reference")
        found = {"friction": _number(element, "mu1", "friction"), **_springs(element)}
        stated = {name: value for name, value in found.items() if value is not None}
        mine = [shape for shape in shapes if shape.body == link and shape.role == "collision"]
        if not stated or not mine:
            # plugins are told by their names
            only = element.children and all(child.tag == "plugin" for child in element.children)
            context.ignored["gazebo"] += not only
            continue
        context.ignore_except(element, "mu1", "mu2", "kp", "kd")
        _tell_directions(element, ("mu1", "mu2"), context)
        for shape in mine:
            for name, value in stated.items():
                setattr(shape, name, value)


def _springs(element: Element) -> dict[str, float | None]:
    """Stiffness and damping of ODE."""
    return {
        name: _number(element, tag, name) for tag, name in (("kp", "stiffness"), ("kd", "damping"))
    }


def _number(element: Element | None, tag: str, name: str) -> float | None:
    child = None if element is None else element.find(tag)
    if child is None:
        return None
    # older files have it as an attribute
    stated = "value" in child.attributes
    found = child.number("value") if stated else float(child.text_vector(1)[0])
    if name == "stiffness" and found == 0.0:
        return None  # as if there were none
    return surface_number(name, found, child.label, child.source)


def _tell_directions(element: Element | None, tags: tuple[str, str], context: Context) -> None:
    first, second = (_number(element, tag, "friction") for tag in tags)
    if first is not None and second is not None and first != second:
        assert element is not None
        context.warnings.append(
            f"{element.source}: <{tags[1]}> ({second:g}) is left out: friction is the same in all "
            f"directions here, <{tags[0]}> ({first:g})"
        )
