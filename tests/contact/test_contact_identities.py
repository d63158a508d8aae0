"""Steps without and with contact obey the laws that no solver knows of."""

from __future__ import annotations

import numpy as np
import pytest
from cluster_cases import case
from cone_problem import Array
from contact_scenes import box, box_at_rest, on_slope, point_mass, quadruped, robot
from contact_worlds import Run, World
from core_step import EXACT, NEGLIGIBLE, as_listed, contact_impulses, left_out
from dense_rows import TOUCHING
from dense_step import DenseStep
from gyration import gyration
from mechanisms import cases
from test_conservation import flyer
from test_contact_bits import drops
from turning_bases import carried, in_new_axes

import tarsus as ts

NOWHERE = {"ground_kind": "none", "ground_numbers": ()}


def smooth(model: ts.Model, dt: float = 1e-3) -> World:
    """Return a world with nothing to touch and no friction in the joints."""
    return World(model, dt=dt, joint_friction=False, joint_limits=False, **NOWHERE)


def test_a_step_inverts_inverse_dynamics() -> None:
    """inverse_dynamics(q, v, (v⁺ − v) / dt) less passive forces is the torque that was applied."""
    worst = 0.0
    models = [(c.model, c.q, c.v, c.tau) for c in cases() if c.seed % 3]  # without springs
    models += [
        (m, m.random_configuration(1), *np.random.default_rng(1).normal(size=(2, m.nv)))
        for m in (ts.robots.chain(12), ts.robots.tree(15, 2), massless_arm())
    ]
    for flavour in ("gears", "couplings", "loops"):
        models += [
            (c.model, c.q, c.v, c.tau)
            for c in (case(flavour, seed) for seed in (1, 2, 4, 5))
            if not any(k.kind == "function" for k in c.own.couplings)
        ]
    for model, q, v, tau in models:
        run = Run.start(smooth(model), q, v, tau[None])
        run.advance(1)
        assert run.status[0, 0] == 0
        dense = DenseStep(smooth(model))
        after = in_new_axes(model, run.v[0], -1e-3 * run.v[0])  # in those of the start
        braking = dense.damping_matrix(q) @ after - dense.spring_forces(q)
        rate = (after - v) / 1e-3 - carried(model, v, v)
        found = model.inverse_dynamics(q, v, rate) + braking - gyration(model, q, v, 1e-3)
        worst = max(worst, float(np.abs(found - tau).max() / max(1.0, np.abs(tau).max())))
    print(f"torques: {worst:.1e}")
    assert worst < 1e-8


def massless_arm() -> ts.Model:
    """A hip of two axes with a body without mass between them, and a slide."""
    builder = ts.Builder("hip")
    builder.body("cross")
    builder.body("thigh", 2.0, (0.0, 0.0, -0.2), (0.02, 0.02, 0.001))
    builder.body("slide", 1.0, inertia=(0.01, 0.01, 0.01))
    builder.joint("roll", "revolute", "world", "cross", axis="x")
    builder.joint("pitch", "revolute", "cross", "thigh", axis="y")
    builder.joint("stroke", "prismatic", "thigh", "slide", position=(0, 0, -0.4), axis="z")
    return builder.build()


def momentum_error(model: ts.Model, dt: float, duration: float = 0.25) -> Array:
    """Return the change of momentum [N·s, N·m·s] about the centre, beside gravity's."""
    rng = np.random.default_rng(0)
    q, v = model.random_configuration(rng), rng.normal(size=model.nv)
    run = Run.start(smooth(model, dt), q, v)
    run.advance(round(duration / dt))
    gained = np.concatenate([model.total_mass * model.gravity * duration, np.zeros(3)])
    return np.abs(
        model.centroidal_momentum(run.q[0], run.v[0]) - model.centroidal_momentum(q, v) - gained
    )


@pytest.mark.parametrize("seed", range(3))
def test_momentum_of_a_flight(seed: int) -> None:
    """A mechanism with every kind of joint in free flight: the error falls with the step."""
    model = flyer(seed, gravity=True)
    errors = [float(momentum_error(model, dt).max()) for dt in (1e-3, 5e-4, 2.5e-4)]
    print("momentum:", *(f"{error:.1e}" for error in errors))
    # with every kind of joint the outer bodies are fast: what counts is that errors halve
    assert errors[0] < 1.0 and errors[2] < 0.35 * errors[0]


