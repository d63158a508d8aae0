"""Equations in symbols: those of textbooks, the definitions, and the numbers of the core."""

from __future__ import annotations

import builtins
import sys
from typing import Any

import numpy as np
import pytest
import sympy
from symbolic_cases import coupled, residuals, state, two_bodies, with_joint

import tarsus as ts
from tarsus.model.description import KINDS, Description
from tarsus.model.symbolic.recursions import Inertia, Link, Recursions

TOLERANCE = 1e-12


def value(expression: Any, model: ts.Model, symbols: dict[str, Any]) -> Any:
    """Return the value of an expression in full, without the code that is made of it."""
    states = state(model, 1)
    flat = [symbol for column in symbols.values() for symbol in column]
    numbers = np.concatenate([states[letter][0] for letter in symbols])
    return np.array(sympy.lambdify(flat, expression, "numpy", cse=True)(*numbers), dtype=float)


def test_two_links() -> None:
    """The closed form of two links that move in a plane."""
    m = ts.robots.chain(2, skew=0.0)
    s = m.symbolic()
    (_, q1), (v0, v1) = s.q, s.v
    inertia = sympy.Rational(803, 2400)  # of a link about its joint
    h = -sympy.sin(q1) / 2
    diagonal, side = 2 * inertia + 1 + sympy.cos(q1), inertia + sympy.cos(q1) / 2
    assert s.mass_matrix == sympy.Matrix([[diagonal, side], [side, inertia]])
    assert s.christoffel_symbols.tolist() == [[[0, h], [h, h]], [[-h, 0], [0, 0]]]
    assert s.coriolis_matrix == sympy.Matrix([[h * v1, h * v0 + h * v1], [-h * v0, 0]])
    values = {s.q[0]: 0.3, q1: 0.7, v0: 0.4, v1: -0.9}
    expected = [[2.434008854, 0.717004427], [0.717004427, 0.334583333]]
    assert np.allclose(np.array(s.mass_matrix.subs(values), float), expected, atol=1e-9)
    expected = [[0.2898979593, 0.1610544218], [0.1288435374, 0.0]]
    assert np.allclose(np.array(s.coriolis_matrix.subs(values), float), expected, atol=1e-9)


def test_cart_and_pole() -> None:
    """Parameters are symbols: the equations of the textbook."""
    b = ts.Builder("cart_pole")
    b.body("cart", 2.0)
    b.body("pole", 0.5, com=(0, 0, 0.4))
    b.joint("slide", "prismatic", "world", "cart", axis="x")
    b.joint("hinge", "revolute", "cart", "pole", axis="y")
    s = b.build().symbolic(parameters=True, simplify=True)
    names = {symbol.name: symbol for symbol in s.parameters}
    assert set(names) == {"m_cart", "m_pole", "c_pole_z", "g"}
    m_cart, m_pole, length, g = (names[key] for key in ("m_cart", "m_pole", "c_pole_z", "g"))
    theta, v = s.q[1], s.v[1]
    side = m_pole * length * sympy.cos(theta)
    expected = sympy.Matrix([[m_cart + m_pole, side], [side, m_pole * length**2]])
    assert sympy.simplify(s.mass_matrix - expected) == sympy.zeros(2, 2)
    swing = -m_pole * length * sympy.sin(theta)
    assert s.coriolis_matrix == sympy.Matrix([[0, swing * v], [0, 0]])
    assert s.gravity_forces == sympy.Matrix([0, g * swing])
    assert s.parameters[g] == sympy.Rational(981, 100)
    plain = b.build().symbolic(simplify=sympy.trigsimp)
    assert s.mass_matrix.subs(s.parameters) == plain.mass_matrix
    assert s.gravity_forces.subs(s.parameters) == plain.gravity_forces


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "fixed"])
def test_joints(kind: str) -> None:
    model = with_joint(kind)
    found = residuals(model, model.symbolic())
    print(kind, {name: f"{value:.0e}" for name, value in found.items()})
    assert max(found.values()) < TOLERANCE


@pytest.mark.parametrize(
    "kind", ["linear", "stages", "spindle", "tilting_spindle", "parallel_ankle"]
)
def test_couplings(kind: str) -> None:
    model = coupled(kind)
    found = residuals(model, model.symbolic())
    print(kind, {name: f"{value:.0e}" for name, value in found.items()})
    assert max(found.values()) < TOLERANCE


@pytest.mark.parametrize("inertia", [(0.6, 0.6, 1.0), (0.6, 0.7, 1.0)])
def test_rotors(inertia: tuple[float, ...]) -> None:
    """Rotors of any shape; the angle of a round one does not appear."""
    model = ts.robots.rotor_chain(3, skew=np.pi / 3, inertia=inertia)
    s = model.symbolic()
    found = residuals(model, s)
    print(inertia, {name: f"{value:.0e}" for name, value in found.items()})
    assert max(found.values()) < TOLERANCE
    assert s.mass_matrix[2, 2] == sympy.Rational(803, 2400) + 25


@pytest.mark.parametrize(
    "model", [ts.robots.rotor_chain(2, skew=np.pi / 2), coupled("linear")], ids=repr
)
def test_parameters(model: ts.Model) -> None:
    s = model.symbolic(parameters=True)
    found = residuals(model, s, [float(number) for number in s.parameters.values()])
    print({name: f"{value:.0e}" for name, value in found.items()})
    assert max(found.values()) < TOLERANCE


