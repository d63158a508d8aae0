"""Joints of a URDF that move together: `<mimic>`."""

from __future__ import annotations

from tarsus.formats.context import listing
from tarsus.formats.gears import ONE_COORDINATE, follow
from tarsus.formats.xml import Element
from tarsus.model.description import Coupling, Description, Joint, ModelError

Joints = dict[str, Joint]


def read_mimics(robot: Element, description: Description, mode: str) -> None:
    """Couple joints that mimic others; with the mode "independent" only note them."""
    joints = {joint.name: joint for joint in description.joints}
    couplings: dict[str, Coupling] = {}
    for element in robot.all("joint"):
        mimic, name = element.find("mimic"), element.string("name")
        if mimic is None or joints[name].kind == "fixed":
            continue
        if mode == "coupled" and (leader := mimic.string("joint")) not in joints:
            # published robots have this, such as hands that were renamed for left and right
            description.warnings.append(
                f"joint '{name}' mimics joint '{leader}', which does not exist: it moves on its own"
            )
            continue
        couplings[name] = _mimic(mimic, name)
        if mode == "coupled":
            _check_mimic(element, couplings[name], joints)
    if mode == "coupled":
        _check_circles(couplings)
        description.couplings += couplings.values()
    elif couplings:
        _note_mimics(couplings, description)


def _mimic(mimic: Element, follower: str) -> Coupling:
    factors = {mimic.string("joint"): mimic.number("multiplier", 1.0)}
    return follow(follower, factors, mimic.number("offset", 0.0), source=mimic.source)


def _check_mimic(element: Element, coupling: Coupling, joints: Joints) -> None:
    leader, follower = coupling.leaders[0], coupling.followers[0]
    if leader == follower:
        raise element.error("mimics itself")
    for name in (follower, leader):
        if (kind := joints[name].kind) not in ONE_COORDINATE:
            which = f"joint '{name}'" if name == leader else "it"
            raise element.error(
                f"mimics joint '{leader}', but {which} is {kind} and has not one coordinate"
            )


def _check_circles(couplings: dict[str, Coupling]) -> None:
    """Raise if joints mimic each other in a circle."""
    checked: set[str] = set()
    for name in couplings:
        path: list[str] = []
        while name in couplings and name not in checked:
            checked.add(name)
            path.append(name)
            name = couplings[name].leaders[0]
        if name in path:
            circle = " -> ".join([*path[path.index(name) :], name])
            raise ModelError(f"joint '{name}' mimics itself: {circle}", couplings[name].source)


def _note_mimics(couplings: dict[str, Coupling], description: Description) -> None:
    stated: dict[str, dict[str, str | float]] = {}
    for name, coupling in couplings.items():
        assert coupling.matrix is not None
        stated[name] = {
            "joint": coupling.leaders[0],
            "multiplier": float(coupling.matrix[0, 0]),
            "offset": 0.0 if coupling.offset is None else float(coupling.offset[0]),
        }
    description.metadata["mimic"] = stated
    description.warnings.append(
        f"mimic joints ({len(stated)}) are read as independent joints: {listing(stated)}"
    )
