"""Algorithm 6 of S. F. Echeandia as printed is not the dynamics of rotors, and stays outside."""

from __future__ import annotations

import numpy as np
import pytest

from tarsus.reproduce.rotor_models import solve
from tarsus.reproduce.rotor_tables import RATIO, mechanism, state
from tarsus.reproduce.rotors_printed import printed_forward_dynamics


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
