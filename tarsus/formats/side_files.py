"""Supplement files that complete a model, and SRDF files."""

from __future__ import annotations

import dataclasses
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import quoteattr

import numpy as np

from tarsus._lib.checks import check_body_name, check_name
from tarsus._lib.errors import ModelError, Source
from tarsus._lib.files import Array, replacing
from tarsus.formats import native, text
from tarsus.formats.couplings import add_rotor
from tarsus.formats.native_elements import decode, mapping
from tarsus.formats.xml import read_xml
from tarsus.model.description import COORDINATE_FIELDS, Description, DescriptionDraft

# A side file, YAML or JSON, that completes a model from another file.
#
#     bodies:
#     - name: hip_rotor
#       mass: 0.1
#       inertia: [2.0e-5, 2.0e-5, 4.0e-5]
#     gears:
#     - joint: hip
#       ratio: 50
#       rotor: hip_rotor
#     loops:
#     - name: closure
#       kind: revolute
#       body_a: rod
#       body_b: rocker
#
# The lists are those of our own format (`tarsus.formats.native`), with its keys, and `gears`,
# whose keys are the parameters of `Builder.gear`. Everything is added to what the model has.


LISTS = ("bodies", "joints", "couplings", "loops", "frames", "shapes", "forces")
Gear: Any = dataclasses.make_dataclass(
    "Gear",
    [
        ("joint", str, ""),
        ("ratio", float, 1.0),
        ("rotor", str, ""),
        ("name", str, ""),
        ("mount", str, ""),
        ("placement", Array, dataclasses.field(default_factory=lambda: np.eye(4))),
        ("axis", Array, None),
        ("approximate", str, "exact"),
        ("motor", bool, True),
        *((key, Array, None) for key in COORDINATE_FIELDS),
        ("source", Source, None),
    ],
)
"""The parameters of `Builder.gear`."""


def complete(description: Description, path: str | os.PathLike[str]) -> Description:
    """Return a description with what a side file adds to it."""
    file = os.fspath(path)
    data = mapping(text.read(Path(path)), (*LISTS, "gears"), (), "the side file", Source(file))
    header = {"format": "tarsus", "version": native.VERSION, "name": description.name}
    lists = {key: value for key, value in data.items() if key != "gears"}
    extra = native.from_data(header | lists, file)
    draft = DescriptionDraft.of(description)
    for key in (*LISTS, "warnings"):
        getattr(draft, key).extend(getattr(extra, key))
    gears = data.get("gears", [])
    if not isinstance(gears, list):
        raise ModelError("gears must be a list", Source(file))
    for index, entry in enumerate(gears):
        source, what = Source(file, getattr(entry, "line", None)), f"entry {index + 1} of gears"
        _add_gear(draft, entry, what, source)
    return draft.build()


def _add_gear(description: DescriptionDraft, entry: Any, what: str, source: Source) -> None:
    if isinstance(entry, dict):  # named also in messages
        entry = {"name": f"{entry.get('rotor')}_joint", **entry}
    stated = decode(entry, Gear(), ("joint", "ratio", "rotor"), what, source)
    placed = "position" in entry or "rotation" in entry
    bodies = {body.name: body for body in description.bodies}
    check_body_name(stated.rotor, bodies, f"gear {stated.name!r}", "rotor", source)
    add_rotor(
        description,
        stated.joint,
        stated.ratio,
        bodies[stated.rotor],
        name=stated.name,
        mount=stated.mount or None,
        placement=stated.placement if placed else None,
        axis=stated.axis,
        approximate=stated.approximate,
        motor=stated.motor,
        source=source,
        **{key: getattr(stated, key) for key in COORDINATE_FIELDS if key in entry},
    )


# Pairs of links that need no watching, as SRDF files of MoveIt state them.
#
#     <robot name="arm">
#         <disable_collisions link1="base" link2="shoulder" reason="Adjacent"/>
#     </robot>
#
# Other elements (groups, states, end effectors) are not taken over.


class DisabledPair(NamedTuple):
    """Two links whose collisions are not checked, and why."""

    first: str
    second: str
    reason: str = ""


@dataclass(frozen=True)
class SemanticFile:
    """What an SRDF file states: the robot's name, pairs of links, and what was not taken over."""

    name: str
    disabled: tuple[DisabledPair, ...]
    warnings: tuple[str, ...] = ()


def load_srdf(path: str | os.PathLike[str]) -> SemanticFile:
    """Read the pairs of links whose collisions an SRDF file disables."""
    root = read_xml(path)
    if root.tag != "robot":
        raise ModelError(f"the root is <{root.tag}>, must be <robot>", root.source)
    disabled = []
    for element in root.all("disable_collisions"):
        first, second = element.string("link1"), element.string("link2")
        if first == second:
            raise element.error(f"names the link '{first}' twice")
        disabled.append(DisabledPair(first, second, element.attributes.get("reason", "")))
    ignored = Counter(child.tag for child in root.children if child.tag != "disable_collisions")
    warnings = (
        f"{tag} elements ({count}) are not taken over" for tag, count in sorted(ignored.items())
    )
    return SemanticFile(root.string("name"), tuple(disabled), tuple(warnings))


def save_srdf(
    path: str | os.PathLike[str], name: str, disabled: Iterable[DisabledPair | tuple[str, ...]]
) -> None:
    """Write pairs (link, link) or (link, link, reason) of the robot `name` as an SRDF file."""
    check_name(name, "the robot")
    lines = ['<?xml version="1.0" encoding="utf-8"?>', f"<robot name={quoteattr(name)}>"]
    for entry in disabled:
        if isinstance(entry, str) or len(entry) not in (2, 3):
            raise ValueError(
                f"disabled has {entry!r}, must be (link, link) or (link, link, reason)"
            )
        pair = DisabledPair(*entry)
        for each in pair:
            if not isinstance(each, str):
                raise ValueError(f"disabled has {entry!r}, must be names")
        parts = zip(("link1", "link2", "reason"), pair, strict=True)
        stated = " ".join(f"{key}={quoteattr(value)}" for key, value in parts if value)
        lines.append(f"    <disable_collisions {stated}/>")
    with replacing(Path(path)) as part:
        part.write_text("\n".join([*lines, "</robot>", ""]), encoding="utf-8")
