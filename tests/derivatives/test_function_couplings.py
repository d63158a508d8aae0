"""Couplings that are functions: slopes by q need their third derivatives, and say so."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from coriolis_cases import distance
from slopes import along_q

import tarsus as ts


def sine(y: np.ndarray, *, orders: int) -> tuple[Any, ...]:
    """Return sin y and its first derivatives."""
    s, c = np.sin(y[0]), np.cos(y[0])
    every = ([s], [[c]], [[[-s]]], [[[[-c]]]])
    return tuple(np.array(part) for part in every[: orders + 1])


def pair(orders: int) -> ts.Model:
    """Return two pendulums; one follows the sine of the other's angle."""
    builder = ts.Builder("pair")
    for name, parent in (("a", "world"), ("b", "a")):
        builder.body(name, 1.0, (0.3, 0.0, 0.1), (0.1, 0.2, 0.15))
        builder.joint(f"joint_{name}", "revolute", parent, name, position=(0.2, 0.0, 0.0), axis="y")
    builder.transmission(
        "function", ["joint_a"], ["joint_b"], function=lambda y: sine(y, orders=orders)
    )
    return builder.build()


def test_two_derivatives_are_enough_for_symbols() -> None:
    two, three = pair(2), pair(3)
    q, v, a = np.array([0.4]), np.array([1.3]), np.array([-0.7])
    for found, expected in (
        (two.coriolis_matrix(q, v), three.coriolis_matrix(q, v)),
        (two.christoffel_symbols(q), three.christoffel_symbols(q)),
        (two.mass_matrix_rate(q, v), three.mass_matrix_rate(q, v)),
        (two.inertial_regressor(q, v, a), three.inertial_regressor(q, v, a)),
    ):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", ["inverse_dynamics_derivatives", "forward_dynamics_derivatives"])
def test_slopes_need_three(name: str) -> None:
    for states in (np.array([0.4]), np.full((5, 1), 0.4)):
        with pytest.raises(ValueError, match=r"need third derivatives: .*'joint_b'"):
            getattr(pair(2), name)(states, states, states)
    assert all(np.isfinite(x).all() for x in getattr(pair(3), name)(states, states, states))


def test_the_function_that_lacks_them_is_named() -> None:
    builder = ts.Builder("three")
    for name, parent in (("a", "world"), ("b", "a"), ("c", "a")):
        builder.body(name, 1.0, (0.3, 0.0, 0.1), (0.1, 0.2, 0.15))
        builder.joint(f"joint_{name}", "revolute", parent, name, position=(0.2, 0.0, 0.0), axis="y")
    for name, orders in (("b", 3), ("c", 2)):
        function = partial(sine, orders=orders)
        builder.transmission("function", ["joint_a"], [f"joint_{name}"], function=function)
    m, x = builder.build(), np.array([0.4])
    with pytest.raises(ValueError, match=r"need third derivatives: .*'joint_c'") as error:
        m.inverse_dynamics_derivatives(x, x, x)
    assert "'joint_b'" not in str(error.value)


ROOTS = [(1.0, 2.0), (-np.inf, np.inf)]
"""Limits of a joint: within the domain of the root, or none at all."""


@pytest.mark.parametrize("limits", ROOTS)
def test_a_function_that_is_not_defined_at_zero(limits: tuple[float, float]) -> None:
    def root(y: np.ndarray) -> tuple[Any, ...]:
        s = np.sqrt(y[0])
        slopes = (s, 0.5 / s, -0.25 / s**3, 0.375 / s**5)
        return tuple(np.full((1,) * (order + 1), slope) for order, slope in enumerate(slopes))

    builder = ts.Builder("root")
    for name in "ab":
        builder.body(name, 1.0, (0.3, 0.0, 0.1), (0.1, 0.2, 0.15))
    builder.joint("joint_a", "revolute", "world", "a", lower=limits[0], upper=limits[1])
    builder.joint("joint_b", "revolute", "a", "b", position=(0.2, 0.0, 0.0), axis="y")
    builder.transmission("function", ["joint_a"], ["joint_b"], function=root)
    m = builder.build()
    q, v, a = np.array([1.5]), np.array([1.3]), np.array([-0.7])
    found = m.inverse_dynamics_derivatives(q, v, a).dq
    expected = along_q(m, q, lambda x: m.inverse_dynamics(x, v, a))
    print(f"∂τ/∂q: {distance(found, expected):.1e}")
    assert distance(found, expected) < 1e-9


def test_slopes_with_three() -> None:
    m = pair(3)
    q, v, a = np.array([0.4]), np.array([1.3]), np.array([-0.7])
    found = m.inverse_dynamics_derivatives(q, v, a).dq
    expected = along_q(m, q, lambda x: m.inverse_dynamics(x, v, a))
    print(f"∂τ/∂q: {distance(found, expected):.1e}")
    assert distance(found, expected) < 1e-10
    forward = m.forward_dynamics_derivatives(q, v, a).dq
    expected = along_q(m, q, lambda x: m.forward_dynamics(x, v, a))
    print(f"∂a/∂q: {distance(forward, expected):.1e}")
    assert distance(forward, expected) < 1e-10


def test_a_third_derivative_of_the_wrong_shape() -> None:
    def wrong(y: np.ndarray) -> tuple[Any, ...]:
        return (*sine(y, orders=2), np.zeros((1, 1, 1)))

    builder = ts.Builder("wrong")
    for name in "ab":
        builder.body(name, 1.0, inertia=(0.1, 0.1, 0.1))
        builder.joint(f"joint_{name}", "revolute", "world", name)
    builder.transmission("function", ["joint_a"], ["joint_b"], function=wrong)
    m, x = builder.build(), np.array([0.4])
    assert np.isfinite(m.christoffel_symbols(x)).all()  # which needs none
    with pytest.raises(ValueError, match=r"third derivative has shape \(1, 1, 1\)"):
        m.inverse_dynamics_derivatives(x, x, x)


def test_arrays_of_out_live_while_a_function_empties_their_list() -> None:
    out = [np.zeros((40, 1, 1)) for _ in range(3)]

    def emptying(y: np.ndarray) -> tuple[Any, ...]:
        out.clear()
        return sine(y, orders=3)

    builder = ts.Builder("pair")
    for name, parent in (("a", "world"), ("b", "a")):
        builder.body(name, 1.0, (0.3, 0.0, 0.1), (0.1, 0.2, 0.15))
        builder.joint(f"joint_{name}", "revolute", parent, name, position=(0.2, 0.0, 0.0), axis="y")
    model = builder.transmission("function", ["joint_a"], ["joint_b"], function=emptying).build()
    out[:] = [np.zeros((40, 1, 1)) for _ in range(3)]
    x = np.full((40, 1), 0.4)
    found = model.inverse_dynamics_derivatives(x, x, x, out=out)
    np.testing.assert_array_equal(found, pair(3).inverse_dynamics_derivatives(x, x, x))
