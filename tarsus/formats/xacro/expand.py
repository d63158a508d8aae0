"""Expansion of xacro files: macros, properties, conditions and includes become plain XML.

It follows the xacro package of ROS (https://wiki.ros.org/xacro), to the same text of every
attribute. Expressions are evaluated by `tarsus.formats.xacro.expressions`, not by Python: a file of
unknown origin cannot run code, and cannot take unbounded time or memory.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from tarsus._lib.errors import ModelError
from tarsus.formats.paths import Folders
from tarsus.formats.xacro.expressions import Evaluator
from tarsus.formats.xacro.functions import to_text
from tarsus.formats.xacro.limits import Budget, ExpressionError, Namespace, XacroFunction, work_of
from tarsus.formats.xacro.references import References
from tarsus.formats.xacro.scope import (
    PREFIX,
    Macro,
    Node,
    Scope,
    TextEvaluator,
    Verbatim,
    find_macro,
    read_macro,
    shortened,
    truth,
)
from tarsus.formats.xml import XmlElement

MAX_DEPTH = 3000
"""Elements, conditions, blocks, macros and includes inside each other; a macro counts as three."""

MAX_WARNINGS = 100
WORK_PER_ELEMENT = 20

Steps: TypeAlias = "Iterator[Steps | None]"
"""An expansion that is under way: it yields expansions that must be done before it goes on."""


def expand(
    file: Path, arguments: Mapping[str, Any], folders: Folders
) -> tuple[XmlElement, list[str]]:
    """Return the root element of an expanded xacro file, and warnings."""
    expansion = _Expansion(file, arguments, folders)
    try:
        return expansion.root(file).finish(), expansion.warnings
    except ExpressionError as error:
        raise ModelError(f"xacro: {shortened(str(error))}", expansion.references.place) from None
    except RecursionError:
        message = "xacro: an expression, or properties that use each other, are nested too deeply"
        raise ModelError(message, expansion.references.place) from None


class _Expansion:
    """The state of one expansion."""

    def __init__(self, file: Path, arguments: Mapping[str, Any], folders: Folders) -> None:
        self.budget = Budget()
        self.evaluator = Evaluator(self.budget)
        self.references = References(file, folders, arguments, self.evaluator)
        self.texts = TextEvaluator(self.evaluator, self.references.command)
        self.warnings: list[str] = []
        self.handlers: dict[str, Callable[[Node, Node, Scope, Scope], Steps | None]] = {
            "xacro:insert_block": self._insert_block,
            "xacro:include": self._include,
            "xacro:property": self._property,
            "xacro:macro": self._macro,
            "xacro:arg": self._argument,
            "xacro:element": self._named_element,
            "xacro:attribute": self._attribute,
            "xacro:if": self._condition,
            "xacro:unless": self._condition,
            "xacro:call": self._dynamic_call,
        }

    def root(self, file: Path) -> Node:
        """Return the expanded root element of the file."""
        root = self.references.tree(file)
        self.references.place = root.source
        target = root.attributes.pop("xacro:targetNamespace", None)
        if target:
            root.attributes["xmlns"] = target
        scope = Scope(self.texts, names=self._global_names())
        result = self._with_attributes(root, scope)
        self._run(self._expand_content(root, result, Scope(self.texts), scope))
        return result

    def _run(self, steps: Steps) -> None:
        """Do an expansion, with those inside it on a list: Python's call stack may be too small."""
        stack = [steps]
        while stack:
            try:
                inner = next(stack[-1])
            except StopIteration:
                stack.pop()
            else:
                if inner is not None:
                    stack.append(inner)
                if len(stack) > MAX_DEPTH:
                    raise ExpressionError(f"macros, blocks or includes are nested {MAX_DEPTH} deep")

    def _global_names(self) -> dict[str, Any]:
        own = {
            "load_yaml": self.references.yaml,
            "abs_filename": self.references.absolute,
            "dotify": lambda value: value,
        }
        further = {
            "arg": self.references.argument,
            "fatal": self._fatal,
            "message": lambda *_, **__: "",
            "print_location": lambda: "",
            "warning": self._warn_with,
            "error": self._warn_with,
            "tokenize": _tokens,
        }
        functions = {name: XacroFunction(name, call) for name, call in (own | further).items()}
        direct = {name: functions[name] for name in own}
        return {**self.references.names, **direct, "xacro": Namespace("xacro", functions)}

    def _with_attributes(self, node: Node, scope: Scope) -> Node:
        """Return an element with its attributes expanded, and no content."""
        result = Node(node.tag, {}, node.source)
        for name, value in node.attributes.items():
            if not name.startswith(PREFIX) and name != "xmlns:xacro":
                result.attributes[name] = self.texts.written(value, scope, node.source)
        return result

    def _expand_content(self, node: Node, owner: Node, macros: Scope, scope: Scope) -> Steps:
        """Append the expanded content of an element to `owner`."""
        for item in node.content:
            self.budget.spend(1)
            if isinstance(item, Node):
                yield self._expand_element(item, owner, macros, scope)
            elif isinstance(item, Verbatim):
                self.budget.spend(work_of(item))
                owner.content.append(item)
            else:
                owner.content.append(self.texts.written(item, scope, node.source))

    def _expand_element(self, node: Node, owner: Node, macros: Scope, scope: Scope) -> Steps | None:
        self.references.place = node.source
        self.budget.spend(WORK_PER_ELEMENT + len(node.attributes) + work_of(node.tag))
        handler = self.handlers.get(node.tag)
        if handler is not None:
            return handler(node, owner, macros, scope)
        if node.tag.startswith(PREFIX):
            return self._call(node, owner, macros, scope)
        result = self._with_attributes(node, scope)
        owner.content.append(result)
        return self._expand_content(node, result, macros, scope)

    def _insert_block(self, node: Node, owner: Node, macros: Scope, scope: Scope) -> Steps:
        name = node.required("name")
        for prefix in ("**", "*"):
            if scope.knows(prefix + name):
                break
        else:
            raise node.failure(f"there is no block '{name}'")
        block = scope.lookup(prefix + name)
        result = self._with_attributes(block, scope)
        yield self._expand_content(block, result, macros, scope)
        owner.content += result.content if prefix == "**" else [result]

    def _include(self, node: Node, owner: Node, macros: Scope, scope: Scope) -> Steps:
        reference = self.texts.written(node.required("filename"), scope, node.source)
        is_optional = self._truth(node, node.attributes.get("optional", "false"))
        inner_macros, inner_scope = macros, scope
        namespace = node.attributes.get("ns")
        if namespace:
            name = self.texts.written(namespace, scope, node.source)
            inner_macros = Scope(self.texts)
            inner_scope = Scope(self.texts, scope, is_namespace=True)
            macros.define(name, inner_macros)
            scope.define(name, inner_scope)
        try:
            found = self.references.matches(reference)
        except FileNotFoundError as error:
            if is_optional:
                return
            raise node.failure(str(error)) from None
        if not found:
            self._warn(f"{node.source}: the include '{reference}' matches no files")
        for file in found:
            self.references.stack.append(file)
            root = self.references.tree(file)
            root.tag = node.tag
            yield self._inline(root, owner, inner_macros, inner_scope)
            self.references.stack.pop()

    def _property(self, node: Node, owner: Node, macros: Scope, scope: Scope) -> None:
        name = self.texts.written(node.required("name"), scope, node.source)
        if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("__"):
            raise node.failure(f"'{name}' must be an identifier that does not begin with '__'")
        value, default = node.attributes.get("value"), node.attributes.get("default")
        removes = self._option(node, "remove", "false", scope)
        if (value is not None) + (default is not None) + removes > 1:
            raise node.failure(f"property '{name}' has more than one of value, default and remove")
        if removes:
            scope.remove(name)
            return
        if default is not None:
            if scope.knows(name):
                return
            value = default
        target, is_lazy = scope, self._option(node, "lazy_eval", "true", scope)
        wanted = node.attributes.get("scope")
        if wanted == "global":
            target, is_lazy = scope.top, False
        elif wanted == "parent":
            if scope.caller is None:
                raise node.failure(f"property '{name}' has no scope around it")
            target, is_lazy = scope.caller, False
        if value is None:
            target.define("**" + name, node)
        elif is_lazy:
            target.define(name, value, node.source)
        else:
            target.define(name, self.texts.evaluate(value, scope, node.source))

    def _macro(self, node: Node, owner: Node, macros: Scope, scope: Scope) -> None:
        # the search for defaults may look at every pair of characters of the parameters
        self.budget.spend(len(node.attributes.get("params", "")) ** 2 // 500)
        macros.define(*read_macro(node))

    def _argument(self, node: Node, owner: Node, macros: Scope, scope: Scope) -> None:
        name, default = node.required("name"), node.required("default")
        if name not in self.references.arguments:
            self.references.arguments[name] = self.texts.written(default, scope, node.source)

    def _named_element(self, node: Node, owner: Node, macros: Scope, scope: Scope) -> Steps | None:
        name = self.texts.written(node.required("xacro:name"), scope, node.source)
        if not name:
            raise node.failure("the name of an element must not be empty")
        return self._expand_element(node.renamed(name, "xacro:name"), owner, macros, scope)

    def _attribute(self, node: Node, owner: Node, macros: Scope, scope: Scope) -> None:
        name = self.texts.written(node.required("name"), scope, node.source)
        if not name:
            raise node.failure("the name of an attribute must not be empty")
        value = self.texts.written(node.required("value"), scope, node.source)
        if owner.tag.startswith(PREFIX):
            self._warn(f"{node.source}: attribute '{name}' inside <{owner.tag}> is ignored")
        owner.attributes[name] = value

    def _condition(self, node: Node, owner: Node, macros: Scope, scope: Scope) -> Steps:
        text = node.required("value")
        value = self._truth(node, self.texts.evaluate(text, scope, node.source))
        if value == (node.tag == "xacro:if"):
            inner = Node(node.tag, {}, node.source)
            yield self._expand_content(node, inner, macros, scope)
            owner.content += inner.content

    def _dynamic_call(self, node: Node, owner: Node, macros: Scope, scope: Scope) -> Steps:
        name = self.texts.written(node.required("macro"), scope, node.source)
        return self._call(node.renamed(PREFIX + name, "macro"), owner, macros, scope)

    def _call(self, node: Node, owner: Node, macros: Scope, scope: Scope) -> Steps:
        """Expand a call of a macro."""
        macro, macro_macros, macro_scope = find_macro(node, macros, scope)
        inner = Scope(self.texts, macro_scope)
        missing = dict.fromkeys(macro.parameters)
        for name, value in node.attributes.items():
            if name not in missing:
                raise node.failure(f"there is no parameter '{name}'")
            del missing[name]
            inner.define(name, self.texts.evaluate(value, scope, node.source))
        arguments = Node(node.tag, {}, node.source)
        yield self._expand_content(node, arguments, macros, scope)
        blocks = iter(arguments.nodes)
        for name in [name for name in missing if name.startswith("*")]:
            block = next(blocks, None)
            if block is None:
                raise node.failure(f"there is no block for parameter '{name}'")
            del missing[name]
            inner.define(name, block)
        unused = next(blocks, None)
        if unused is not None:
            raise node.failure(f"the block <{unused.tag}> is not used")
        for name in [name for name in missing if name in macro.defaults]:
            inner.define(name, self._default(name, macro, node, scope))
            del missing[name]
        if missing:
            raise node.failure(f"the parameters {', '.join(missing)} are missing")
        yield self._inline(macro.body, owner, Scope(self.texts, macro_macros), inner)

    def _inline(self, node: Node, owner: Node, macros: Scope, scope: Scope) -> Steps:
        """Append the content of a macro or an included file, and declare its XML namespaces."""
        inner = Node(node.tag, {}, node.source)
        self._import_namespaces(node, inner)
        yield self._expand_content(node, inner, macros, scope)
        self._import_namespaces(inner, owner)
        owner.content += inner.content

    def _import_namespaces(self, node: Node, owner: Node) -> None:
        """Declare the XML namespaces of a file or macro at the element that it is inserted in."""
        self.budget.spend(len(node.attributes))
        for name, value in node.attributes.items():
            if name.startswith("xmlns:") and name != "xmlns:xacro":
                owner.attributes.setdefault(name, value)

    def _default(self, name: str, macro: Macro, node: Node, scope: Scope) -> Any:
        is_forwarded, default = macro.defaults[name]
        if is_forwarded and scope.knows(name):
            return scope.lookup(name)
        if default is None and is_forwarded:
            raise node.failure(f"there is no property '{name}' for the parameter of this name")
        return self.texts.evaluate(default or "", scope, macro.body.source)

    def _option(self, node: Node, name: str, default: str, scope: Scope) -> bool:
        text = node.attributes.get(name) or default
        return self._truth(node, self.texts.evaluate(text, scope, node.source))

    def _truth(self, node: Node, value: Any) -> bool:
        try:
            return truth(value)
        except ValueError:
            raise node.failure(f"'{value}' is neither true nor false") from None

    def _warn_with(self, *values: Any, **_: Any) -> str:
        self._warn(f"{self.references.place}: {' '.join(map(to_text, values))}")
        return ""

    def _warn(self, message: str) -> None:
        if len(self.warnings) < MAX_WARNINGS:
            self.warnings.append(shortened(message))

    @staticmethod
    def _fatal(*values: Any) -> None:
        raise ExpressionError(" ".join(map(to_text, values)))


def _tokens(text: str, sep: str = ",; ", skip_empty: bool = True) -> list[str]:
    parts = text.translate({ord(separator): sep[0] for separator in sep}).split(sep[0])
    return [part for part in parts if part or not skip_empty]
