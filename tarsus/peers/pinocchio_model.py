"""One of our models as a model of Pinocchio, handed over joint by joint.

Linear couplings with one leader (gears, mimic joints) are joints that mimic others there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tarsus.arrays import Array
from tarsus.model import JointView, Model
from tarsus.model.description import Coupling
from tarsus.peers import NotComparableError


def hand_over(pin: Any, ours: Model) -> Any:
    """Return Pinocchio's model of our mechanism; raises if it has no such joint."""
    theirs = pin.Model()
    theirs.gravity = pin.Motion(ours.gravity, np.zeros(3))
    ids, armature = {-1: 0}, [np.zeros(0)]
    for index in _depth_first(ours):
        body = ours.body(ours.body_names[index])
        joint = ours.joint(body.joint)
        placement = pin.SE3(joint.placement)
        ids[index] = theirs.addJoint(ids[body.parent], _joint(pin, joint), placement, joint.name)
        inertia = pin.Inertia(body.mass, body.com, body.inertia)
        theirs.appendBodyToJoint(ids[index], inertia, pin.SE3.Identity())
        theirs.addJointFrame(ids[index])
        armature.append(joint.armature)
    theirs.armature = np.concatenate(armature)
    for coupling in ours.description.couplings:
        theirs = _mimic(pin, theirs, ours, coupling)
    return theirs


def _depth_first(ours: Model) -> Iterator[int]:
    """Yield the bodies depth first: in another order Pinocchio's mass matrix is wrong."""
    children: dict[int, list[int]] = {}
    for name in reversed(ours.body_names):
        body = ours.body(name)
        children.setdefault(body.parent, []).append(body.index)
    stack = list(children.get(-1, []))
    while stack:
        index = stack.pop()
        yield index
        stack += children.get(index, [])


def _mimic(pin: Any, theirs: Any, ours: Model, coupling: Coupling) -> Any:
    """Return Pinocchio's model with the followers of a coupling as joints that mimic."""
    what = f"Pinocchio has no coupling like {coupling.name!r}"
    if coupling.kind != "linear" or len(coupling.leaders) != 1 or coupling.matrix is None:
        raise NotComparableError(f"{what} ({coupling.kind}, {len(coupling.leaders)} leaders)")
    leader = ours.joint(coupling.leaders[0])
    offsets = np.zeros(len(coupling.followers)) if coupling.offset is None else coupling.offset
    if not hasattr(pin, "transformJointIntoMimic"):
        raise NotComparableError(f"{what}: version {pin.__version__} has no joints that mimic")
    if leader.dependent:
        raise NotComparableError(f"{what}: its leader {leader.name!r} follows another joint")
    for name, ratio, offset in zip(coupling.followers, coupling.matrix[:, 0], offsets, strict=True):
        if np.any(ours.joint(name).armature):
            raise NotComparableError(f"{what}: its follower {name!r} has an armature")
        pair = theirs.getJointId(leader.name), theirs.getJointId(name)
        try:
            theirs = pin.transformJointIntoMimic(theirs, *pair, float(ratio), float(offset))
        except (RuntimeError, ValueError) as error:
            raise NotComparableError(f"{what}: {error}") from None
    return theirs


def _joint(pin: Any, joint: JointView) -> Any:
    """Return Pinocchio's kind of a joint, the one made for coordinate axes where there is one."""
    axis = joint.axis
    aligned = "XYZ"[int(np.argmax(axis))] if np.array_equal(np.sort(axis), [0, 0, 1]) else ""

    def one_axis(letter: str, unaligned: str, *sizes: float) -> Any:
        if aligned:
            return getattr(pin, f"JointModel{letter}{aligned}")(*sizes)
        return getattr(pin, f"JointModel{unaligned}Unaligned")(axis, *sizes)

    makers: dict[str, Callable[[], Any]] = {
        "revolute": lambda: one_axis("R", "Revolute"),
        "prismatic": lambda: one_axis("P", "Prismatic"),
        "screw": lambda: one_axis("H", "Helical", joint.pitch),
        "cylindrical": lambda: _one_after_the_other(
            pin, one_axis("R", "Revolute"), one_axis("P", "Prismatic")
        ),
        "universal": lambda: pin.JointModelUniversal(axis, joint.second_axis),
        "spherical": pin.JointModelSpherical,
        "spherical_zyx": pin.JointModelSphericalZYX,
        "translation": pin.JointModelTranslation,
        "free": pin.JointModelFreeFlyer,
    }
    if joint.kind == "planar" and aligned == "Z":
        makers["planar"] = pin.JointModelPlanar
    if joint.kind not in makers:
        raise NotComparableError(f"Pinocchio has no joint like {joint.name!r} ({joint.kind})")
    return makers[joint.kind]()


def _one_after_the_other(pin: Any, *joints: Any) -> Any:
    composite = pin.JointModelComposite()
    for joint in joints:
        composite.addJoint(joint)
    return composite


def moving_axes(ours: Model) -> bool:
    """Return whether axes of a joint move on its body: Pinocchio leaves their rate out."""
    kinds = {joint.kind for joint in ours.joints}
    return not kinds.isdisjoint({"spherical_zyx", "universal"})


def symmetric(matrix: Array) -> Array:
    """Return a matrix of which only the upper triangle counts, made symmetric."""
    upper = np.triu(matrix)
    return np.asarray(upper + np.triu(upper, 1).T)
