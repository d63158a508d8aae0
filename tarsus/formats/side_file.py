"""A side file, YAML or JSON, that completes a model from another file.

    bodies:
    - name: hip_rotor
      mass: 0.1
      inertia: [2.0e-5, 2.0e-5, 4.0e-5]
    gears:
    - joint: hip
      ratio: 50
      rotor: hip_rotor
    loops:
    - name: closure
      kind: revolute
      body_a: rod
      body_b: rocker

The lists are those of our own format (`tarsus.formats.native`), with its keys, and `gears`,
whose keys are the parameters of `Builder.gear`. Everything is added to what the model has.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tarsus.formats import native, text
from tarsus.formats.gears import axis_of, geared
from tarsus.formats.native_elements import decode, mapping
from tarsus.model.checks import suggestion
from tarsus.model.description import Array, Body, Description, Joint, ModelError, Source
from tarsus.model.inertia import moment

LISTS = ("bodies", "joints", "couplings", "loops", "frames")
PARAMETERS = ("damping", "friction", "armature", "stiffness", "rest", "lower", "upper")


@dataclass
class Gear:
    """The parameters of `Builder.gear`, those that are not stated empty."""

    joint: str = ""
    ratio: float = 1.0
    rotor: str = ""
    mount: str = ""
    name: str = ""
    placement: Array = field(default_factory=lambda: np.eye(4))
    axis: Array | None = None
    approximate: str = "exact"
    motor: bool = True
    damping: Array | None = None
    friction: Array | None = None
    armature: Array | None = None
    stiffness: Array | None = None
    rest: Array | None = None
    lower: Array | None = None
    upper: Array | None = None
    source: Source | None = None


def complete(description: Description, path: str | os.PathLike[str]) -> None:
    """Add to a description what a side file states."""
    file = os.fspath(path)
    data = mapping(text.read(Path(path)), (*LISTS, "gears"), (), "the side file", Source(file))
    header = {"format": "tarsus", "version": native.VERSION, "name": description.name}
    lists = {key: value for key, value in data.items() if key != "gears"}
    extra = native.from_data(header | lists, file)
    for key in LISTS:
        getattr(description, key).extend(getattr(extra, key))
    gears = data.get("gears", [])
    if not isinstance(gears, list):
        raise ModelError("gears must be a list", Source(file))
    for index, entry in enumerate(gears):
        source, what = Source(file, getattr(entry, "line", None)), f"entry {index + 1} of gears"
        gear = decode(entry, Gear(), ("joint", "ratio", "rotor"), what, source)
        placed = "position" in entry or "rotation" in entry
        _add_gear(description, gear, gear.placement if placed else None)


def _add_gear(description: Description, gear: Gear, placement: Array | None) -> None:
    joint: Joint = _named(description.joints, gear.joint, "joint", gear)
    rotor: Body = _named(description.bodies, gear.rotor, "rotor", gear)
    if gear.approximate not in ("exact", "reflected"):
        raise _error(gear, f"approximate is {gear.approximate!r}, must be 'exact' or 'reflected'")
    carrier, coupling = geared(
        joint,
        gear.ratio,
        rotor.name,
        name=gear.name or None,
        mount=gear.mount or None,
        placement=placement,
        axis=gear.axis,
        motor=gear.motor,
        source=gear.source,
    )
    for key in PARAMETERS:
        setattr(carrier, key, getattr(gear, key))
    description.joints.append(carrier)
    if gear.approximate == "reflected":
        _reflect(joint, carrier, rotor, gear)
    else:
        description.couplings.append(coupling)


def _reflect(joint: Joint, carrier: Joint, rotor: Body, gear: Gear) -> None:
    """Weld a rotor to its mount; its inertia is an armature of the joint that it drives."""
    for key in PARAMETERS:
        if getattr(gear, key) is not None:
            raise _error(gear, f"{key} is for exact rotors only")
    reflected = gear.ratio**2 * moment(rotor, axis_of(carrier))
    joint.armature = np.array([reflected]) + (0.0 if joint.armature is None else joint.armature)
    carrier.kind, carrier.axis = "fixed", None


def _named(elements: list[Any], name: str, role: str, gear: Gear) -> Any:
    names = [element.name for element in elements]
    if name not in names:
        raise _error(gear, f"{role} {name!r} does not exist{suggestion(name, names)}")
    return elements[names.index(name)]


def _error(gear: Gear, message: str) -> ModelError:
    return ModelError(f"gear of joint {gear.joint!r}: {message}", gear.source)
