"""Energies of wanted and unwanted motion, beside the thesis' form in momenta and closed forms.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, section 5.2.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from oracle import Array

import tarsus as ts
from tarsus.control import CurveField, CurveTracking, IntegralCurveTracking

RNG = np.random.default_rng(3)
Field = Callable[[Array], Array]


def point_mass(mass: float = 1.0) -> ts.Model:
    """Return a mass in a plane without gravity."""
    builder = ts.Builder("point", gravity=(0.0, 0.0, 0.0)).body("slide").body("mass", mass)
    builder.joint("x", "prismatic", "world", "slide", axis="x")
    return builder.joint("y", "prismatic", "slide", "mass", axis="y").build()


def around(q: Array) -> Array:
    """Return the field of circles about the origin."""
    return np.stack([-q[..., 1], q[..., 0]], axis=-1)


def wavy(n: int, seed: int) -> Field:
    """Return a smooth field that is nowhere zero."""
    turn = np.random.default_rng(seed).normal(size=(n, n))

    def field(q: Array) -> Array:
        w = np.sin(np.asarray(q)[..., :n] @ turn.T + np.arange(n))
        w[..., 0] += 2.5
        return w

    return field


def arm(n: int, seed: int, *, gravity: bool = True) -> ts.Model:
    """Return a chain of n turning joints with axes and inertias at random."""
    rng = np.random.default_rng(seed)
    builder = ts.Builder("arm", gravity=(0.0, 0.0, -9.81 * gravity))
    last = "world"
    for k in range(n):
        shape = np.diag(rng.uniform(0.01, 0.1, 3) + 0.1)
        builder.body(f"link{k}", rng.uniform(0.5, 2.0), rng.uniform(-0.2, 0.2, 3), shape)
        axis = rng.normal(size=3)
        place = rng.uniform(-0.4, 0.4, 3)
        builder.joint(f"joint{k}", "revolute", last, f"link{k}", axis=axis, position=place)
        last = f"link{k}"
    return builder.build()


MACHINES = [
    *((arm(n, n), wavy(n, n)) for n in (2, 3, 6)),
    (ts.robots.random_mechanism(4, springs=True), None),
]
CASES = [(m, wavy(m.nv, 1) if field is None else field) for m, field in MACHINES]


def law(m: ts.Model, field: Field, **settings: float) -> CurveTracking:
    return CurveTracking(m, field, effort=np.full(m.nv, np.inf), **settings)


def random_states(m: ts.Model, count: int = 20) -> list[tuple[Array, Array]]:
    return [(m.random_configuration(RNG), RNG.normal(size=m.nv)) for _ in range(count)]


def test_a_point_comes_to_circles_as_the_closed_form_says() -> None:
    m = point_mass()
    control = law(m, around, transfer=1.0)
    q0, v0 = np.array([1.0, 0.0]), np.array([0.5, 1.0])
    flowed = ts.flow(ts.Phase(m, controller=control), q0, v0, duration=2.0, sample=0.05, rtol=1e-12)
    t, q, v = flowed.samples
    wanted, unwanted = control.energies(q, v)
    np.testing.assert_allclose(wanted + unwanted, 0.625, rtol=0.0, atol=1e-10)
    # (5.21) with m = a = 1: α₂² = C / (1 + (C/α₂(0)² − 1) exp(2 a C t)), C = α₁² + α₂²
    closed = 1.25 / (1.0 + (1.25 / 0.25 - 1.0) * np.exp(2.5 * t))
    np.testing.assert_allclose(2.0 * unwanted, closed, rtol=0.0, atol=1e-9)
    aside = np.sqrt(2.0 * unwanted[[20, 40]])
    np.testing.assert_allclose(aside, [0.158543, 0.045848], rtol=0.0, atol=1e-6)
    tau = control(0.0, q, v)
    np.testing.assert_allclose((tau * v).sum(axis=-1), 0.0, atol=1e-14)
    # the whole law is u = (α₁/|q| + a α₁ α₂) [[0, −1], [1, 0]] v, example 5.4
    size = np.linalg.norm(q, axis=-1)
    turning, out = (v * around(q)).sum(-1) / size, (v * q).sum(-1) / size
    formula = (turning / size + turning * out)[:, None] * around(v)
    np.testing.assert_allclose(tau, formula, atol=1e-10)


def test_on_a_circle_the_efforts_are_centripetal() -> None:
    m = point_mass(2.0)
    for q in RNG.normal(size=(20, 2)):
        v = RNG.normal() * around(q)
        tau = law(m, around, transfer=1.0)(0.0, q, v)
        np.testing.assert_allclose(tau, -2.0 * (v @ v) / (q @ q) * q, atol=1e-11)


def test_damping_wastes_what_transfer_keeps() -> None:
    m = point_mass()
    control = law(m, around, damping=1.0)
    q0, v0 = np.array([1.0, 0.0]), np.array([0.5, 1.0])
    t, q, v = ts.flow(ts.Phase(m, controller=control), q0, v0, duration=2.0, sample=0.05).samples
    wanted, unwanted = control.energies(q, v)
    assert (np.diff(wanted + unwanted) < 0.0).all()
    np.testing.assert_allclose(wanted, 0.5, atol=1e-9)
    np.testing.assert_allclose(unwanted, 0.125 * np.exp(-2.0 * t), atol=1e-9)


@pytest.mark.parametrize(("m", "field"), CASES, ids=lambda x: getattr(x, "name", ""))
def test_efforts_that_do_no_work(m: ts.Model, field: Field) -> None:
    control = law(m, field, transfer=0.7, softening=0.01)
    for q, v in random_states(m):
        parts = control.parts(q, v)
        for u in (parts.nominal, parts.asymptotic):
            assert np.abs(u).max() > 0.0
            assert abs(u @ v) < 1e-12 * np.linalg.norm(u) * np.linalg.norm(v)


def rates(m: ts.Model, control: CurveTracking, q: Array, v: Array, a: Array) -> tuple[float, float]:
    """Return how wanted and unwanted energy change, by differences of order four."""
    h = 1e-3
    found = []
    for k in (1, -1, 2, -2):
        x = k * h
        # a motion with the right velocity and acceleration; its third derivative cancels
        found.append(np.array(control.energies(m.integrate(q, x * v + x * x / 2 * a), v + x * a)))
    one, back, two, far = found
    wanted, unwanted = (8.0 * (one - back) - (two - far)) / (12.0 * h)
    return float(wanted), float(unwanted)


@pytest.mark.parametrize("n", [2, 3, 5])
def test_energy_goes_from_unwanted_to_wanted(n: int) -> None:
    m = arm(n, n, gravity=False)
    field = wavy(n, n)
    for q, v in random_states(m):
        apart, carried = law(m, field), law(m, field, transfer=0.4)
        energies = np.array(apart.energies(q, v))
        still = rates(m, apart, q, v, m.forward_dynamics(q, v, apart(0.0, q, v)))
        np.testing.assert_allclose(still, 0.0, atol=1e-6 * (1.0 + energies.sum()))
        moved = rates(m, carried, q, v, m.forward_dynamics(q, v, carried(0.0, q, v)))
        given = 0.4 * 4.0 * energies[0] * energies[1]
        np.testing.assert_allclose(moved, [given, -given], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("m", "field"), CASES, ids=lambda x: getattr(x, "name", ""))
def test_the_potential_is_held_where_it_pushes_aside(m: ts.Model, field: Field) -> None:
    control = law(m, field)
    for q, v in random_states(m, 5):
        slope = m.gravity_forces(q) - m.passive_forces(q, np.zeros(m.nv))
        held, w, mass = control.parts(q, v).potential, field(q), m.mass_matrix(q)
        scale = np.abs(slope).max()
        # in accelerations, what is left acts along w alone, as it did before
        left = np.linalg.solve(mass, slope - held)
        unit = w / np.sqrt(w @ mass @ w)
        np.testing.assert_allclose(
            mass @ (left - unit * (unit @ mass @ left)), 0, atol=1e-12 * scale
        )
        assert abs(unit @ held) < 1e-12 * scale


def in_momenta(m: ts.Model, field: Field, q: Array, v: Array) -> Array:
    """Return the nominal efforts (5.12) from momenta p = Sᵀ α by differences, Z = 0."""
    n = m.nv

    def s_transposed(q: Array) -> Array:
        mass = m.mass_matrix(q)
        basis: list[Array] = []
        for x in (field(q), *np.eye(n)[1:]):
            for each in basis:
                x = x - each * (each @ mass @ x)
            basis.append(x / np.sqrt(x @ mass @ x))
        return np.asarray(mass @ np.stack(basis, axis=1))

    s = s_transposed(q).T
    w = np.linalg.inv(s)
    alpha, h = s @ v, 1e-4
    slopes = [
        (s_transposed(q + h * e) - s_transposed(q - h * e)) @ alpha / (2 * h) for e in np.eye(n)
    ]
    by_q = np.stack(slopes, axis=1)
    gyroscopic = w.T @ (by_q.T - by_q) @ w
    x = gyroscopic[:1, 1:]
    return np.asarray(-(s[:1].T @ x @ s[1:] - s[1:].T @ x.T @ s[:1]) @ v)


@pytest.mark.parametrize("n", [2, 3, 5])
def test_nominal_efforts_are_those_in_momenta(n: int) -> None:
    m, field = arm(n, n), wavy(n, n)
    for q, v in random_states(m):
        ours, theirs = law(m, field).parts(q, v).nominal, in_momenta(m, field, q, v)
        off = ours - theirs
        size = np.abs(theirs).max()
        if n == 2:
            np.testing.assert_allclose(off, 0.0, atol=1e-6 * size)
        # Z is free and skew: it moves neither the wanted motion nor energy
        assert abs(field(q) @ off) < 1e-5 * size * np.linalg.norm(field(q))
        assert abs(v @ off) < 1e-5 * size * np.linalg.norm(v)


def test_energy_is_brought_to_what_is_wanted() -> None:
    m = arm(3, 8)
    control = law(m, wavy(3, 8), kp=2.0, reference=5.0)
    for q, v in random_states(m, 5):
        energy = m.kinetic_energy(q, v) + m.potential_energy(q)
        np.testing.assert_allclose(
            control.parts(q, v).energy, 2.0 * (5.0 - energy) * wavy(3, 8)(q), rtol=1e-12
        )
    rising = law(m, wavy(3, 8), kp=2.0, reference=lambda t: 5.0 + t)
    assert (rising.parts(q, v, 2.0).energy != control.parts(q, v).energy).any()


def test_the_integral_gives_what_friction_takes() -> None:
    """A point that rubs goes in circles: with kp alone it is too slow, with ki it is not."""
    builder = ts.Builder("point", gravity=(0.0, 0.0, 0.0)).body("slide").body("mass", 1.0)
    builder.joint("x", "prismatic", "world", "slide", axis="x", damping=0.5)
    m = builder.joint("y", "prismatic", "slide", "mass", axis="y", damping=0.5).build()
    sim = ts.Simulation(m, dt=2e-3, integrator="rk4")
    ends = []
    for ki in (0.0, 2.0):
        control = IntegralCurveTracking(
            m, around, 2.0, ki, 0.5, period=2e-3, transfer=0.5, most=10.0
        )
        run = sim.run([1.0, 0.0], [0.1, 0.8], duration=10.0, controller=control)
        ends.append(float(m.kinetic_energy(run.q[-1], run.v[-1])))
    assert ends[0] < 0.45
    assert ends[1] == pytest.approx(0.5, abs=0.01)


def circle(points: int = 60) -> Array:
    angle = np.linspace(0.0, 2.0 * np.pi, points + 1)
    return np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def test_the_field_of_a_circle() -> None:
    m = point_mass()
    field = CurveField(m, circle(), pull=2.0, periodic=True)
    assert field.length == pytest.approx(2.0 * np.pi, rel=1e-3)
    for q in RNG.normal(size=(50, 2)):
        size = np.linalg.norm(q)
        formula = around(q) / size - 2.0 * q * (1.0 - 1.0 / size)
        np.testing.assert_allclose(field(q), formula, atol=1e-6 * (1.0 + 1.0 / size))
        assert field.distance(q) == pytest.approx(abs(size - 1.0), abs=1e-6)


def test_near_the_centre_of_a_circle_efforts_are_bounded() -> None:
    """The true field turns at 1/radius there; up to a tenth of the radius its rate is exact."""
    m = point_mass()
    field = CurveField(m, circle(), pull=2.0, periodic=True)
    control = CurveTracking(m, field, transfer=1.0)
    v = np.array([0.3, 1.2])
    for size in (1e-9, 1e-6, 1e-3, 0.05):
        q = size * np.array([0.6, 0.8])
        assert np.abs(field.with_rate(q, v)[1]).max() < 100.0
        assert np.abs(control(0.0, q, v)).max() < 100.0
        nominal = control.parts(q, v).nominal
        assert nominal @ v == pytest.approx(0.0, abs=1e-9)  # and still they do no work
    q, step = 0.12 * np.array([0.6, 0.8]), 1e-5
    by_steps = (field(q + step * v) - field(q - step * v)) / (2.0 * step)
    np.testing.assert_allclose(field.with_rate(q, v)[1], by_steps, rtol=1e-4, atol=1e-3)


def helix(n: int) -> Array:
    s = np.linspace(0.0, 2.0, 30)
    waves = [np.sin((k + 1) * s + k) / (k + 1) for k in range(n - 1)]
    return np.stack([s, *waves], axis=-1)


@pytest.mark.parametrize("metric", [1.0, "mass"])
@pytest.mark.parametrize("n", [2, 4])
def test_fields_of_curves_and_their_rates(n: int, metric: float | str) -> None:
    m = arm(n, 5)
    given = m.mass_matrix(helix(n)[15]) if metric == "mass" else metric
    field = CurveField(m, helix(n), pull=3.0, metric=given)
    for k in (0, 7, 29):  # on the curve: along it, of length one
        w = field(helix(n)[k])
        assert w @ field.metric @ w == pytest.approx(1.0, abs=1e-10)
        assert field.distance(helix(n)[k]) == pytest.approx(0.0, abs=1e-10)
    near = helix(n)[RNG.integers(0, 30, 40)] + 0.1 * RNG.normal(size=(40, n))
    beyond = helix(n)[[0, -1, -1]] + np.array([-0.05, 0.05, 0.6])[:, None] * np.eye(n)[0]
    for q in np.concatenate([near, beyond]):
        v, h = RNG.normal(size=n), 1e-4
        differences = (
            8 * (field(q + h * v) - field(q - h * v)) - field(q + 2 * h * v) + field(q - 2 * h * v)
        ) / (12 * h)
        w, rate = field.with_rate(q, v)
        np.testing.assert_array_equal(w, field(q))
        np.testing.assert_allclose(rate, differences, rtol=0.0, atol=1e-5 * np.abs(rate).max())


def test_integral_curves_come_to_the_curve_at_the_rate_of_the_pull() -> None:
    m = arm(3, 5)
    field = CurveField(m, helix(3), pull=4.0)
    q, h = helix(3)[3] + [0.0, 0.05, -0.04], 1e-3
    begin = field.distance(q)
    start = field.nearest(q).s
    for _ in range(800):
        middle = q + h / 2 * field(q)
        q = q + h * field(middle)
    way = field.nearest(q).s - start
    assert field.distance(q) == pytest.approx(begin * np.exp(-4.0 * way), rel=0.3)


def test_a_batch_is_its_rows_and_a_field_without_rates_is_the_same() -> None:
    m = arm(3, 5)
    field = CurveField(m, helix(3), pull=4.0)
    exact = law(m, field, transfer=0.3, softening=1e-3, kp=1.0)
    plain = law(m, lambda q: field(q), transfer=0.3, softening=1e-3, kp=1.0)
    q = helix(3)[[2, 9, 20, 27]] + 0.05 * RNG.normal(size=(4, 3))
    v = RNG.normal(size=(4, 3))
    together = exact(0.0, q, v)
    for k in range(4):
        np.testing.assert_allclose(together[k], exact(0.0, q[k], v[k]), rtol=1e-10)
    np.testing.assert_allclose(plain(0.0, q, v), together, rtol=1e-4, atol=1e-4)


def test_wrong_arguments_are_named() -> None:
    m = arm(2, 2)
    turning = ts.Builder("ball").body("ball", 1.0, (0.0, 0.0, 0.1), 0.1 * np.eye(3))
    ball = turning.joint("ball", "spherical", "world", "ball").build()
    zero = law(m, lambda q: np.zeros_like(q))
    for make, message in (
        (lambda: law(m, wavy(2, 2), transfer=-1.0), "transfer is -1.0, must not be negative"),
        (lambda: law(m, wavy(2, 2), softening=0.0), "softening is 0.0, must be positive"),
        (lambda: CurveTracking(m, 3.0), "field is 3.0, must be a function"),  # type: ignore[arg-type]
        (lambda: law(m, wavy(2, 2), reference=np.inf), "reference is inf, must be finite"),
        (lambda: zero(0.0, np.zeros(2), np.zeros(2)), "field is zero at q"),
        (lambda: CurveField(ball, np.zeros((6, 4))), "as many positions as velocities"),
        (lambda: CurveField(m, np.zeros((3, 2))), "samples has shape"),
        (lambda: CurveField(m, np.zeros((6, 2))), "samples 0 and the next are the same"),
        (lambda: CurveField(m, helix(2), periodic=True), "must end where they begin"),
        (lambda: CurveField(m, helix(2), pull=0.0), "pull is 0.0, must be positive"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            make()
