"""Algorithm 6 of S. F. Echeandia as printed is not the dynamics of rotors, and stays outside.

What the tables should say instead comes from vector mechanics without any recursion.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from projection import Projection
from tarsus_lab.reproduce import rotors_4_3, rotors_4_4, rotors_4_5
from tarsus_lab.reproduce.rotor_models import solve
from tarsus_lab.reproduce.rotor_tables import RATIO, SIZES, Comparison, mechanism, state
from tarsus_lab.reproduce.rotors_printed import printed_forward_dynamics

import tarsus as ts
from tarsus._lib.files import Array


@pytest.mark.parametrize(("n", "least"), [(5, 0.14), (10, 0.25), (15, 0.42)])
def test_as_printed_is_wrong(n: int, least: float) -> None:
    """It is off by more than a half of the largest acceleration of the dense solution."""
    m = mechanism(n).exact
    q, v, tau = state(n)
    exact = solve(m.mass_matrix(q), tau - m.bias_forces(q, v))
    printed = printed_forward_dynamics(m, RATIO, q, v, tau)
    error = np.abs(printed - exact).max()
    print(f"N = {n}: off by {error:.3f}, exact at most {np.abs(exact).max():.3f} rad/s²")
    assert least < error < 1.1 * least
    np.testing.assert_allclose(m.forward_dynamics(q, v, tau), exact, rtol=1e-10)


def test_the_torque_counts_twice() -> None:
    """Of a single link it gives the acceleration for twice the torque: no cross terms there."""
    m = mechanism(1).exact
    q, v, tau = state(1)
    printed = printed_forward_dynamics(m, RATIO, q, v, tau)
    np.testing.assert_allclose(printed, m.forward_dynamics(q, v, 2 * tau), rtol=1e-12)


def mass_and_bias(model: ts.Model, q: Array, v: Array) -> tuple[Array, Array]:
    """Return H (n, n) and the Coriolis forces (n,), by projection of all bodies."""
    own = Projection.of(model)
    x = np.zeros(own.tree.nq)
    x[own.free] = q
    x = own.follow(x)
    return own.mass_matrix(x), own.inverse_dynamics(x, v, np.zeros_like(v))


@pytest.mark.parametrize("column", range(len(SIZES)))
@pytest.mark.parametrize(
    ("comparisons", "branching", "rate"),
    [
        (rotors_4_3.COMPARISONS, 1.0, 0.0),
        (rotors_4_4.COMPARISONS, 2.0, 0.0),
        (rotors_4_5.COMPARISONS, 1.0, math.pi / 2),
    ],
    ids=["4.3", "4.4", "4.5"],
)
def test_what_the_tables_should_say(
    comparisons: tuple[Comparison, ...], branching: float, rate: float, column: int
) -> None:
    n = SIZES[column]
    models = mechanism(n, branching)
    q, v, tau = state(n, rate)
    plain, plain_bias = mass_and_bias(models.without, q, v)
    exact, exact_bias = mass_and_bias(models.exact, q, v)
    reflected = plain + RATIO**2 * np.eye(n)  # rotors of 1 kg m²
    found = {
        "ABA": solve(plain, tau - plain_bias),
        "MCRBA": solve(reflected, tau - plain_bias),
        "MCRBA without Coriolis terms": solve(reflected, tau),
        "MABA": solve(exact, tau - exact_bias),
        "exact": solve(exact, tau - exact_bias),
        "as printed": printed_forward_dynamics(models.exact, RATIO, q, v, tau),
    }
    rows = [comparison.row(column, found) for comparison in comparisons]
    for row in rows:
        print(f"{row.label:45} {row.thesis:>8} {row.shown:>10} {row.verdict}")
    assert {row.verdict for row in rows} == {"reproduced", "corrected"}
