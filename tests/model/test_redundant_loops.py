"""Equations of loops that repeat or contradict others, as rounded numbers make them."""

from __future__ import annotations

import numpy as np
import pytest
from rods import LENGTHS, gap, offset_four_bars, rods

import tarsus as ts


def test_axes_that_are_parallel_but_for_rounding() -> None:
    """A four-bar whose coupler leaves the plane by microns would be rigid, if taken at its word."""
    builder = rods(ts.Builder("file"), LENGTHS)
    builder.joint("ja", "revolute", "world", "a", axis=(0, 2e-6, 1))
    builder.joint("jb", "revolute", "a", "b", position=(0.3, 0, 0), axis=(-1e-6, 0, 1))
    builder.joint("jc", "revolute", "b", "c", position=(1, 0, 0))
    builder.close_loop("revolute", "c", (0.8, 0, 2e-6), "world", (0.9, 0, 0), name="pin")
    model = builder.build()
    assert model.clusters[0].independent == ("ja",)
    (warning,) = model.warnings
    assert "loop 'pin': 3 of its equations repeat others" in warning
    q = model.integrate(model.neutral(), [0.5])
    print(f"gap {gap(model, q):.1e}")
    assert gap(model, q) < 1e-5


@pytest.mark.parametrize("offset", [3e-6, 3e-7, 2e-9])
def test_equations_that_contradict_others_are_left_out(offset: float) -> None:
    """No motion closes the offset; the model works without the row that it is in."""
    model = offset_four_bars(offset).build()
    (warning,) = model.warnings
    assert "3 of its equations repeat others" in warning and f"up to {offset:.1e}" in warning
    kept = np.array([True, True, False, False, False])
    exact = offset_four_bars(0.0).build()
    for q in (model.neutral(), model.integrate(model.neutral(), [0.5])):
        gaps = np.abs(model.loop_gaps(q))
        print(f"gaps {gaps}")
        assert gaps[kept].max() <= 1e-12
        assert np.isclose(gaps[~kept].max(), offset, rtol=1e-6)
        v, tau = np.array([0.7]), np.array([0.3])
        np.testing.assert_allclose(model.mass_matrix(q), exact.mass_matrix(q), rtol=1e-12)
        for method in ("articulated", "sparse", "dense"):
            a = model.forward_dynamics(q, v, tau, method=method)
            np.testing.assert_allclose(model.inverse_dynamics(q, v, a), tau, rtol=1e-9)
            np.testing.assert_allclose(a, exact.forward_dynamics(q, v, tau), rtol=1e-9)
    sample = model.random_configuration(0, (4,))
    np.testing.assert_allclose(model.close(sample), sample, atol=1e-12)


def test_equal_clusters_have_equal_warnings() -> None:
    model = offset_four_bars(3e-6, 3).build()
    assert [warning.partition(":")[0] for warning in model.warnings] == [
        "loop 'pin0'",
        "loop 'pin1'",
        "loop 'pin2'",
    ]
