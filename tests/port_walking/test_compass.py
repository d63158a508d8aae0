"""The compass walker: its models beside closed forms, its impact and what an impact takes.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, section 4.2; numbers that are not printed there, or wrong, come from the equations.
"""

from __future__ import annotations

import numpy as np
import pytest
from compass_oracle import STABLE, UNSTABLE, Array, Compass, start
from impact_oracle import after, loss_matrix, principal_losses
from scipy.optimize import root

import tarsus as ts

RNG = np.random.default_rng(11)
WALKERS = [
    Compass(),
    *(Compass(*RNG.uniform(0.2, 3.0, 2), slope, 9.81) for slope in (0.0, 0.1, -0.2)),
]


def free(walker: Compass) -> ts.Model:
    return ts.robots.compass(walker.m, walker.hip, slope=walker.slope, gravity=walker.g)


def rooted(walker: Compass) -> ts.Model:
    return ts.robots.compass(
        walker.m, walker.hip, slope=walker.slope, gravity=walker.g, rooted=True
    )


def feet(q: Array) -> Array:
    """Return the directions (4, 2) of the second foot (4.8)."""
    first, second = q[2], q[2] + q[3]
    along = [1.0, 0.0, np.cos(second) - np.cos(first), np.cos(second)]
    up = [0.0, 1.0, np.sin(second) - np.sin(first), np.sin(second)]
    return np.array([along, up]).T


@pytest.mark.parametrize("walker", WALKERS)
def test_models_are_the_closed_forms(walker: Compass) -> None:
    model, pivot = free(walker), rooted(walker)
    for q, v in RNG.normal(size=(20, 2, 4)):
        closed = walker.mass_matrix(q)
        np.testing.assert_allclose(model.mass_matrix(q), closed, atol=1e-13)
        assert model.potential_energy(q) == pytest.approx(walker.potential(q), abs=1e-12)
        assert model.kinetic_energy(q, v) == pytest.approx(0.5 * v @ closed @ v, abs=1e-12)
        np.testing.assert_allclose(pivot.mass_matrix(q[2:]), closed[2:, 2:], atol=1e-13)
        y = np.concatenate([q[2:], v[2:]])
        found = pivot.forward_dynamics(y[:2], y[2:], np.zeros(2))
        np.testing.assert_allclose(found, walker.rates(0.0, y)[2:], atol=1e-11)


@pytest.mark.parametrize("walker", WALKERS)
def test_feet_are_where_the_ground_has_them(walker: Compass) -> None:
    """The frame of the slope is that of `Ground(slope=…)`: heights are those over the ground."""
    model, ground = free(walker), ts.Ground(slope=walker.slope)
    normal = ground.numbers[:3]
    ahead = np.array([normal[2], 0.0, -normal[0]])
    for q in RNG.normal(size=(5, 4)):
        left, right = (model.frame_pose(q, f"{side}_foot")[:3, 3] for side in ("left", "right"))
        np.testing.assert_allclose([ahead @ left, normal @ left], q[:2], atol=1e-14)
        second = q[2] + q[3]
        place = [
            q[0] - np.sin(q[2]) + np.sin(second),
            q[1] + np.cos(q[2]) - np.cos(second),
        ]
        np.testing.assert_allclose([ahead @ right, normal @ right], place, atol=1e-14)
        rows = model.frame_jacobian(q, "right_foot", "local_world_aligned")[:3]
        np.testing.assert_allclose(np.stack([ahead, normal]) @ rows, feet(q).T, atol=1e-14)


def relabelled(q: Array, v: Array) -> tuple[Array, Array]:
    """Return angles and rates after the legs have changed their names (4.10)."""
    return np.array([q[2] + q[3], -q[3]]), np.array([v[2] + v[3], -v[3]])


def test_the_impact_map_is_a_projection() -> None:
    """(4.13) and (4.15): the second foot is caught, the first one is let go."""
    for m, hip, q3, w3, w4 in RNG.uniform(0.1, 2.0, (200, 5)):
        walker = Compass(m, hip)
        q, v = np.array([0.0, 0.0, -q3 / 3, 2 * q3 / 3]), np.array([0.0, 0.0, -w3, w4])
        found = relabelled(q, after(walker.mass_matrix(q), feet(q), v))
        np.testing.assert_allclose(
            np.concatenate(found), walker.impact(np.concatenate([q[2:], v[2:]])), atol=1e-12
        )


