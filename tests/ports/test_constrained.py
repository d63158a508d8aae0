"""Velocity constraints by multipliers and in reduced momenta: snakeboard, four-bar, groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from random_systems import Array
from tarsus_lab.reproduce import port_2_21 as snakeboard

import tarsus as ts
from tarsus.ports import Canonical, Hamiltonian, PortError, Reduced, multipliers, reduced

EXPECTED_Q = (-0.0301002, 0.0000914, -0.0013226, 0.1493021, 0.2738836)
EXPECTED_ALPHA = (-0.0127790, 0.0456473, 0.0048970)


@pytest.fixture(scope="module")
def board() -> ts.ports.Motion:
    return snakeboard.in_momenta()


def test_snakeboard_in_reduced_momenta(board: ts.ports.Motion) -> None:
    np.testing.assert_allclose(board.x[-1, :5], EXPECTED_Q, atol=1e-6)
    np.testing.assert_allclose(board.x[-1, 5:], EXPECTED_ALPHA, atol=1e-6)
    assert np.abs(board.ledger.residual).max() < 1e-10  # Ḣ = u1 ψ̇ + u2 φ̇
    board.ledger.check(1e-9)


def test_snakeboard_with_multipliers(board: ts.ports.Motion) -> None:
    motion = snakeboard.with_multipliers()
    assert np.abs(motion.x[-1, :5] - board.x[-1, :5]).max() < 1e-6
    system = motion.system
    assert isinstance(system, ts.ports.Multipliers)
    assert max(np.abs(system.violation(x)).max() for x in motion.x) < 1e-9
    assert np.abs(motion.ledger.lost["constraints"]).max() < 1e-10


def test_snakeboard_beside_the_symbolic_equations() -> None:
    """SymPy: AᵀM⁻¹S = 0, M̄ is constant, the gyroscopic block is zero, α̇ has −sin φ/β."""
    sympy = pytest.importorskip("sympy")
    x, y, theta, psi, phi = q = sympy.symbols("x y theta psi phi", real=True)
    m, r, jt, jw = sympy.symbols("m r J_t J_w", positive=True)
    a = sympy.Matrix(sympy.symbols("a1:4"))
    M = sympy.Matrix(
        [
            [m, 0, 0, 0, 0],
            [0, m, 0, 0, 0],
            [0, 0, m * r**2, jt, 0],
            [0, 0, jt, jt, 0],
            [0, 0, 0, 0, jw],
        ]
    )
    sin, cos = sympy.sin, sympy.cos
    A = sympy.Matrix(
        [
            [sin(theta - phi), -cos(theta - phi), r * cos(phi), 0, 0],
            [sin(theta + phi), -cos(theta + phi), -r * cos(phi), 0, 0],
        ]
    ).T
    b = sympy.sqrt(m * r**2 - jt * sin(phi) ** 2)
    S = sympy.Matrix(
        [
            [
                m * r / b * cos(theta) * cos(phi),
                m * r / b * sin(theta) * cos(phi),
                (m * r**2 - jt) / b * sin(phi),
                0,
                0,
            ],
            [0, 0, 1, 1, 0],
            [0, 0, 0, 0, 1],
        ]
    ).T
    inverse = M.inv()
    assert sympy.simplify(A.T * inverse * S) == sympy.zeros(2, 3)
    mass = sympy.simplify((S.T * inverse * S).inv())
    assert mass == sympy.diag(1, jt, jw)
    down = mass * S.T * inverse
    bent = (S * a).jacobian(q)
    assert sympy.simplify(down * (bent.T - bent) * down.T) == sympy.zeros(3, 3)
    u1 = sympy.simplify((down * sympy.Matrix([0, 0, 0, 1, 0])).subs({}))
    assert sympy.simplify(u1 - sympy.Matrix([-sin(phi) / b, 1, 0])) == sympy.zeros(3, 1)
    assert (x, y, psi) == (q[0], q[1], q[3])


def test_a_straight_board_is_not_pushed_by_its_torso() -> None:
    system = reduced(snakeboard.mechanism(), snakeboard.rows, S=snakeboard.momenta)
    x = np.array([0.1, 0.2, 0.3, 0.4, 0.0, 0.5, 0.1, 0.0])
    assert abs(system.rates(x, [3.0, 0.0])[5]) < 1e-12
    x[4] = 0.3
    assert abs(system.rates(x, [3.0, 0.0])[5]) > 0.1


def test_two_ways_to_reduced_rates() -> None:
    """By the matrices of theorem 2.20, and by f − Ṡ α; S stated, and found from A."""
    rng = np.random.default_rng(0)
    for S in (snakeboard.momenta, None):
        system = reduced(snakeboard.mechanism(), snakeboard.rows, S=S)
        for _ in range(5):
            x, u = rng.uniform(-0.8, 0.8, 8), rng.normal(size=2)
            np.testing.assert_allclose(
                system.rates(x, u), Hamiltonian.rates(system, x, u), atol=1e-9, rtol=1e-9
            )
            system.check(x)
            assert abs(system.balance(x, u).residual) < 1e-9
            if S is None:
                np.testing.assert_allclose(system.reduced_mass(x[:5]), np.eye(3), atol=1e-12)


def test_snakeboard_beside_the_models_own_knife_edges(board: ts.ports.Motion) -> None:
    """The library's snakeboard, a knife edge as a joint and another as a constraint."""
    model = ts.robots.snakeboard()
    for system in (multipliers(model, beta=10.0), reduced(model)):
        x = system.mechanism.state_of(model.neutral(), np.zeros(model.nv))
        rng = np.random.default_rng(1)
        q = model.integrate(model.neutral(), rng.uniform(-0.3, 0.3, model.nv))
        J = model.constraint_jacobian(q)
        v = rng.normal(size=model.nv)
        v -= np.linalg.pinv(J) @ J @ v
        tau = rng.normal(size=model.nv)
        u = np.zeros(system.m)
        for port in system.ports:
            u[system.at(port.name)] = tau[model.joint(port.name).v_slice]
        x = (
            system.state_of(q, v)
            if isinstance(system, Reduced)
            else system.mechanism.state_of(q, v)
        )
        rates = system.rates(x, u)
        np.testing.assert_allclose(rates[: model.nq], model.configuration_rate(q, v), atol=1e-10)
        a = model.forward_dynamics(q, v, tau)
        if isinstance(system, Reduced):  # p = S α: ṗ = S α̇ + Ṡ α
            p_rate = system.S(q) @ rates[model.nq :]
            p_rate += system.mechanism.rate_along(q, v, system.S) @ x[model.nq :]
        else:
            p_rate = rates[model.nq :]
        expected = model.mass_matrix(q) @ a + model.mass_matrix_rate(q, v) @ v
        np.testing.assert_allclose(p_rate, expected, atol=1e-8)


