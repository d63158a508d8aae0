"""Where the elements of a MuJoCo specification are stated."""

from __future__ import annotations

import re
from typing import Any


def line(element: Any) -> int | None:
    """The line of an element in the main file; MuJoCo gives 0 for included files."""
    match = re.fullmatch(r"line ([1-9]\d*)", element.info)
    return int(match[1]) if match else None


def lines(spec: Any) -> dict[tuple[str, int], int]:
    """The lines in the main file, by tag and number."""
    lists = {"body": spec.bodies, "joint": spec.joints, "geom": spec.geoms, "site": spec.sites}
    # equality constraints are numbered together, whatever their tag
    lists |= dict.fromkeys(("connect", "weld", "equality"), spec.equalities)
    lists |= dict.fromkeys(("spatial", "fixed"), spec.tendons)
    found = {}
    for tag, elements in lists.items():
        for element in elements:
            if number := line(element):
                found[tag, element.id] = number
    return found
