"""Encoders at start-up: from absolute ones on joints to counters of motors, and back."""

from __future__ import annotations

import numpy as np
import pytest

import tarsus as ts
from tarsus import calibration as cal

LOLA = ts.robots.lola()


def walk(rng: np.random.Generator, count: int) -> np.ndarray:
    steps = rng.uniform(-0.35, 0.35, (count, LOLA.nv))
    steps[:, :6] = 0.0
    return np.asarray(LOLA.integrate(LOLA.neutral(), steps))


def test_start_up() -> None:
    """Absolute encoders tell the motors' counters once; then the counters tell all."""
    rng = np.random.default_rng(0)
    offsets = rng.uniform(-np.pi, np.pi, 24)
    absolute = cal.Encoders(LOLA, offsets=offsets, period=2 * np.pi)
    assert len(absolute.joints) == 24
    q = walk(rng, 2)
    read = absolute.readings(q[0])
    assert np.abs(read).max() <= np.pi
    start = absolute.configuration(read)
    print(f"from absolute encoders: {np.abs(start - q[0]).max():.1e}")
    assert np.abs(start - q[0]).max() < 1e-12
    counts = 4096 / (2 * np.pi)
    unknown = rng.uniform(-1e6, 1e6, 24)  # where the counters happened to be
    counters = cal.Encoders(LOLA, LOLA.motors, gains=counts)
    counters = counters.started(start, unknown)
    np.testing.assert_allclose(counters.readings(start), unknown, rtol=0, atol=1e-6)
    moved = unknown + counts * (LOLA.motor_positions(q[1]) - LOLA.motor_positions(q[0]))
    back = counters.configuration(moved, start)
    print(f"from counters of motors: {np.abs(back - q[1]).max():.1e}")
    assert np.abs(back - q[1]).max() < 1e-10
    assert np.array_equal(counters.configuration([moved, unknown], start)[0], back)


def test_turns_are_those_nearest_to_q() -> None:
    hinge = ts.Builder("hinge").body("b").joint("j", "revolute", "world", "b").build()
    encoder = cal.Encoders(hinge, gains=-2.0, offsets=0.3, period=1.0)
    for angle in (-4.0, 0.1, 3.3):
        read = encoder.readings([angle])
        assert abs(read[0]) <= 0.5
        np.testing.assert_allclose(encoder.positions(read, [angle + 0.2]), [angle], atol=1e-12)
        np.testing.assert_allclose(encoder.configuration(read, [angle - 0.2]), [angle], atol=1e-12)


def test_wrong_encoders() -> None:
    with pytest.raises(ts.UnknownNameError, match="there is no joint 'knee'"):
        cal.Encoders(LOLA, ["knee"])
    with pytest.raises(ValueError, match="joint 'root' is free"):
        cal.Encoders(LOLA, ["root"])
    with pytest.raises(ValueError, match=r"gains has shape \(2,\), must be \(\) or \(24,\)"):
        cal.Encoders(LOLA, gains=[1.0, 2.0])
    with pytest.raises(ValueError, match=r"gains of joint 'pelvis_rotation' is 0\.0"):
        cal.Encoders(LOLA, gains=0.0)
    with pytest.raises(ValueError, match="period of joint 'pelvis_rotation' is -1"):
        cal.Encoders(LOLA, period=-1.0)
    with pytest.raises(ValueError, match="offsets has entries that are not finite"):
        cal.Encoders(LOLA, offsets=np.nan)
    with pytest.raises(ValueError, match=r"readings has shape \(3,\), must be \(…, 24\)"):
        cal.Encoders(LOLA).configuration(np.zeros(3))
    with pytest.raises(TypeError, match="model is of type str"):
        cal.Encoders("lola")  # type: ignore[arg-type]
