"""Preview control cycle by cycle, beside the dense least squares of the whole motion."""

from __future__ import annotations

import numpy as np
import pytest

from tarsus.walking.plans import ZmpPreview

PREVIEW = ZmpPreview(height=0.8, dt=0.02, horizon=2.4, jerk_weight=1e-6)


def reference() -> np.ndarray:
    """Return steps of the zero moment point aside and ahead, (T, 2)."""
    # nothing happens within the horizon at first, so that both begin alike
    y = np.repeat([0.0, 0.0, 0.0, 0.0, 0.1, -0.1, 0.1, -0.1, 0.0, 0.0], 40)
    x = np.cumsum(np.repeat([0, 0, 0, 0, 1, 1, 1, 1, 0, 0], 40)) * 5e-3
    return np.stack([x, y], axis=-1)


def dense(wanted: np.ndarray) -> np.ndarray:
    """Return the zero moment point (T, 2) of least Σ e² + R (change of jerk)², all at once."""
    h, n = PREVIEW.dt, len(wanted)
    a = np.array([[1.0, h, h**2 / 2], [0.0, 1.0, h], [0.0, 0.0, 1.0]])
    b = np.array([h**3 / 6, h**2 / 2, h])
    c = np.array([1.0, 0.0, -PREVIEW.height / PREVIEW.gravity])
    # the answer of the zero moment point to one unit of jerk from a time on
    state, answer = np.zeros(3), np.zeros(n)
    for k in range(1, n):
        state = a @ state + b
        answer[k] = c @ state
    m = np.array([[answer[k - j] if k >= j else 0.0 for j in range(n)] for k in range(n)])
    rows = np.concatenate([m, np.sqrt(PREVIEW.jerk_weight) * np.eye(n)])
    right = np.concatenate([wanted - wanted[0], np.zeros_like(wanted)])
    change = np.linalg.lstsq(rows, right, rcond=None)[0]
    return np.asarray(m @ change + wanted[0])


def test_preview_is_the_best_of_all_motions() -> None:
    wanted = reference()
    found, best = PREVIEW.follow(wanted).zmp, dense(wanted)
    print(f"{np.abs(found - best).max():.1e} m beside {np.ptp(wanted):.1f} m")
    assert np.abs(found - best)[:-20].max() < 2e-3


def test_cycles_are_the_whole_motion() -> None:
    wanted = reference()
    sway = PREVIEW.follow(wanted)
    n = PREVIEW.samples
    padded = np.concatenate([wanted, np.repeat(wanted[-1:], n, axis=0)])
    state, error = np.zeros((3, 2)), np.zeros(2)
    state[0] = wanted[0]
    for k in range(200):
        assert state[0] == pytest.approx(sway.com[k], abs=1e-12)
        state, error = PREVIEW.step(state, error, padded[k : k + n])


def test_a_measured_state_is_led_back() -> None:
    """A centre of mass that was pushed returns, while the reference stays."""
    wanted = np.zeros((PREVIEW.samples, 2))
    state, error = np.zeros((3, 2)), np.zeros(2)
    state[1] = [0.1, -0.05]
    for _ in range(400):
        state, error = PREVIEW.step(state, error, wanted)
    assert np.abs(state).max() < 1e-3
    with pytest.raises(ValueError, match=r"reference has 3 values, must have \d+"):
        PREVIEW.step(state, error, np.zeros((3, 2)))
