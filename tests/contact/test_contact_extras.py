"""Friction that brakes spins and rolls, limits that bounce, bounces that must give no energy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cone_problem import Array
from contact_scenes import ball_model, box, quadruped, robot
from contact_worlds import Run, World
from core_step import EXACT
from dense_run import DenseRun
from test_contact_bits import alone, drops, same, together, torques
from test_contact_step import fallen

import tarsus as ts

BRAKED = {"torsional_friction": 0.02, "rolling_friction": 0.01}


def ball(**options: Any) -> World:
    """Return a ball of 0.1 m radius."""
    options = {"point_radius": 0.1} | options
    return World(ball_model(), point_body=[0], point_position=np.zeros((1, 3)), **options)


def apart(world: World, q: Array, v: Array, steps: int) -> tuple[float, float]:
    """Return how far the core's steps are from the oracle's in velocity, and in the ledger [J]."""
    world = world.but(law_numbers={**EXACT, **world.law_numbers})
    run, dense = Run.start(world, q, v), DenseRun(world, q, v)
    worst = 0.0
    for _ in range(steps):
        run.advance(1)
        assert run.status[0, 0] == 0
        solved = dense.advance(1)
        size = max(1.0, float(np.abs(solved.v).max()))
        worst = max(worst, float(np.abs(run.v[0] - solved.v).max()) / size)
        worst = max(worst, float(np.abs(world.model.difference(run.q[0], solved.q)).max()))
        dense.q, dense.v = run.q[0].copy(), run.v[0].copy()
    return worst, len(dense.steps[-1].p)


@pytest.mark.parametrize(
    "options", [{"torsional_friction": 0.02}, {"rolling_friction": 0.01}, BRAKED], ids=str
)
@pytest.mark.parametrize("law", ["exact", "lemke"])
def test_a_ball_that_spins_and_rolls(options: dict[str, float], law: str) -> None:
    rng = np.random.default_rng(0)
    for _ in range(5):
        q = np.array([0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0])
        v = rng.normal(size=6) * [1, 1, 0, 10, 10, 10]
        numbers = {"facets": 8.0} if law == "lemke" else {}
        worst, rows = apart(ball(law=law, law_numbers=numbers, **options), q, v, 20)
        print(f"{worst:.1e}, {rows} rows")
        assert worst < 1e-9 and rows == (4 if "rolling_friction" not in options else 6)


@pytest.mark.parametrize("name", ["box", "quadruped", "solo12.urdf"])
def test_robots_whose_feet_brake_spins_and_rolls(name: str) -> None:
    world = {"box": lambda: box(3), "quadruped": quadruped}.get(name, lambda: robot(name))()
    world = world.but(**BRAKED, friction=0.5)
    worst = 0.0
    for seed in range(3):
        q, v = fallen(world, np.random.default_rng(seed), 1e-4)
        found, rows = apart(world, q, v, 3)
        worst = max(worst, found)
        assert rows >= 6
    print(f"{name}: {worst:.1e}")
    assert worst < 1e-9


@pytest.mark.parametrize("law", ["exact", "lemke"])
def test_neighbours_that_join_do_not_change_spins(law: str) -> None:
    """Lanes in which nothing joins keep the moments of their contacts."""
    numbers = {"facets": 4.0} if law == "lemke" else {}
    for world in (box(8), quadruped()):
        world = world.but(law=law, law_numbers=numbers, **BRAKED)
        q, v = drops(world, 16)
        commands = torques(world, 16)
        same(together(world, q, v, commands, 20), alone(world, q, v, commands, 20))


# --- restitution ----------------------------------------------------------------------------------


def test_limits_bounce() -> None:
    builder = ts.Builder("slide", gravity=(0.0, 0.0, 0.0))
    builder.body("slide", 2.0)
    builder.joint("rail", "prismatic", "world", "slide", axis="x", lower=-1.0, upper=0.5)
    world = World(builder.build(), ground_kind="none", ground_numbers=())
    for restitution in (0.0, 0.5, 1.0):
        run = Run.start(world.but(limit_restitution=restitution), np.zeros(1), np.ones(1))
        path = run.advance(600)
        assert run.v[0, 0] == pytest.approx(-restitution, abs=1e-12)
        assert path["q"].max() < 0.5 + 1e-12


@pytest.mark.parametrize("name", ["quadruped", "solo12.urdf", "anymal.urdf"])
def test_robots_with_limits_and_feet_that_bounce(name: str) -> None:
    world = quadruped() if name == "quadruped" else robot(name)
    world = world.but(restitution=0.7, limit_restitution=0.5, friction=0.8, joint_friction=False)
    worst = 0.0
    for seed in range(6):
        q, v = fallen(world, np.random.default_rng(seed), -1e-5)
        q = np.clip(q, world.model.lower, world.model.upper)
        worst = max(worst, apart(world, q, 4.0 * v, 2)[0])
    print(f"{name}: {worst:.1e}")
    assert worst < 1e-9


def rod(angle: float, **options: Any) -> tuple[World, Array]:
    """Return a rod of 1 m and 1 kg that strikes the ground with its end, at this angle."""
    builder = ts.Builder("rod")
    builder.body("rod", 1.0, inertia=(1e-3, 1.0 / 12.0, 1.0 / 12.0))
    model = builder.joint("flight", "free", "world", "rod").build()
    world = World(model, point_body=[0], point_position=np.array([[-0.5, 0.0, 0.0]]), **options)
    turn = [0.0, np.sin(-0.5 * angle), 0.0, np.cos(-0.5 * angle)]
    return world, np.array([0.0, 0.0, 0.5 * np.sin(angle), *turn])


@pytest.mark.parametrize("law", ["exact", "lemke"])
def test_bounces_give_no_energy(law: str) -> None:
    """Kane and Levinson's: a rod that slides and strikes; where energy would come, none does."""
    worst, cut, numbers = 0.0, 0, {"facets": 16.0} if law == "lemke" else {}
    for angle in np.linspace(0.2, 1.4, 7):
        for slide in (-3.0, -1.0, 1.0, 3.0):
            for restitution in (0.5, 1.0):
                world, q = rod(
                    float(angle), friction=0.6, restitution=restitution, law=law, dt=1e-5
                )
                world = world.but(law_numbers=numbers)
                turn = world.model.forward_kinematics(q)[0, :3, :3]
                v = np.concatenate([turn.T @ [slide, 0.0, -2.0], [0.0, 0.0, 0.0]])
                found, rows = apart(world, q, v, 1)
                worst = max(worst, found)
                run = Run.start(world, q, v)
                before = run.energies()[0, 0]
                run.advance(1)
                after = run.energies()[0, 0]
                assert rows == 3 and after < before + 1e-3
                cut += after > before - 1e-3
    print(f"{worst:.1e}, {cut} bounces cut back")
    assert worst < 1e-9 and cut > 0


