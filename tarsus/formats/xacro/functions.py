"""Functions and methods that expressions of xacro files may call, each within limits.

Names are those that the xacro package offers, without those that reach into Python itself
(`type`, `vars`, `hash`, …). Whatever a function returns is checked by its caller, so a function
needs a check of its own only where its result or its work can exceed its arguments.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from tarsus.formats.xacro.limits import (
    ExpressionError,
    Namespace,
    XacroFunction,
    check_integer,
    check_key,
    check_length,
)

MAX_COUNT = 1000
"""Of factorials and combinations, digits to round to, and characters to strip or to fill."""

FORMAT = re.compile(r"%(?:[-+ #0]*\d{0,3}(?:\.\d{0,3})?[sdifFeEgGxXoc]|%)|[^%]+")
"""A part of a text for `text % values`: `%s`, `%5.2f` and so on, but not `%(name)s`."""

TEXT_METHODS = frozenset(
    (
        "capitalize",
        "count",
        "endswith",
        "find",
        "index",
        "isalnum",
        "isalpha",
        "isdigit",
        "islower",
        "isnumeric",
        "isspace",
        "isupper",
        "lower",
        "partition",
        "removeprefix",
        "removesuffix",
        "rfind",
        "rindex",
        "rpartition",
        "rsplit",
        "split",
        "splitlines",
        "startswith",
        "swapcase",
        "title",
        "upper",
    )
)

Apply = Callable[..., Any]
"""Calls a `XacroFunction` with arguments."""


def global_names(apply: Apply) -> dict[str, Any]:
    """Return the names that every expression knows, as xacro has them."""
    mathematics = _mathematics()
    everywhere = _builtins(apply)
    further = _further_builtins(apply)
    python = {**everywhere, **further}
    names = {**everywhere, **mathematics, "abs": further["abs"]}
    names |= {name: further[name] for name in ("sorted", "range")}
    return {**names, "math": Namespace("math", mathematics), "python": Namespace("python", python)}


def eval_names(apply: Apply) -> dict[str, Any]:
    """Return the names that `$(eval …)` knows beside the arguments of the file."""
    everywhere = _builtins(apply)
    names = {name: everywhere[name] for name in ("list", "dict", "map", "str", "float", "int")}
    return {**names, **_mathematics(), "true": True, "false": False}


def method(value: Any, name: str) -> XacroFunction | None:
    """Return a method of a text, a list or a dictionary; None if there is none of this name."""
    call: Callable[..., Any] | None = None
    if isinstance(value, str):
        call = _text_method(value, name)
    elif isinstance(value, dict):
        methods: dict[str, Callable[..., Any]] = {
            "get": lambda key, default=None: value.get(check_key(key), default),
            "items": lambda: list(value.items()),
            "keys": lambda: list(value.keys()),
            "values": lambda: list(value.values()),
        }
        call = methods.get(name)
    elif isinstance(value, list | tuple) and name in ("count", "index"):
        call = getattr(value, name)
    return None if call is None else XacroFunction(name, call)


def formatted(text: str, values: Any) -> str:
    """Return `text % values`, for plain conversions with widths below a thousand."""
    if "".join(FORMAT.findall(text)) != text:
        raise ExpressionError("only formats such as '%s', '%d' and '%6.3f' are supported")
    return str(text % values)


def to_text(value: Any) -> str:
    """Return a value as it is written to the expanded file."""
    return value if isinstance(value, str) else str(value)


def _mathematics() -> dict[str, Any]:
    names = {name: value for name, value in vars(math).items() if not name.startswith("_")}
    del names["prod"]  # its intermediate results have no limit
    functions = {
        name: XacroFunction(name, value) for name, value in names.items() if callable(value)
    }
    for name in ("factorial", "comb", "perm"):
        functions[name] = XacroFunction(name, _with_small_arguments(names[name]))
    functions["lcm"] = XacroFunction("lcm", _least_common_multiple)
    return {**names, **functions}


def _least_common_multiple(*numbers: int) -> int:
    """Return the least common multiple; intermediate results have at most MAX_BITS bits."""
    result = 1
    for number in numbers:
        result = check_integer(math.lcm(result, number))
    return result


def _builtins(apply: Apply) -> dict[str, Any]:
    return {
        "list": XacroFunction("list", list, list),
        "dict": XacroFunction("dict", _dictionary, dict),
        "map": XacroFunction("map", _map(apply)),
        "len": XacroFunction("len", len),
        "str": XacroFunction("str", _text, str),
        "float": XacroFunction("float", float, float),
        "int": XacroFunction("int", int, int),
        "bool": XacroFunction("bool", bool, bool),
        "min": XacroFunction("min", min),
        "max": XacroFunction("max", max),
        "round": XacroFunction("round", _rounded),
    }


def _further_builtins(apply: Apply) -> dict[str, Any]:
    return {
        "sorted": XacroFunction("sorted", sorted),
        "range": XacroFunction("range", _range),
        "abs": XacroFunction("abs", abs),
        "all": XacroFunction("all", all),
        "any": XacroFunction("any", any),
        "divmod": XacroFunction("divmod", divmod),
        "enumerate": XacroFunction("enumerate", lambda *args: [*enumerate(*args)]),
        "filter": XacroFunction("filter", _filter(apply)),
        "isinstance": XacroFunction("isinstance", _is_instance),
        "ord": XacroFunction("ord", ord),
        "repr": XacroFunction("repr", repr),
        "reversed": XacroFunction("reversed", lambda items: [*reversed(items)]),
        "sum": XacroFunction("sum", _sum),
        "tuple": XacroFunction("tuple", tuple, tuple),
        "zip": XacroFunction("zip", lambda *args: [*zip(*args, strict=False)]),
    }


def _with_small_arguments(function: Callable[..., int]) -> Callable[..., int]:
    def call(*arguments: int) -> int:
        if any(argument > MAX_COUNT for argument in arguments):
            raise ExpressionError(f"the argument must be at most {MAX_COUNT}")
        return function(*arguments)

    return call


def _dictionary(items: Any = (), /, **named: Any) -> dict[Any, Any]:
    pairs = items.items() if isinstance(items, dict) else items
    return {check_key(key): value for key, value in pairs} | named


def _map(apply: Apply) -> Callable[..., list[Any]]:
    return lambda function, *lists: [apply(function, *args) for args in zip(*lists, strict=False)]


def _filter(apply: Apply) -> Callable[..., list[Any]]:
    def call(function: Any, items: Any) -> list[Any]:
        return [item for item in items if (item if function is None else apply(function, item))]

    return call


def _text(value: Any = "") -> str:
    return to_text(value)


def _rounded(number: Any, ndigits: int | None = None) -> Any:
    if ndigits is not None and abs(ndigits) > MAX_COUNT:
        raise ExpressionError(f"ndigits must be between -{MAX_COUNT} and {MAX_COUNT}")
    return round(number, ndigits)


def _range(*limits: int) -> range:
    result = range(*limits)
    check_length(len(result))
    return result


def _is_instance(value: Any, functions: Any) -> bool:
    functions = functions if isinstance(functions, tuple) else (functions,)
    kinds: list[Any] = [getattr(function, "kind", None) for function in functions]
    if None in kinds:
        raise ExpressionError("isinstance needs str, int, float, bool, list, tuple or dict")
    return isinstance(value, tuple(kinds))


def _sum(items: Any, start: Any = 0) -> Any:
    numbers = [start, *items]
    if not all(isinstance(number, int | float) for number in numbers):
        raise ExpressionError("sum is for numbers only")
    return sum(numbers[1:], start)


def _text_method(text: str, name: str) -> Callable[..., Any] | None:
    if name in TEXT_METHODS:
        return getattr(text, name)  # type: ignore[no-any-return]

    def join(parts: Any) -> str:
        parts = list(parts)
        check_length(sum(map(len, parts)) + len(text) * len(parts))
        return text.join(parts)

    def replace(old: str, new: str, count: int = -1) -> str:
        check_length(len(text) + text.count(old) * len(new))
        return text.replace(old, new, count)

    def zfill(width: int) -> str:
        check_length(width)
        return text.zfill(width)

    def strip(characters: str | None = None) -> str:
        if characters is not None and len(characters) > MAX_COUNT:
            raise ExpressionError(f"{name} takes at most {MAX_COUNT} characters")
        return str(getattr(text, name)(characters))

    methods: dict[str, Callable[..., Any]] = {"join": join, "replace": replace, "zfill": zfill}
    methods |= dict.fromkeys(("strip", "lstrip", "rstrip"), strip)
    return methods.get(name)
