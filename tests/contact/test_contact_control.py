"""Controllers inside the core beside their formulas: gains, limits, sampling and commands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cluster_cases import case
from cone_problem import Array
from contact_scenes import quadruped, robot
from contact_worlds import Run, World
from core_step import compare
from test_contact_step import fallen, judge

import tarsus as ts

CONTROLLERS = ("torque", "pd", "implicit_pd", "pid", "inverse_dynamics", "passivity")
each_controller = pytest.mark.parametrize("controller", CONTROLLERS)


def arm(**options: Any) -> World:
    return World(ts.robots.chain(5), ground_kind="none", ground_numbers=(), **options)


def commands_for(world: World, rng: np.random.Generator, rows: int, q: Array) -> Array:
    """Return command rows near a configuration, as this controller wants them."""
    model = world.model
    if world.controller == "torque":
        return rng.normal(size=(rows, model.nv)) * 5.0
    near = model.integrate(q, 0.2 * rng.normal(size=(rows, model.nv)))
    return np.concatenate([near, rng.normal(size=(rows, 2 * model.nv))], axis=1)


@each_controller
@pytest.mark.parametrize("period", [1, 3])
@pytest.mark.parametrize("limit", [None, 2.0])
def test_robots_under_control(controller: str, period: int, limit: float | None) -> None:
    if controller == "implicit_pd" and period > 1:
        pytest.skip("acts in every step")
    results = []
    for world in (quadruped(), robot("solo12.urdf"), arm()):
        nv = world.model.nv
        rng = np.random.default_rng(nv)
        gains = {
            name: rng.uniform(0.0, 1.0, nv) * size
            for name, size in (("kp", 60.0), ("kd", 2.0), ("ki", 30.0))
        }
        world = world.but(controller=controller, control_steps=period, effort=limit, **gains)
        if world.point_body:
            q, v = fallen(world, rng, 0.0)
        else:
            q, v = rng.normal(size=(2, nv))
        results.append(compare(world, q, v, commands_for(world, rng, 6, q), steps=8))
    judge(f"{controller}, period {period}, limit {limit}", results)


@each_controller
def test_machines_with_couplings_under_control(controller: str) -> None:
    c = case("gears", 4)
    rng = np.random.default_rng(0)
    world = World(
        c.model,
        ground_kind="none",
        ground_numbers=(),
        controller=controller,
        kp=rng.uniform(0, 20, c.model.nv),
        kd=rng.uniform(0, 2, c.model.nv),
        ki=3.0,
    )
    result = compare(world, c.q, c.v, commands_for(world, rng, 3, c.q), steps=4)
    print(controller, *(f"{key} {value:.1e}" for key, value in result.items()))
    assert max(result[key] for key in ("v", "q", "tau")) < 1e-10


@each_controller
def test_joints_without_actuators_get_no_torque(controller: str) -> None:
    world = quadruped().but(
        controller=controller,
        kp=50.0,
        kd=1.0,
        ki=1.0,
        effort=np.concatenate([np.zeros(6), np.full(12, 30.0)]),
    )
    rng = np.random.default_rng(1)
    q, v = fallen(world, rng, 0.01)
    run = Run.start(world, q, v, commands_for(world, rng, 2, q))
    tau = run.advance(20)["tau"][0]
    assert (tau[:, :6] == 0.0).all() and np.abs(tau[:, 6:]).max() > 1.0
    if controller != "implicit_pd":  # which knows its torque only after the step
        assert np.abs(tau).max() <= 30.0


def test_commands_are_held() -> None:
    """The row of step s is s // hold, and the last for all after it."""
    world = arm()
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(4, 5))
    run = Run.start(world, rng.normal(size=5), np.zeros(5), rows, hold=3)
    tau = run.advance(20)["tau"][0]
    np.testing.assert_array_equal(tau, rows[np.minimum(np.arange(20) // 3, 3)])


def test_torques_are_held_between_samples() -> None:
    world = arm(controller="pd", kp=20.0, kd=1.0, control_steps=4)
    rng = np.random.default_rng(3)
    q = rng.normal(size=5)
    run = Run.start(world, q, rng.normal(size=5), commands_for(world, rng, 1, q))
    tau = run.advance(16)["tau"][0]
    for k in range(16):
        np.testing.assert_array_equal(tau[k], tau[4 * (k // 4)])
    assert np.abs(np.diff(tau[::4], axis=0)).min() > 0.0


def test_an_implicit_controller_is_stable_at_any_gain() -> None:
    """Gains that let an explicit one diverge at once."""
    for controller, stable in (("implicit_pd", True), ("pd", False)):
        world = arm(controller=controller, kp=1e7, kd=1e5, dt=5e-3)
        q = np.full(5, 0.4)
        command = np.concatenate([np.zeros(5), np.zeros(10)])[None]
        run = Run.start(world, q, np.zeros(5), command)
        run.advance(2000)
        print(controller, run.status.tolist(), np.abs(run.q).max())
        if stable:
            assert run.status[0, 0] == 0 and np.abs(run.q).max() < 1e-3
        else:
            assert run.status[0, 0] != 0


def test_integrals_stop_at_the_limit() -> None:
    """After a long time at the limit the torque falls as soon as the error turns."""
    world = arm(controller="pid", kp=5.0, kd=1.0, ki=50.0, effort=1.0, dt=1e-3)
    far = np.concatenate([np.full(5, 50.0), np.zeros(10)])[None]
    run = Run.start(world, np.zeros(5), np.zeros(5), far)
    run.advance(2000)
    run.commands = np.concatenate([run.q[0] - 10.0, np.zeros(10)])[None, None]
    tau = run.advance(30)["tau"][0]
    assert (tau == -1.0).all()


@pytest.mark.parametrize("controller", ["inverse_dynamics", "passivity"])
def test_models_follow_their_references(controller: str) -> None:
    """A pendulum chain on a smooth path, to the order of the step."""
    world = arm(
        controller=controller,
        dt=5e-4,
        **(
            {"kp": 100.0, "kd": 20.0}
            if controller == "inverse_dynamics"
            else {"kp": 10.0, "kd": 5.0}
        ),
    )
    t = np.arange(2000) * world.dt
    phase = np.arange(5)
    path = [
        np.sin(2 * t[:, None] + phase),
        2 * np.cos(2 * t[:, None] + phase),
        -4 * np.sin(2 * t[:, None] + phase),
    ]
    run = Run.start(world, path[0][0], path[1][0], np.concatenate(path, axis=1))
    record = run.advance(2000)
    error = np.abs(record["q"][0, :-1] - path[0][1:]).max()
    print(f"{controller}: {error:.1e} rad")
    assert error < 5e-3
