"""The momentum observer: silent without contact, and as fast as its gain with one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from closed_loop import MECHANISMS, motion, rotor_chain, state, step
from oracle import Array

import tarsus as ts
from tarsus.estimation import MomentumObserver

GAIN, STEP = 50.0, 1e-3
PUSH = np.array([0.0, 2.0, 0.0, -1.0])  # N·m


def tracking(m: ts.Model, t: float, q: Array, v: Array) -> Array:
    """Return the forces of a PD controller that follows 0.5 sin 2t on every joint."""
    error, rate = q - 0.5 * np.sin(2 * t), v - np.cos(2 * t)
    return m.gravity_forces(q) - 40.0 * error - 8.0 * rate


def watch(observer: MomentumObserver, contact: float, duration: float) -> tuple[Array, Array]:
    """Return times and residuals of the chain, which PUSH acts on from a time on."""
    m, q, v = observer.model, np.zeros(4), np.ones(4)
    times = STEP * np.arange(round(duration / STEP) + 1)
    residuals = []
    for t in times:
        residuals.append(observer.update(t, q, v, tracking(m, t, q, v)))
        push = PUSH * (t > contact - STEP / 2)  # for the whole step
        q, v = step(m, q, v, t, STEP, lambda t, q, v, p=push: tracking(m, t, q, v) + p)
    return times, np.array(residuals)


def test_silent_without_contact() -> None:
    _, r = watch(MomentumObserver(rotor_chain(), GAIN), np.inf, 1.0)
    print(f"largest residual {np.abs(r).max():.1e} N·m")
    assert np.abs(r).max() < 1e-5


def test_follows_a_contact_at_its_rate() -> None:
    start = 0.5
    t, r = watch(MomentumObserver(rotor_chain(), GAIN), start, 1.0)
    after = {ms: r[np.argmin(np.abs(t - start - ms / 1000))] for ms in (20, 100, 500)}
    print({ms: value[1].round(5).tolist() for ms, value in after.items()})
    assert abs(after[20][1] - 1.264) < 0.005
    assert abs(after[100][1] - 1.986) < 0.005
    np.testing.assert_allclose(after[500], PUSH, atol=1e-4)
    ideal = PUSH * (1.0 - np.exp(-GAIN * np.maximum(t - start, 0.0)))[:, None]
    print(f"beside the exponential {np.abs(r - ideal).max():.1e}")
    assert np.abs(r - ideal).max() < 3e-4


def test_left_rectangles_would_report_forces_that_are_not_there() -> None:
    m = rotor_chain()
    integral, r, residuals = np.zeros(4), np.zeros(4), []
    start = m.generalized_momentum(np.zeros(4), np.ones(4))

    def law(t: float, q: Array, v: Array) -> Array:
        return tracking(m, t, q, v)

    for t, q, v in motion(m, np.zeros(4), np.ones(4), law, 1.0, STEP):
        r = GAIN * (m.generalized_momentum(q, v) - start - integral)
        drive = m.coriolis_transpose_forces(q, v) - m.gravity_forces(q)
        integral = integral + STEP * (law(t, q, v) + drive + r)
        residuals.append(r)
    print(f"left rectangles: {np.abs(residuals).max():.4f} N·m")
    assert abs(np.abs(residuals).max() - 0.016) < 1e-3


def test_coriolis_forces_do_not_depend_on_the_factorisation() -> None:
    m = rotor_chain()
    q, v = state(m, 0, 20)
    fast = m.coriolis_transpose_forces(q, v)
    for name in ("christoffel", "force", "momentum"):
        dense = (np.swapaxes(m.coriolis_matrix(q, v, name), -1, -2) @ v[..., None])[..., 0]
        error = np.abs(fast - dense).max() / np.abs(dense).max()
        print(f"{name}: {error:.1e}")
        assert error < 1e-12


@pytest.mark.parametrize("name", MECHANISMS)
def test_any_mechanism(name: str) -> None:
    """Constant forces from outside are found, the known ones are not reported."""
    m = MECHANISMS[name]()
    rng = np.random.default_rng(1)
    q0, v0 = m.random_configuration(2), 0.2 * rng.normal(size=m.nv)
    inertia = np.diagonal(m.mass_matrix(q0))
    push = inertia * rng.normal(size=m.nv)
    observer = MomentumObserver(m, 40.0)

    def law(t: float, q: Array, v: Array) -> Array:
        back = m.difference(q0, q)
        return m.gravity_forces(q) - inertia * (100.0 * back + 20.0 * v)

    for t, q, v in motion(m, q0, v0, lambda t, q, v: law(t, q, v) + push, 0.5, STEP):
        r = observer.update(t, q, v, law(t, q, v))
    error = np.abs(r - push).max() / np.abs(push).max()
    print(f"{name}: {error:.1e}")
    assert error < 1e-3


@pytest.mark.parametrize("held", [False, True])
def test_forces_that_a_digital_controller_holds(held: bool) -> None:
    m = rotor_chain()
    observer = MomentumObserver(m, GAIN, held=held)
    q, v, tau, residuals = np.zeros(4), np.ones(4), np.zeros(4), []
    for i in range(400):
        t = 5 * STEP * i
        residuals.append(observer.update(t, q, v, tau))
        tau = tracking(m, t, q, v)
        for k in range(5):
            q, v = step(m, q, v, t + k * STEP, STEP, lambda t, q, v, tau=tau: tau)
    largest = np.abs(residuals).max()
    print(f"held={held}: {largest:.1e} N·m")
    assert (largest < 1e-3) if held else (largest > 5e-2)


def test_joint_springs_and_friction_can_be_known() -> None:
    description = rotor_chain().description
    passive = {"damping": np.array([0.5]), "stiffness": np.array([3.0])}
    joints = [
        joint if "motor" in joint.name else replace(joint, **passive)
        for joint in description.joints
    ]
    m = ts.Model(replace(description, joints=joints))
    largest = {}
    for passive in (False, True):
        observer = MomentumObserver(m, GAIN, passive=passive)
        largest[passive] = 0.0

        def law(t: float, q: Array, v: Array) -> Array:
            return tracking(m, t, q, v) + m.passive_forces(q, v)

        for t, q, v in motion(m, np.zeros(4), np.ones(4), law, 0.5, STEP):
            r = observer.update(t, q, v, tracking(m, t, q, v))
            largest[passive] = max(largest[passive], float(np.abs(r).max()))
    print(largest)
    assert largest[True] < 1e-5 and largest[False] > 0.1


def test_batches_are_loops_and_reset_starts_anew() -> None:
    m = rotor_chain()
    many, one = MomentumObserver(m, [10.0, 20.0, 30.0, 40.0]), MomentumObserver(m, [10, 20, 30, 40])
    (q, v), (q1, v1) = state(m, 3, 2, 3), state(m, 4, 2, 3)
    tau = np.ones(4)
    assert not many.update(0.0, q, v, tau).any()
    both = many.update(0.1, q1, v1, tau)
    assert both.shape == (2, 3, 4)
    one.update(0.0, q[1, 2], v[1, 2], tau)
    np.testing.assert_allclose(both[1, 2], one.update(0.1, q1[1, 2], v1[1, 2], tau), rtol=1e-13)
    np.testing.assert_array_equal(many.residual, both)
    many.reset()
    assert not many.residual.any()
    assert not many.update(0.0, q1, v1, tau).any()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tau": np.zeros(3)}, r"tau has shape \(3,\), must be \(…, 4\)"),
        ({"t": 0.9}, r"t is 0\.9 s, before the last call at 1\.0 s; reset\(\) starts anew"),
        ({"t": np.nan}, "t is not finite"),
        ({"v": np.full(4, np.inf)}, "v"),
    ],
)
def test_mistakes(change: dict[str, Any], message: str) -> None:
    observer = MomentumObserver(rotor_chain(), 10.0)
    arguments = {"t": 1.0, "q": np.zeros(4), "v": np.zeros(4), "tau": np.zeros(4)}
    observer.update(**arguments)
    arguments |= change
    with pytest.raises(ValueError, match=message):
        observer.update(**arguments)


def test_gains_are_checked() -> None:
    with pytest.raises(ValueError, match="bandwidth is negative"):
        MomentumObserver(rotor_chain(), -1.0)
    with pytest.raises(ValueError, match=r"bandwidth has shape \(4, 4\), must be \(\) or \(4,\)"):
        MomentumObserver(rotor_chain(), np.eye(4))


def test_an_observer_goes_on_from_its_state() -> None:
    m = ts.robots.dill(3)
    rng = np.random.default_rng(0)
    states = [(m.random_configuration(rng), *rng.normal(size=(2, m.nv))) for _ in range(4)]
    whole, rest = (MomentumObserver(m, 30.0, held=True) for _ in range(2))
    assert whole.get_state() == {}
    for k in range(2):
        whole.update(0.1 * k, *states[k])
    rest.set_state(whole.get_state())
    for k in (2, 3):
        own, other = (each.update(0.1 * k, *states[k]) for each in (whole, rest))
        assert np.array_equal(own, other)
    rest.set_state({})
    assert not rest.update(0.0, *states[0]).any()