def four_bar() -> tuple[ts.Model, Array, Array]:
    """Return three bars in a row whose end shall stay at (1.2, 0), where it is, and a velocity."""
    builder = ts.Builder("cut four-bar", gravity=(0.0, 0.0, -1.0))  # slow, to be quickly done
    parent, place, lengths = "world", 0.0, (0.4, 1.1, 0.8)
    for i, length in enumerate(lengths):
        name = f"bar{i}"
        builder.body(
            name, length, (length / 2, 0, 0), inertia=(1e-3, length**3 / 12, length**3 / 12)
        )
        builder.joint(f"joint{i}", "revolute", parent, name, axis="y", position=(place, 0.0, 0.0))
        parent, place = name, length
    builder.frame("end", "bar2", position=(0.8, 0.0, 0.0))
    model = builder.build()
    q = np.array([-0.6, 0.4, 1.0])
    for _ in range(20):
        J = model.frame_jacobian(q, "end", reference="local_world_aligned")[[0, 2]]
        gap = model.frame_pose(q, "end")[[0, 2], 3] - [1.2, 0.0]
        q = q - np.linalg.pinv(J) @ gap
    assert np.abs(gap).max() < 1e-12
    J = model.frame_jacobian(q, "end", reference="local_world_aligned")[[0, 2]]
    v = 0.3 * np.linalg.svd(J)[2][-1]
    return model, q, v


