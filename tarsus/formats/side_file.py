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

import dataclasses
import os
from pathlib import Path
from typing import Any

import numpy as np

from tarsus.arrays import Array
from tarsus.formats import native, text
from tarsus.formats.gears import add_rotor
from tarsus.formats.native_elements import decode, mapping
from tarsus.model.checks import check_body_name
from tarsus.model.description import Description, ModelError, Source
from tarsus.model.kinds import COORDINATE_FIELDS

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


def complete(description: Description, path: str | os.PathLike[str]) -> None:
    """Add to a description what a side file states."""
    file = os.fspath(path)
    data = mapping(text.read(Path(path)), (*LISTS, "gears"), (), "the side file", Source(file))
    header = {"format": "tarsus", "version": native.VERSION, "name": description.name}
    lists = {key: value for key, value in data.items() if key != "gears"}
    extra = native.from_data(header | lists, file)
    for key in LISTS:
        getattr(description, key).extend(getattr(extra, key))
    description.warnings += extra.warnings
    gears = data.get("gears", [])
    if not isinstance(gears, list):
        raise ModelError("gears must be a list", Source(file))
    for index, entry in enumerate(gears):
        source, what = Source(file, getattr(entry, "line", None)), f"entry {index + 1} of gears"
        _add_gear(description, entry, what, source)


def _add_gear(description: Description, entry: Any, what: str, source: Source) -> None:
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
