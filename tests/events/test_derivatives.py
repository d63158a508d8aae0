"""Derivatives of flows: the compass walker, closed forms, bits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flow_differences import by_number, by_states
from flow_walkers import STABLE, UNSTABLE, compass, start
from mpmath import mp

import tarsus as ts
from tarsus._lib.files import Array

P = ts.parameters
ONTO = np.array([[1.0, 0.0, 0.0], [-2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
"""From (q3, q̇3, q̇4) just after a strike to states."""
OFF = ONTO.T * [[1.0, 0.0, 1.0, 1.0]]


def test_step_by_states() -> None:
    """A step of the compass walker agrees with extrapolated differences, and so does its time."""
    phase, (q, v) = compass(), start(*STABLE)
    found = ts.flow(phase, q, v, duration=5.0, events=1, derivatives=True, rtol=1e-12, atol=1e-14)
    expected = by_states(phase, q, v, duration=5.0, events=1)
    assert found.derivatives.shape == (4, 4)
    np.testing.assert_allclose(found.derivatives, expected[:4], rtol=0, atol=3e-9)
    np.testing.assert_allclose(found.time_derivatives, expected[4], rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", ["slope", "gravity", "leg", "hip", "length"])
@pytest.mark.parametrize("stiffness", [0.0, 2.0])
def test_step_by_parameters(name: str, stiffness: float) -> None:
    """A step depends on slope, gravity, masses and lengths as other walkers say."""
    end = P.Length("end") + -0.5 * P.CenterOfMass("swing")
    parameters = {
        "slope": P.Slope(),
        "gravity": P.Gravity(),
        "leg": P.Mass("stance") + P.Mass("swing"),
        "hip": P.Mass("hip"),
        "length": P.Length("top") + 0.5 * P.CenterOfMass("stance") + end,
    }
    base = {"slope": math.radians(3.0), "gravity": 9.8, "leg": 1.0, "hip": 5.0, "length": 1.0}
    q, v = start(*STABLE)
    spring = {"stiffness": stiffness}
    options = {"duration": 5.0, "events": 2}
    found = ts.flow(
        compass(**spring),
        *(q, v),
        **options,
        derivatives=True,
        parameters=parameters[name],
        rtol=1e-12,
        atol=1e-14,
    )
    expected = by_number(
        lambda h: compass(**spring, **{name: base[name] + h}), q, v, step=1e-3, **options
    )
    assert found.n_events == 2
    np.testing.assert_allclose(found.derivatives[:, 4], expected[:4], rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.time_derivatives[4], expected[4], rtol=0, atol=1e-8)


@pytest.mark.parametrize("name", ["stiffness", "damping", "rest"])
def test_step_by_springs(name: str) -> None:
    """A step depends on the spring in the hip as other walkers say."""
    q, v = start(*STABLE)

    def walker(h: float) -> ts.Phase:
        numbers = {"stiffness": 3.0, "damping": 0.1}
        if name != "rest":
            return compass(**{**numbers, name: numbers[name] + h})
        phase = compass(**numbers)
        changed = ts.Editor(phase.model).change("joint", "hinge", rest=h).build()
        return ts.Phase(changed, phase.exits, name="step")

    parameter = {"stiffness": P.Stiffness, "damping": P.Damping, "rest": P.Rest}[name]("hinge")
    options = {"duration": 0.9, "events": 3}
    found = ts.flow(
        walker(0.0),
        *(q, v),
        **options,
        derivatives=True,
        parameters=[parameter],
        rtol=1e-12,
        atol=1e-14,
    )
    assert found.n_events == 1 and found.t == 0.9  # some time after the strike
    expected = by_number(walker, q, v, **options)
    np.testing.assert_allclose(found.derivatives[:, 4], expected[:4], rtol=0, atol=1e-8)


@pytest.mark.parametrize(("gait", "largest"), [(STABLE, 0.49007), (UNSTABLE, 4.4606)])
def test_multipliers(gait: tuple[float, float, float], largest: float) -> None:
    """Newton's method with these derivatives finds the gaits of Duindam and their multipliers."""
    x, phase = np.array(gait), compass()
    for _ in range(5):
        y = ONTO @ x
        found = ts.flow(
            *(phase, y[:2], y[2:]), duration=5.0, events=1, derivatives=True, rtol=1e-12, atol=1e-14
        )
        jacobian = OFF @ found.derivatives @ ONTO
        residual = OFF @ np.concatenate([found.q, found.v]) - x
        x = x - np.linalg.solve(jacobian - np.eye(3), residual)
    assert np.abs(residual).max() < 1e-12
    np.testing.assert_allclose(x, gait, rtol=0, atol=5e-5)
    assert np.abs(np.linalg.eigvals(jacobian)).max() == pytest.approx(largest, rel=2e-5)


