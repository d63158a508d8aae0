"""The element tree of xacro files, properties in nested scopes, and macros."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from tarsus._lib.errors import ModelError, Source
from tarsus.formats.xacro.expressions import MAX_EXPRESSION, Evaluator
from tarsus.formats.xacro.functions import to_text
from tarsus.formats.xacro.limits import ExpressionError, Namespace, work_of
from tarsus.formats.xml import MAX_BYTES, TreeReader, XmlElement, parse_with

# Properties of xacro files in nested scopes, and texts with `${…}` and `$(…)` in them.


PART = re.compile(
    r"(?P<escape>\$\$+[{(])|\$\{(?P<expression>[^}]*)\}|\$\((?P<command>[^)]*)\)"
    r"|(?P<text>[^$]+|\$[^{($]+|\$$)"
)
"""A part of a text; `$${` and `$$(` stand for `${` and `$(`."""


@dataclass
class Lazy:
    """The text of a property, evaluated when the property is first used."""

    text: str
    source: Source
    active: bool = False


class Scope(Namespace):
    """Properties of a file, of a macro call, or of an include with `ns`; or macros by name."""

    def __init__(
        self,
        texts: TextEvaluator,
        parent: Scope | None = None,
        *,
        is_namespace: bool = False,
        names: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__("of the file", {})
        self.texts = texts
        self.parent = parent
        self.is_namespace = is_namespace
        self.names: Mapping[str, Any] = parent.names if parent is not None else (names or {})
        """Names of functions and constants that every scope knows."""

    def lookup(self, name: str) -> Any:
        """Return the value of a property, evaluated in the scope that defines it."""
        scope = self._defining(name)
        return self.names[name] if scope is None else scope._resolved(name)

    def knows(self, name: str) -> bool:
        """Return whether `lookup` would find the name."""
        return self._defining(name) is not None or name in self.names

    def define(self, name: str, value: Any, lazy_at: Source | None = None) -> None:
        """Set a property; with the place of its definition, a text is evaluated when used."""
        if isinstance(value, str):
            self.texts.evaluator.budget.spend(1 + work_of(value))
            value = literal(value)
        if lazy_at is not None and isinstance(value, str):
            value = Lazy(value, lazy_at)
        self.members[name] = value

    def remove(self, name: str) -> None:
        """Remove a property from this scope and those around it."""
        scope: Scope | None = self
        while scope is not None:
            scope.members.pop(name, None)
            scope = scope.parent

    @property
    def top(self) -> Scope:
        """The scope of the whole file."""
        return self if self.parent is None else self.parent.top

    @property
    def caller(self) -> Scope | None:
        """The scope for scope="parent": around a namespace, or of a macro's caller."""
        scope = self.parent
        while scope is not None and scope.is_namespace and not self.is_namespace:
            scope = scope.parent
        return scope

    def _defining(self, name: str) -> Scope | None:
        """Return the innermost scope that defines a property."""
        scope: Scope | None = self
        while scope is not None and name not in scope.members:
            self.texts.evaluator.budget.spend(1)
            scope = scope.parent
        return scope

    def _resolved(self, name: str) -> Any:
        value = self.members[name]
        if not isinstance(value, Lazy):
            return value
        if value.active:
            raise ModelError(f"xacro: property '{name}' is defined by itself", value.source)
        value.active = True
        self.define(name, self.texts.evaluate(value.text, self, value.source))
        return self.members[name]


class TextEvaluator:
    """Replaces `${…}` and `$(…)` in texts; `command` replaces the latter."""

    def __init__(self, evaluator: Evaluator, command: Callable[[str], Any]) -> None:
        self.evaluator = evaluator
        self.command = command

    def evaluate(self, text: str, scope: Scope, source: Source) -> Any:
        """Return a text with its expressions replaced; the value itself of one that stands alone.

        Errors name the text and its place.
        """
        try:
            return self._evaluate(text, scope)
        except ExpressionError as error:
            raise _located(text, source, error) from None

    def written(self, text: str, scope: Scope, source: Source) -> str:
        """Return a text with its expressions replaced by what is written to the result."""
        value = self.evaluate(text, scope, source)
        if isinstance(value, str):
            return value
        try:
            return self.evaluator.budget.spend_text(to_text(value))
        except ExpressionError as error:
            raise _located(text, source, error) from None

    def _evaluate(self, text: str, scope: Scope) -> Any:
        budget = self.evaluator.budget
        budget.spend(1 + work_of(text))
        if "$" not in text:
            return text
        values: list[Any] = []
        position = 0
        while position < len(text):
            part = PART.match(text, position)
            if part is None:
                rest = shortened(text[position:])
                raise ExpressionError(f"'{rest}' is not closed or not allowed")
            values.append(self._part(part, scope))
            position = part.end()
        if len(values) == 1:
            return values[0]
        return budget.spend_text("".join(budget.spend_text(to_text(value)) for value in values))

    def _part(self, part: re.Match[str], scope: Scope) -> Any:
        if part["expression"] is not None:
            expression = to_text(self._evaluate(part["expression"], scope))
            return self.evaluator.evaluate(expression, scope)
        if part["command"] is not None:
            return self.command(to_text(self._evaluate(part["command"], scope)))
        return part["text"] if part["escape"] is None else part["escape"][1:]


