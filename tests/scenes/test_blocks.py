"""Scenes whose outcome is a formula: sliding, a slope, bouncing.

The formulas are those of Coulomb friction with a viscous bound (O. Ayit 2015, eq. 4.22) and of
Newton's restitution (4.13).
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import tarsus as ts
from tarsus.scenes.contact import MASS

G = 9.81
LAWS = {
    "newton": ts.contact.Exact(),
    "pgs": ts.contact.Exact(solver="pgs"),
    "lemke": ts.contact.Lemke(facets=8),
}
each_law = pytest.mark.parametrize("law", LAWS)


def stop(run: ts.Trajectory) -> tuple[float, float]:
    """Return where and when the block has stopped [m, s]."""
    still = np.flatnonzero(np.abs(run.v[:, 0]) < 1e-12)
    return float(run.q[still[0], 0]), float(run.t[still[0]])


@each_law
def test_a_block_slides_and_stops(law: str) -> None:
    """v²/2μg and v/μg: 0.1699 m and 0.3398 s."""
    run = ts.scenes.slide().but(contact=LAWS[law]).run()
    x, t = stop(run)
    print(f"{law}: stops at {x:.5f} m, {t:.4f} s; residual {run.energy.relative_residual[-1]:.1e}")
    assert x == pytest.approx(0.16990, rel=3e-3)
    assert t == pytest.approx(0.33979, rel=3e-3)
    assert np.abs(run.q[-1, 1:3] - run.q[0, 1:3]).max() < 1e-7
    run.energy.check(1e-6)


@pytest.mark.parametrize("law", ["newton", "pgs"])
def test_viscous_friction_adds_to_the_bound(law: str) -> None:
    """v̇ = −μg − k v/m with k = 4 · 0.4 N s/m: 0.1640 m and 0.3309 s."""
    k, c = 4 * 0.4 / MASS, 0.3 * G
    t_stop = math.log(1.0 + k / c) / k
    x_stop = (1.0 - c * t_stop) / k
    run = ts.scenes.slide(viscous=0.4).but(contact=LAWS[law]).run()
    x, t = stop(run)
    print(f"{law}: stops at {x:.5f} m (formula {x_stop:.5f}), {t:.4f} s ({t_stop:.4f})")
    assert (x_stop, t_stop) == (pytest.approx(0.1640, abs=5e-5), pytest.approx(0.3309, abs=5e-5))
    assert x == pytest.approx(x_stop, rel=3e-3)
    assert t == pytest.approx(t_stop, rel=3e-3)


@each_law
def test_a_block_rests_on_a_slope_below_the_friction_angle(law: str) -> None:
    scene = ts.scenes.incline(math.atan(0.29), 0.3).but(contact=LAWS[law])
    run = scene.run(record=("q", "v"))
    moved = np.linalg.norm(run.q[-1, :3] - run.q[0, :3])
    print(f"{law}: moves {moved:.1e} m in 5 s")
    assert moved < 1e-9


def test_a_block_does_not_creep() -> None:
    """Ten seconds on 10° with μ = 0.7: regularised contact creeps by millimetres here."""
    run = ts.scenes.incline().run(duration=10.0, record=("q", "v"))
    moved = np.linalg.norm(run.q[-1, :3] - run.q[0, :3])
    print(f"creeps {moved:.1e} m in 10 s")
    assert moved < 1e-9


@pytest.mark.parametrize("law", ["newton", "pgs"])
def test_a_block_slides_on_a_steeper_slope(law: str) -> None:
    """g (sin θ − μ cos θ) = 0.46296 m/s² for tan θ = 0.35, μ = 0.3."""
    slope = math.atan(0.35)
    expected = G * (math.sin(slope) - 0.3 * math.cos(slope))
    assert expected == pytest.approx(0.46296, abs=5e-6)
    scene = ts.scenes.incline(slope, 0.3).but(contact=LAWS[law])
    run = scene.run(duration=2.0)
    speed = float(np.linalg.norm(run.v[-1, :3]))
    print(f"{law}: {speed / 2.0:.6f} m/s²")
    assert speed / 2.0 == pytest.approx(expected, rel=1e-3)
    run.energy.check(1e-6)


def apexes(run: ts.Trajectory, radius: float = 0.05) -> np.ndarray:
    """Return the heights of the lowest point of a ball between impacts [m]."""
    z = run.q[:, 2] - radius
    top = np.flatnonzero((z[1:-1] >= z[:-2]) & (z[1:-1] > z[2:])) + 1
    return z[top]


def test_a_ball_bounces() -> None:
    """Each apex is e² = 0.25 times the one before."""
    run = ts.scenes.bounce(0.5).run()
    tops = np.concatenate([[1.0], apexes(run)])[:5]
    ratios = tops[1:] / tops[:-1]
    print(f"ratios of apexes: {ratios}")
    np.testing.assert_allclose(ratios, 0.25, rtol=0.02)
    assert run.energy.n_impacts[-1] > 4
    run.energy.check(1e-3)


def test_a_ball_that_does_not_bounce_stays_down() -> None:
    run = ts.scenes.bounce(0.0).run()
    landed = run.t > 0.46
    height = np.abs(run.q[landed, 2] - 0.05).max()
    print(f"height after landing {height:.1e} m")
    assert height < 1e-9


def test_an_elastic_ball_keeps_its_height() -> None:
    run = ts.scenes.bounce(1.0).run(duration=4.0)
    tops = apexes(run)
    print(f"apexes {tops} m")
    assert len(tops) >= 3
    np.testing.assert_allclose(tops, 1.0, rtol=0.01)


def test_scenes_have_names() -> None:
    for name in ("slide", "incline", "bounce", "drop", "trot", "jump"):
        scene = getattr(ts.scenes, name)()
        assert isinstance(scene, ts.scenes.Scene)
        assert name in ts.scenes.names()
        assert scene.q0.shape == (scene.model.nq,)
    changed = scene.but(dt=1e-4, max_contacts=8)
    assert (changed.dt, changed.settings["max_contacts"]) == (1e-4, 8)
    assert scene.dt == 5e-4
