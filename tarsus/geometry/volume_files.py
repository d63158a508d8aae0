"""Files of volumes, YAML or JSON: a list of swept spheres, each with its link.

    format: tarsus-volumes
    version: 1
    volumes:
    - link: left_shin
      name: calf
      radius: 0.05
      points: [[0.0, 0.0, -0.05], [0.0, 0.0, -0.35]]
      groups: [inner]

Names and groups may be left out. Numbers keep all their bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tarsus.formats import text
from tarsus.formats.native_elements import mapping
from tarsus.geometry.swept_sphere import SweptSphere
from tarsus.model.description import ModelError, Source

FORMAT, VERSION = "tarsus-volumes", 1
KEYS = ("link", "name", "radius", "points", "groups")


def write_volumes(by_link: Mapping[str, tuple[SweptSphere, ...]], path: Path) -> None:
    """Write the volumes of all links to a file."""
    entries = [_entry(link, volume) for link, volumes in by_link.items() for volume in volumes]
    text.write({"format": FORMAT, "version": VERSION, "volumes": entries}, path)


def read_volumes(path: Path) -> dict[str, list[SweptSphere]]:
    """Return the volumes of a file by link."""
    source = Source(str(path))
    keys = ("format", "version", "volumes")
    top = mapping(text.read(path), keys, keys, "the file", source)
    if top["format"] != FORMAT or top["version"] != VERSION:
        stated = f"format {top['format']!r}, version {top['version']!r}"
        raise ModelError(f"must be format {FORMAT!r}, version {VERSION}, not {stated}", source)
    if not isinstance(top["volumes"], list):
        raise ModelError("volumes must be a list", source)
    by_link: dict[str, list[SweptSphere]] = {}
    for number, entry in enumerate(top["volumes"], 1):
        place = Source(str(path), getattr(entry, "line", None))
        link, volume = _volume(entry, f"entry {number} of volumes", place)
        by_link.setdefault(link, []).append(volume)
    return by_link


def _entry(link: str, volume: SweptSphere) -> dict[str, Any]:
    entry: dict[str, Any] = {"link": link}
    if volume.name:
        entry["name"] = volume.name
    entry |= {"radius": volume.radius, "points": volume.points.tolist()}
    if volume.groups:
        entry["groups"] = list(volume.groups)
    return entry


def _volume(entry: Any, what: str, source: Source) -> tuple[str, SweptSphere]:
    data = mapping(entry, KEYS, ("link", "radius", "points"), what, source)
    if not isinstance(data["link"], str) or not data["link"]:
        raise ModelError(f"{what}: link is {data['link']!r}, must be a name", source)
    groups = data.get("groups", [])
    if not isinstance(groups, list):
        raise ModelError(f"{what}: groups must be a list of names", source)
    try:
        volume = SweptSphere(data["points"], data["radius"], data.get("name", ""), tuple(groups))
    except ModelError as error:
        raise ModelError(f"{what}: {error}", source) from None
    return data["link"], volume
