"""Imports between packages point downward only."""

from __future__ import annotations

import ast
import itertools
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tarsus

sys.path.append(str(Path(__file__).parents[1] / "tools"))

import draw_layers
import make_package_stub

PACKAGE = Path(tarsus.__file__).parent

PACKAGES = (
    *("_core", "_lib", "spatial", "model", "parts"),
    *("formats", "geometry", "robots", "check", "view"),
    *("sweep", "ik", "control", "sensors", "simulation", "events"),
    *("gait", "ports", "estimation", "walking"),
    *("scenes", "environments", "studio", "cli"),
)
"""Packages and modules from the bottom to the top: each imports only those before it."""


HEAVY = (
    *("matplotlib", "pinocchio", "mujoco", "trimesh"),
    *("sympy", "pyarrow", "gymnasium", "typer", "rich", "ray", "websockets"),
)
"""Libraries that some packages use, and that not everybody has."""


def test_every_package_has_a_layer() -> None:
    there = {path.stem for path in PACKAGE.iterdir() if path.is_dir() or path.suffix == ".py"}
    found = {name for name in there if not name.startswith("_")}
    assert found == {name for name in PACKAGES if not name.startswith("_")}


def test_every_package_is_in_the_picture_of_the_layers() -> None:
    """`python tools/draw_layers.py` draws it."""
    picture = draw_layers.PICTURE.read_text(encoding="utf-8")
    packages = draw_layers.python_graph(PACKAGE)
    assert not [name for name in packages if f"{name} imports " not in picture]


def test_layers_of_a_graph_with_a_cycle() -> None:
    graph = {"a": {"b"}, "b": {"c", "d"}, "c": {"b"}, "d": set()}
    assert draw_layers.layers(graph) == [[["a"]], [["b", "c"]], [["d"]]]


def test_arrows_point_down() -> None:
    height = {name: k for k, name in enumerate(PACKAGES)}
    found = list(draw_layers.package_imports(PACKAGE))
    wrong = [
        f"{file} imports {there}" for file, here, there, _ in found if height[there] > height[here]
    ]
    print(f"{len(found)} imports between {len(PACKAGES)} packages")
    assert not wrong


def test_the_package_does_not_import_the_lab() -> None:
    assert not [file for file in PACKAGE.rglob("*.py") if "import tarsus_lab" in file.read_text()]
    assert not [file for file in PACKAGE.rglob("*.py") if "from tarsus_lab" in file.read_text()]


def test_importing_the_package_imports_little() -> None:
    code = "import sys, tarsus; print(sum(n.startswith('tarsus') for n in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) <= 3


IN_THREADS = """
import sys, threading
import tarsus as ts

names = "load robots Simulation scenes gait walking geometry Builder ik control".split()
start, errors = threading.Barrier(len(names)), []

def use(name):
    start.wait()
    try:
        found = getattr(ts, name)
        assert name != "robots" or found.chain(2).nv == 2
    except Exception as error:
        errors.append(f"{name}: {error!r}")

threads = [threading.Thread(target=use, args=(name,)) for name in names]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
sys.exit("; ".join(errors) or 0)
"""


def test_threads_may_use_the_package_first_at_the_same_time() -> None:
    """Without a lock, about one of three such processes fails."""
    for _ in range(6):
        done = subprocess.run([sys.executable, "-c", IN_THREADS], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", ["check", "sweep", "view"])
def test_functions_are_not_replaced_by_packages_of_their_names(name: str) -> None:
    code = (
        f"import tarsus.{name}, tarsus.studio, tarsus as ts; from tarsus.{name} import {name}; "
        f"print(ts.{name} is {name}, callable(ts.{name}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]


def test_type_checkers_see_the_public_names() -> None:
    """`python tools/make_package_stub.py` writes the stub."""
    assert make_package_stub.FILE.read_text(encoding="utf-8") == make_package_stub.stub()


def test_a_model_is_rooted_elsewhere_in_a_new_process() -> None:
    code = (
        "import tarsus as ts; b = ts.Builder('b').body('a', 1.0); "
        "b.joint('f', 'free', 'world', 'a'); print(b.build().rooted_at('a').nv)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0"]


def test_private_attributes_of_models_stay_in_their_package() -> None:
    """Elsewhere they are read by public properties, or by functions of `tarsus.model`."""
    model = tarsus.robots.chain(1)
    known = {name for name in {*vars(model), *dir(model)} if re.match("_(?!_)", name)}
    assert {"_strict", "_description", "_driven"} <= known
    wrong = [
        f"{file.relative_to(PACKAGE)}:{node.lineno} {ast.unparse(node)}"
        for file in sorted(PACKAGE.rglob("*.py"))
        if file.parts[len(PACKAGE.parts)] != "model"
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in known
        if not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))
    ]
    assert not wrong


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