# --- corrections ----------------------------------------------------------------------------------


def test_what_is_wedged_stays() -> None:
    """A box in a pit that is a centimetre too narrow: no correction can help, none may harm."""
    pit = (-0.195, 1.0, -0.195, 0.0, 0.195, 0.0, 0.195, 1.0)
    world = box(8, ground_kind="profile", ground_numbers=pit, friction=0.3)
    q = np.array([0.0, 0.0, 0.6, 0.0, 0.0, 0.0, 1.0])
    run = Run.start(world, q, np.zeros(6))
    path = run.advance(500)["q"][0]
    print(f"moved {np.abs(path[:, :2] - q[:2]).max():.1e} m")
    assert run.status[0, 0] == 0 and np.abs(path[:, :2]).max() < 0.01
    assert path[:, 2].max() < 0.6 + 1e-3 and np.abs(path[:, 3:6]).max() < 0.05


def test_what_is_deep_comes_out_without_speed() -> None:
    world = box(8)
    q = np.array([0.0, 0.0, 0.1 - 5e-3, 0.0, 0.0, 0.0, 1.0])
    run = Run.start(world, q, np.zeros(6))
    record = run.advance(200)
    depth, speed = record["statistics"][0, :, 3], np.abs(record["v"]).max()
    print(f"{depth[[0, 1, 10, -1]]}, {speed:.1e} m/s")
    assert (np.diff(depth) <= 1e-15).all() and depth[-1] < 1.1e-6
    assert speed < 1e-9
