"""Dribbel: its masses and what a knee strike does, by the formulas of the thesis."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tarsus as ts
from tarsus.events.phase import mapped
from tarsus.gait.walkers import dribbel
from tarsus.gait.walkers.planar import DRIBBEL_STABLE as STABLE
from tarsus.gait.walkers.planar import DRIBBEL_UNSTABLE as UNSTABLE
from tarsus.gait.walkers.planar import dribbel_start as start
from tarsus.gait.walkers.planar import locked
from tarsus.robots.walkers import reassigned

HIPS = (-1.1, -0.4, 0.0, 0.3, 0.9)


def after_knee_strike(knees: str, rooted: bool, q: list[float], v: list[float]) -> np.ndarray:
    """Return velocities after the swing knee has locked."""
    model = locked(ts.robots.dribbel(knees=knees, rooted=rooted))
    return mapped((ts.resets.Impact(model),), np.array(q), np.array(v))[1]


def test_masses_are_those_of_the_parts() -> None:
    thigh, shank = reassigned()
    assert (thigh.mass, thigh.inertia, thigh.center) == pytest.approx(
        (3.0, 0.10768, 0.35093), abs=5e-6
    )
    assert (shank.mass, shank.inertia, shank.center) == pytest.approx(
        (1.6, 0.059168, 0.215), abs=1e-6
    )
    assert ts.robots.dribbel().total_mass == pytest.approx(9.2)


@pytest.mark.parametrize("q5", HIPS)
def test_knee_strikes(q5: float) -> None:
    c = math.cos(q5)
    v = after_knee_strike("swing", True, [0.2, q5, 0.0], [0.0, 0.0, 1.0])
    assert v[0] == pytest.approx(0.0516 * c / (3.254 - c * c), rel=0.01)
    printed = (-0.999 + 0.0516 * c + 0.237 * c * c) / ((c - 1.804) * (c + 1.804))
    assert v[1] == pytest.approx(printed, rel=0.01)
    assert v[2] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("q5", HIPS)
def test_stance_feet_and_knees_at_knee_strikes(q5: float) -> None:
    q3 = -0.2
    v = after_knee_strike("swing", False, [0.0, 0.0, q3, q5, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0])
    above = 0.106 * math.sin(q3 - q5) - 0.0378 * math.sin(q3 + q5)
    assert v[1] == pytest.approx(above / (9.391 - 0.488 * math.cos(2 * q5)), rel=0.02)
    v = after_knee_strike("both", True, [0.2, 0.0, q5, 0.0], [0.0, 0.0, 0.0, 1.0])
    c = math.cos(q5)
    assert v[1] == pytest.approx(0.111 * c / (3.071 - c * c), rel=0.01)


@pytest.mark.parametrize(
    ("gait", "took", "knee"), [(STABLE, 0.85089, 0.52702), (UNSTABLE, 0.75250, 0.53044)]
)
def test_passive_gaits_return(gait: tuple[float, float, float], took: float, knee: float) -> None:
    flowed = dribbel().steps(*start(gait))
    assert [event.t for event in flowed.events] == pytest.approx([knee, took], abs=1e-5)
    assert flowed.q == pytest.approx(start(gait)[0], abs=5e-6)
    assert flowed.v == pytest.approx(start(gait)[1], abs=5e-6)


def test_unknown_knees_are_told() -> None:
    with pytest.raises(ValueError, match="must be one of 'both', 'swing', 'none'"):
        ts.robots.dribbel(knees="left")