def test_christoffel_symbols_by_definition() -> None:
    """Γ_ijk = ½ (∂H_ij/∂q_k + ∂H_ik/∂q_j − ∂H_jk/∂q_i), and C = Γ v."""
    model = ts.robots.chain(3, skew=np.pi / 3)
    s = model.symbolic()
    n = range(3)

    def slope(i: int, j: int, k: int) -> Any:
        return sympy.diff(s.mass_matrix[i, j], s.q[k])

    expected = [
        [[(slope(i, j, k) + slope(i, k, j) - slope(j, k, i)) / 2 for k in n] for j in n] for i in n
    ]
    residual = value(s.christoffel_symbols.tolist(), model, {"q": s.q})
    residual -= value(expected, model, {"q": s.q})
    print(f"Christoffel symbols by definition: {np.abs(residual).max():.1e}")
    assert np.abs(residual).max() < TOLERANCE


@pytest.mark.parametrize("kind", ["spherical", "universal", "planar"])
def test_identities(kind: str) -> None:
    """H a + C v + g are the inverse dynamics, and Ḣ = C + Cᵀ along q̇."""
    model = two_bodies(kind)
    s = model.symbolic()
    forces = s.mass_matrix * s.a + s.coriolis_matrix * s.v + s.gravity_forces
    symbols = {"q": s.q, "v": s.v, "a": s.a}
    residual = np.abs(value(forces - s.inverse_dynamics, model, symbols)).max()
    print(f"{kind}: inverse dynamics {residual:.1e}")
    assert residual < TOLERANCE
    pairs = list(zip(s.q, s.configuration_rate, strict=True))
    rate = s.mass_matrix.applyfunc(lambda h: sum(sympy.diff(h, q) * speed for q, speed in pairs))
    both = s.coriolis_matrix + s.coriolis_matrix.T
    residual = np.abs(value(rate - both, model, {"q": s.q, "v": s.v})).max()
    print(f"{kind}: rate of the mass matrix {residual:.1e}")
    assert residual < TOLERANCE


def test_recursions_take_any_number() -> None:
    """The same recursions on floating-point numbers are those of the core."""
    model = ts.robots.tree(5, 2, skew=0.7)
    q = model.random_configuration(0)
    links = []
    for joint, body in zip(model.joints, model.bodies, strict=True):
        turn = np.eye(3)
        turn[:2, :2] = [[np.cos(q[joint.index]), -np.sin(q[joint.index])], [0, 0]]
        turn[1, :2] = -turn[0, 1], turn[0, 0]
        second = body.inertia + body.mass * (body.com @ body.com * np.eye(3))
        second = second - body.mass * np.outer(body.com, body.com)
        links.append(
            Link(
                body.parent,
                joint.placement[:3, :3] @ turn,
                joint.placement[:3, 3],
                np.eye(6)[:, [5]],
                [joint.index],
                Inertia(body.mass, body.mass * body.com, second),
            )
        )
    tree = Recursions(links)
    mass = np.abs(tree.mass_matrix().astype(float) - model.mass_matrix(q)).max()
    gamma = np.abs(tree.christoffel_symbols().astype(float) - model.christoffel_symbols(q)).max()
    print(f"mass matrix {mass:.1e}, Christoffel symbols {gamma:.1e}")
    assert max(mass, gamma) < TOLERANCE


def test_names_of_coordinates() -> None:
    b = ts.Builder("names")
    for name, kind in (("a", "universal"), ("a_1", "revolute"), ("hip-roll/left", "revolute")):
        b.body(name, 1.0, inertia=(1, 1, 1))
        b.joint(name, kind, "world", name)
    s = b.build().symbolic()
    assert [symbol.name for symbol in s.q] == ["q_a_0", "q_a_1", "q_a_1_", "q_hip-roll/left"]
    assert len({*s.q, *s.v, *s.a}) == 12


def test_names_of_parameters() -> None:
    """Ratios of joint a to joints b and c, and of a joint a_b, have different symbols."""
    b = ts.Builder("names")
    for name in ("b", "c", "a", "a_b"):
        b.body(name, 1.0, inertia=(1, 1, 1))
        b.joint(name, "revolute", "world", name)
    b.couple(["b", "c", "a"], [[1, 0], [0, 1], [2, 3]])
    b.couple(["b", "a_b"], [[1], [7]])
    s = b.build().symbolic(parameters=True)
    ratios = {key.name: int(x) for key, x in s.parameters.items() if key.name[:2] == "n_"}
    assert ratios == {"n_a_b": 2, "n_a_c": 3, "n_a_b_": 7}


def test_a_model_without_bodies() -> None:
    s = ts.Model(Description("empty")).symbolic()
    assert s.mass_matrix.shape == s.coriolis_matrix.shape == (0, 0)
    assert s.function("mass_matrix")(np.zeros(0)).shape == (0, 0)


def test_loops_are_refused_by_name() -> None:
    model = ts.robots.four_bar()
    with pytest.raises(ts.ModelError, match=model.description.loops[0].name):
        model.symbolic()


def test_functions_are_refused_by_name() -> None:
    b = ts.Builder("cam")
    for name in ("shaft", "valve"):
        b.body(name, 1.0, inertia=(1, 1, 1))
        b.joint(name, "revolute", "world", name)
    square = {"function": lambda y: (y**2, 2 * y[:, None], np.full((1, 1, 1), 2.0))}
    b.transmission("function", "shaft", "valve", name="lift", **square)
    with pytest.raises(ts.ModelError, match="'lift'"):
        b.build().symbolic()


def test_bad_simplify() -> None:
    with pytest.raises(TypeError, match="simplify is 'much'"):
        ts.robots.chain(1).symbolic(simplify="much")  # type: ignore[arg-type]


def test_without_sympy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("tarsus.model.symbolic")]:
        monkeypatch.delitem(sys.modules, name)
    real = builtins.__import__

    def missing(name: str, *rest: Any) -> Any:
        if name == "sympy":
            raise ModuleNotFoundError(name="sympy")
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'tarsus\[symbolic\]'"):
        ts.robots.chain(1).symbolic()
