"""Code for equations: C and Python give the numbers of the core."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from symbolic_cases import EQUATIONS, coupled, state, with_joint

import tarsus as ts

MODELS = [ts.robots.chain(4), ts.robots.chain(3, skew=0.4), with_joint("free"), coupled("spindle")]
COMPILER = shutil.which("cc")


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler (cc)")
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_c(model: ts.Model, tmp_path: Path) -> None:
    source, library = tmp_path / "equations.c", tmp_path / "equations.so"
    source.write_text(model.symbolic().code("C"), encoding="utf-8")
    flags = ["-O1", "-std=c99", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run([str(COMPILER), *flags, source, "-o", library, "-lm"], check=True)
    functions = ctypes.CDLL(str(library))
    states = {letter: np.ascontiguousarray(x[0]) for letter, x in state(model).items()}
    for name, letters in EQUATIONS.items():
        arguments = [states[letter] for letter in letters]
        expected = getattr(model, name)(*arguments)
        found = np.full(expected.shape, np.nan)
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in (*arguments, found)]
        getattr(functions, name)(*pointers)
        residual = np.abs(found - expected).max() / max(1.0, np.abs(expected).max())
        print(f"{name}: {residual:.1e}")
        assert residual < 1e-12


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_python(model: ts.Model) -> None:
    """The code runs on its own, without this library and without SymPy."""
    scope: dict[str, object] = {}
    exec(model.symbolic().code("python"), scope)
    assert {name for name in scope if not name.startswith("__")} == {"numpy", *EQUATIONS}
    states = state(model, 4)
    for name, letters in EQUATIONS.items():
        arguments = [states[letter] for letter in letters]
        expected = getattr(model, name)(*arguments)
        found = scope[name](*arguments)  # type: ignore[operator]
        residual = np.abs(found - expected).max() / max(1.0, np.abs(expected).max())
        print(f"{name}: {residual:.1e}")
        assert residual < 1e-12


def test_only_what_is_asked_for() -> None:
    s = ts.robots.chain(2).symbolic()
    text = s.code("C", "gravity_forces", "mass_matrix")
    assert text.index("void gravity_forces(") < text.index("void mass_matrix(")
    assert "coriolis" not in text


def test_parameters_are_an_argument() -> None:
    s = ts.robots.chain(2).symbolic(parameters=True)
    assert "void mass_matrix(const double *q, const double *parameters" in s.code("C")
    numbers = np.array([float(number) for number in s.parameters.values()])
    heavy = np.where([symbol.name.startswith(("m_", "I_")) for symbol in s.parameters], 2.0, 1.0)
    mass = s.function("mass_matrix")
    q = np.array([0.1, 0.7])
    assert np.allclose(mass(q, heavy * numbers), 2.0 * mass(q, numbers), rtol=1e-14)
    assert mass(q, np.stack([numbers] * 5)).shape == (5, 2, 2)


def test_names_cannot_break_the_code() -> None:
    b = ts.Builder('a """ */ model\n')
    b.body("link", 1.0, com=(1, 0, 0), inertia=(1, 1, 1))
    b.joint("q[0]; x", "revolute", "world", "link")
    model = b.build()
    assert np.isclose(model.symbolic().function("mass_matrix")([0.5]), 2.0)
    assert model.symbolic().code("C").count("*/") == 1 + len(EQUATIONS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("fortran", "mass_matrix"), "language is 'fortran', must be one of: C, python"),
        (("C", "mass_matrx"), "no equation 'mass_matrx'; did you mean 'mass_matrix'"),
    ],
)
def test_mistakes(arguments: tuple[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ts.robots.chain(1).symbolic().code(*arguments)


@pytest.mark.parametrize("q", [[1.0], [1.0, 2.0, 77.0], np.zeros((2, 9)), 3.0])
def test_functions_check_shapes(q: Any) -> None:
    function = ts.robots.chain(2).symbolic().function("mass_matrix")
    with pytest.raises(ValueError, match=r"q must have shape \(…, 2\), got"):
        function(q)
