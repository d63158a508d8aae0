"""Expressions of xacro files, `${…}`, evaluated without Python's `eval`.

The expression is parsed by `ast`, and only the kinds of nodes that are listed here are evaluated:
literals, names, arithmetic, comparisons, conditions, lists, dictionaries, indices, comprehensions,
members of namespaces and dictionaries, and calls of the functions in `xacro_functions`. Nothing
else can be named or called, so an expression cannot reach Python's objects, files or modules.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from tarsus._lib.errors import ModelError
from tarsus.formats.xacro.functions import formatted, method
from tarsus.formats.xacro.limits import (
    MAX_BITS,
    Budget,
    ExpressionError,
    Namespace,
    XacroFunction,
    check_key,
    check_length,
)

MAX_EXPRESSION = 10_000
"""Characters of one expression."""

WORK_PER_CHARACTER = 3
"""Units that it takes to parse an expression."""

SHORT_EXPRESSION = 200
MAX_PARSED = 1000
"""Expressions that are kept parsed, as macros evaluate them again, and their length."""

ERRORS = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    OSError,
    TypeError,
    ValueError,
)
"""What operations and functions raise when their arguments do not suit them."""

OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda item, items: item in items,
    ast.NotIn: lambda item, items: item not in items,
}
UNARY: dict[type[ast.AST], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
    ast.Invert: lambda value: ~int(value) if isinstance(value, bool) else ~value,
}
ITERABLE = (str, list, tuple, dict, range)


class Names(Protocol):
    """Where the names of an expression are looked up."""

    def lookup(self, name: str) -> Any:
        """Return the value of a name; KeyError if there is none."""


class _Locals:
    """The variables of a comprehension, in front of the names around it."""

    def __init__(self, around: Names) -> None:
        self.around = around
        self.values: dict[str, Any] = {}

    def lookup(self, name: str) -> Any:
        return self.values[name] if name in self.values else self.around.lookup(name)


class Evaluator:
    """Evaluates expressions within a budget."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._parsed: dict[str, ast.expr] = {}
        self._nodes: dict[type[ast.AST], Callable[[Any, Names], Any]] = {
            ast.Constant: self._constant,
            ast.Name: self._name,
            ast.Attribute: self._attribute,
            ast.Subscript: self._subscript,
            ast.Slice: self._slice,
            ast.Call: self._call,
            ast.BinOp: self._binary,
            ast.UnaryOp: self._unary,
            ast.BoolOp: self._boolean,
            ast.Compare: self._compare,
            ast.IfExp: self._conditional,
            ast.List: self._list,
            ast.Tuple: self._tuple,
            ast.Dict: self._dict,
            ast.ListComp: self._comprehension,
            ast.GeneratorExp: self._comprehension,
            ast.DictComp: self._dict_comprehension,
        }

    def evaluate(self, expression: str, names: Names) -> Any:
        """Return the value of an expression; ExpressionError if it has none or is not allowed."""
        try:
            return self._value(self._parse(expression.strip()), names)
        except (ModelError, ExpressionError):
            raise
        except ERRORS as error:
            raise ExpressionError(str(error) or type(error).__name__) from None

    def apply(self, function: Any, /, *arguments: Any, **named: Any) -> Any:
        """Call a function of `xacro_functions` and check what it returns."""
        if not isinstance(function, XacroFunction):
            kind = type(function).__name__
            raise ExpressionError(f"a value of type {kind} is not a function")
        self.budget.spend(1)
        for argument in (*arguments, *named.values()):
            self.budget.spend_value(argument)
        return self.budget.spend_value(function.call(*arguments, **named))

    def _parse(self, expression: str) -> ast.expr:
        if expression in self._parsed:
            return self._parsed[expression]
        if len(expression) > MAX_EXPRESSION:
            raise ExpressionError(f"an expression has at most {MAX_EXPRESSION} characters")
        self.budget.spend(1 + WORK_PER_CHARACTER * len(expression))
        try:
            parsed = ast.parse(expression, mode="eval").body
        except SyntaxError as error:
            raise ExpressionError(f"syntax error: {error.msg}") from None
        if len(expression) <= SHORT_EXPRESSION and len(self._parsed) < MAX_PARSED:
            self._parsed[expression] = parsed
        return parsed

    def _value(self, node: ast.expr, names: Names) -> Any:
        self.budget.spend(1)
        evaluate = self._nodes.get(type(node))
        if evaluate is None:
            kind = type(node).__name__
            raise ExpressionError(f"{kind} is not allowed in expressions of xacro files")
        return evaluate(node, names)

    def _constant(self, node: ast.Constant, _: Names) -> Any:
        return self.budget.spend_value(node.value)

    def _name(self, node: ast.Name, names: Names) -> Any:
        if node.id.startswith("__"):
            raise ExpressionError(f"the name '{node.id}' is not allowed: it begins with '__'")
        try:
            return names.lookup(node.id)
        except KeyError:
            raise ExpressionError(f"there is no property or function '{node.id}'") from None

    def _attribute(self, node: ast.Attribute, names: Names) -> Any:
        if node.attr.startswith("_"):
            raise ExpressionError(f"the member '{node.attr}' is not allowed: it begins with '_'")
        value = self._value(node.value, names)
        try:
            if isinstance(value, Namespace):
                return value.lookup(node.attr)
            found = method(value, node.attr)
            if isinstance(value, str | list | tuple):
                self.budget.spend_value(value)  # the method may look at all of it
            if found is None and isinstance(value, dict):
                return value[node.attr]
        except KeyError:
            found = None
        if found is None:
            kind = repr(value) if isinstance(value, Namespace) else f"a {type(value).__name__}"
            raise ExpressionError(f"{kind} has no member '{node.attr}' that may be used")
        return found

    def _subscript(self, node: ast.Subscript, names: Names) -> Any:
        value = self._value(node.value, names)
        index = self._value(node.slice, names)
        if not isinstance(value, ITERABLE):
            raise ExpressionError(f"a value of type {type(value).__name__} has no index")
        if isinstance(value, dict):
            if check_key(index) not in value:
                raise ExpressionError(f"the dictionary has no key {index!r}")
            return value[index]
        found = value[index]
        return self.budget.spend_value(found) if isinstance(index, slice) else found

    def _slice(self, node: ast.Slice, names: Names) -> Any:
        parts = (node.lower, node.upper, node.step)
        return slice(*(None if part is None else self._value(part, names) for part in parts))

    def _call(self, node: ast.Call, names: Names) -> Any:
        function = self._value(node.func, names)
        arguments = [self._value(argument, names) for argument in node.args]
        named: dict[str, Any] = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                raise ExpressionError("** is not allowed in calls")
            named[keyword.arg] = self._value(keyword.value, names)
        return self.apply(function, *arguments, **named)

    def _binary(self, node: ast.BinOp, names: Names) -> Any:
        left = self._value(node.left, names)
        right = self._value(node.right, names)
        kind = type(node.op)
        if kind is ast.Mod:
            result = formatted(left, right) if isinstance(left, str) else left % right
        elif kind is ast.Mult:
            result = _product(left, right)
        elif kind is ast.Pow:
            result = _power(left, right)
        elif kind is ast.LShift:
            _check_bits(right)
            result = left << right
        elif kind in OPERATORS:
            result = OPERATORS[kind](left, right)
        else:
            raise ExpressionError(f"the operator {kind.__name__} is not allowed")
        return self.budget.spend_value(result)

    def _unary(self, node: ast.UnaryOp, names: Names) -> Any:
        return UNARY[type(node.op)](self._value(node.operand, names))

    def _boolean(self, node: ast.BoolOp, names: Names) -> Any:
        ends_with = isinstance(node.op, ast.Or)
        for operand in node.values[:-1]:
            value = self._value(operand, names)
            if bool(value) is ends_with:
                return value
        return self._value(node.values[-1], names)

    def _compare(self, node: ast.Compare, names: Names) -> Any:
        left = self._value(node.left, names)
        result: Any = True
        for kind, operand in zip(node.ops, node.comparators, strict=True):
            right = self._value(operand, names)
            self.budget.spend_value(left)
            if not (isinstance(kind, ast.In | ast.NotIn) and isinstance(right, dict)):
                self.budget.spend_value(right)
            else:
                check_key(left)
            result = OPERATORS[type(kind)](left, right)
            if not result:
                return result
            left = right
        return result

    def _conditional(self, node: ast.IfExp, names: Names) -> Any:
        chosen = node.body if self._value(node.test, names) else node.orelse
        return self._value(chosen, names)

    def _list(self, node: ast.List, names: Names) -> Any:
        return self.budget.spend_value([self._value(item, names) for item in node.elts])

    def _tuple(self, node: ast.Tuple, names: Names) -> Any:
        return self.budget.spend_value(tuple(self._value(item, names) for item in node.elts))

    def _dict(self, node: ast.Dict, names: Names) -> Any:
        result = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                raise ExpressionError("** is not allowed in dictionaries")
            result[check_key(self._value(key, names))] = self._value(value, names)
        return self.budget.spend_value(result)

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp, names: Names) -> Any:
        inner = _Locals(names)
        items = []
        for _ in self._iterations(node.generators, inner):
            items.append(self._value(node.elt, inner))
            check_length(len(items))
        return self.budget.spend_value(items)

    def _dict_comprehension(self, node: ast.DictComp, names: Names) -> Any:
        inner = _Locals(names)
        result = {}
        for _ in self._iterations(node.generators, inner):
            key = check_key(self._value(node.key, inner))
            result[key] = self._value(node.value, inner)
        return self.budget.spend_value(result)

    def _iterations(self, generators: list[ast.comprehension], names: _Locals) -> Iterator[None]:
        """Yield once for each iteration of nested loops, with the variables in `names`."""
        if not generators:
            yield
            return
        first, *inner = generators
        items = self._value(first.iter, names)
        if not isinstance(items, ITERABLE):
            raise ExpressionError(f"a value of type {type(items).__name__} is not a list")
        for item in items:
            self.budget.spend(1)
            _assign(first.target, item, names)
            if all(self._value(condition, names) for condition in first.ifs):
                yield from self._iterations(inner, names)


def _assign(target: ast.expr, value: Any, names: _Locals) -> None:
    """Set the variables of a comprehension: a name, or several in parentheses."""
    if isinstance(target, ast.Name):
        names.values[target.id] = value
        return
    if not isinstance(target, ast.Tuple | ast.List) or not isinstance(value, ITERABLE):
        raise ExpressionError("variables of a comprehension must be names")
    if len(value) != len(target.elts):
        raise ExpressionError(f"{len(value)} values for {len(target.elts)} variables")
    for name, item in zip(target.elts, value, strict=True):
        _assign(name, item, names)


def _product(left: Any, right: Any) -> Any:
    for items, count in ((left, right), (right, left)):
        if isinstance(items, str | list | tuple) and isinstance(count, int):
            check_length(len(items) * max(count, 0))
    return left * right


def _power(left: Any, right: Any) -> Any:
    if isinstance(left, int) and isinstance(right, int) and abs(left) > 1 and right > 0:
        _check_bits(left.bit_length() * right)
    return left**right


def _check_bits(count: Any) -> None:
    if isinstance(count, int) and count > 2 * MAX_BITS:
        raise ExpressionError(f"an integer has more than {MAX_BITS} bits")
