"""Scenes by a text such as `trot` or `drop(1.5)`; nothing in it is evaluated."""

from __future__ import annotations

import ast
import re
from typing import Any

from tarsus import scenes
from tarsus.scenes.scene import Scene

CALL = re.compile(r"(?P<name>[a-z_0-9]+)(\((?P<arguments>.*)\))?")


def scene_named(text: str, *, quotes: bool = True) -> Scene | None:
    """Return the scene that a text stands for, None for no scene; words may need `quotes`."""
    call = CALL.fullmatch(text.strip())
    if call is None or call["name"] not in scenes.names():
        return None
    values, named = _arguments(text, call["arguments"] or "", quotes)
    try:
        scene = getattr(scenes, call["name"])(*values, **named)
    except TypeError as error:
        raise ValueError(f"{text}: {error}") from None
    assert isinstance(scene, Scene)
    return scene


def _arguments(text: str, arguments: str, quotes: bool) -> tuple[list[Any], dict[str, Any]]:
    """Return the literal arguments of a call."""
    try:
        node = ast.parse(f"f({arguments})", mode="eval").body
        assert isinstance(node, ast.Call)
        values = [_literal(value, quotes) for value in node.args]
        return values, {str(word.arg): _literal(word.value, quotes) for word in node.keywords}
    except (SyntaxError, ValueError, AssertionError):
        words = "words in quotes" if quotes else "words"
        raise ValueError(f"{text}: the arguments must be numbers or {words}") from None


def _literal(node: ast.expr, quotes: bool) -> Any:
    """Return a number or a word."""
    if isinstance(node, ast.Name) and not quotes:
        return node.id
    return ast.literal_eval(node)
