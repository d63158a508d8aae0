"""How large a world may be: what would let people wait for minutes is refused and told."""

from __future__ import annotations

import re
from collections import Counter

from tarsus.model import WORLD
from tarsus.robots.named import CALL
from tarsus.studio.document import Document
from tarsus.studio.language import LineError

MOST = {"bodies": 2000, "shapes": 20_000, "joints": 4000, "loops": 1000, "frames": 20_000}
"""Of a description."""
MOST_PARTS, MOST_NAMES, LONGEST_NAME = 2000, 500, 200
"""Forces and constraints; sliders, bindings, charts and groups each; characters of a name."""
MOST_PAIRS = 20_000
"""Of shapes of different linkages, which may touch."""
LARGEST_NUMBER = 2000
"""In calls such as chain(20), so that nobody waits for a chain of millions."""
NUMBER = re.compile(r"0[xX][\da-fA-F_]+|\d[\d_]*(?:\.\d*)?(?:[eE][-+]?\d+)?")


def check_size(document: Document) -> None:
    """Raise if a document is too large to be played with."""
    stated = document.description
    for what, most in MOST.items():
        _check(len(getattr(stated, what)), most, what)
    _check(len(document.parts), MOST_PARTS, "parts")
    for what in ("sliders", "bindings", "charts", "groups"):
        _check(len(getattr(document, what)), MOST_NAMES, what)
    longest = max([*document.names, *document.groups, *document.sliders, ""], key=len)
    if len(longest) > LONGEST_NAME:
        raise LineError(
            f"a name has {len(longest)} characters, at most {LONGEST_NAME}: {longest[:40]}…", "NAME"
        )
    if document.collision is None:
        _check(_pairs(document), MOST_PAIRS, "pairs of shapes that may touch", "-touches off")


def check_call(word: str) -> None:
    """Raise if a call such as chain(20) has numbers that make machines too large to wait for."""
    call = CALL.fullmatch(word.strip())
    for digits in NUMBER.findall(call["arguments"]) if call is not None else ():
        plain = digits.replace("_", "").lower()
        if (int(plain, 16) if plain.startswith("0x") else float(plain)) > LARGEST_NUMBER:
            raise LineError(f"{word}: {digits} is more than {LARGEST_NUMBER}", "FILE")


def _check(count: int, most: int, what: str, hint: str = "") -> None:
    if count > most:
        way_out = f"; {hint} makes fewer" if hint else ""
        raise LineError(f"the world would have {count} {what}, at most {most}{way_out}")


def _pairs(document: Document) -> int:
    """Return how many pairs there are of collision shapes of linkages that hang on the world."""
    stated = document.description
    above = {joint.child: joint.parent for joint in stated.joints}

    def root(body: str) -> str:
        for _ in above:
            if above.get(body, WORLD) == WORLD:
                break
            body = above[body]
        return body

    roots: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for shape in stated.shapes:
        if shape.role == "collision" and shape.body != WORLD:
            if shape.body not in roots:
                roots[shape.body] = root(shape.body)
            counts[roots[shape.body]] += 1
    total = sum(counts.values())
    return (total * total - sum(each * each for each in counts.values())) // 2
