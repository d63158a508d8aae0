"""A body without torques, a crank and a rocker, a ball joint made of hinges: against oracles."""

from __future__ import annotations

import math

import crank_rocker
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tarsus as ts
from tarsus.simulation.integrators import DormandPrince

TURNED = [
    [-0.89805649, -0.12151512, -0.42276307],
    [0.28238156, -0.89616727, -0.34226435],
    [-0.33727613, -0.42675321, 0.83912246],
]
"""The rotation of a body with moments 1, 2, 3 after 5 s, from a spin of (0.3, 2, 0.1)."""


def spun(duration: float, integrator: object, dt: float = 0.1) -> np.ndarray:
    """Return the rotation (3, 3) of a free body after a time."""
    builder = ts.Builder("body", gravity=(0.0, 0.0, 0.0))
    builder.body("body", 1.0, inertia=(1.0, 2.0, 3.0)).joint("root", "free", "world", "body")
    model = builder.build()
    start = np.array([0.0, 0.0, 0.0, 0.3, 2.0, 0.1])
    sim = ts.Simulation(model, integrator=integrator, dt=dt)  # type: ignore[arg-type]
    run = sim.run(model.neutral(), start, duration=duration)
    return np.asarray(model.forward_kinematics(run.q[-1])[0, :3, :3])


def test_a_body_without_torques() -> None:
    assert spun(5.0, DormandPrince(1e-11, 1e-12)) == pytest.approx(np.array(TURNED), abs=1e-8)


def test_steps_of_order_four_turn_bodies_to_order_four() -> None:
    """Coordinates that are no integral of the spin: a fixed axis would make it order two."""
    exact = spun(5.0, DormandPrince(1e-12, 1e-13))
    steps = np.array([0.1, 0.05, 0.025])
    errors = [np.abs(spun(5.0, "rk4", dt) - exact).max() for dt in steps]
    order = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    print(f"errors {errors}, order {order:.2f}")
    assert 3.8 < order < 4.3


def four_bar() -> ts.Model:
    """Return the four-bar of the oracle, thin rods in the plane of x and z, as one cluster."""
    builder = ts.Builder("crank_rocker")
    for name, length in zip(("crank", "coupler", "rocker"), crank_rocker.LENGTHS, strict=True):
        across = length**3 / 12
        builder.body(name, length, (length / 2, 0.0, 0.0), (1e-12, across, across))
    upright = (math.pi / 2, 0.0, 0.0)
    ground = (crank_rocker.GROUND, 0.0, 0.0)
    builder.joint("crank", "revolute", "world", "crank", rotation=upright)
    at = (crank_rocker.CRANK, 0.0, 0.0)
    builder.joint("coupler", "revolute", "crank", "coupler", position=at)
    builder.joint("rocker", "revolute", "world", "rocker", position=ground, rotation=upright)
    crank, coupler, rocker = crank_rocker.START
    builder.close_loop(
        *("revolute", "coupler", (crank_rocker.COUPLER, 0.0, 0.0)),
        *("rocker", (crank_rocker.ROCKER, 0.0, 0.0)),
        independent=["crank"],
        start={"crank": crank, "coupler": coupler - crank, "rocker": rocker},
        constraint=False,
    )
    return builder.build()


def test_a_crank_and_a_rocker() -> None:
    model, times = four_bar(), np.array([0.0, 0.25, 0.5, 1.0, 2.0])
    angles, _ = crank_rocker.run(times)
    a = model.forward_dynamics(model.neutral(), np.zeros(1), np.zeros(1))
    assert a[0] == pytest.approx(-4.21880112, abs=1e-7)
    sim = ts.Simulation(model, integrator=DormandPrince(1e-11, 1e-12), dt=0.25)
    run = sim.run(model.neutral(), np.zeros(1), duration=2.0)
    found = run.q[[0, 1, 2, 4, 8], model.joint("crank").q_slice.start]
    print(f"angles of the crank {found}, oracle {angles[:, 0]}")
    assert found == pytest.approx(angles[:, 0], abs=1e-7)
    assert np.ptp(run.energy.stored) < 1e-8 * np.ptp(run.energy.gravity)


@pytest.mark.parametrize("seed", range(5))
def test_a_ball_joint_is_three_hinges(seed: int) -> None:
    """Accelerations and reactions of what hangs on it are the same, far from a locked gimbal."""
    rng = np.random.default_rng(seed)
    inertia, com = rng.uniform(1.0, 2.0, 3), rng.normal(size=3)
    ball, hinges = ts.Builder("ball"), ts.Builder("hinges")
    parent = "world"
    for axis in "xyz":
        name = "body" if axis == "z" else f"ring_{axis}"
        hinges.body(name, *((1.5, com, inertia) if axis == "z" else ()))
        hinges.joint(axis, "revolute", parent, name, axis=axis)
        parent = name
    ball.body("body", 1.5, com, inertia).joint("ball", "spherical", "world", "body")
    for builder in (ball, hinges):
        builder.body("tip", 0.7, (0.2, 0.1, 0.0), (0.3, 0.2, 0.4))
        builder.joint("tip", "revolute", "body", "tip", position=(0.5, 0.2, 0.1), axis="y")
    one, many = ball.build(), hinges.build()
    q = rng.uniform(-0.6, 0.6, 4)
    v, torque = rng.normal(size=4), rng.normal(size=3)
    turn = Rotation.from_euler("XYZ", q[:3])
    # columns: how each hinge turns the body, in its axes
    angles = np.stack(
        [
            (Rotation.from_euler("y", q[1]) * Rotation.from_euler("z", q[2]))
            .inv()
            .apply([1, 0, 0]),
            Rotation.from_euler("z", q[2]).inv().apply([0, 1, 0]),
            [0, 0, 1],
        ],
        axis=1,
    )
    tau_hinges = np.append(angles.T @ torque, 0.3)
    a_hinges = many.forward_dynamics(q, v, tau_hinges)
    q_ball = np.append(turn.as_quat(), q[3])
    v_ball = np.append(angles @ v[:3], v[3])
    a_ball = one.forward_dynamics(q_ball, v_ball, np.append(torque, 0.3))
    spins = [
        model.frame_acceleration(*state, "tip", reference="world")
        for model, state in ((one, (q_ball, v_ball, a_ball)), (many, (q, v, a_hinges)))
    ]
    assert spins[0] == pytest.approx(spins[1], abs=1e-11)
    assert a_ball[3] == pytest.approx(a_hinges[3], abs=1e-11)
