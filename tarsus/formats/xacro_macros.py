"""Macros of xacro files: their definition, their parameters, and which one a call means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tarsus.formats.xacro_expressions import MAX_EXPRESSION
from tarsus.formats.xacro_scope import Scope
from tarsus.formats.xacro_tree import PREFIX, Node

PARAMETER = re.compile(
    r"\s*(?P<name>[^\s:=]+)\s*:?=\s*(?P<forward>\^\|?)?"
    r"(?P<default>\$\{.*?\}(?=\s|$)|\$\(.*?\)(?=\s|$)|(?:'[^']*'|\"[^\"]*\"|[^\s'\"]++)*+)(?:\s+|$)"
)
"""A parameter of a macro with a default: `name:=5`, `name:=^` (as at the caller), `name:=^|5`."""


@dataclass
class Macro:
    """A macro: its element and its parameters, with defaults where they have any."""

    body: Node
    parameters: list[str]
    defaults: dict[str, tuple[bool, str | None]]
    """Whether the property of the same name at the caller is used, and the default otherwise."""


def read_macro(node: Node) -> tuple[str, Macro]:
    """Return the name of a macro and the macro that an element defines."""
    name = node.required("name").removeprefix(PREFIX)
    if name == "call" or "." in name:
        raise node.failure(f"a macro must not be called '{name}': 'call' and '.' are reserved")
    macro = Macro(node, [], {})
    for parameter, default in _parameters(node):
        macro.parameters.append(parameter)
        if default is not None:
            macro.defaults[parameter] = default
    return name, macro


def find_macro(node: Node, macros: Scope, scope: Scope) -> tuple[Macro, Scope, Scope]:
    """Return the macro that an element calls, and the scopes of macros and properties around it."""
    name = node.tag.removeprefix(PREFIX)
    *namespaces, last = [name] if macros.knows(name) else name.split(".")
    try:
        for namespace in namespaces:
            macros, scope = macros.lookup(namespace), scope.lookup(namespace)
            if not isinstance(macros, Scope) or not isinstance(scope, Scope):
                raise KeyError(namespace)
        macro = macros.lookup(last)
    except KeyError:
        macro = None
    if not isinstance(macro, Macro):
        raise node.failure("there is no macro of this name")
    return macro, macros, scope


def _parameters(node: Node) -> Iterator[tuple[str, tuple[bool, str | None] | None]]:
    """Yield the parameters of a macro, with what `Macro.defaults` has for them."""
    text = node.attributes.get("params", "").strip()
    if len(text) > MAX_EXPRESSION:
        raise node.failure(f"the parameters have more than {MAX_EXPRESSION} characters")
    position = 0
    while position < len(text):
        found = PARAMETER.match(text, position)
        if found is not None:
            forward, default = bool(found["forward"]), found["default"] or None
            yield found["name"], (forward, default) if forward or default else None
            position = found.end()
            continue
        name, *_ = text[position:].split(None, 1)
        if "=" in name:
            raise node.failure(f"the default of parameter '{name}' cannot be read")
        yield name, None
        position = text.index(name, position) + len(name)
