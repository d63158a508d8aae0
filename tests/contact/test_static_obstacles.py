"""Shapes that are fixed to the world, grounds at a height, and arms bolted to the ground."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tarsus as ts

SLOPE = 0.3


def turned(angle: float) -> np.ndarray:
    """Return the rotation about y."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def ball_over(kind: str, size: tuple[float, ...], **placed: object) -> ts.Model:
    builder = ts.Builder("ball").body("ball", mass=2.0, inertia=[0.008] * 3)
    builder.joint("free", "free", "world", "ball")
    builder.shape("ball", "sphere", (0.1,), role="collision")
    builder.shape("world", kind, size, role="collision", name="obstacle", **placed)  # type: ignore[arg-type]
    return builder.build()


def test_a_ball_rolls_down_a_box_as_theory_says() -> None:
    model = ball_over("box", (8.0, 2.0, 0.2), rotation=turned(SLOPE))
    q = model.neutral()
    q[:3] = 0.2 * np.array([math.sin(SLOPE), 0.0, math.cos(SLOPE)])
    run = ts.Simulation(model, ground=ts.geometry.Space(friction=0.8)).run(q, duration=1.0)
    # a solid ball: 1 + I / (m r²) = 7/5
    way = 0.5 * 9.81 * math.sin(SLOPE) / 1.4
    along = np.array([math.cos(SLOPE), 0.0, -math.sin(SLOPE)])
    assert (run.q[-1, :3] - q[:3]) @ along == pytest.approx(way, rel=2e-3)


def test_a_slippery_ramp_makes_the_ball_slide_while_the_ground_is_rough() -> None:
    model = ball_over("box", (8.0, 2.0, 0.2), rotation=turned(SLOPE), friction=0.0)
    q = model.neutral()
    q[:3] = 0.2 * np.array([math.sin(SLOPE), 0.0, math.cos(SLOPE)])
    ground = ts.Ground(friction=0.8, level=-5.0)
    run = ts.Simulation(model, ground=ground).run(q, duration=1.0)
    way = 0.5 * 9.81 * math.sin(SLOPE)
    along = np.array([math.cos(SLOPE), 0.0, -math.sin(SLOPE)])
    assert (run.q[-1, :3] - q[:3]) @ along == pytest.approx(way, rel=2e-3)
    np.testing.assert_allclose(run.v[-1, 3:], 0.0, atol=1e-12)


@pytest.mark.parametrize(
    ("kind", "size", "top"),
    [
        ("sphere", (0.3,), 0.3),
        ("box", (1.0, 1.0, 0.4), 0.2),
        ("capsule", (0.15, 0.6), 0.45),
        ("ellipsoid", (0.5, 0.4, 0.25), 0.25),
        ("cylinder", (0.5, 0.2), 0.1),
    ],
)
def test_a_ball_comes_to_rest_on_what_is_fixed(
    kind: str, size: tuple[float, ...], top: float
) -> None:
    model = ball_over(kind, size, position=[0.0, 0.0, 1.0])
    q = model.neutral()
    q[2] = 1.0 + top + 0.1 + 0.02
    run = ts.Simulation(model, ground=ts.Ground()).run(q, duration=0.5)
    assert run.q[-1, 2] == pytest.approx(1.0 + top + 0.1, abs=1e-6)
    np.testing.assert_allclose(run.v[-1], 0.0, atol=1e-6)


def test_a_foot_stands_on_a_step_and_another_on_the_ground() -> None:
    builder = ts.Builder("stairs")
    for name in ("low", "high"):
        builder.body(name, mass=1.0, inertia=[2e-3] * 3)
        builder.joint(f"{name}_free", "free", "world", name)
        builder.shape(name, "box", (0.2, 0.1, 0.04), role="collision")
    builder.shape("world", "box", (0.5, 1.0, 0.3), position=[1.0, 0.0, 0.15], role="collision")
    model = builder.build()
    q = model.neutral()
    q[model.joint("low_free").q_slice][:3] = [0.0, 0.0, 0.03]
    q[model.joint("high_free").q_slice][:3] = [1.0, 0.0, 0.33]
    run = ts.Simulation(model, ground=ts.Ground()).run(q, duration=0.4)
    low, high = (run.q[-1, model.joint(f"{name}_free").q_slice] for name in ("low", "high"))
    assert low[2] == pytest.approx(0.02, abs=1e-6)
    assert high[2] == pytest.approx(0.32, abs=1e-6)


