"""How Coriolis matrices, symbols and regressors are asked for: batches, options, wrong input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from coriolis_cases import machine, tree
from oracle import Array

import tarsus as ts

SUMS: dict[str, Callable[..., Any]] = {
    "mass_matrix_derivatives": ts.Model.mass_matrix_derivatives,
    "christoffel_symbols_second_kind": ts.Model.christoffel_symbols_second_kind,
    "second derivatives by v": lambda m, q, **k: (
        m.inverse_dynamics_second_derivatives(q, **k).dv_dv
    ),
    "second derivatives by a, q": lambda m, q, **k: (
        m.inverse_dynamics_second_derivatives(q, **k).da_dq
    ),
}
"""What is computed from the symbols in Python; the core's algorithms are tested with the others."""
MODEL = ts.robots.random_mechanism(2, 6, armature=True)
Q, V = MODEL.neutral(), np.zeros(MODEL.nv)


@pytest.mark.parametrize("name", SUMS)
def test_a_batch_is_a_loop(name: str) -> None:
    for c in (tree(4), machine("gears", 3), machine("loops", 3)):
        steps = 0.01 * np.random.default_rng(0).normal(size=(2, 3, c.model.nv))
        q = c.model.integrate(c.q, steps)
        found = SUMS[name](c.model, q)
        assert found.shape == (2, 3, *(c.model.nv,) * 3)
        for index in np.ndindex(2, 3):
            assert SUMS[name](c.model, q[index]).tobytes() == found[index].tobytes()
        assert SUMS[name](c.model, q, threads=3).tobytes() == found.tobytes()
        assert SUMS[name](c.model, q[:0]).shape == (0, 3, *(c.model.nv,) * 3)


@pytest.mark.parametrize("name", SUMS)
def test_models_without_bodies(name: str) -> None:
    model = ts.Model(ts.Builder("nothing").description())
    assert SUMS[name](model, np.zeros(0)).shape == (0, 0, 0)
    assert SUMS[name](model, np.zeros((4, 0))).shape == (4, 0, 0, 0)
    assert model.christoffel_indices.shape == (0, 3)
    assert model.inertial_parameters.shape == (0, 10)


@pytest.mark.parametrize("name", SUMS)
def test_wrong_arrays_are_named(name: str) -> None:
    with pytest.raises(ValueError, match=r"q must have shape \(…, "):
        SUMS[name](MODEL, np.zeros(MODEL.nq + 1))
    with pytest.raises(ValueError, match="q must be finite: element 0 is nan"):
        SUMS[name](MODEL, np.full(MODEL.nq, np.nan))
    with pytest.raises((ValueError, TypeError), match="threads must be an integer from 1 to 1024"):
        SUMS[name](MODEL, Q, threads=0)


@pytest.mark.parametrize("wrong", ["Christoffel", "", None, 1, b"force"])
def test_wrong_factorizations_list_the_right_ones(wrong: Any) -> None:
    message = "factorization must be one of christoffel, force, momentum"
    with pytest.raises(ValueError, match=message):
        MODEL.coriolis_matrix(Q, V, factorization=wrong)
    with pytest.raises(ValueError, match=message):
        MODEL.passive_inverse_dynamics(Q, V, V, V, wrong)


def test_references_are_checked() -> None:
    bad = V.copy()
    bad[-1] = np.inf
    calls: tuple[Callable[[Array], Array], ...] = (
        lambda v: MODEL.passive_inverse_dynamics(Q, V, v, V),
        lambda v: MODEL.inertial_regressor(Q, V, V, v),
    )
    for call in calls:
        with pytest.raises(ValueError, match="v_reference must have shape"):
            call(np.zeros(MODEL.nv + 1))
        with pytest.raises(ValueError, match=f"v_reference must be finite: element {len(V) - 1}"):
            call(bad)
    with pytest.raises(ValueError, match="a_reference must have shape"):
        MODEL.passive_inverse_dynamics(Q, V, V, V[1:])
    with pytest.raises(TypeError, match="needs 'a_reference'"):
        MODEL.passive_inverse_dynamics(Q, V, V)  # type: ignore[call-arg]


def test_a_singular_mass_matrix_is_an_arithmetic_error() -> None:
    builder = ts.Builder("light").body("a", 1.0, inertia=(1, 1, 1)).body("b")
    builder.joint("hinge", "revolute", "world", "a").joint("loose", "revolute", "a", "b")
    model, q = builder.build(), np.zeros((3, 2))
    for states in (q[0], q):
        with pytest.raises(ArithmeticError):
            model.christoffel_symbols_second_kind(states)
        with pytest.raises(ArithmeticError, match="the mass matrix is singular"):
            model.forward_dynamics_derivatives(states, states, states)
        assert np.isfinite(model.christoffel_symbols(states)).all()
        slopes = model.inverse_dynamics_derivatives(states, states, states)
        assert all(np.isfinite(each).all() for each in slopes)


def test_results_are_not_shared() -> None:
    """Whoever changes a result does not change what comes next."""

    def taken(model: ts.Model) -> list[Array]:
        return [model.christoffel_indices, model.inertial_parameters]

    before = [array.copy() for array in taken(MODEL)]
    for array in taken(MODEL):
        if array.flags.writeable:
            array[...] = 0
    for old, new in zip(before, taken(MODEL), strict=True):
        np.testing.assert_array_equal(new, old)
