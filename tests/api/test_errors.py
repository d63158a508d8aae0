"""Every error that Tarsus defines is a `TarsusError` and a built-in exception."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import pytest

import tarsus as ts

BUILT_IN = (ValueError, ArithmeticError, RuntimeError, AssertionError)
"""What users catch who do not know Tarsus."""
INTERNAL = {"NotComparableError", "SearchEndError"}
"""Errors that no user sees: they end a comparison with another library, or a run of SciPy."""


def defined_errors() -> list[type[BaseException]]:
    """Return the exceptions of all modules, without warnings."""
    found = set()
    for module in pkgutil.walk_packages(ts.__path__, "tarsus."):
        if module.name.endswith("__main__"):
            continue
        for _, value in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if issubclass(value, BaseException) and value.__module__.startswith("tarsus."):
                found.add(value)
    return sorted((e for e in found if not issubclass(e, Warning)), key=lambda e: e.__name__)


@pytest.mark.parametrize("error", defined_errors(), ids=lambda error: error.__name__)
def test_errors_have_one_base_class(error: type[BaseException]) -> None:
    assert issubclass(error, ts.TarsusError)
    if error is not ts.TarsusError and error.__name__ not in INTERNAL:
        assert issubclass(error, BUILT_IN)