def literal(value: str) -> Any:
    """Return the number or truth value that a text stands for, a text without its quotes."""
    if len(value) >= 2 and value[0] == value[-1] == "'":
        return value[1:-1]
    if "_" in value:
        return value
    kinds: tuple[Callable[[str], Any], ...] = (int, float, truth)
    for kind in kinds:
        try:
            return kind(value)
        except ValueError:
            continue
    return value


def truth(value: Any) -> bool:
    """Return whether a condition holds; ValueError if a text is neither true nor false."""
    if isinstance(value, str):
        words = {"true": True, "True": True, "false": False, "False": False}
        return words[value] if value in words else bool(int(value))
    return bool(value)


def _located(text: str, source: Source, error: ExpressionError) -> ModelError:
    return ModelError(f"xacro: '{shortened(text.strip())}': {shortened(str(error))}", source)


# The tree of a xacro file: elements whose texts stay in order between their children.


PREFIX = "xacro:"

SHOWN = 300
"""Characters of a text that a message shows."""


def shortened(text: str) -> str:
    """Return the beginning of a text, for messages."""
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


class Verbatim(str):
    """Text of a CDATA section, in which nothing is replaced."""


@dataclass(eq=False)
class Node(XmlElement):
    """An element with its children and texts in order.

    `children` and `text` of the base class are set by `finish`, when the content is complete.
    """

    content: list[Node | str] = field(default_factory=list, repr=False)

    @property
    def nodes(self) -> list[Node]:
        """The children that are elements."""
        return [item for item in self.content if isinstance(item, Node)]

    def required(self, attribute: str) -> str:
        """Return an attribute, which may be empty; an error if there is none."""
        if attribute not in self.attributes:
            raise self.failure(f"has no attribute '{attribute}'")
        return self.attributes[attribute]

    def failure(self, message: str) -> ModelError:
        """Return an error about this element, which the caller raises."""
        return ModelError(f"xacro: {shortened(f'<{self.tag}>: {message}')}", self.source)

    def renamed(self, tag: str, without: str) -> Node:
        """Return this element with another tag, and without one of its attributes."""
        attributes = {key: value for key, value in self.attributes.items() if key != without}
        return Node(tag, attributes, self.source, content=self.content)

    def finish(self) -> XmlElement:
        """Set parents, children and texts of the whole tree, and return its root."""
        stack = [self]
        while stack:
            node = stack.pop()
            node.children = list(node.nodes)
            node.text = "".join(item for item in node.content if isinstance(item, str))
            for child in node.nodes:
                child.parent = node
            stack += node.nodes
        return self


def read_tree(data: bytes, file: Path) -> Node:
    """Parse the bytes of a xacro file and return its root element."""
    return cast(Node, parse_with(_NodeReader(str(file)), data))


def read_bytes(file: Path) -> bytes:
    """Return the content of a file, as far as `parse_with` accepts it."""
    with file.open("rb") as opened:
        return opened.read(MAX_BYTES + 1)


class _NodeReader(TreeReader):
    """Builds nodes from the events of expat."""

    element_type = Node

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self.is_verbatim = False
        self.parser.StartCdataSectionHandler = self.start_cdata
        self.parser.EndCdataSectionHandler = self.end_cdata

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        super().start(tag, attributes)
        if len(self.open) > 1:
            cast(Node, self.open[-2]).content.append(cast(Node, self.open[-1]))

    def characters(self, text: str) -> None:
        text = Verbatim(text) if self.is_verbatim else text
        cast(Node, self.open[-1]).content.append(text)

    def start_cdata(self) -> None:
        self.is_verbatim = True

    def end_cdata(self) -> None:
        self.is_verbatim = False


# Macros of xacro files: their definition, their parameters, and which one a call means.


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
