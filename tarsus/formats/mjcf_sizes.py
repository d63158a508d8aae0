"""What an MJCF file makes MuJoCo allocate: elements that are made by others, and files of meshes.

A few lines can ask for billions of bodies. MuJoCo would try, in time that grows with the square
of their number: the elements that a file asks for are counted before. Textures, height fields and
numbers of the user, which are not taken over, are not made at all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tarsus.formats.xml import Element

MAX_MADE = 10_000
"""Elements that replicate, attach, composite and flexcomp may make in all."""

MAX_FILE_BYTES = 128 * 1024 * 1024
"""Of a mesh."""

POINTS = 1000
"""Points of a height field that count as one element."""

COUNTED = ("replicate", "composite", "flexcomp")
NUMBERS_OF_USERS = (
    *("nuser_body", "nuser_jnt", "nuser_geom", "nuser_site", "nuser_cam"),
    *("nuser_tendon", "nuser_actuator", "nuser_sensor"),
)


Size = tuple[float, int]
"""How many elements a file stands for when all is made, and how many are stated one by one."""


def file_size(
    root: Element, referred: Mapping[str, list[Path]], known: Mapping[Path, Size]
) -> Size:
    """Return how many elements a file stands for; an error if too many are made.

    `referred` are the files that paths in its includes and models may mean, `known` their sizes.
    """
    none = (0.0, 0)
    files = {path: max((known[f] for f in found), default=none) for path, found in referred.items()}
    models = {
        element.attributes.get("name", Path(element.attributes["file"]).stem): files[
            element.attributes["file"]
        ]
        for element in root.walk()
        if element.tag == "model" and "file" in element.attributes
    }
    sizes: dict[int, Size] = {}
    for element in reversed(list(root.walk())):  # children before their parents
        parts = [(1.0, 1), *(sizes.pop(id(child)) for child in element.children)]
        made, stated = sum(part[0] for part in parts), sum(part[1] for part in parts)
        more = files.get(element.attributes.get("file", ""), none)
        if element.tag == "include":
            made, stated = made + more[0], stated + more[1]
        elif element.tag == "model":
            made += more[0]
        elif element.tag == "attach":
            made += models.get(element.attributes.get("model", ""), none)[0]
        elif element.tag in COUNTED and "count" in element.attributes:
            made *= max(1.0, abs(math.prod(element.vector("count", (1, 2, 3)).tolist())))
        elif element.tag == "hfield":
            made += abs(element.number("nrow", 0.0) * element.number("ncol", 0.0)) / POINTS
        if made - stated > MAX_MADE:
            raise element.error(f"asks for more than {MAX_MADE} elements")
        sizes[id(element)] = made, stated
    return sizes[id(root)]


def check_file(path: Path, element: Element) -> None:
    """Raise if a file that MuJoCo would read is too large."""
    if path.is_file() and path.stat().st_size > MAX_FILE_BYTES:
        raise element.error(f"refers to {path}, which is larger than {MAX_FILE_BYTES} bytes")


def leave_out(mujoco: Any, spec: Any) -> None:
    """Make small in a specification what takes memory or files and is not taken over."""
    for name in NUMBERS_OF_USERS:
        setattr(spec, name, -1)  # as many as elements state
    spec.memory, spec.nuserdata, spec.nkey = -1, 0, 0
    for index, texture in enumerate(spec.textures):
        texture.name = texture.name or f"texture {index}"
        texture.file, texture.cubefiles, texture.content_type, texture.data = "", [""] * 6, "", b""
        texture.type = mujoco.mjtTexture.mjTEXTURE_2D
        texture.builtin = int(mujoco.mjtBuiltin.mjBUILTIN_FLAT)
        texture.width, texture.height, texture.nchannel, texture.gridsize = 1, 1, 3, [1, 1]
    for index, field in enumerate(spec.hfields):
        field.name = field.name or f"height field {index}"
        field.file, field.content_type = "", ""
        field.nrow, field.ncol, field.userdata = 2, 2, [0.0] * 4
