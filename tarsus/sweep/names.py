"""By what a journal knows a function: its name, and the content of whatever is bound to it.

Bound are arguments of `functools.partial`, variables that a closure takes from outside, defaults of
functions that are made while others run, objects of methods, and objects that are called. Two
studies are the same if all of this is.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

from tarsus.sweep.values import plain, written


class Name:
    """The name of a function as `text`, and in `unknown` what of it nothing is known of.

    Objects are known by their content if it is plain, by what `fingerprint()` returns if they have
    it and it raises no ValueError, or by their `repr`, unless it has an address, which is another
    one next time.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.unknown: list[str] = []
        self._within: list[int] = []
        self.text = self._function(function)

    def check(self) -> None:
        """Raise ValueError where a journal could not tell this function from another one."""
        if self.unknown:
            raise ValueError(
                f"checkpoint: a journal could not tell {self.text} from another study, for nothing "
                f"is known of {', '.join(dict.fromkeys(self.unknown))}: give the class a method "
                "fingerprint() -> str or a __repr__ with its content, or make the object within "
                "the function"
            )

    def _function(self, function: Callable[..., Any]) -> str:
        if isinstance(function, functools.partial):
            bound = [self._content(value, f"argument {k}") for k, value in enumerate(function.args)]
            bound += self._named(function.keywords)
            return f"{self._function(function.func)}({', '.join(bound)})"
        if getattr(function, "__qualname__", None) is None:
            return self._content(function, "the object that is called")
        if not inspect.isfunction(function) and hasattr(function, "__wrapped__"):  # by a cache
            return self._function(function.__wrapped__)
        name = f"{_module(function)}.{function.__qualname__}"
        if id(function) in self._within:  # one that calls itself
            return name
        self._within.append(id(function))
        bound = self._around(function)
        self._within.pop()
        return f"{name}[{', '.join(bound)}]" if bound else name

    def _around(self, function: Callable[..., Any]) -> list[str]:
        """Return the content of what a function has from where it was made."""
        if inspect.ismethod(function) and not inspect.isclass(function.__self__):
            bound = [self._content(function.__self__, "the object of the method")]
            return bound + self._around(function.__func__)
        if not inspect.isfunction(function):
            return []
        bound = self._named(_closed_over(function))
        if "<" in function.__qualname__:  # of a lambda or a function in a function
            signature = inspect.signature(function, follow_wrapped=False).parameters
            defaults = {name: each.default for name, each in signature.items()}
            empty = inspect.Parameter.empty
            bound += self._named({k: each for k, each in defaults.items() if each is not empty})
        return bound

    def _named(self, values: dict[str, Any]) -> list[str]:
        return [f"{name}={self._content(values[name], name)}" for name in sorted(values)]

    def _content(self, value: Any, what: str) -> str:
        """Return a value as words: its content if that is plain, or what it says of itself."""
        try:
            return written(plain(value, "value"))
        except TypeError:
            pass
        kind = type(value).__qualname__
        if type(value) in (list, tuple, set, frozenset):
            parts = [self._content(each, f"{what}, entry {k}") for k, each in enumerate(value)]
            ordered = parts if isinstance(value, (list, tuple)) else sorted(parts)
            return f"{kind}({', '.join(ordered)})"
        if type(value) is dict:
            pairs = [(self._content(k, what), self._content(v, what)) for k, v in value.items()]
            return f"dict({', '.join(f'{key}: {each}' for key, each in pairs)})"
        if callable(getattr(value, "fingerprint", None)) and not inspect.isclass(value):
            try:
                return f"{kind}:{_told(value)}"
            except ValueError as error:
                self.unknown.append(f"{what}, of type {kind} ({error})")
                return f"<{kind}>"
        if isinstance(value, functools.partial) or hasattr(value, "__qualname__"):
            return self._function(value)
        said = repr(value)
        if " at 0x" in said:
            self.unknown.append(f"{what}, of type {kind}")
            return f"<{kind}>"
        return said


def _closed_over(function: FunctionType) -> dict[str, Any]:
    """Return variables of a closure by name; those that have no value yet are None."""
    found: dict[str, Any] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # it is empty
            found[name] = None
    return found


def _told(value: Any) -> str:
    found = value.fingerprint()
    if not isinstance(found, str):
        raise TypeError(f"fingerprint() of {type(value).__qualname__} is {found!r}, must be a text")
    return found


def _module(function: Callable[..., Any]) -> str:
    module = getattr(function, "__module__", None) or type(function).__module__
    if module == "__main__":
        # a script has the same name whether it runs or is imported
        return Path(getattr(sys.modules["__main__"], "__file__", None) or module).stem
    return str(module)
