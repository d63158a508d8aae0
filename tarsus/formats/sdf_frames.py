"""Poses of an SDF model: which frame each is stated in, and where all are in the model's frame."""

from __future__ import annotations

import math

import numpy as np

from tarsus._lib.checks import suggestion
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.formats.xml import XmlElement
from tarsus.spatial import pose, rotation_from_quaternion, rotation_from_rpy

MODEL = "__model__"


class Frames:
    """The links, joints and frames of one model, each of them a frame with a pose."""

    def __init__(self, model: XmlElement) -> None:
        self.model = model
        self.links = {link.string("name"): link for link in model.all("link")}
        if not self.links:
            raise model.error("has no <link>")
        self.named = {joint.string("name"): joint for joint in model.all("joint")}
        self.named |= {frame.string("name"): frame for frame in model.all("frame")}
        self.named |= self.links
        self.canonical = model.attributes.get("canonical_link") or next(iter(self.links))
        if self.canonical not in self.links:
            self._unknown(self.canonical, model, "canonical link")
        self._poses: dict[int, Array] = {id(model): np.eye(4)}
        self._bodies = dict(zip(self.links, self.links, strict=True))

    def pose(self, element: XmlElement) -> Array:
        """The pose (4, 4) of a link, joint, frame or shape in the frame of the model."""
        chain: dict[int, XmlElement] = {}
        while id(element) not in self._poses:
            if id(element) in chain:
                raise element.error("is placed relative to itself")
            chain[id(element)] = element
            element = self._reference(element)
        result = self._poses[id(element)]
        for key, member in reversed(chain.items()):
            result = result @ read_pose(member)
            self._poses[key] = result
        return result

    def named_pose(self, name: str, asker: XmlElement) -> Array:
        """The pose (4, 4) of a frame in the frame of the model."""
        return self.pose(self._find(name, asker))

    def body(self, name: str, asker: XmlElement) -> str:
        """The link to which a link, joint or frame is fixed."""
        seen: set[str] = set()
        while name not in self._bodies:
            if name in seen:
                raise asker.error(f"refers to '{name}', which is attached to itself")
            seen.add(name)
            element = self._find(name, asker)
            if element is self.model:
                name = self.canonical
            else:
                name = _child(element) if element.tag == "joint" else _attached_to(element)
        body = self._bodies[name]
        self._bodies |= dict.fromkeys(seen, body)
        return body

    def _reference(self, element: XmlElement) -> XmlElement:
        """The element relative to which the pose of `element` is stated."""
        stated = element.find("pose")
        if stated is not None and stated.attributes.get("frame"):
            raise stated.error("attribute 'frame' is not read; since SDF 1.7 it is 'relative_to'")
        if stated is not None and stated.attributes.get("relative_to"):
            return self._find(stated.string("relative_to"), stated)
        if element.tag == "joint":
            return self._find(_child(element), element)
        if element.tag == "frame":
            return self._find(_attached_to(element), element)
        if element.tag in ("visual", "collision", "sensor") and element.parent is not None:
            return element.parent
        return self.model

    def _find(self, name: str, asker: XmlElement) -> XmlElement:
        if name == MODEL:
            return self.model
        if name not in self.named:
            self._unknown(name, asker, "frame")
        return self.named[name]

    def _unknown(self, name: str, asker: XmlElement, what: str) -> None:
        if name == WORLD:
            raise asker.error("refers to the world, which only the parent of a joint can be")
        names = self.links if what == "canonical link" else self.named
        raise asker.error(f"refers to the unknown {what} '{name}'{suggestion(name, names)}")


def read_pose(element: XmlElement) -> Array:
    """The pose (4, 4) that the child `<pose>` states, identity without one."""
    stated = element.find("pose")
    if stated is None or not stated.text.strip():
        return np.eye(4)
    if stated.attributes.get("rotation_format", "euler_rpy") == "quat_xyzw":
        numbers = stated.text_vector(7)
        length = math.sqrt(numbers[3:] @ numbers[3:])
        if not length > 1e-9:
            raise stated.error("has a quaternion of length zero")
        return pose(numbers[:3], rotation_from_quaternion(numbers[3:]))
    numbers = stated.text_vector(6)
    if stated.attributes.get("degrees", "false").strip() in ("true", "1"):
        numbers[3:] = np.radians(numbers[3:])
    return pose(numbers[:3], rotation_from_rpy(numbers[3:]))


def _child(joint: XmlElement) -> str:
    return joint.require("child").text_string()


def _attached_to(frame: XmlElement) -> str:
    return frame.attributes.get("attached_to") or MODEL