def test_a_ball_that_spins_in_flight_keeps_its_momentum() -> None:
    builder = ts.Builder("ball")
    builder.body("ball", 2.0, inertia=(0.1, 0.1, 0.1))
    model = builder.joint("flight", "free", "world", "ball").build()
    assert momentum_error(model, 1e-3)[3:].max() < 1e-12


def test_a_fall_is_that_of_semi_implicit_euler() -> None:
    run = Run.start(point_mass(), np.array([0.0, 0.0, 10.0]), np.zeros(3))
    run.advance(1000)
    expected = 10.0 - 9.81 * 1e-6 * 1000 * 1001 / 2
    assert run.q[0, 2] == pytest.approx(expected, abs=1e-11)
    assert run.v[0, 2] == pytest.approx(-9.81, abs=1e-11)


@pytest.mark.parametrize("name", ["box", "quadruped", "anymal.urdf", "talos_reduced.urdf"])
def test_every_step_of_a_fall_is_complementary(name: str) -> None:
    """What the core says that it did obeys the definitions, in each of 120 steps."""
    world = {"box": lambda: box(8), "quadruped": quadruped}.get(name, lambda: robot(name))()
    world = world.but(
        joint_friction=False,
        joint_limits=False,
        friction=0.4,
        viscous=0.2,
        law_numbers=EXACT,
        dt=1e-3,
    )
    q, v = drops(world, 1, seed=7)
    q[0, 2] -= world.core().contacts(q)[0, :, 0].min() - 0.01
    run, dense = Run.start(world, q, v), DenseStep(world)
    worst, touched = 0.0, 0
    still = np.zeros(world.model.nv)
    for _ in range(120):
        posed = dense.pose(run.q[0].copy(), run.v[0].copy(), still)
        record = run.advance(1)
        assert run.status[0, 0] == 0
        posed = as_listed(dense, posed, record["contacts"][0, 0])
        p = contact_impulses(world, record["contacts"][0, 0], posed)
        touched += len(p) > 0
        if len(p):
            assert p[::3].min() >= 0.0
            scale = max(1.0, float(np.abs(posed.problem.b).max()))
            worst = max(worst, posed.problem.residual(p) / scale)
        after = dense.before_turning(posed.q, run.q[0], run.v[0])
        assert left_out(dense, posed, after) <= TOUCHING + NEGLIGIBLE
        worst = max(worst, float(np.abs(after - posed.after(p)).max()))
    print(f"{name}: {touched} steps in contact, violation {worst:.1e} m/s")
    assert touched > 50 and worst < 1e-11


def test_what_sticks_does_not_creep() -> None:
    """A box on a slope of 10° for ten seconds, and with a tangential pull just below the bound."""
    angle = float(np.deg2rad(10.0))
    world = box(friction=0.7, ground_numbers=on_slope(angle), dt=2e-3)
    q, v = box_at_rest(angle)
    run = Run.start(world, q, v)
    run.advance(5000)
    creep = float(np.abs(run.q[0] - q).max())
    print(f"creep {creep:.1e} m")
    assert creep < 1e-9


def test_friction_is_the_same_in_every_direction() -> None:
    """A block pushed over a plane stops after the same way, whichever way it is pushed."""
    ways = []
    for angle in np.linspace(0.0, 2.0 * np.pi, 9):
        q, v = box_at_rest()
        v[:2] = np.cos(angle), np.sin(angle)
        run = Run.start(box(friction=0.3, dt=2e-4), q, v)
        run.advance(2000)
        ways.append(run.q[0, :2])
    lengths = np.linalg.norm(ways, axis=1)
    print(f"{lengths.mean():.5f} m, spread {np.ptp(lengths):.1e}")
    assert lengths.mean() == pytest.approx(1.0 / (2 * 0.3 * 9.81), rel=1e-3)
    assert np.ptp(lengths) < 1e-7
    directions = np.arctan2(*np.array(ways).T[::-1]) % (2.0 * np.pi)
    apart = (directions - np.linspace(0.0, 2.0 * np.pi, 9) + np.pi) % (2 * np.pi) - np.pi
    assert np.abs(apart).max() < 1e-7


