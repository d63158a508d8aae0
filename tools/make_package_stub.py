"""Write `tarsus/__init__.pyi`, which type checkers read, from the table in `tarsus/__init__.py`."""

from __future__ import annotations

import ast
from pathlib import Path

FILE = Path(__file__).parents[1] / "tarsus" / "__init__.pyi"


def stub() -> str:
    """Return the text of the stub."""
    source = ast.parse(FILE.with_suffix(".py").read_text(encoding="utf-8"))
    tables = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in source.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        if node.targets[0].id in ("_NAMES", "_NAMESPACES", "_OPTIONAL")
    }
    lines = ["from tarsus import _core as _core"]
    for name, module in tables["_NAMESPACES"].items():
        package, _, last = module.rpartition(".")
        lines.append(f"from {package} import {last} as {name}")
    for module, names in tables["_NAMES"].items():
        lines += [f"from {module} import {name} as {name}" for name in names]
    public = [name for names in tables["_NAMES"].values() for name in names]
    public += [name for name in tables["_NAMESPACES"] if name not in tables["_OPTIONAL"]]
    listed = "".join(f'    "{name}",\n' for name in sorted([*public, "__version__"]))
    doc = ast.get_docstring(source, clean=False)
    return (
        f'"""{doc}"""\n\n' + "\n".join(lines) + f"\n\n__version__: str\n\n__all__ = [\n{listed}]\n"
    )


if __name__ == "__main__":
    FILE.write_text(stub(), encoding="utf-8")
