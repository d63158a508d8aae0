"""The public names of Tarsus with their signatures: `python tests/api/api_snapshot.py` writes them.

A name is public if it is in the `__all__` of `tarsus`, or of a module that is public in this sense;
public methods and attributes of a public class belong to it. Each object is listed once, under its
shortest path, with the other paths that lead to it.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import tarsus

FILE = Path(__file__).with_name("public_names.txt")
OPTIONAL = ("tarsus.environments", "tarsus.studio")
"""Public modules that are imported on first use."""
ADDRESS = re.compile(r" at 0x[0-9a-f]+")
SET = re.compile(r"frozenset\(\{([^}]*)\}\)")


def public_modules() -> dict[ModuleType, str]:
    """Return the public modules with the shortest path to each."""
    paths = {tarsus: "tarsus"} | {importlib.import_module(name): name for name in OPTIONAL}
    queue = list(paths)
    while queue:
        module = queue.pop(0)
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            own = isinstance(value, ModuleType) and value.__name__.startswith("tarsus.")
            if own and value not in paths:
                paths[value] = f"{paths[module]}.{name}"
                queue.append(value)
    return paths


def signature(value: Any) -> str:
    """Return the arguments and the result of a callable, nothing for other values."""
    compiled = getattr(value, "__nb_signature__", None)
    if compiled:
        return "; ".join(str(entry[0]).partition("(")[2].join(["(", ""]) for entry in compiled)
    if not callable(value):
        return ""
    try:
        text = ADDRESS.sub("", str(inspect.signature(value)))
    except (TypeError, ValueError):
        return "(…)"
    return SET.sub(lambda found: f"frozenset({{{', '.join(sorted(found[1].split(', ')))}}})", text)


def members(name: str, value: type) -> Iterator[str]:
    """Yield lines of the public methods and attributes that a class itself defines."""
    for key in sorted(vars(value)):
        if key.startswith("_"):
            continue
        member = inspect.getattr_static(value, key)
        if isinstance(member, (staticmethod, classmethod)):
            member = member.__func__
        kind = signature(member) if callable(member) else ""
        yield f"{name}.{key}{kind}"


def snapshot() -> str:
    """Return the lines of all public names."""
    paths: dict[int, set[str]] = defaultdict(set)
    values: dict[int, Any] = {}
    modules = public_modules()
    for module, path in modules.items():
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if not isinstance(value, ModuleType) and not name.startswith("__"):
                # constants such as 0.5 may be one object under two names
                key = id(value) if callable(value) else hash((path, name))
                paths[key].add(f"{path}.{name}")
                values[key] = value
    lines = [f"{path}: module" for path in modules.values()]
    for key, value in values.items():
        first, *others = sorted(paths[key], key=lambda path: (path.count("."), path))
        if isinstance(value, type):
            lines += members(first, value)
        lines.append(first + signature(value) + "".join(f"  = {path}" for path in others))
    return "\n".join(sorted(lines)) + "\n"


if __name__ == "__main__":
    FILE.write_text(snapshot(), "utf-8")