def test_the_weight_is_carried() -> None:
    """Forces of a robot at rest add up to its weight; stops and limits hold it."""
    world = quadruped().but(
        controller="implicit_pd",
        kp=300.0,
        kd=10.0,
        effort=np.concatenate([np.zeros(6), np.full(12, 80.0)]),
        dt=2e-3,
    )
    q = world.model.neutral()
    q[7:] = np.tile([0.0, 0.7, -1.4], 4)
    q[2] = 0.5
    command = np.concatenate([q, np.zeros(36)])[None]
    run = Run.start(world, q, np.zeros(18), command)
    run.advance(1500)
    record = run.advance(10)
    rows = record["contacts"][0]
    force = np.where(rows[..., :1] >= 0, rows[..., 7:10], 0.0).sum(axis=1)
    weight = world.model.total_mass * 9.81
    print(f"{force[-1]} N of {weight:.3f} N, speed {np.abs(run.v).max():.1e}")
    assert np.abs(run.v).max() < 1e-6
    np.testing.assert_allclose(force, np.tile([0.0, 0.0, weight], (10, 1)), atol=1e-3 * weight)


def test_impulses_do_not_depend_on_the_step() -> None:
    """The same impact with steps of three sizes: impulse constant, force as 1/dt."""
    found = []
    for dt in (1e-4, 5e-5, 2e-5):
        world = robot("anymal.urdf").but(dt=dt, friction=0.5, joint_friction=False)
        q = world.model.neutral()
        q[2] = 1.0
        lowest = world.core().contacts(q[None])[0, :, 0].min()
        q[2] -= lowest + 0.5 * dt
        v = np.zeros(world.model.nv)
        v[2] = -2.0
        run = Run.start(world, q, v)
        row = run.advance(1)["contacts"][0, 0]
        found.append(np.where(row[:, :1] >= 0, row[:, 7:10], 0.0).sum(axis=0)[2] * dt)
    print("impulses", found)
    assert np.ptp(found) < 0.01 * found[0] and found[0] > 1.0


def test_limits_hold_what_pushes_against_them() -> None:
    model = ts.Builder("lever")
    model.body("lever", 1.0, (0.3, 0.0, 0.0), (0.01, 0.01, 0.01))
    model.joint("hinge", "revolute", "world", "lever", axis="y", lower=-0.5, upper=0.4)
    lever = model.build()
    for start, stop in ((0.0, 0.4), (-0.49, 0.4)):
        run = Run.start(World(lever, **NOWHERE), np.array([start]), np.zeros(1))
        path = run.advance(2000)["q"][0, :, 0]
        assert path.max() < stop + 1e-12 and path[-1] == pytest.approx(stop, abs=1e-12)
    free = Run.start(World(lever, joint_limits=False, **NOWHERE), np.zeros(1), np.zeros(1))
    assert free.advance(2000)["q"].max() > 0.5


def test_dry_friction_holds_below_its_bound_and_brakes_above() -> None:
    """A slide with 2 N of dry friction and 3 N of stiction, pulled and pushed."""
    builder = ts.Builder("slide", gravity=(0, 0, 0))
    builder.body("slide", 2.0)
    builder.joint("rail", "prismatic", "world", "slide", axis="x", friction=2.0)
    slide = builder.build()
    world = World(slide, stiction=np.array([3.0]), **NOWHERE)
    for pull, speed, expected in (
        (1.9, 0.0, 0.0),
        (2.9, 0.0, 0.0),  # held by stiction
        (3.1, 0.0, (3.1 - 2.0) / 2.0),
        (0.0, 1.0, 0.0),  # stopped after 1 s, and never driven back
        (2.9, 1.0, 1.0 + 0.9 / 2.0),
    ):
        run = Run.start(world, np.zeros(1), np.array([speed]), np.array([[pull]]))
        run.advance(1001)
        print(pull, speed, run.v[0, 0])
        # stiction holds until the slide moves at 1 mm/s, for 0.02 s
        assert run.v[0, 0] == pytest.approx(expected, abs=0.012)
        if expected == 0.0:
            assert abs(run.v[0, 0]) < 1e-12
