"""Every public name is in the API reference, and says in a line what it is, with shapes."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import tarsus as ts

PAGE = (Path(__file__).parents[1] / "docs" / "api.md").read_text("utf-8")
DIRECTIVE = re.compile(r"^\.\. (auto\w+|currentmodule):: ([\w.]+)\n((?:   :.*\n)*)", re.MULTILINE)
ARRAYS = re.compile(r"\b(Array|ArrayLike)\b")
SHAPE = re.compile(r"\([^)]*[\w…,] ?\)|shape|number|matri|vector|array|pose|quaternion|coordinates")
"""What a docstring must have if it takes or returns arrays: how large they are, or what."""


def public_modules(module: ModuleType = ts) -> Iterator[ModuleType]:
    """Yield the package and all modules that are public names of it, and so on."""
    yield module
    for name in getattr(module, "__all__", ()):
        value = getattr(module, name)
        if isinstance(value, ModuleType) and value.__name__.startswith("tarsus."):
            yield from public_modules(value)


def public_names() -> Iterator[tuple[str, Any]]:
    """Yield all public names with what they stand for."""
    environments = importlib.import_module("tarsus.environments")  # which needs gymnasium
    for module in dict.fromkeys([*public_modules(), environments]):
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if not isinstance(value, ModuleType) and not name.startswith("__"):
                yield f"{module.__name__}.{name}", value


def resolved(path: str, inside: str) -> Any:
    """Return what a path of the reference stands for: a name goes before a module of its name."""
    for whole in (path, f"{inside}.{path}"):
        names = whole.split(".")
        for cut in range(1, len(names) + 1):
            try:
                value = importlib.import_module(".".join(names[:cut]))
                for name in names[cut:]:
                    value = getattr(value, name)
            except (ModuleNotFoundError, AttributeError):
                continue
            return value
    raise AssertionError(f"docs/api.md has {path}, which there is not")


def documented() -> set[int]:
    """Return what is in the reference, by identity."""
    inside, found = "tarsus", set()
    for kind, path, options in DIRECTIVE.findall(PAGE):
        if kind == "currentmodule":
            inside = path
            continue
        value = resolved(path, inside)
        found.add(id(value))
        if kind == "automodule" and ":members:" in options:
            names = getattr(value, "__all__", [n for n in vars(value) if not n.startswith("_")])
            found |= {id(getattr(value, name)) for name in names}
    return found


def is_alias(value: Any) -> bool:
    """Whether a name stands for types or plain numbers, which have no docstrings of their own."""
    return not (inspect.isclass(value) or inspect.isroutine(value))


def test_every_public_name_is_in_the_reference() -> None:
    known = documented()
    there = [(name, value) for name, value in public_names() if not is_alias(value)]
    assert sorted(name for name, value in there if id(value) not in known) == []


def summary(value: Any) -> str:
    """Return the first paragraph of a docstring; of dataclasses only what someone wrote."""
    text = inspect.getdoc(value) or ""
    if inspect.isclass(value) and text.startswith(f"{value.__name__}("):
        return ""
    return " ".join(text.split("\n\n")[0].split())


def test_every_public_name_says_what_it_is() -> None:
    silent = []
    for name, value in public_names():
        if is_alias(value):
            continue
        if not re.search(r"\w.*[.:!)]$", summary(value)):
            silent.append(f"{name}: {summary(value)!r}")
        if inspect.isclass(value):
            silent += [f"{name}.{own}" for own in silent_methods(value)]
    assert silent == []


def silent_methods(kind: type) -> Iterator[str]:
    for own, method in vars(kind).items():
        member = method.fget if isinstance(method, property) else method
        if own.startswith("_") or not inspect.isfunction(member) or inspect.getdoc(member):
            continue
        if not any(inspect.getdoc(getattr(base, own, None)) for base in kind.__mro__[1:]):
            yield own


@pytest.mark.parametrize("name", sorted(dict(public_names())))
def test_arrays_have_shapes(name: str) -> None:
    value = dict(public_names())[name]
    if not inspect.isfunction(value):
        return
    kinds = " ".join(map(str, value.__annotations__.values()))
    if ARRAYS.search(kinds):
        assert SHAPE.search(inspect.getdoc(value) or ""), inspect.getdoc(value)
