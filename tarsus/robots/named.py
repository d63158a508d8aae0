"""Mechanisms by a text such as `chain(20)` or `panda`; nothing in it is evaluated."""

from __future__ import annotations

import ast
import re
from typing import Any

from tarsus import robots
from tarsus.formats import Base, Mimic
from tarsus.model import Model
from tarsus.model.checks import suggestion
from tarsus.robots.examples import EXAMPLES, example

CALL = re.compile(r"(?P<name>[a-z_0-9]+)\((?P<arguments>.*)\)")


def robot_named(text: str, base: Base | None = None, mimic: Mimic = "independent") -> Model | None:
    """Return the mechanism that a text stands for, None if it has not the form of one."""
    if call := CALL.fullmatch(text.strip()):
        if base is not None:
            raise ValueError(f"{text} states how its root moves: leave out base={base!r}")
        return _made(call["name"], call["arguments"])
    return example(text, base, mimic) if text in EXAMPLES else None


def _made(name: str, arguments: str) -> Model:
    """Call a function of `tarsus.robots` with numbers."""
    names = robots.names()
    if name not in names:
        raise ValueError(f"there is no robot {name!r}{suggestion(name, names)}")
    values, named = _numbers(f"{name}({arguments})")
    try:
        model = getattr(robots, name)(*values, **named)
    except (TypeError, OverflowError) as error:
        raise ValueError(f"{name}({arguments}): {error}") from None
    assert isinstance(model, Model)
    return model


def _numbers(call: str) -> tuple[list[Any], dict[str, Any]]:
    """Return the literal arguments of a call such as `tree(63, 2, taper=0.9)`."""
    try:
        node = ast.parse(call, mode="eval").body
        assert isinstance(node, ast.Call)
        values = [ast.literal_eval(value) for value in node.args]
        named = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in node.keywords}
    except (SyntaxError, ValueError, AssertionError):
        raise ValueError(f"{call}: the arguments must be numbers") from None
    for value in (*values, *named.values()):
        if not isinstance(value, int | float):
            raise ValueError(f"{call}: {value!r} is not a number")
    return values, named
