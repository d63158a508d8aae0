"""Masses and friction from efforts, where everything else was recorded."""

from __future__ import annotations

import numpy as np
import pytest
from recorded import double_pendulum

import tarsus as ts
from tarsus.estimation.identification import identify_inertia


def motions(model: ts.Model, count: int = 60) -> tuple[np.ndarray, ...]:
    """Return random positions, velocities and accelerations."""
    rng = np.random.default_rng(0)
    return tuple(rng.normal(size=(count, model.nv)) for _ in range(3))


def test_efforts_give_base_parameters() -> None:
    """A machine with the numbers that were found needs the same efforts in other motions."""
    real, stated = double_pendulum(), double_pendulum(mass=0.9, center=0.3, inertia=0.1)
    q, v, a = motions(real)
    found = identify_inertia(stated, q, v, a, real.inverse_dynamics(q, v, a))
    assert np.abs(found.residuals).max() < 1e-9
    assert 0 < found.observability.rank < len(found.names)
    rng = np.random.default_rng(1)
    at, rates, pushed = (rng.normal(size=(5, 2)) for _ in range(3))
    regressor = real.inertial_regressor(at, rates, pushed)
    expected = regressor @ real.inertial_parameters.ravel()
    assert np.abs(regressor @ found.values - expected).max() < 1e-9


def test_friction_is_found_beside_masses() -> None:
    model = double_pendulum()
    q, v, a = motions(model, 200)
    rng = np.random.default_rng(2)
    friction = [0.4, 0.2] * np.sign(v) + [0.05, 0.15] * v
    tau = model.inverse_dynamics(q, v, a) + friction + 0.01 * rng.normal(size=v.shape)
    found = identify_inertia(model, q, v, a, tau, noise=0.01, friction=True)
    values = dict(zip(found.names, found.values, strict=True))
    deviations = dict(zip(found.names, found.deviations, strict=True))
    for name, extra in (
        *(("damping 0", 0.05), ("damping 1", 0.15)),
        *(("friction 0", 0.4), ("friction 1", 0.2)),
    ):
        assert abs(values[name] - extra) < 4.0 * deviations[name] < 0.05
    assert abs(found.spread - 1.0) < 0.15
    assert "not told" in str(found)


def test_wrong_rows_are_named() -> None:
    model = double_pendulum()
    q, v, a = motions(model)
    with pytest.raises(ValueError, match="tau has shape"):
        identify_inertia(model, q, v, a, q[:, :1])
    with pytest.raises(ValueError, match="as many"):
        identify_inertia(model, q, v, a, q[:-1])
    with pytest.raises(ValueError, match="noise"):
        identify_inertia(model, q, v, a, q, noise=0.0)
