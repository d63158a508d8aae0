"""What strikes take, by closed forms of the compass walker and by energies of random machines."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tarsus as ts
from tarsus.events.phase import mapped
from tarsus.gait.walkers import Walker, compass, dribbel, walker3d


def at(walker: Walker, between: float) -> ts.gait.ImpactAnalysis:
    """Return the strike of a compass walker with so much between its legs [rad]."""
    return ts.gait.impact_analysis(walker, [-between / 2, between])


def test_compass_shares() -> None:
    found = at(compass(gravity=9.81), 0.5)
    assert found.shares == pytest.approx([0.9971, 0.2704], abs=1e-4)
    assert found.work == pytest.approx(1.7783, abs=1e-4)
    assert found.passive_energies == pytest.approx((1.783, 6.576), abs=1e-3)


def test_shares_are_equal_across_and_without_a_hip() -> None:
    assert at(compass(), math.pi / 2).shares == pytest.approx([0.96, 0.96], abs=1e-12)
    for between in (0.3, 0.5, 1.1):
        assert np.ptp(at(compass(hip_mass=0.0), between).shares) < 1e-9


def test_light_legs_take_what_the_hip_has() -> None:
    found = at(compass(leg_mass=1e-9), 0.5)
    assert found.loss == pytest.approx(np.diag([5.0 * math.sin(0.5) ** 2, 0.0]), abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("walker", [compass(), dribbel(), walker3d()], ids=lambda w: w.name)
def test_losses_are_differences_of_energy(walker: Walker, seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = walker.phases[-1].model
    q, v = 0.4 * rng.standard_normal(model.nq), rng.standard_normal(model.nv)
    found = ts.gait.impact_analysis(walker, q)
    lift, impact, _ = walker.phases[-1].exits[0].reset
    free_q, free_v = mapped((lift,), q, v)
    _, after = mapped((impact,), free_q, free_v)
    before, left = (impact.model.kinetic_energy(free_q, x) for x in (free_v, after))
    assert found.lost(v) == pytest.approx(float(before) - float(left), abs=1e-10)
    assert np.all((found.shares >= 0.0) & (found.shares <= 1.0))
    inertia = np.asarray(model.mass_matrix(q))
    for share, way in zip(found.shares, found.directions.T, strict=True):
        assert 0.5 * way @ inertia @ way == pytest.approx(1.0, abs=1e-9)
        assert found.lost(way) == pytest.approx(share, abs=1e-9)
    # coordinates do not matter: along any motion the share is between the principal ones
    part = float(found.lost(v)) / float(before)
    assert found.shares[-1] - 1e-9 <= part <= found.shares[0] + 1e-9


def test_double_support_by_the_closed_form() -> None:
    """(4.14) of the thesis; for light legs the old foot lets go where steps are below 60°."""
    m, hip = 1.0, 5.0
    walker = compass(m, hip)
    rng = np.random.default_rng(0)
    for _ in range(20):
        q3 = -rng.uniform(0.05, 0.9)
        v = rng.standard_normal(2)
        printed = 2.0 * (math.sin(5 * q3) - math.sin(q3)) * v[0]
        printed -= m / (m + hip) * math.sin(3 * q3) * (2.0 * v[0] + v[1])
        found = at(walker, -2.0 * q3)
        assert bool(found.instantaneous(v)) == (printed > 0.0)
    light = compass(leg_mass=1e-6)
    assert at(light, 1.0).instantaneous([-1.0, 0.0])
    assert not at(light, 1.1).instantaneous([-1.0, 0.0])


def test_knees_take_all_of_what_they_stop() -> None:
    found = ts.gait.impact_analysis(dribbel(), [-0.2, 0.4, 0.0], phase=0)
    assert found.shares == pytest.approx([1.0, 0.0, 0.0], abs=1e-9)


def test_level_ground_has_no_passive_gait() -> None:
    assert np.isnan(at(compass(slope=0.0), 0.5).passive_energies).all()


def test_wrong_arguments_are_told() -> None:
    with pytest.raises(ValueError, match="phase is 2"):
        ts.gait.impact_analysis(compass(), [0.0, 0.0], phase=2)
    with pytest.raises(ValueError, match="q"):
        ts.gait.impact_analysis(compass(), [0.0, 0.0, 0.0])
