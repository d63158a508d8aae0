"""Linkages with loops against formulas of textbooks, all round."""

from __future__ import annotations

import math

import numpy as np
import pytest
from motion import energy, run

import tarsus as ts
from tarsus.robots.linkages import HOLY_NUMBERS

TURN = np.linspace(0.0, 2 * np.pi, 49)


def followed(m: ts.Model, angles: np.ndarray) -> list[np.ndarray]:
    """Return configurations at crank angles, each closed from the one before it."""
    crank = m.joint("crank")
    q, found = m.neutral(), []
    for angle in angles:
        q = m.integrate(q, angle - q[crank.q_slice])
        found.append(q)
    return found


def position(m: ts.Model, q: np.ndarray, joint: str) -> float:
    return float(m.joint_positions(q)[m.joint(joint).position_slice][0])


def test_four_bar_by_freudenstein() -> None:
    """R₁ cos φ − R₂ cos θ + R₃ = cos(θ − φ), the equation of Freudenstein 1954."""
    ground, crank, coupler, rocker = 0.4, 0.1, 0.35, 0.25
    m = ts.robots.four_bar()
    assert (m.nv, m.nq, len(m.clusters)) == (1, 3, 1)
    r1, r2 = ground / crank, ground / rocker
    r3 = (crank**2 + rocker**2 + ground**2 - coupler**2) / (2 * crank * rocker)
    residuals = []
    for theta, q in zip(TURN, followed(m, TURN), strict=True):
        phi = position(m, q, "rocker")
        # with θ and φ from the ground, which leads from crank to rocker
        residuals.append(-r1 * math.cos(phi) + r2 * math.cos(theta) + math.cos(theta - phi) - r3)
    print(f"Freudenstein's equation: {np.abs(residuals).max():.1e}")
    assert np.abs(residuals).max() < 1e-10
    assert np.ptp([position(m, q, "rocker") for q in followed(m, TURN)]) < np.pi


def test_four_bar_stands_upright() -> None:
    m = ts.robots.four_bar()
    for q in followed(m, TURN[:5]):
        tip = m.forward_kinematics(q)[m.body("coupler").index]
        theta = position(m, q, "crank")
        expected = [0.1 * math.cos(theta), 0.0, 0.1 * math.sin(theta)]
        np.testing.assert_allclose(tip[:3, 3], expected, atol=1e-12)


def test_slider_crank() -> None:
    m = ts.robots.slider_crank()
    q = followed(m, TURN)
    found = [position(m, one, "slider") for one in q]
    expected = 0.1 * np.cos(TURN) + np.sqrt(0.3**2 - (0.1 * np.sin(TURN)) ** 2)
    print(f"slider: {np.abs(found - expected).max():.1e} m")
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_spatial_four_bar() -> None:
    """The tips of crank and rocker stay 0.37 m apart while the crank turns all round."""
    m = ts.robots.spatial_four_bar()
    assert m.nv == 1
    lengths = []
    for q in followed(m, TURN):
        crank, rocker = position(m, q, "crank"), position(m, q, "rocker")
        a = 0.08 * np.array([math.cos(crank), math.sin(crank), 0.0])
        b = np.array([0.3, 0.1, 0.0]) + 0.2 * np.array([math.cos(rocker), 0.0, -math.sin(rocker)])
        lengths.append(np.linalg.norm(a - b))
    print(f"coupler: {np.abs(np.array(lengths) - 0.37).max():.1e} m")
    np.testing.assert_allclose(lengths, 0.37, atol=1e-12)


def test_four_bar_chain() -> None:
    m = ts.robots.four_bar_chain(20)
    assert (m.nv, m.nq, len(m.clusters), m.n_bodies) == (20, 60, 20, 60)
    q = m.integrate(m.neutral(), 0.1 * np.sin(np.arange(20.0)))
    gaps = np.abs(m.loop_gaps(q)).max()
    print(f"gaps {gaps:.1e} m")
    assert gaps < 1e-11


def foot_of_jansen(angle: float) -> np.ndarray:
    """Return the foot of Jansen's linkage by circles that meet, in his units."""
    n = HOLY_NUMBERS

    def meet(a: complex, ra: float, b: complex, rb: float) -> complex:
        away = abs(b - a)
        along = (away**2 + ra**2 - rb**2) / (2 * away)
        return a + (b - a) / away * complex(along, math.sqrt(ra**2 - along**2))

    hinge, tip = complex(-n["a"], -n["l"]), n["m"] * np.exp(1j * angle)
    shoulder, knee = meet(hinge, n["b"], tip, n["j"]), meet(tip, n["k"], hinge, n["c"])
    elbow = meet(hinge, n["d"], shoulder, n["e"])
    ankle = meet(knee, n["g"], elbow, n["f"])
    foot = meet(knee, n["i"], ankle, n["h"])
    return np.array([foot.real, 0.0, foot.imag])


def test_strandbeest_leg() -> None:
    m = ts.robots.strandbeest_leg(0.02)
    assert (m.nv, m.n_bodies) == (1, 7)
    path = np.array([m.frame_pose(q, "foot")[:3, 3] for q in followed(m, TURN)]) / 0.02
    expected = np.array([foot_of_jansen(angle) for angle in TURN])
    print(f"foot: {np.abs(path - expected).max():.1e} units")
    np.testing.assert_allclose(path, expected, atol=1e-9)
    # the foot is within a unit of the ground for more than a third of the turn, and lifts
    height = path[:, 2] - path[:, 2].min()
    assert (height < 1.0).mean() > 1 / 3
    assert height.max() > 20.0


def test_ten_seconds_of_a_four_bar() -> None:
    """The loop stays closed, the energy stays: the crank is let go and swings."""
    m = ts.robots.four_bar()
    q, v = m.neutral(), np.array([6.0])
    before = energy(m, q, v)
    q, v = run(m, q, v, 10.0, 2e-3)
    gap, drift = np.abs(m.loop_gaps(q)).max(), energy(m, q, v) - before
    print(f"gap {gap:.1e} m, energy {drift:.1e} of {before:.3f} J")
    assert gap < 1e-10
    assert abs(drift) < 1e-5


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ts.robots.four_bar(crank=-1.0), r"four_bar: crank is -1\.0, must be positive"),
        (lambda: ts.robots.four_bar(ground=3.0), "do not meet"),
        (lambda: ts.robots.slider_crank(0.3, 0.2), "must be longer than the crank"),
        (lambda: ts.robots.strandbeest_leg(0.0), r"scale is 0\.0, must be positive"),
        (lambda: ts.robots.four_bar_chain(0), "n is 0, must be from 1"),
    ],
)
def test_lengths_that_do_not_work(make: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()  # type: ignore[operator]
