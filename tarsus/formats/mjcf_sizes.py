"""What an MJCF file makes MuJoCo allocate: elements that are made by others.

A few lines can ask for billions of bodies. MuJoCo would try, in time that grows with the square
of their number: the elements that a file asks for are counted before.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

from tarsus.formats.xml import Element

MAX_MADE = 10_000
"""Elements that replicate, attach and composite may make in all."""

POINTS = 1000
"""Points of a mesh that MuJoCo makes that count as one element."""

COUNTS = {"replicate": (1.0,), "composite": (1.0,)}
"""Elements that make others, and how many unless their count tells."""

Size = tuple[float, int]
"""How many elements a file stands for when all is made, and how many are stated one by one."""

Reference = tuple[str, str]
"""A tag and what it names: the path of an include or a model, the name of a model to attach."""


def reference(element: Element) -> Reference:
    """Return what an include, model or attach element refers to."""
    return element.tag, element.attributes.get("model" if element.tag == "attach" else "file", "")


def file_size(
    root: Element, referred: Mapping[Reference, list[Path]], known: Mapping[Path, Size]
) -> Size:
    """Return how many elements a file stands for; an error if too many are made.

    `referred` are the files that may be meant by its references, `known` their sizes.
    """
    sizes: dict[int, Size] = {}
    for element in reversed(list(root.walk())):  # children before their parents
        parts = [(1.0, 1), *(sizes.pop(id(child)) for child in element.children)]
        parts += [known[file] for file in referred.get(reference(element), ())]
        made, stated = sum(part[0] for part in parts), sum(part[1] for part in parts)
        if element.tag in ("model", "attach"):
            stated = 1
        elif element.tag in COUNTS:
            count = element.vector("count", (1, 2, 3), COUNTS[element.tag])
            made *= max(1.0, abs(math.prod(count.tolist())))
        elif element.tag == "mesh" and "params" in element.attributes:
            # a grid with as many lines in both directions, for some of the forms
            made += float(max(abs(element.vector("params", tuple(range(1, 20)))))) ** 2 / POINTS
        if made - stated > MAX_MADE:
            raise element.error(f"asks for more than {MAX_MADE} elements")
        sizes[id(element)] = made, stated
    return sizes[id(root)]
