"""What is the same thing has the same name in every public function."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any

import tarsus as ts

WORDS = {"model", "ours", "plant"}
"""A model, ours where another library has one, too, and what is controlled by a wrong model."""


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield names and functions of all modules of the package, and the methods of its classes."""
    for info in pkgutil.walk_packages(ts.__path__, "tarsus."):
        if info.name.endswith("__main__"):
            continue
        module = importlib.import_module(info.name)
        for name, value in vars(module).items():
            if getattr(value, "__module__", None) != info.name:
                continue
            if inspect.isfunction(value):
                yield f"{info.name}.{name}", value
            elif inspect.isclass(value):
                for own, method in vars(value).items():
                    if inspect.isfunction(method):
                        yield f"{info.name}.{name}.{own}", method


def test_a_model_is_called_model() -> None:
    found = {}
    for name, function in functions():
        kinds = getattr(function, "__annotations__", {})
        models = [word for word, kind in kinds.items() if kind == "Model" and word != "return"]
        if len(models) == 1:  # functions of several models must tell them apart
            found[name] = models[0]
    assert len(found) > 150
    assert {name: word for name, word in found.items() if word not in WORDS} == {}
