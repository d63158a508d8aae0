"""What has been built: a machine's description, parts on it, the ground, and how it is looked at.

A document is immutable; every edit makes another one, so undo is to take the one before. The state
of the motion is no part of it: that is carried over from document to document.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from tarsus.geometry.collision import Collision
from tarsus.geometry.grounds import Ground, Terrain
from tarsus.model.description import Description, Loop
from tarsus.parts.part import Part
from tarsus.simulation.contact import ContactLaw


@dataclass(frozen=True)
class Slider:
    """A number that a person moves: "spring1.stiffness" from low to high."""

    target: str
    low: float
    high: float


@dataclass(frozen=True)
class Guide:
    """What a scene invites to: what to try, what to measure, and a question with its answer."""

    title: str
    text: str = ""
    to_try: tuple[str, ...] = ()
    to_measure: tuple[str, ...] = ()
    question: str = ""
    answer: str = ""


@dataclass(frozen=True, eq=False)
class Document:
    """A machine in its world.

    `parts` are forces and constraints by name. `collision` and `controller` are of scenes that were
    made in Python: what touches, and who drives.
    """

    description: Description = field(default_factory=lambda: Description("untitled"))
    parts: Mapping[str, Part] = field(default_factory=dict)
    resting: frozenset[str] = frozenset()
    """Parts that do not act now."""
    left_out: tuple[Loop, ...] = ()
    """Joints that only repeat what others hold: they are shown, and tried again when others go."""
    ground: Terrain | None = field(default_factory=Ground)
    dt: float = 1e-3
    frame: float = 1 / 30
    """What `step` goes on by [s]."""
    accuracy: tuple[float, float] | None = None
    """Relative and absolute, with which `step` integrates; None for steps of dt."""
    contact: str | ContactLaw = "exact"
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of `tarsus.Simulation`."""
    collision: Collision | None = None
    controller: Any = None
    walker: Any = None
    """The machine as one that walks, a `tarsus.gait.Walker`, if it is one."""
    scene: str = ""
    """The scene, by name, that these are of: files keep them by it."""
    sliders: Mapping[str, Slider] = field(default_factory=dict)
    bindings: Mapping[str, str] = field(default_factory=dict)
    """Targets, and the expressions of time that they follow."""
    charts: tuple[str, ...] = ()
    shown: frozenset[str] = frozenset({"forces", "contacts", "joints"})
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    guide: Guide | None = None

    def but(self, **changes: Any) -> Self:
        """Return the document with changes."""
        return replace(self, **changes)

    def with_part(self, part: Part) -> Self:
        """Return the document with a part, in the place of one of the same name."""
        return self.but(parts={**self.parts, part.name: part})

    def without_part(self, name: str) -> Self:
        """Return the document without a part."""
        parts = {key: part for key, part in self.parts.items() if key != name}
        return self.but(parts=parts, resting=self.resting - {name})

    @property
    def names(self) -> dict[str, str]:
        """The names that people gave, and what each is: "body", "joint", "loop", …"""
        hidden = helpers(self.description)
        return {name: what for name, what in self.taken.items() if name not in hidden}

    @property
    def taken(self) -> dict[str, str]:
        """All names, also those that joints have made for themselves."""
        stated = self.description
        found = dict.fromkeys(self.parts, "part")
        found |= {each.name: "coupling" for each in stated.couplings}
        found |= {each.name: "frame" for each in stated.frames}
        found |= {each.name: "loop" for each in stated.loops}
        found |= {each.name: "left out" for each in self.left_out}
        found |= {each.name: "joint" for each in stated.joints}
        # a body and its own joint may share a name: the body is meant
        return found | {each.name: "body" for each in stated.bodies}


# Bodies without mass on the axes of joints, and the joints that fix others to them.
#
# A body that is joined at a point beside its origin is fixed to such a carrier: `rod.hinge` carries
# `rod` by the joint `rod_fixed`; a body that was cut off floats by `rod_free`. The studio made
# these names, so it does not list them.


def carriers(stated: Description) -> dict[str, str]:
    """Return the carriers of a description, and the body that each is there for."""
    shaped = {shape.body for shape in stated.shapes}
    light = {
        body.name
        for body in stated.bodies
        if "." in body.name and not body.mass and not body.inertia.any() and body.name not in shaped
    }
    fixed: dict[str, list[str]] = {}
    for joint in stated.joints:
        if joint.kind == "fixed" and joint.parent in light:
            fixed.setdefault(joint.parent, []).append(joint.child)
    return {name: _owner(name, bodies) for name, bodies in fixed.items()}


def _owner(carrier: str, bodies: list[str]) -> str:
    named = [body for body in bodies if carrier.startswith(f"{body}.")]
    return (named or bodies)[0]


def helpers(stated: Description) -> dict[str, str]:
    """Return all names that no person gave, and what is meant by them."""
    found = carriers(stated)
    joints = {joint.child: joint for joint in stated.joints}
    seats = {
        joints[body].name: joints[carrier].name
        for carrier, body in found.items()
        if joints[body].parent == carrier and carrier in joints
    }
    free = {
        joint.name: joint.child
        for joint in stated.joints
        if joint.kind == "free" and joint.name != joint.child
    }
    return found | seats | free