def test_four_bar_as_a_cut_tree() -> None:
    model, q, v = four_bar()
    axes: Any = {"reference": "local_world_aligned"}

    def rows(q: Array) -> Array:
        return np.asarray(model.frame_jacobian(q, "end", **axes))[[0, 2]].T

    def drift(q: Array, v: Array) -> Array:
        return np.asarray(model.frame_acceleration(q, v, np.zeros(3), "end", **axes))[[0, 2]]

    free = ts.ports.mechanical(model)
    by_differences = multipliers(free, rows).multipliers(free.state_of(q, v))
    held = multipliers(free, rows, beta=20.0, drift=drift)
    found = held.multipliers(free.state_of(q, v))
    np.testing.assert_allclose(found, by_differences, rtol=1e-7)
    motion = ts.ports.simulate(held, free.state_of(q, v), 20.0, rtol=1e-10)
    worst = max(np.abs(held.violation(x)).max() for x in motion.x)
    drift = float(np.ptp(motion.ledger.stored))
    print(f"slip {worst:.1e} m/s, energy {drift:.1e} J")
    assert worst < 1e-9 and drift < 1e-6
    ends = np.array([model.frame_pose(x[:3], "end")[[0, 2], 3] for x in motion.x])
    assert np.abs(ends - [1.2, 0.0]).max() < 1e-6
    # the same in one momentum, chosen anew as the bars go round
    system: Reduced = reduced(free, rows, around=q)
    x, places = system.state_of(q, v), [q]
    for _ in range(4):
        part = ts.ports.simulate(system, x, 1.0, rtol=1e-9, atol=1e-9, samples=2)
        system, x = system.rebased(part.x[-1])
        places.append(x[:3])
    assert np.abs(np.array(places) - motion.x[:41:10, :3]).max() < 1e-6


def test_without_damping_a_violation_stays_and_with_it_decays() -> None:
    model, q, v = four_bar()

    def rows(q: Array) -> Array:
        return np.asarray(model.frame_jacobian(q, "end", reference="local_world_aligned"))[[0, 2]].T

    free = ts.ports.mechanical(model)
    start = free.state_of(q, v + [1e-3, 0.0, 0.0])
    slips = {}
    for beta in (0.0, 10.0):
        system = multipliers(free, rows, beta=beta)
        motion = ts.ports.simulate(system, start, 1.0, samples=11)
        slips[beta] = np.array([system.violation(x) for x in motion.x])
    first = slips[0.0][0]
    assert np.abs(slips[0.0] - first).max() < 1e-9
    decay = np.exp(-10.0 * np.linspace(0.0, 1.0, 11))[:, None]
    np.testing.assert_allclose(slips[10.0], first * decay, atol=1e-9)
    # with coarse steps that are not adapted, errors add up only where nothing lets them decay
    ends = []
    for beta in (0.0, 10.0):
        system = multipliers(free, rows, beta=beta)
        x = free.state_of(q, v)
        for _ in range(300):
            half = x + 0.02 * system.rates(x)
            x = x + 0.04 * system.rates(half)
        ends.append(np.abs(system.violation(x)).max())
    print(f"drift {ends[0]:.1e} without, {ends[1]:.1e} with damping")
    assert ends[0] > 1e-5 and ends[0] > 5.0 * ends[1]


