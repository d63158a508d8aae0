"""Draw the packages in layers, from their imports: `python tools/draw_layers.py`.

Reads the imports of `tarsus/` and the includes of `core/`, writes `docs/architecture/layers.svg`.
A package is one row above the highest package that it imports. Imports inside functions, which are
executed when a function is called, do not count. Directories of the core that include each other
share a box.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "architecture" / "layers.svg"
INCLUDE = re.compile(r'^#include "(\w+)/', re.MULTILINE)

Graph = Mapping[str, set[str]]
"""For each package the packages that it imports."""

LETTER, PADDING, GAP, HEIGHT, ROW = 6.7, 9.0, 8.0, 24.0, 34.0
"""Sizes in pixels: width of a letter, margin inside a box, gap between boxes, box, row."""


def package_of(module: str) -> str:
    """Return the package of a module of Tarsus, empty for `tarsus` itself and `tarsus.__main__`."""
    name = module.split(".")[1] if "." in module else ""
    return "" if name == "__main__" else name


def imports(file: Path) -> Iterator[tuple[str, bool]]:
    """Yield the modules of Tarsus that a file imports, and whether inside a function."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
        for node in ast.walk(function)
    }
    typing_only = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.dump(block.test)
        for node in ast.walk(block)
    }
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = node.module == "tarsus"
            names = [f"tarsus.{a.name}" for a in node.names] if whole else [node.module]
        yield from ((name, id(node) in inside) for name in names if name.startswith("tarsus"))


def package_imports(folder: Path) -> Iterator[tuple[str, str, str, bool]]:
    """Yield (file, package, imported package, inside a function) for imports between packages."""
    for file in sorted(folder.rglob("*.py")):
        path = file.relative_to(folder.parent).with_suffix("")
        here = package_of(".".join(path.parts).removesuffix(".__init__"))
        for module, lazily in imports(file):
            there = package_of(module)
            if here and there and here != there:
                yield str(path), here, there, lazily


def python_graph(folder: Path) -> Graph:
    """Return the imports between the packages of `tarsus/`, without those inside functions."""
    graph: dict[str, set[str]] = {
        path.stem: set()
        for path in sorted(folder.iterdir())
        if (path.is_dir() or path.suffix == ".py") and not path.stem.startswith("_")
    }
    for _, here, there, lazily in package_imports(folder):
        if not lazily and there in graph:
            graph[here].add(there)
    return graph


def core_graph(folder: Path) -> Graph:
    """Return the includes between the directories of `core/`."""
    graph: dict[str, set[str]] = {}
    for path in sorted(path for path in folder.iterdir() if path.is_dir()):
        text = "".join(file.read_text(encoding="utf-8") for file in sorted(path.glob("*.[ch]pp")))
        graph[path.name] = set(INCLUDE.findall(text)) - {path.name}
    return graph


def reachable(graph: Graph, start: str) -> set[str]:
    """Return all packages that a package imports, directly or through others."""
    found: set[str] = set()
    stack = [start]
    while stack:
        new = graph[stack.pop()] - found
        found |= new
        stack.extend(new)
    return found


def layers(graph: Graph) -> list[list[list[str]]]:
    """Return the rows from top to bottom, each a list of boxes, each a list of packages."""
    below = {name: reachable(graph, name) for name in graph}
    boxes = {
        name: sorted({name} | {other for other in below[name] if name in below[other]})
        for name in graph
    }
    levels: dict[str, int] = {}
    for name in sorted(graph, key=lambda name: len(below[name] | {name})):
        lower = below[name] - set(boxes[name])
        levels[name] = 1 + max((levels[other] for other in lower), default=0)
    return [
        [list(box) for box in sorted({tuple(boxes[n]) for n in graph if levels[n] == level})]
        for level in range(max(levels.values()), 0, -1)
    ]


def draw(columns: Iterable[tuple[str, Graph, str, float]]) -> str:
    """Return an SVG picture of graphs side by side, each with a title, a color and a width."""
    shapes: list[str] = []
    left = bottom = 0.0
    for title, graph, color, column in columns:
        shapes.append(
            f'<text x="{left + column / 2:g}" y="24" class="title">{escape(title)}</text>'
        )
        y = 42.0
        for row in layers(graph):
            names = [", ".join(box) for box in row]
            widths = [LETTER * len(name) + 2 * PADDING for name in names]
            x = left + (column - sum(widths) - GAP * (len(widths) - 1)) / 2
            for box, name, width in zip(row, names, widths, strict=True):
                imported = sorted(set().union(*(graph[each] for each in box)) - set(box))
                hint = f"{name} imports {', '.join(imported) or 'nothing'}"
                shapes.append(
                    f'<g><title>{escape(hint)}</title><rect x="{x:.1f}" y="{y:g}" '
                    f'width="{width:.1f}" height="{HEIGHT:g}" rx="5" fill="{color}"/>'
                    f'<text x="{x + width / 2:.1f}" y="{y + 16:g}">{escape(name)}</text></g>'
                )
                x += width + GAP
            y += ROW
        left += column
        bottom = max(bottom, y)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left:g} {bottom:g}" '
            'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="11">',
            "<style>text{text-anchor:middle;fill:#1b2733}.title{font:bold 13px sans-serif}</style>",
            f'<rect width="{left:g}" height="{bottom:g}" fill="#ffffff"/>',
            *shapes,
            "</svg>",
            "",
        ]
    )


def main() -> None:
    """Write the picture."""
    python, core = python_graph(ROOT / "tarsus"), core_graph(ROOT / "core")
    columns = [
        ("tarsus/ (Python)", python, "#d6e6f2", 600.0),
        ("core/ (C++)", core, "#f3dfc8", 290.0),
    ]
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(draw(columns), encoding="utf-8")
    print(f"{PICTURE}: {len(python)} packages, {len(core)} directories of the core")


if __name__ == "__main__":
    main()
