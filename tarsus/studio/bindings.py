"""Values bound to expressions, curves and paths."""

from __future__ import annotations

import ast
import bisect
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tarsus._lib.checks import suggestion
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.model.model import Model
from tarsus.parts.motions import PointOnPath
from tarsus.parts.part import Part, split
from tarsus.simulation.part_set import spline_pieces
from tarsus.studio.language import LineError

# Expressions of time that numbers of a machine follow: `0.3 + 0.5*sin(2*pi*t)`.
#
# Only arithmetic, a few functions, curves through points and the names t and pi: an expression
# comes from a file or from a page, so it is walked over node by node and never handed to Python.
#
# A point follows three expressions with commas between, or `along(wire, ramp(t/4))`: a share of the
# way along a path that is called so.


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


# Curves through points that people draw, as functions in expressions: `smooth(t, 0, 0, 1, .3)`.
#
# Behind the first argument stand times and values in turn. `linear` goes straight from point to
# point, `smooth` without kinks and without overshoot: a cubic in each piece, with slopes that are
# weighted harmonic means (F. N. Fritsch, J. Butland, SIAM J. Sci. Stat. Comput. 5, 1984).
# Before the first point and behind the last, both stay where these are; `linear_cycle` and
# `smooth_cycle` begin again, and end where they begin.


Curve = Callable[[float], float]
CURVES = ("linear", "smooth", "linear_cycle", "smooth_cycle")
"""Functions that are curves."""
MOST = 200
"""Points of a curve."""


def curve_of(name: str, numbers: Sequence[float]) -> Curve:
    """Return the curve that a function of that name is, through times and values in turn."""
    times, values = [*map(float, numbers[::2])], [*map(float, numbers[1::2])]
    if len(times) != len(values) or not 2 <= len(times) <= MOST:
        raise LineError(
            f"{name} needs 2 to {MOST} times and values in turn, as in {name}(t, 0, 0, 1, .3)",
            "EXPRESSION",
        )
    if not all(math.isfinite(x) for x in numbers):
        raise LineError(f"{name} needs finite numbers", "EXPRESSION")
    for before, after in pairwise(times):
        if not before < after:
            raise LineError(
                f"{name}: times must rise, {after:g} s comes after {before:g} s", "EXPRESSION"
            )
    cyclic, smooth = name.endswith("_cycle"), name.startswith("smooth")
    if cyclic and values[0] != values[-1]:
        raise LineError(
            f"{name} must end where it begins, {values[-1]:g} is not {values[0]:g}", "EXPRESSION"
        )
    slopes = _slopes(times, values, cyclic) if smooth else None
    first, period = times[0], times[-1] - times[0]

    def curve(t: float) -> float:
        if cyclic:
            t = first + math.fmod(math.fmod(t - first, period) + period, period)
        if t <= times[0]:
            return values[0]
        if t >= times[-1]:
            return values[-1]
        k = bisect.bisect_right(times, t) - 1
        step, rise = times[k + 1] - times[k], values[k + 1] - values[k]
        u = (t - times[k]) / step
        if slopes is None:
            return values[k] + u * rise
        a, b = step * slopes[k], step * slopes[k + 1]
        return values[k] + u * (a + u * (3.0 * rise - 2.0 * a - b + u * (a + b - 2.0 * rise)))

    return curve


def _slopes(times: list[float], values: list[float], cyclic: bool) -> list[float]:
    """Return the slope at each point; at the ends of a curve that does not go on it is level."""
    steps = [b - a for a, b in pairwise(times)]
    rises = [(b - a) / h for (a, b), h in zip(pairwise(values), steps, strict=True)]
    inner = [
        _mean(steps[k - 1], steps[k], rises[k - 1], rises[k]) for k in range(1, len(times) - 1)
    ]
    end = _mean(steps[-1], steps[0], rises[-1], rises[0]) if cyclic else 0.0
    return [end, *inner, end]


def _mean(before: float, after: float, slope: float, next_slope: float) -> float:
    """Return the harmonic mean of two slopes, weighted so that curves keep their rise and fall."""
    if not slope * next_slope > 0.0:
        return 0.0
    one, two = 2.0 * after + before, after + 2.0 * before
    return (one + two) / (one / slope + two / next_slope)


# Paths as ways to go: where one is at a share of the whole, for bodies that are led along.


def ways(model: Model, parts: Mapping[str, Part]) -> dict[str, Way]:
    """Return the paths of the world among parts, by name."""
    found = {}
    for name, part in parts.items():
        if isinstance(part, PointOnPath) and split(part.of)[0] == WORLD:
            found[name] = way_of(part, model)
    return found


def way_of(path: PointOnPath, model: Model) -> Way:
    """Return where a path is in the world (3,) at a share of its length from 0 to 1.

    Lengths are those between its points. A closed path goes round, others stop at their ends.
    """
    statement = path.statement(model)
    pieces, points = spline_pieces(statement), np.asarray(statement.path)
    ends = np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))
    at = np.concatenate([[0.0], ends]) / ends[-1]
    place = np.eye(4) if statement.a is None else statement.a.placement

    def way(share: float) -> Array:
        share = share - math.floor(share) if path.closed else min(max(share, 0.0), 1.0)
        k = min(int(np.searchsorted(at, share, "right")) - 1, len(pieces) - 1)
        u = (share - at[k]) / (at[k + 1] - at[k])
        p, a, b, c = pieces[k]
        return np.asarray(place[:3, :3] @ (p + u * (a + u * (b + u * c))) + place[:3, 3])

    return way
