"""Pairs of links that need no watching, as SRDF files of MoveIt state them.

    <robot name="arm">
        <disable_collisions link1="base" link2="shoulder" reason="Adjacent"/>
    </robot>

Other elements (groups, states, end effectors) are not taken over.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

from tarsus.files import replacing
from tarsus.formats.xml import read_xml
from tarsus.model.checks import check_name
from tarsus.model.description import ModelError


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
