"""Where the elements of a MuJoCo specification are stated."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from tarsus.formats.xml import Element
from tarsus.model.description import Source

ElementSources = dict[tuple[str, int], Source]
"""Sources by tag and number; actuators have the number that they have in the file."""


def actuator_sources(spec: Any, lines: Sequence[Element]) -> ElementSources:
    """Return where actuators are stated, before any is removed; `lines` are those of the text."""
    return _sources("actuator", enumerate(spec.actuators), lines)


def element_sources(spec: Any, lines: Sequence[Element]) -> ElementSources:
    """Return where other elements are stated, after the specification is compiled."""
    lists = {"body": spec.bodies, "joint": spec.joints, "geom": spec.geoms, "site": spec.sites}
    # equality constraints are numbered together, whatever their tag
    lists |= dict.fromkeys(("connect", "weld", "equality"), spec.equalities)
    lists |= dict.fromkeys(("spatial", "fixed"), spec.tendons)
    sources: ElementSources = {}
    for tag, elements in lists.items():
        sources |= _sources(tag, ((element.id, element) for element in elements), lines)
    for joint in spec.joints:  # MuJoCo keeps no line of <freejoint>
        body = _stated(joint.parent, lines)
        if body and ("joint", joint.id) not in sources:
            sources["joint", joint.id] = (body.find("freejoint") or body).source
    return sources


def _sources(
    tag: str, elements: Iterable[tuple[int, Any]], lines: Sequence[Element]
) -> ElementSources:
    stated = ((number, _stated(element, lines)) for number, element in elements)
    return {(tag, number): element.source for number, element in stated if element}


def _stated(element: Any, lines: Sequence[Element]) -> Element | None:
    match = re.fullmatch(r"line (\d+)", element.info)
    return lines[int(match[1]) - 1] if match and 0 < int(match[1]) <= len(lines) else None
