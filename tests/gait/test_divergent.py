"""The divergent component of motion against the pendulum, integrated by SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tarsus.walking import plans

OMEGA = 3.3


def some_plan(seed: int = 0) -> plans.DivergentPlan:
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.uniform(0.1, 0.8, 9))
    return plans.DivergentPlan(times, rng.uniform(-0.5, 0.5, (9, 3)), OMEGA)


def pendulum(plan: plans.DivergentPlan, start: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Return c and ċ at times by SciPy, with repellent points interpolated by NumPy."""

    def rate(t: float, x: np.ndarray) -> np.ndarray:
        r = [np.interp(t, plan.times, plan.points[:, k]) for k in range(3)]
        return np.concatenate([x[3:], OMEGA**2 * (x[:3] - r)])

    found = solve_ivp(rate, t[[0, -1]], start, t_eval=t, rtol=1e-11, atol=1e-13, max_step=0.01)
    return found.y.T


def test_centre_of_mass_moves_as_the_pendulum() -> None:
    plan = some_plan()
    t = np.linspace(plan.times[0], plan.times[-1], 60)
    start = np.array([0.1, -0.2, 0.05])
    centre = plan.centre(t, start)
    truth = pendulum(plan, np.concatenate([start, centre.velocity[0]]), t)
    # errors of the oracle grow with e^{ωt}
    grown = 1e-12 * np.exp(OMEGA * (t - t[0]))[:, None]
    error = np.abs(np.hstack([centre.position, centre.velocity]) - truth)
    print(f"{error.max():.1e}, allowed {grown.max():.1e}")
    assert (error < 1e-9 + 1e3 * grown).all()
    # it ends at rest over the last point, which only the right start does
    assert np.abs(centre.velocity[-1]).max() < 1.0
    late = plan.centre(np.array([t[0], t[-1] + 5.0]), start)
    assert late.position[-1] == pytest.approx(plan.points[-1], abs=1e-6)


def test_velocities_are_rates() -> None:
    plan = some_plan(1)
    t = np.linspace(plan.times[0] + 1e-3, plan.times[-1] - 1e-3, 200)
    h = 1e-6
    rate = (plan.at(t + h).point - plan.at(t - h).point) / (2 * h)
    assert rate == pytest.approx(plan.at(t).velocity, abs=1e-4)


def test_it_is_continuous_at_knots() -> None:
    plan = some_plan(2)
    before, after = (plan.at(plan.times[1:-1] + s * 1e-9) for s in (-1, 1))
    for a, b in zip(before, after, strict=True):
        assert a == pytest.approx(b, abs=1e-6)


def test_batches_are_loops() -> None:
    several = [some_plan(k) for k in range(3)]
    t = np.array([1.0, 2.0, 1.5])
    together = plans.DivergentPlan(
        np.stack([p.times for p in several]), np.stack([p.points for p in several]), OMEGA
    )
    found = together.at(t)
    for k, plan in enumerate(several):
        assert np.array_equal(found.point[k], plan.at(t[k]).point)


@pytest.fixture
def walk() -> tuple[plans.Supports, plans.Footsteps]:
    steps = plans.Footsteps.steady(steps=8, width=0.2, length=0.25, turn=0.1, sideways=0.03)
    return plans.Supports(OMEGA, 0.65, 0.15, 1.0), steps


def test_supports_are_the_plan_of_the_whole_walk(
    walk: tuple[plans.Supports, plans.Footsteps],
) -> None:
    """A sum of a few supports is the recursion over all of them."""
    supports, steps = walk
    whole, position = supports.plan(steps.position), steps.position[None]
    t = supports.start
    for k in range(2, len(steps.side)):
        ahead = supports.ahead(position, np.array([k - 1]))
        one, end = supports.in_single(ahead, np.array([0.4]))
        at = t + supports.single
        assert one.point[0] == pytest.approx(whole.at(at - 0.4).point, abs=1e-4)
        assert end[0] == pytest.approx(whole.at(at).point, abs=1e-4)
        after = supports.ahead(position, np.array([k]))
        long = np.array([supports.double])
        two = supports.in_double(ahead[:, 0], after, np.array([0.1]), long)
        now = whole.at(at + supports.double - 0.1)
        assert two.point[0] == pytest.approx(now.point, abs=1e-4)
        assert two.repellent[0] == pytest.approx(now.repellent, abs=1e-9)
        assert supports.offset(ahead)[0] == pytest.approx(
            whole.at(at + supports.double).point - ahead[0, 1], abs=1e-4
        )
        t = at + supports.double


def test_zero_moment_point_stays_on_the_feet(
    walk: tuple[plans.Supports, plans.Footsteps],
) -> None:
    supports, steps = walk
    whole = supports.plan(steps.position)
    corners = np.array([[x, y, 0.0] for x in (-0.1, 0.1) for y in (-0.05, 0.05)])
    soles = np.einsum("nij,kj->nki", steps.poses[:, :3, :3], corners) + steps.poses[:, None, :3, 3]
    for t in np.linspace(0.0, whole.times[-1] + 0.5, 300):
        phase = np.searchsorted(whole.times, t, side="right") - 1
        step = max(0, phase - 1) // 2
        # the first double support is on both feet that are there; then single, double, …
        on = [0, 1] if phase <= 0 else [step + 1] if phase % 2 else [step + 1, step + 2]
        on = on if t < whole.times[-1] else [-2, -1]
        margin = plans.support_margin(soles[on].reshape(-1, 3), whole.at(t).repellent)
        assert margin > -1e-9, (t, phase, on)


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(ValueError, match="times must rise"):
        plans.DivergentPlan(np.array([0.0, 0.0]), np.zeros((2, 3)), 3.0)
    with pytest.raises(ValueError, match=r"times \(3,\) and points \(2, 3\)"):
        plans.DivergentPlan(np.arange(3.0), np.zeros((2, 3)), 3.0)
    with pytest.raises(ValueError, match="omega is 0"):
        plans.DivergentPlan(np.arange(2.0), np.zeros((2, 3)), 0.0)
