"""The MODEL argument: a file, a mechanism of `tarsus.robots`, or a robot of example-robot-data."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tarsus as ts
from tarsus.formats import READABLE, Base, Mimic
from tarsus.model.checks import suggestion
from tarsus.robots.examples import EXAMPLES, example

CALL = re.compile(r"(?P<name>[a-z_0-9]+)\((?P<arguments>.*)\)")


def open_model(
    text: str,
    base: Base | None = None,
    *,
    package_dirs: Sequence[Path] = (),
    mimic: Mimic = "coupled",
    complete: Path | None = None,
) -> ts.Model:
    """Return the model that a text stands for: a path, `chain(20)`, or `panda`."""
    if complete is not None and not Path(text).exists():
        raise ValueError(f"--complete {complete} is for files, not for {text!r}")
    if call := CALL.fullmatch(text.strip()):
        if base is not None:
            raise ValueError(f"{text} states how its root moves: leave out --base {base}")
        return _make(call["name"], call["arguments"])
    if text in EXAMPLES and not Path(text).exists():
        return example(text, base)
    if Path(text).suffix.lower() not in READABLE and not Path(text).exists():
        kinds = ", ".join(READABLE)
        names = [*(f"{name}(…)" for name in ts.robots.names()), *EXAMPLES]
        raise ValueError(
            f"there is no model {text!r}: it must be a file ({kinds}) or one of {', '.join(names)}"
        )
    return ts.load(text, base, package_dirs=list(package_dirs), mimic=mimic, complete=complete)


def _make(name: str, arguments: str) -> ts.Model:
    """Call a function of `tarsus.robots` with numbers; nothing is evaluated."""
    names = ts.robots.names()
    if name not in names:
        raise ValueError(f"there is no robot {name!r}{suggestion(name, names)}")
    values, named = _numbers(f"{name}({arguments})")
    try:
        model = getattr(ts.robots, name)(*values, **named)
    except (TypeError, OverflowError) as error:
        raise ValueError(f"{name}({arguments}): {error}") from None
    assert isinstance(model, ts.Model)
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
