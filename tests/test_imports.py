"""Imports between packages point downward only."""

from __future__ import annotations

import ast
import itertools
import subprocess
import sys
from pathlib import Path

import tarsus

sys.path.append(str(Path(__file__).parents[1] / "tools"))

import draw_layers

PACKAGE = Path(tarsus.__file__).parent

ROOMS = (
    *(
        "arrays",
        "files",
        "memory",
        "_core",
        "spatial",
        "model",
        "kit",
        "parts",
        "forces",
        "constraint",
    ),
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


HEAVY = (
    *("matplotlib", "viser", "pinocchio", "mujoco", "trimesh"),
    *("sympy", "pyarrow", "gymnasium", "typer", "rich", "ray", "websockets"),
)
"""Libraries that some rooms use, and that not everybody has."""


def test_every_room_is_on_the_plan() -> None:
    there = {path.stem for path in PACKAGE.iterdir() if path.is_dir() or path.suffix == ".py"}
    assert {name for name in there if not name.startswith("_")} <= set(ROOMS)


def test_every_package_is_in_the_picture_of_the_layers() -> None:
    """`python tools/draw_layers.py` draws it."""
    picture = draw_layers.PICTURE.read_text(encoding="utf-8")
    packages = draw_layers.python_graph(PACKAGE)
    assert not [name for name in packages if f"{name} imports " not in picture]


def test_layers_of_a_graph_with_a_cycle() -> None:
    graph = {"a": {"b"}, "b": {"c", "d"}, "c": {"b"}, "d": set()}
    assert draw_layers.layers(graph) == [[["a"]], [["b", "c"]], [["d"]]]


def test_arrows_point_down() -> None:
    height = {name: k for k, name in enumerate(ROOMS)}
    found = list(draw_layers.package_imports(PACKAGE))
    wrong = [
        f"{file} imports {there}"
        for file, here, there, lazily in found
        if height[there] > height[here]
        if not (lazily and (here, there) in LAZY)
    ]
    print(f"{len(found)} imports between {len(ROOMS)} rooms")
    assert not wrong


def test_what_is_allowed_is_used() -> None:
    assert {
        (here, there) for _, here, there, lazily in draw_layers.package_imports(PACKAGE) if lazily
    } >= LAZY


def test_studies_are_at_the_edge() -> None:
    edge = {"studies", "bench", "reproduce"}
    assert not [
        a
        for a in draw_layers.package_imports(PACKAGE)
        if a[2] in edge and a[1] not in {*edge, "cli"}
    ]


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