def test_a_ground_has_a_level() -> None:
    ground = ts.Ground(slope=SLOPE, level=0.7)
    assert float(ground.height(2.0, 0.0)) == pytest.approx(0.7 - 2.0 * math.tan(SLOPE))
    model = ball_over("sphere", (0.01,), position=[9.0, 9.0, 9.0])
    q = ts.stand(model, model.neutral(), ground)
    # the centre is a radius away along the normal
    assert q[2] == pytest.approx(0.7 + 0.1 / math.cos(SLOPE), abs=1e-9)


def arm(base_height: float) -> ts.Model:
    builder = ts.Builder("arm").body("base").body("shoulder", mass=2.0, inertia=[0.02] * 3)
    builder.body("link", mass=1.0, com=[0.3, 0, 0], inertia=[0.01] * 3)
    builder.joint("weld", "fixed", "world", "base", position=[0, 0, base_height])
    builder.joint("turn", "revolute", "base", "shoulder", axis="z")
    builder.joint("lift", "revolute", "shoulder", "link", axis="y", position=[0, 0, 0.3])
    builder.shape("base", "cylinder", (0.1, 0.2), role="collision")
    builder.shape("shoulder", "cylinder", (0.08, 0.2), role="collision")
    builder.shape(
        "link",
        "capsule",
        (0.05, 0.6),
        role="collision",
        position=[0.3, 0, 0],
        rotation=turned(math.pi / 2),
    )
    return builder.build()


def test_an_arm_stands_on_the_ground_that_it_is_bolted_to() -> None:
    model = arm(0.0)
    sim = ts.Simulation(model, ground=ts.Ground(friction=2.0))
    assert any("do not touch it: on shoulder" in text for text in sim.collision.warnings)
    left = [each.link for each in sim.collision.candidates if each.other_body == "ground"]
    assert "link" in left  # which falls, and is stopped
    run = sim.run(np.zeros(2), [1.0, 0.0], duration=1.5)
    free = ts.Simulation(model).run(np.zeros(2), [1.0, 0.0], duration=0.2)
    # nothing rubs on the shoulder before the link is down
    np.testing.assert_allclose(run.q[:150, 0], free.q[:150, 0], atol=1e-12)
    tip = ts.geometry.height_over_ground(model, run.q[-1], collision=sim.collision)
    assert tip == pytest.approx(0.0, abs=1e-3)


def test_an_arm_that_starts_in_the_ground_is_told_what_helps() -> None:
    with pytest.raises(ts.StartError, match=r"arm is fixed to the world.*ignore_ground"):
        ts.Simulation(arm(0.0), ground=ts.Ground()).run(np.array([0.0, 0.8]), duration=0.1)
    sim = ts.Simulation(
        arm(0.0),
        ground=ts.Ground(),
        collision=ts.Collision.from_model(arm(0.0), ignore_ground=["link"]),
    )
    sim.run(np.array([0.0, 0.8]), duration=0.1)


def test_linkages_stand_on_the_ground_wherever_their_crank_is() -> None:
    """The guesses of a loop's other joints, at one angle of its crank, are none at another."""
    builder = ts.Builder("crank")
    for name, length in (("crank", 0.3), ("coupler", 0.9), ("rocker", 0.75)):
        builder.body(name, mass=1.0, com=(length / 2, 0.0, 0.0), inertia=[0.05] * 3)
        builder.shape(name, "capsule", (0.02, length), role="collision", rotation=turned(1.5708))
    builder.joint("A", "revolute", "world", "crank", axis="y", position=(0.0, 0.0, 0.3))
    builder.joint("B", "revolute", "crank", "coupler", axis="y", position=(0.3, 0.0, 0.0))
    builder.joint("D", "revolute", "world", "rocker", axis="y", position=(0.9, 0.0, 0.3))
    builder.close_loop("spherical", "coupler", (0.9, 0.0, 0.0), "rocker", (0.75, 0.0, 0.0))
    sim = ts.Simulation(builder.build(), ground=ts.Ground())
    assert len(sim.collision.candidates) > 0
