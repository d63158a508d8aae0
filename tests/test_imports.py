"""Imports point down: a room knows the rooms below it and none above."""

from __future__ import annotations

import ast
import itertools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import tarsus

PACKAGE = Path(tarsus.__file__).parent

ROOMS = (
    *("arrays", "files", "_core", "spatial", "model", "kit", "parts", "forces", "constraint"),
    *("differences", "interrupt", "progress", "symbolic", "convert"),
    *("formats", "surfaces", "geometry", "robots", "peers", "check", "view", "sweep"),
    *(
        "ik",
        "control",
        "calibration",
        "estimation",
        "sensors",
        "simulation",
        "events",
        "gait",
        "identification",
        "ports",
    ),
    *("scenes", "studio", "environments", "studies", "bench", "reproduce", "cli"),
)
"""From the ground up."""

LAZY = {("model", "symbolic"), ("model", "kit")}
"""Methods that open a room above when called: `model.symbolic()`, `model.rooted_at(body)`."""


def room(module: str) -> str:
    """Return the room of a module, empty for the package itself and its command."""
    name = module.split(".")[1] if "." in module else ""
    return "" if name == "__main__" else name


def imports(file: Path) -> Iterator[tuple[str, bool]]:
    """Yield the modules of ours that a file imports, and whether only when a function is called."""
    tree = ast.parse(file.read_text())
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


def arrows() -> Iterator[tuple[str, str, str, bool]]:
    """Yield (file, room, imported room, lazily) wherever one room imports another."""
    for file in sorted(PACKAGE.rglob("*.py")):
        path = file.relative_to(PACKAGE.parent).with_suffix("")
        here = room(".".join(path.parts).removesuffix(".__init__"))
        for module, lazily in imports(file):
            there = room(module)
            if here and there and here != there:
                yield str(path), here, there, lazily


HEAVY = (
    *("matplotlib", "viser", "pinocchio", "mujoco", "trimesh"),
    *("sympy", "pyarrow", "gymnasium", "typer", "rich", "ray", "websockets"),
)
"""Libraries that some rooms use, and that not everybody has."""


def test_every_room_is_on_the_plan() -> None:
    there = {path.stem for path in PACKAGE.iterdir() if path.is_dir() or path.suffix == ".py"}
    assert {name for name in there if not name.startswith("_")} <= set(ROOMS)


def test_arrows_point_down() -> None:
    height = {name: k for k, name in enumerate(ROOMS)}
    found = list(arrows())
    wrong = [
        f"{file} imports {there}"
        for file, here, there, lazily in found
        if height[there] > height[here]
        if not (lazily and (here, there) in LAZY)
    ]
    print(f"{len(found)} imports between {len(ROOMS)} rooms")
    assert not wrong


def test_what_is_allowed_is_used() -> None:
    assert {(here, there) for _, here, there, lazily in arrows() if lazily} >= LAZY


def test_studies_are_at_the_edge() -> None:
    edge = {"studies", "bench", "reproduce"}
    assert not [a for a in arrows() if a[2] in edge and a[1] not in {*edge, "cli"}]


def test_heavy_libraries_wait_until_they_are_needed() -> None:
    code = f"import sys, tarsus; print([n for n in {HEAVY!r} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_tests_share_by_folder() -> None:
    """`tests` is no package: it is found from this folder by `python -m pytest` alone."""
    folder = Path(__file__).parent
    shared = [
        str(file.relative_to(folder))
        for file in sorted(folder.rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "tests"
    ]
    assert not shared


def test_names_of_test_files_differ() -> None:
    """Folders of tests are no packages either: two files of one name hide each other."""
    files = [file for file in Path(__file__).parent.rglob("*.py") if file.name != "conftest.py"]
    files += (Path(__file__).parents[1] / "benchmarks").glob("*.py")  # which some tests import
    names = sorted(file.name for file in files)
    assert not [a for a, b in itertools.pairwise(names) if a == b]
