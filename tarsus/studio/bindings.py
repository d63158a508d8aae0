"""Expressions of time that numbers of a machine follow: `0.3 + 0.5*sin(2*pi*t)`.

Only arithmetic, a few functions, curves through points and the names t and pi: an expression comes
from a file or from a page, so it is walked over node by node and never handed to Python.

A point follows three expressions with commas between, or `along(wire, ramp(t/4))`: a share of the
way along a path that is called so.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tarsus.arrays import Array
from tarsus.model.checks import suggestion
from tarsus.studio.curves import CURVES, curve_of
from tarsus.studio.language import LineError

LONGEST, DEEPEST = 8000, 50

FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "exp": math.exp,
    "sqrt": math.sqrt,
    "tanh": math.tanh,
    "abs": abs,
    "min": min,
    "max": max,
    "floor": math.floor,
    "step": lambda x: float(x >= 0.0),
    "ramp": lambda x: min(max(x, 0.0), 1.0),
}
OPERATIONS: Mapping[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: lambda a, b: math.pow(a, b),
    ast.Mod: math.fmod,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}

Plan = Callable[[float], float]
Targets = Callable[[float], Any]
"""A number, or a point (3,), of time."""
Way = Callable[[float], Array]
"""A point (3,) of the share of a path."""
ALONG = re.compile(r"along\(\s*(?P<path>[^\s,()]+)\s*,(?P<share>.*)\)")


def targets_of(expression: str, count: int, paths: Mapping[str, Way] | None = None) -> Targets:
    """Return a function of time for one number, or for a point: three of them, or along a path."""
    if count == 3 and (match := ALONG.fullmatch(expression.strip())):
        known = paths or {}
        if match["path"] not in known:
            told = suggestion(match["path"], known)
            raise LineError(f"along: there is no path {match['path']!r}{told}", "EXPRESSION")
        way, share = known[match["path"]], plan_of(match["share"])
        return lambda t: way(share(t))
    pieces = [piece.strip() for piece in _split(expression)]
    if len(pieces) != count:
        wanted = "one expression" if count == 1 else f"{count} expressions, with commas between"
        raise LineError(f"{expression!r}: this needs {wanted}", "EXPRESSION")
    plans = [plan_of(piece) for piece in pieces]
    return plans[0] if count == 1 else lambda t: np.array([plan(t) for plan in plans])


def _split(expression: str) -> list[str]:
    """Return the pieces between commas that stand in no brackets."""
    pieces, depth = [""], 0
    for letter in expression:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += letter
    return pieces


def plan_of(expression: str) -> Plan:
    """Return the function of time [s] that an expression states."""
    if len(expression) > LONGEST:
        raise LineError(f"the expression has more than {LONGEST} characters", "EXPRESSION")
    try:
        tree = ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise LineError(f"{expression!r} is no expression of t", "EXPRESSION") from None
    rule = _compiled(tree, 0)

    def plan(t: float) -> float:
        try:
            value = float(rule(t))
        except (ArithmeticError, ValueError) as error:
            raise ValueError(f"{expression!r} has no value at t = {t:g} s: {error}") from None
        if not math.isfinite(value):
            raise ValueError(f"{expression!r} is not finite at t = {t:g} s")
        return value

    plan(0.0)
    return plan


def _compiled(node: ast.AST, depth: int) -> Plan:
    """Return a function of time for a node, all of whose parts are known."""
    if depth > DEEPEST:
        raise LineError("the expression is nested too deeply", "EXPRESSION")
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        constant = float(node.value)
        return lambda t: constant
    if isinstance(node, ast.Name) and node.id in ("t", "pi"):
        return (lambda t: t) if node.id == "t" else (lambda t: math.pi)
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
        do = OPERATIONS[type(node.op)]
        left, right = _compiled(node.left, depth + 1), _compiled(node.right, depth + 1)
        return lambda t: do(left(t), right(t))
    if isinstance(node, ast.UnaryOp) and type(node.op) in OPERATIONS:
        do, inner = OPERATIONS[type(node.op)], _compiled(node.operand, depth + 1)
        return lambda t: do(inner(t))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if node.func.id in CURVES:
            return _curve(node.func.id, node.args, depth)
        if node.func.id not in FUNCTIONS:
            told = suggestion(node.func.id, [*FUNCTIONS, *CURVES])
            raise LineError(f"there is no function {node.func.id!r}{told}", "EXPRESSION")
        function = FUNCTIONS[node.func.id]
        arguments = [_compiled(each, depth + 1) for each in node.args]
        return lambda t: function(*(each(t) for each in arguments))
    what = ast.unparse(node)[:40]
    known = f"t, pi, numbers, + - * / ** % and {', '.join([*FUNCTIONS, *CURVES])}"
    raise LineError(f"{what!r} is not allowed in expressions, which know {known}", "EXPRESSION")


def _curve(name: str, arguments: list[ast.expr], depth: int) -> Plan:
    """Return a curve through points that are numbers, of whatever its first argument is."""
    if not arguments:
        raise LineError(f"{name} needs t, then times and values", "EXPRESSION")
    for each in arguments[1:]:
        if not isinstance(each.operand if isinstance(each, ast.UnaryOp) else each, ast.Constant):
            what = ast.unparse(each)[:40]
            raise LineError(
                f"{name}: {what!r} must be a number, as all of its points", "EXPRESSION"
            )
    of, *points = (_compiled(each, depth + 1) for each in arguments)
    curve = curve_of(name, [point(0.0) for point in points])
    return lambda t: curve(of(t))