def test_the_library_has_the_numbers_of_the_impact() -> None:
    """The same projection with mass matrix and Jacobian of the model."""
    walker = Compass()
    model = free(walker)
    y = walker.step(start(STABLE)).before
    q, v = np.concatenate([[0.0, 0.0], y[:2]]), np.concatenate([[0.0, 0.0], y[2:]])
    rows = model.frame_jacobian(q, "right_foot", "local_world_aligned")[[0, 2]]
    found = after(model.mass_matrix(q), rows.T, v)
    np.testing.assert_allclose(np.concatenate(relabelled(q, found)), walker.impact(y), atol=1e-13)
    # the old foot leaves: instantaneous double support (4.14)
    assert found[1] > 0.0


def at_strike(q4: float) -> Array:
    return np.array([0.0, 0.0, -q4 / 2, q4])


def losses(walker: Compass, q4: float) -> Array:
    q = at_strike(q4)
    mass = walker.mass_matrix(q)
    return principal_losses(mass[2:, 2:], loss_matrix(mass, feet(q))[2:, 2:])


def test_shares_of_energy_that_an_impact_takes() -> None:
    """Printed are 1.0 and 0.22 (section 4.2.2); these belong to an angle of 0.445."""
    np.testing.assert_allclose(losses(Compass(), 0.5), [0.9971, 0.2704], atol=1e-4)
    np.testing.assert_allclose(losses(Compass(), np.pi / 2), [0.960, 0.960], atol=1e-3)
    assert np.ptp(losses(Compass(), np.pi / 2)) < 1e-6
    for q4 in RNG.uniform(0.1, 3.0, 20):
        assert np.ptp(losses(Compass(hip=0.0), q4)) < 1e-6
        shares = losses(Compass(*RNG.uniform(0.1, 3.0, 2)), q4)
        assert (shares >= -1e-14).all() and (shares <= 1.0 + 1e-14).all()
    assert losses(Compass(hip=0.0), 0.5)[0] == pytest.approx(0.479, abs=1e-3)


def test_light_legs_lose_what_the_hip_has_along_the_new_leg() -> None:
    """m → 0: 𝒟 = diag(m_H sin² q₄, 0) (4.18)."""
    walker = Compass(m=1e-9)
    q = at_strike(0.5)
    found = loss_matrix(walker.mass_matrix(q), feet(q))[2:, 2:]
    np.testing.assert_allclose(found, np.diag([5.0 * np.sin(0.5) ** 2, 0.0]), atol=1e-6)


def test_energy_that_a_passive_gait_may_have() -> None:
    """What gravity gives in a step is what the strike takes: a window of kinetic energies."""
    walker = Compass(g=9.81)
    given = 7.0 * 9.81 * 2.0 * np.sin(0.25) * np.sin(walker.slope)
    assert given == pytest.approx(1.7783, abs=5e-5)
    most, least = losses(walker, 0.5)
    assert (given / most, given / least) == pytest.approx((1.783, 6.576), abs=2e-3)


@pytest.mark.parametrize(
    ("gait", "period", "speed", "lost"),
    [(STABLE, 0.782798, 0.753314, 2.1171), (UNSTABLE, 0.607858, 0.907868, None)],
)
def test_passive_gaits_of_the_oracle(
    gait: tuple[float, float, float], period: float, speed: float, lost: float | None
) -> None:
    """Both period-one gaits: what the oracle finds is what is known, and a step changes nothing."""
    walker = Compass()

    def residual(x: Array) -> Array:
        found = walker.step(start(tuple(x))).after
        return np.array([found[0], found[2], found[3]]) - x

    solution = root(residual, gait, options={"xtol": 1e-12})
    np.testing.assert_allclose(solution.x, gait, atol=2e-6)
    step = walker.step(start(tuple(solution.x)))
    assert step.time == pytest.approx(period, abs=2e-6)
    assert 2.0 * np.sin(solution.x[0]) / step.time == pytest.approx(speed, abs=2e-6)
    given = (2 * walker.m + walker.hip) * walker.g * 2.0 * np.sin(solution.x[0])
    assert step.lost == pytest.approx(given * np.sin(walker.slope), abs=1e-8)
    assert lost is None or step.lost == pytest.approx(lost, abs=5e-5)


def test_wrong_numbers_are_named() -> None:
    for arguments, message in (
        ({"leg_mass": 0.0}, "leg_mass and hip_mass are"),
        ({"hip_mass": -1.0}, "leg_mass and hip_mass are"),
        ({"length": 0.0}, "length is 0.0, must be positive"),
        ({"slope": 2.0}, "slope is 2.0 rad, must be between"),
        ({"rooted": 1}, "rooted"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            ts.robots.compass(**arguments)  # type: ignore[arg-type]
