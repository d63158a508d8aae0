"""Scripts: files of lines, also with numbers that are stated when they run.

    ; wheel.ves: a wheel on a hinge
    ; default radius=.2
    add wheel $name -radius $radius -t $x 0 $radius

`run wheel.ves name=left x=1` puts words in the places of `$name` and `$x`. So a script is a part
that can be had again and again. A word may be a number, or an expression of numbers in braces:
`${2*radius+.1}`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tarsus._lib.checks import suggestion
from tarsus.studio.bindings import plan_of
from tarsus.studio.language import LineError

NAME = re.compile(r"[A-Za-z_]\w*")
PLACE = re.compile(r"\$(?:(?P<name>[A-Za-z_]\w*)|\{(?P<expression>[^{}]*)\})")
DEFAULT = re.compile(r"\s*;\s*default\s+(?P<words>.*)")
FORBIDDEN = re.compile(r"[\s;'\"$]")
MOST_LINES = 100_000
DEEPEST = 8
"""Scripts that run scripts."""


def values_of(words: Sequence[str]) -> dict[str, str]:
    """Return words such as radius=.2 as values by name."""
    found: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not NAME.fullmatch(name):
            raise LineError(f"{word!r} is no value: it must be name=value", "name=value")
        if FORBIDDEN.search(value):
            raise LineError(f"{name}: {value!r} must be one word", "name=value")
        if name in found:
            raise LineError(f"{name} is stated twice", "name=value")
        found[name] = value
    return found


def lines_of(script: str, values: Mapping[str, str]) -> list[str]:
    """Return the lines of a script with values in their places; all stated ones must be used."""
    lines = script.splitlines()
    if len(lines) > MOST_LINES:
        raise LineError(f"the script has {len(lines)} lines, at most {MOST_LINES} are read", "FILE")
    defaults: dict[str, str] = {}
    for line in lines:
        if match := DEFAULT.fullmatch(line):
            defaults |= values_of(match["words"].split())
    used: set[str] = set()
    known = {**defaults, **values}
    found = [_filled(line, number, known, used) for number, line in enumerate(lines, 1)]
    unused = [name for name in values if name not in used and name not in defaults]
    if unused:
        there = sorted({*defaults, *used})
        raise LineError(f"the script has no ${unused[0]}{suggestion(unused[0], there)}", unused[0])
    return found


def _filled(line: str, number: int, values: Mapping[str, str], used: set[str]) -> str:
    """Return a line with values in the places of names and expressions; comments stay."""
    if line.lstrip().startswith(";"):
        return line

    def value(match: re.Match[str]) -> str:
        if match["expression"] is not None:
            return _computed(match["expression"], number, values, used)
        return _known(match["name"], number, values, used)

    return PLACE.sub(value, line)


def _known(name: str, number: int, values: Mapping[str, str], used: set[str]) -> str:
    if name not in values:
        raise LineError(f"line {number}: ${name} has no value, say {name}=…", name)
    used.add(name)
    return values[name]


def _computed(expression: str, number: int, values: Mapping[str, str], used: set[str]) -> str:
    """Return the number that an expression has, with values in the places of names."""

    def put(match: re.Match[str]) -> str:
        if match[0] not in values:
            return match[0]
        return f"({_known(match[0], number, values, used)})"

    try:
        return repr(plan_of(NAME.sub(put, expression))(0.0))
    except ValueError as error:
        raise LineError(f"line {number}: {error}", expression) from None
