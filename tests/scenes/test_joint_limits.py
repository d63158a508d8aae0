"""Limits of joints: they bounce if asked to, and tell what they hold.

`Simulation(limit_restitution=e)`: a joint that comes to its limit leaves it at e times that speed.
`run.limit_force` (…, T, nv), with `record=("limits",)` or by default: the force or torque of the
limits in the step that led to a sample, along the joints' velocities.
"""

from __future__ import annotations

import numpy as np
import pytest

import tarsus as ts

G = 9.81


def rail(mass: float = 2.0) -> ts.Model:
    """Return a mass on a vertical rail with a stop at its lower end."""
    b = ts.Builder("rail")
    b.body("mass", mass, inertia=(0.01, 0.01, 0.01))
    b.joint("rail", "prismatic", "world", "mass", axis="z", lower=0.0, upper=3.0)
    return b.build()


@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.8, 1.0])
def test_a_mass_bounces_on_its_stop(restitution: float) -> None:
    """v⁺ = −e v⁻ in the step of the impact; the limit takes ½ m (1 − e²) v²."""
    m, dt = rail(), 1e-3
    sim = ts.Simulation(m, ground=None, dt=dt, limit_restitution=restitution)
    run = sim.run([1e-3], [-2.0], duration=10 * dt)
    hit = int(np.argmax(run.v[:, 0] > -1.9))
    # what does not bounce comes down to the stop first
    before, after = run.v[hit - 1, 0], run.v[hit + (restitution == 0.0), 0]
    print(f"e = {restitution}: {before:.4f} to {after:.4f} m/s, lowest {run.q.min():.1e} m")
    assert after == pytest.approx(-restitution * before, abs=1.1 * G * dt)
    assert run.q.min() > -1e-9
    lost = -run.energy.work("limits")[-1]
    assert lost == pytest.approx(0.5 * 2.0 * (1 - restitution**2) * before**2, abs=2.1 * G * dt * 2)


def test_apexes_of_a_mass_that_falls_on_its_stop() -> None:
    """e² of the height before, as a ball on the ground."""
    run = ts.Simulation(rail(), ground=None, dt=2e-4, limit_restitution=0.5).run(
        [1.0], duration=1.5
    )
    z = run.q[:, 0]
    tops = z[np.flatnonzero((z[1:-1] >= z[:-2]) & (z[1:-1] > z[2:])) + 1]
    print(f"apexes {tops[:3]} m")
    np.testing.assert_allclose(tops[:2], [0.25, 0.0625], rtol=5e-3)


def test_a_limit_that_carries_a_weight_tells_it() -> None:
    m = rail(2.0)
    run = ts.Simulation(m, ground=None, dt=1e-3).run([0.0], duration=0.1)
    print(f"limit carries {run.limit_force[-1]} N")
    np.testing.assert_allclose(run.limit_force[1:, 0], 2.0 * G, rtol=1e-9)
    above = ts.Simulation(m, ground=None, dt=1e-3).run([1.0], duration=0.1)
    assert not above.limit_force.any()


def test_an_upper_limit_pushes_back() -> None:
    """A lever that hangs on its upper limit: − m g r cos θ on its angle."""
    b = ts.Builder("lever")
    b.body("lever", 1.0, (0.3, 0.0, 0.0), (0.01, 0.01, 0.01))
    b.joint("hinge", "revolute", "world", "lever", axis="y", lower=-0.5, upper=0.4)
    run = ts.Simulation(b.build(), ground=None, dt=1e-3).run([0.4], duration=0.2)
    expected = -G * 0.3 * np.cos(0.4)
    print(f"{run.limit_force[-1, 0]:.6f} N m of {expected:.6f} N m")
    np.testing.assert_allclose(run.limit_force[1:, 0], expected, rtol=1e-9)


@pytest.mark.parametrize("bad", [-0.1, 1.1, np.nan, [0.5, 0.5]])
def test_bad_restitution_is_refused(bad: object) -> None:
    with pytest.raises(ValueError, match="limit_restitution"):
        ts.Simulation(rail(), ground=None, limit_restitution=bad)