def test_bits() -> None:
    """States do not change where derivatives are asked for; a batch is a loop, bit for bit."""
    rng, phase = np.random.default_rng(0), compass(stiffness=1.0)
    q0, v0 = start(*STABLE)
    q = q0 + 0.01 * rng.standard_normal((150, 1)) * [1.0, -2.0]
    v = v0 + 0.05 * rng.standard_normal((150, 2))
    options = {"duration": 1.5, "events": 3}
    wanted = {"derivatives": True, "parameters": [P.Slope(), P.Mass("hip"), P.Length("top")]}
    plain = ts.flow(phase, q, v, **options)
    found = ts.flow(phase, q, v, **options, **wanted)
    for name in ("q", "v", "t", "steps", "n_events"):
        assert np.array_equal(getattr(plain, name), getattr(found, name)), name
    several = ts.flow(phase, q[::-1], v[::-1], threads=3, **options, **wanted)
    assert np.array_equal(several.derivatives[::-1], found.derivatives)
    for k in range(20):
        one = ts.flow(phase, q[k], v[k], **options, **wanted)
        assert np.array_equal(one.derivatives, found.derivatives[k])
        assert np.array_equal(one.time_derivatives, found.time_derivatives[k])
    assert (found.derivatives != 0.0).all()


def test_bouncing_ball() -> None:
    """A ball that falls, bounces and rises: by hand."""
    g, e, z0, w0, t = 9.81, 0.6, 1.3, 0.4, 1.1
    ball = ts.Builder("ball").body("ball", 2.0).joint("z", "prismatic", "world", "ball", axis="z")
    reset = ts.resets.Linear([[1.0]], rates=[[-e]])
    exit = ts.Exit(ts.guards.Height("ball"), to="air", reset=reset)
    phase = ts.Phase(ball.build(), exit, name="air")
    found = ts.flow(phase, [z0], [w0], duration=t, derivatives=True, parameters=P.Gravity())

    def at(z0: mp.mpf, w0: mp.mpf, g: mp.mpf) -> tuple[mp.mpf, mp.mpf, mp.mpf]:
        strike = (w0 + mp.sqrt(w0**2 + 2 * g * z0)) / g
        after = e * (g * strike - w0)
        return after * (t - strike) - g * (t - strike) ** 2 / 2, after - g * (t - strike), strike

    with mp.workdps(30):
        at_start = (mp.mpf(z0), mp.mpf(w0), mp.mpf(g))
        expected = np.array(
            [
                [
                    float(mp.diff(lambda *x, k=k: at(*x)[k], at_start, n))
                    for n in np.eye(3, dtype=int)
                ]
                for k in range(3)
            ]
        )
    assert found.n_events == 1
    np.testing.assert_allclose(found.derivatives, expected[:2], rtol=0, atol=1e-11)
    np.testing.assert_allclose(found.time_derivatives, expected[2], rtol=0, atol=1e-12)


def test_pendulum() -> None:
    """The swing of a pendulum from rest, by elliptic functions."""
    g, length, angle, t = 9.81, 0.7, 1.9, 2.3
    b = ts.Builder("pendulum").body("bob", 1.5, (0.0, 0.0, -length))
    model = b.joint("pivot", "revolute", "world", "bob", axis="y").build()
    parameters = [P.Gravity(), P.CenterOfMass("bob", (0, 0, -1)), P.Mass("bob")]
    options = {"derivatives": True, "parameters": parameters, "rtol": 1e-13, "atol": 1e-15}
    found = ts.flow(model, [angle], duration=t, **options)

    def at(angle: mp.mpf, g: mp.mpf, length: mp.mpf) -> mp.mpf:
        k = mp.sin(angle / 2)
        phase = mp.sqrt(g / length) * t + mp.ellipk(k**2)
        return 2 * mp.asin(k * mp.ellipfun("sn", phase, m=k**2))

    with mp.workdps(30):
        start_at = (mp.mpf(angle), mp.mpf(g), mp.mpf(length))
        units = np.eye(3, dtype=int)
        expected = np.array([float(mp.diff(at, start_at, tuple(n))) for n in units])
    assert found.q[0] == pytest.approx(float(at(*start_at)), abs=1e-12)
    by_angle, _, by_gravity, by_length, by_mass = found.derivatives[0]
    np.testing.assert_allclose([by_angle, by_gravity, by_length], expected, rtol=0, atol=1e-10)
    assert abs(by_mass) < 1e-12


def test_symplectic() -> None:
    """Without losses the derivatives keep areas of (q, p): Φᵀ Ω Φ = Ω."""
    kinds = ("revolute", "prismatic", "universal", "cylindrical", "translation", "screw")
    model = ts.robots.random_mechanism(3, 6, kinds)
    rng = np.random.default_rng(1)
    q, v = model.random_configuration(rng), 0.5 * rng.standard_normal(model.nv)
    found = ts.flow(model, q, v, duration=0.4, derivatives=True, rtol=1e-12, atol=1e-13)

    def canonical(q: Array, v: Array) -> Array:
        """From (δq, δv) to (δq, δp), p = H v."""
        n = model.nv
        still = np.zeros(n)
        by_q = model.inverse_dynamics_derivatives(q, still, v).dq
        by_q = by_q - model.inverse_dynamics_derivatives(q, still, still).dq
        return np.block([[np.eye(n), np.zeros((n, n))], [by_q, model.mass_matrix(q)]])

    n = model.nv
    omega = np.block([[np.zeros((n, n)), np.eye(n)], [-np.eye(n), np.zeros((n, n))]])
    phi = canonical(found.q, found.v) @ found.derivatives @ np.linalg.inv(canonical(q, v))
    residual = np.abs(phi.T @ omega @ phi - omega).max() / np.abs(phi).max() ** 2
    print(f"symplectic: {residual:.1e}")
    assert residual < 1e-10