def test_constraints_on_groups() -> None:
    """A ball joint on a free base with a frame that must not slip: both forms."""
    builder = ts.Builder("ski")
    builder.body("ski", 2.0, (0.1, 0.0, 0.05), inertia=(0.3, 0.5, 0.6))
    builder.joint("free", "free", "world", "ski")
    builder.body("rider", 3.0, (0.0, 0.1, 0.5), inertia=(0.3, 0.35, 0.2))
    builder.joint("ball", "spherical", "ski", "rider", position=(0.0, 0.0, 0.1))
    model = builder.build()
    free = ts.ports.mechanical(model)

    def rows(q: Array) -> Array:  # no motion sideways, in the axes of the ski
        return np.asarray(model.frame_jacobian(q, "ski"))[1:2].T

    rng = np.random.default_rng(2)
    q = model.random_configuration(3)
    A = rows(q)
    v = rng.normal(size=model.nv)
    v -= A[:, 0] * (A[:, 0] @ v) / (A[:, 0] @ A[:, 0])
    # independent: H a + h = A λ with d/dt(Aᵀ v) = 0; rows are constant along here: Ȧ = 0
    H, h = model.mass_matrix(q), model.bias_forces(q, v)
    system = np.block([[H, -A], [A.T, np.zeros((1, 1))]])
    a = np.linalg.solve(system, np.concatenate([-h, [0.0]]))[: model.nv]
    expected = H @ a + model.mass_matrix_rate(q, v) @ v
    held = multipliers(free, rows)
    np.testing.assert_allclose(held.rates(free.state_of(q, v))[model.nq :], expected, atol=1e-8)
    small = reduced(free, rows, around=model.integrate(q, 0.2 * rng.normal(size=model.nv)))
    x = small.state_of(q, v)
    np.testing.assert_allclose(small.full(x), free.state_of(q, v), atol=1e-10)
    np.testing.assert_allclose(small.rates(x), Hamiltonian.rates(small, x), atol=1e-7)
    p_rate = small.S(q) @ small.rates(x)[model.nq :]
    p_rate += free.rate_along(q, v, small.S) @ x[model.nq :]
    np.testing.assert_allclose(p_rate, expected, atol=1e-7)
    one = ts.ports.simulate(held, free.state_of(q, v), 1.0, samples=6, rtol=1e-9)
    two = ts.ports.simulate(small, x, 1.0, samples=6, rtol=1e-9)
    np.testing.assert_allclose(one.x[:, : model.nq], two.x[:, : model.nq], atol=1e-7)
    assert one.ledger.relative_residual < 1e-7 and two.ledger.relative_residual < 1e-7


def test_what_is_wrong_is_named() -> None:
    board = snakeboard.mechanism()
    with pytest.raises(PortError, match="AᵀM⁻¹S has entries up to"):
        reduced(board, snakeboard.rows, S=lambda q: np.eye(5)[:, :3], around=[0, 0, 0.3, 0, 0.2])
    with pytest.raises(PortError, match="are not independent at q"):
        system = multipliers(board, lambda q: np.ones((5, 2)))
        system.rates(np.zeros(10))
    with pytest.raises(PortError, match=r"A has shape \(3, 1\), must be \(5, constraints\)"):
        multipliers(board, lambda q: np.ones((3, 1))).rates(np.zeros(10))
    with pytest.raises(PortError, match="needs A"):
        reduced(board)
    with pytest.raises(PortError, match="has no loops that are constraints: state A"):
        multipliers(ts.robots.four_bar())
    with pytest.raises(ValueError, match="beta is -1"):
        multipliers(board, snakeboard.rows, beta=-1.0)
    with pytest.raises(PortError, match=r"mass at q .* is not symmetric and positive definite"):
        Canonical(["q"], [[-1.0]])
    with pytest.raises(PortError, match="degenerate at"):
        system = reduced(board, snakeboard.rows)
        system.rates([0.0, 0.0, np.pi / 2, 0.0, 0.0, 1.0, 0.0, 0.0])


def test_canonical_beside_lagrange() -> None:
    """A pendulum on a cart: M q̈ + C q̇ + g = τ written out (Duindam 2006, (2.90))."""
    m, big, length, g = 0.7, 2.0, 0.8, 9.81

    def mass(q: Array) -> Array:
        off = m * length * np.cos(q[1])
        return np.array([[m + big, off], [off, m * length**2]])

    system = Canonical(["x", "angle"], mass, lambda q: -m * g * length * np.cos(q[1]))
    rng = np.random.default_rng(0)
    q, v, u = rng.normal(size=2), rng.normal(size=2), rng.normal(size=2)
    force = np.array([m * length * np.sin(q[1]) * v[1] ** 2, -m * g * length * np.sin(q[1])])
    a = np.linalg.solve(mass(q), force + u)
    rate = np.array([[0.0, -1.0], [-1.0, 0.0]]) * m * length * np.sin(q[1]) * v[1]
    expected = mass(q) @ a + rate @ v
    np.testing.assert_allclose(system.rates(system.state_of(q, v), u)[2:], expected, atol=1e-9)
