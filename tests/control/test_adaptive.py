"""The adaptive law: its energy never rises, errors vanish with wrong masses to begin with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from closed_loop import Trajectory, driven_everywhere, rotor_chain, spatial_arm, state
from oracle import Array

import tarsus as ts
from tarsus.control import AdaptiveControl, PassivityControl
from tarsus.control.adaptive import (
    divergence,
    gradient,
    is_definite,
    moved,
    parameters_of,
    pseudo_inertia,
)

MECHANISMS: dict[str, tuple[Callable[[], ts.Model], float]] = {
    "rotor_chain": (rotor_chain, 2.0),
    "spatial_arm": (spatial_arm, 2.0),
    "four_bar": (ts.robots.four_bar, 200.0),
}
"""Mechanisms and the rates at which they learn [1/J], more for those that have little energy."""


def mistaken(plant: ts.Model, seed: int) -> ts.Model:
    """Return the plant as one believes it to be: masses off by up to a third, centres shifted."""
    rng = np.random.default_rng(seed)
    bodies = []
    for body in plant.description.bodies:
        factor = rng.uniform(0.7, 1.4)
        inertia = body.inertia * factor * rng.uniform(0.8, 1.2)
        com = body.com + rng.normal(size=3) * 0.02
        bodies.append(replace(body, mass=body.mass * factor, com=com, inertia=inertia))
    return ts.Model(replace(plant.description, bodies=bodies))


def run(
    plant: ts.Model,
    control: AdaptiveControl,
    q: Array,
    v: Array,
    h: float,
    n: int,
) -> tuple[Array, Array]:
    """Return energies and largest errors over n steps, states and estimate of order four."""

    def slope(t: float, q: Array, v: Array, p: Array) -> tuple[Array, Array, Array]:
        control.parameters = p  # as it is at this time
        a = plant.forward_dynamics(q, v, control(t, q, v))
        return v, a, control.parameter_rate

    p, energies, errors = control.parameters, [], []
    for i in range(n):
        t = i * h
        control.parameters = p
        energies.append(float(control.lyapunov(plant, t, q, v)))
        errors.append(float(np.abs(plant.difference(control.reference(t)[0], q)).max()))
        v1, a1, p1 = slope(t, q, v, p)
        q2 = plant.integrate(q, h / 2 * v1)
        v2, a2, p2 = slope(t + h / 2, q2, v + h / 2 * a1, p + h / 2 * p1)
        q3 = plant.integrate(q, h / 2 * v2)
        v3, a3, p3 = slope(t + h / 2, q3, v + h / 2 * a2, p + h / 2 * p2)
        q4 = plant.integrate(q2, h * v3 - h / 2 * v1)
        v4, a4, p4 = slope(t + h, q4, v + h * a3, p + h * p3)
        q = plant.integrate(q, h / 12 * (3 * v1 + 2 * v2 + 2 * v3 - v4))
        q = plant.integrate(q, h / 12 * (-v1 + 2 * v2 + 2 * v3 + 3 * v4))
        v = v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        p = p + h / 6 * (p1 + 2 * p2 + 2 * p3 + p4)
    control.parameters = p
    return np.array(energies), np.array(errors)


@pytest.mark.parametrize("physical", [False, True])
@pytest.mark.parametrize("name", MECHANISMS)
def test_energy_never_rises_and_the_error_fades(name: str, physical: bool) -> None:
    make, adaptation = MECHANISMS[name]
    plant = make()
    believed = mistaken(plant, 0)
    q0 = plant.random_configuration(1)
    wanted = Trajectory(plant, q0, 0.3, 3.0)
    kd = 10.0 * np.diagonal(plant.mass_matrix(q0))
    start, h, n = (plant.integrate(q0, np.full(plant.nv, 0.1)), wanted(0.0)[1]), 5e-3, 700

    pace = {"adaptation": adaptation, "physical": physical, **driven_everywhere(plant)}
    learning = AdaptiveControl(believed, 5.0, kd, wanted, **pace)
    energies, errors = run(plant, learning, *start, h, n)
    unable = AdaptiveControl(believed, 5.0, kd, wanted, **{**pace, "adaptation": 0.0})
    _, without = run(plant, unable, *start, h, n)

    rise = float(np.diff(energies).max()) / energies[0]
    late, without_learning = (each[-n // 5 :].max() for each in (errors, without))
    print(f"{name}, physical={physical}: V {energies[0]:.3f} to {energies[-1]:.3f} J")
    print(f"  rise {rise:.1e}, error {late:.1e} instead of {without_learning:.1e} rad")
    assert rise < 1e-9
    assert late < 0.4 * without_learning
    if physical:
        assert np.linalg.eigvalsh(pseudo_inertia(learning.parameters)).min() > 0.0


@pytest.mark.parametrize("physical", [False, True])
def test_small_steps_of_the_estimate_lead_where_its_rate_does(physical: bool) -> None:
    m = rotor_chain()
    (q, v), wanted = state(m, 2), state(m, 3)
    control = AdaptiveControl(m, 2.0, 3.0, wanted, adaptation=0.2, physical=physical)
    control(0.5, q, v)
    rate, h = control.parameter_rate, 1e-7
    assert rate.shape == (m.n_bodies, 10)
    before = control.parameters.copy()
    control(0.5, q, v)  # no time has passed
    np.testing.assert_array_equal(control.parameters, before)
    control(0.5 + h, q, v)
    error = np.abs((control.parameters - before) / h - rate).max() / np.abs(rate).max()
    print(f"physical={physical}: {error:.1e}")
    assert error < 1e-5
    control.reset()
    np.testing.assert_array_equal(control.parameters, m.inertial_parameters)


def test_true_parameters_give_the_passive_law_with_armature() -> None:
    plant = spatial_arm()
    believed = mistaken(plant, 4)
    options = driven_everywhere(plant)
    adaptive = AdaptiveControl(believed, 2.0, 3.0, **options)
    adaptive.parameters = np.array(plant.inertial_parameters)
    (q, v), wanted = state(plant, 5, 4), state(plant, 6, 4)
    expected = PassivityControl(plant, 2.0, 3.0, **options)(0.0, q, v, wanted)
    found = adaptive(0.0, q, v, wanted)
    error = np.abs(found - expected).max() / np.abs(expected).max()
    print(f"{error:.1e}")
    assert error < 1e-12
    assert adaptive.parameter_rate.shape == (4, plant.n_bodies, 10)
    assert adaptive(1e-3, q, v, wanted).shape == (4, plant.nv)
    assert adaptive.parameters.shape == (4, plant.n_bodies, 10)
    assert np.shape(adaptive.lyapunov(plant, 1e-3, q, v, wanted)) == (4,)


def test_adaptation_as_diagonal_and_matrix() -> None:
    m = ts.robots.chain(3)
    (q, v), wanted = state(m, 7), state(m, 8)
    entries = np.random.default_rng(9).uniform(0.5, 2.0, 30)
    rates = []
    for adaptation in (entries, np.diag(entries)):
        control = AdaptiveControl(m, 1.0, 1.0, wanted, adaptation=adaptation)
        control(0.0, q, v)
        rates.append(control.parameter_rate)
    np.testing.assert_allclose(*rates, rtol=1e-13)


def test_usual_sizes_make_the_law_independent_of_units() -> None:
    """With lengths in other units, numbers change, but the same motion is learned."""
    forces = []
    for unit in (1.0, 1000.0):  # of length: forces and torques scale with unit and unit²
        b = ts.Builder("arm", gravity=(0, 0, -9.81 * unit))
        for k in range(2):
            inertia = np.array([0.02, 0.02, 0.01]) * unit**2
            b.body(f"link_{k}", 1.0, com=(0, 0, 0.2 * unit), inertia=inertia)
            parent = "world" if k == 0 else "link_0"
            b.joint(
                f"joint_{k}", "revolute", parent, f"link_{k}", position=(0, 0, 0.4 * unit), axis="y"
            )
        control = AdaptiveControl(b.build(), 2.0, 3.0 * unit**2, adaptation=0.1 / unit**2)
        q, v = np.array([0.3, 0.4]), np.array([1.0, -1.0])
        control(0.0, q, v)
        forces.append(control(0.5, q, v) / unit**2)
    np.testing.assert_allclose(*forces, rtol=1e-10)


def heavy_link_with_light_rotor(rotor_inertia: float = 1e-8) -> ts.Model:
    """Return 80 kg on a hinge, turned by a rotor that one could lose in a pocket."""
    b = ts.Builder("crane")
    b.body("link", 80.0, com=(0, 0, 0.5), inertia=(3.0, 3.0, 0.5))
    b.joint("hinge", "revolute", "world", "link", axis="y")
    b.body("rotor", 1e-3, inertia=np.array([1.0, 1.0, 1.2]) * rotor_inertia)
    b.gear("hinge", 100.0, "rotor")
    return b.build()


def test_small_parameters_count_beside_large_ones() -> None:
    believed, plant = heavy_link_with_light_rotor(), heavy_link_with_light_rotor(2e-8)
    control = AdaptiveControl(believed, 1.0, 1.0, adaptation=0.5)
    entries = np.diagonal(control.adaptation)
    spread = entries.max() / entries.min()
    products = entries * np.diagonal(control._inverse)
    rest, q = np.zeros(1), np.zeros(1)
    energy = control.lyapunov(plant, 0.0, q, rest)
    print(f"P spans {spread:.1e}, P P⁻¹ − 1 {np.abs(products - 1).max():.1e}, V {energy:.3f} J")
    assert spread > 1e18
    np.testing.assert_allclose(products, 1.0, rtol=1e-12)
    error = (believed.inertial_parameters - plant.inertial_parameters).ravel()
    np.testing.assert_allclose(energy, 0.5 * (error**2 / entries).sum(), rtol=1e-12)
    assert energy > 0.1


def test_parameters_that_are_not_learned_have_no_share_in_the_energy() -> None:
    m = ts.robots.chain(2)
    entries = np.where(np.arange(20) % 2, 0.0, 1e-20)
    control = AdaptiveControl(m, 1.0, 1.0, adaptation=entries)
    np.testing.assert_allclose(np.diagonal(control._inverse) * 1e-20, entries > 0.0, rtol=1e-12)


@pytest.mark.parametrize("physical", [False, True])
def test_estimates_belong_to_their_states(physical: bool) -> None:
    m = ts.robots.chain(3)
    (q, v), wanted = state(m, 11, 5), state(m, 12)
    control = AdaptiveControl(m, 2.0, 3.0, wanted, adaptation=0.1, physical=physical)
    control(0.0, q[:4], v[:4])
    control(1e-3, q[:4], v[:4])
    message = r"estimates for states of shape \(4,\), but these have shape {}; reset\(\)"
    rate = control.parameter_rate.copy()
    for states, shape in ((slice(5), r"\(5,\)"), (0, r"\(\)")):
        with pytest.raises(ValueError, match=message.format(shape)):
            control(2e-3, q[states], v[states])
        with pytest.raises(ValueError, match=message.format(shape)):
            control.lyapunov(m, 2e-3, q[states], v[states])
    np.testing.assert_array_equal(control.parameter_rate, rate)
    control.reset()
    assert control(0.0, q, v).shape == (5, 3)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_steps_that_numbers_cannot_hold_are_refused(sign: float) -> None:
    """Too long a step would overflow, or leave a body without any extent."""
    m = spatial_arm()
    (q, v), (q_d, v_d) = state(m, 13), state(m, 14)
    wanted = q_d, sign * v_d
    pace = {"adaptation": 40.0, "physical": True, **driven_everywhere(m)}
    control = AdaptiveControl(m, 2.0, 3.0, wanted, **pace)
    control(0.0, q, sign * v)
    before = control.parameters.copy()
    for dt in (1e2, 1e4, 1e40):
        with pytest.raises(ArithmeticError, match=r"step of .* s with adaptation = 40\.0 /J is"):
            control(dt, q, sign * v)
    np.testing.assert_array_equal(control.parameters, before)
    control(1e-4, q, sign * v)
    assert (control.parameters != before).any()
    assert is_definite(control.parameters).all()


def test_flat_bodies_are_not_definite_however_they_are_turned() -> None:
    rng = np.random.default_rng(15)
    points = np.concatenate([rng.normal(size=(200, 40, 2)), np.zeros((200, 40, 1))], axis=-1)
    turns = np.linalg.qr(rng.normal(size=(200, 3, 3)))[0]
    for thickness, expected in ((0.0, False), (1e-3, True)):
        thick = points + thickness * rng.normal(size=(200, 40, 1)) * [0.0, 0.0, 1.0]
        x = np.concatenate(
            [thick @ turns + rng.normal(size=(200, 1, 3)), np.ones((200, 40, 1))], -1
        )
        pseudo = np.swapaxes(x, -1, -2) @ x
        lowest = np.linalg.eigvalsh(pseudo)[:, 0]
        print(f"thickness {thickness}: eigenvalues {lowest.min():.1e} to {lowest.max():.1e}")
        assert (is_definite(parameters_of(pseudo)) == expected).all()


def test_pseudo_inertia_is_a_moment_of_mass() -> None:
    rng = np.random.default_rng(10)
    points, masses = rng.normal(size=(50, 3)), rng.uniform(0.1, 1.0, 50)
    inertia = sum(
        w * (x @ x * np.eye(3) - np.outer(x, x)) for x, w in zip(points, masses, strict=True)
    )
    entries = [inertia[i, j] for i, j in ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))]
    parameters = np.array([masses.sum(), *(masses @ points), *entries])
    x = np.hstack([points, np.ones((50, 1))])
    np.testing.assert_allclose(pseudo_inertia(parameters), (x.T * masses) @ x, atol=1e-12)
    np.testing.assert_allclose(parameters_of(pseudo_inertia(parameters)), parameters, atol=1e-12)
    slope = rng.normal(size=10)
    trace = np.trace(pseudo_inertia(parameters) @ gradient(slope))
    np.testing.assert_allclose(trace, parameters @ slope, rtol=1e-12)
    far = moved(parameters, 0.05 * slope)
    assert np.linalg.eigvalsh(pseudo_inertia(far)).min() > 0.0
    assert divergence(parameters, far) > 0.1
    np.testing.assert_allclose(divergence(parameters, parameters), 0.0, atol=1e-12)


def test_mistakes() -> None:
    m = ts.robots.chain(3)
    with pytest.raises(ValueError, match=r"adaptation has shape \(10,\), must be \(\) or \(30,\)"):
        AdaptiveControl(m, 1.0, 1.0, adaptation=np.ones(10))
    with pytest.raises(ValueError, match="adaptation"):
        AdaptiveControl(m, 1.0, 1.0, adaptation=np.ones(30), physical=True)
    for physical in (False, True):
        with pytest.raises(ValueError, match=r"adaptation is -5\.0, must not be negative"):
            AdaptiveControl(m, 1.0, 1.0, adaptation=-5.0, physical=physical)
        control = AdaptiveControl(m, 1.0, 1.0, physical=physical)
        control(1.0, np.zeros(3), np.zeros(3))
        with pytest.raises(ValueError, match=r"t is 0\.5 s, before the last call at 1\.0 s"):
            control(0.5, np.zeros(3), np.zeros(3))
    with pytest.raises(TypeError, match="plant is of type int"):
        AdaptiveControl(m, 1.0, 1.0).lyapunov(3, 0.0, *[np.zeros(3)] * 2)  # type: ignore[arg-type]
    b = ts.Builder("pendulum")
    b.body("bob", 1.0, com=(0, 0, -1))
    b.joint("pivot", "revolute", "world", "bob", axis="y")
    with pytest.raises(ValueError, match="mass is spread in space; these are not: bob"):
        AdaptiveControl(b.build(), 1.0, 1.0, physical=True)
    AdaptiveControl(b.build(), 1.0, 1.0)
    b = ts.Builder("wheel")
    b.body("disc", 1.3, com=(0.1, 0.2, 0.3), inertia=(0.1, 0.2, 0.3))
    b.joint("axle", "revolute", "world", "disc", axis="y")
    with pytest.raises(ValueError, match="mass is spread in space; these are not: disc"):
        AdaptiveControl(b.build(), 1.0, 1.0, physical=True)
