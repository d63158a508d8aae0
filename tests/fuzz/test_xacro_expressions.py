"""Mutated expressions of xacro files: a value or an ExpressionError, and no forbidden call."""

from __future__ import annotations

import re
import sys
from typing import Any

import numpy as np
import pytest
from trials import outcomes, seeds

from tarsus.formats.xacro.expressions import Evaluator
from tarsus.formats.xacro.functions import global_names
from tarsus.formats.xacro.limits import Budget, ExpressionError, Namespace, XacroFunction

EXPRESSIONS = [
    "2 * pi / 3 + a ** 2 - b // 4 % 3",
    "'left' if side == 'left' and not (a > 1 or b <= 2) else 'right'",
    "[x * 2 for x in items if x != 3][1:]",
    "dict(a=1, b=[2, 3])['b'][-1]",
    "limits.joint.upper + limits['joint']['lower']",
    "'-'.join([str(i) for i in range(3)]).upper().replace('-', '_')",
    "'%s_%02d' % (side, 3)",
    "max(min(sin(a), cos(b)), sqrt(2)) + round(1.234, 2)",
    "list(map(float, '1 2 3'.split()))",
    "{k: v for k, v in dict(a=1).items()}",
    "python.sum(i for i in items) + math.atan2(1, a) + len(side)",
    "().__class__.__base__.__subclasses__()",
    "(lambda x: x.__globals__)(1)",
    "[c for c in ''.__class__.__mro__[-1].__subclasses__()]",
    "getattr(__import__('os'), 'system')('true')",
    "f'{side.__class__}' + '{0.__class__}'.format(a)",
    "(x := open('/etc/passwd')).read()",
    "~5 & 3 | 1 << 3 ^ -a >> 1",
]
TOKEN = re.compile(r"'[^']*'|\w+|\W")
PIECES = TOKEN.findall(
    "__class__ __globals__ __import__ __builtins__ lambda eval exec open getattr format _ . ( ) [ ]"
    " { } , : ; % ** * // << 9**9**9 99999999 'a' 1e308 -1 0 for in if else not and or is := = a b"
    " side items limits math python xacro sin str list dict range map sorted .call .kind .lookup"
    " .members .append .update .format .encode .__self__ import os yield await async 1j b'a' None"
)
FORBIDDEN = ("exec", "open", "import", "os.", "subprocess.", "ctypes.", "socket.", "sys.")
"""Events of code that is run, files, modules, processes and so on; parsing is `compile`."""


def mutated(generator: np.random.Generator) -> str:
    """Return an expression with words and parts of others in it."""
    tokens = TOKEN.findall(str(generator.choice(EXPRESSIONS)))
    for _ in range(generator.integers(1, 4)):
        other = TOKEN.findall(str(generator.choice(EXPRESSIONS)))
        start = int(generator.integers(len(tokens)))
        first = int(generator.integers(len(other)))
        part = other[first : first + int(generator.integers(1, 6))]
        piece = [str(generator.choice(PIECES))]
        kind = generator.integers(4)
        if kind == 0:
            tokens[start : start + 1] = piece
        elif kind == 1:
            tokens[start:start] = piece
        elif kind == 2:
            tokens[start : start + len(part)] = part
        else:
            tokens[start : start + 1] = ["(", *other, ")"]
    return "".join(tokens)


class _Watch:
    """Records events of Python's audit hooks, which cannot be removed, while it is active."""

    def __init__(self) -> None:
        self.active = False
        self.events: set[str] = set()
        sys.addaudithook(self.see)

    def see(self, event: str, _: tuple[object, ...]) -> None:
        if self.active and event.startswith(FORBIDDEN):
            self.events.add(event)


def is_value(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(map(is_value, value))
    if isinstance(value, dict):
        return all(map(is_value, value)) and all(map(is_value, value.values()))
    kinds = (bool, int, float, str, range, XacroFunction, Namespace)
    return value is None or type(value) in kinds


@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
def test_mutated_expressions() -> None:
    watch = _Watch()
    values = {
        "a": 2,
        "b": 0.5,
        "side": "left",
        "items": [1, 2, 3],
        "limits": {"joint": {"lower": -1, "upper": 1}},
    }

    def trial(generator: np.random.Generator) -> None:
        evaluator = Evaluator(Budget(100_000))
        names = Namespace("all", {**global_names(evaluator.apply), **values})
        text = mutated(generator)
        watch.active = True
        try:
            value = evaluator.evaluate(text, names)
        except RecursionError:  # `expand` reports it
            raise ExpressionError("nested too deeply") from None
        finally:
            watch.active = False
            assert not watch.events, (text, watch.events)
        assert is_value(value), (text, value)

    found = outcomes(trial, seeds(3000), (ExpressionError,))
    assert found["fine"] > 0 or found.total() < 100
    assert found["ExpressionError"] > 0 or found.total() < 100
    assert values["items"] == [1, 2, 3]
    assert values["limits"] == {"joint": {"lower": -1, "upper": 1}}
