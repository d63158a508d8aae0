"""One step of the core beside the dense oracle, for every kind of mechanism and setting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cluster_cases import COUNTS
from cone_problem import Array
from contact_scenes import box, quadruped, random_points, robot, through, touchable
from contact_worlds import Run, World
from core_step import compare
from four_bars import four_bar
from mechanisms import cases

import tarsus as ts

ROBOTS = ("anymal.urdf", "solo12.urdf", "talos_reduced.urdf")


def judge(what: str, results: list[dict[str, float]], tolerance: float = 1e-10) -> None:
    """Print the worst of each kind and compare with the tolerance.

    Where forces are not unique (a box that slides on four corners), the solution that the core
    found must be one, whichever the oracle found: how far they are apart is only printed.
    """
    worst = {key: max(result[key] for result in results) for key in results[0]}
    print(what, *(f"{key} {value:.1e}" for key, value in worst.items()))
    assert worst["touching"] > 0
    assert worst["hidden"] == 0.0 and worst["entered"] == 0.0
    for key in ("v", "q", "tau", "solution"):
        assert worst[key] < tolerance, f"{what}: {key} {worst[key]:.1e}"


def fallen(world: World, rng: np.random.Generator, height: float = 0.0) -> tuple[Array, Array]:
    """Return a robot a little above the ground or in it, moving down."""
    model = world.model
    q = model.neutral()
    q = model.integrate(q, np.concatenate([np.zeros(3), rng.normal(size=model.nv - 3) * 0.15]))
    places = [
        (model.forward_kinematics(q)[body] @ [*place, 1.0])[2] - radius
        for body, place, radius in zip(
            world.point_body,
            world.point_position,
            np.broadcast_to(world.point_radius, len(world.point_body)),
            strict=True,
        )
    ]
    q[2] += height - sorted(places)[min(3, len(places) - 1)]
    return q, rng.normal(size=model.nv) * 0.5 - 0.5 * np.eye(model.nv)[2]


@pytest.mark.parametrize("name", ["box", "quadruped", *ROBOTS])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"friction": 0.0},
        {"viscous": 1.0, "friction": 0.2},
        {"restitution": 0.6, "friction": 0.3},
        {"law_numbers": {"ahead": 0.0}},
        {"dt": 5e-3, "explicit": True},
    ],
    ids=lambda options: " ".join(options) or "plain",
)
def test_robots(name: str, options: dict[str, Any]) -> None:
    world = {"box": box, "quadruped": quadruped}.get(name, lambda: robot(name))()
    world = world.but(**options)
    results = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        q, v = fallen(world, rng, height=[-1e-5, 1e-4, -1e-3, 1e-3][seed])
        tau = rng.normal(size=(1, world.model.nv)) * 5.0
        results.append(compare(world, q, v, tau, steps=3))
    judge(name, results)


@pytest.mark.parametrize("part", range(5))
def test_every_kind_of_joint(part: int) -> None:
    """Random mechanisms with springs, damping, dry friction and rolling joints."""
    results = []
    for c in cases()[part::5][:8]:
        rng = np.random.default_rng(c.seed)
        world = World(c.model, **random_points(c.model, rng, 6), friction=0.4, dt=1e-3)
        results.append(compare(through(world, c.q), c.q, c.v, c.tau[None]))
    judge("mechanisms", results)


@pytest.mark.parametrize("flavour", COUNTS)
def test_couplings_rotors_and_loops(flavour: str) -> None:
    results = []
    for c in touchable(flavour, 5):
        rng = np.random.default_rng(c.model.nv)
        world = World(c.model, **random_points(c.model, rng, 5), friction=0.4, dt=1e-4)
        results.append(compare(through(world, c.q), c.q, c.v, c.tau[None]))
    judge(flavour, results)


@pytest.mark.parametrize("constraint", [False, True])
def test_a_four_bar_on_a_body_that_lands(constraint: bool) -> None:
    options: dict[str, Any] = {"constraint": True} if constraint else {}
    model = four_bar("point_on_line", on_a_body=True, **options)
    rng = np.random.default_rng(3)
    world = World(model, **random_points(model, rng, 6), friction=0.5)
    q = model.neutral()
    v = rng.normal(size=model.nv)
    v[:3] = -2.0  # onto the plane
    if len(rows := model.constraint_jacobian(q)):
        v -= np.linalg.pinv(rows, rcond=1e-10) @ (rows @ v)
    judge(f"four-bar {constraint}", [compare(through(world, q, 0.7), q, v, steps=20)])


def test_masses_are_scaled_with_their_inertias() -> None:
    world = quadruped()
    rng = np.random.default_rng(5)
    scale = rng.uniform(0.5, 2.0, world.model.n_bodies)
    q, v = fallen(world, rng)
    result = compare(world.but(mass_scale=scale), q, v, steps=3)
    judge("scaled masses", [result])
    run, plain = (Run.start(w, q, v) for w in (world.but(mass_scale=scale), world))
    run.advance(1), plain.advance(1)
    assert np.abs(run.v - plain.v).max() > 1e-3


def test_stops_and_brakes_share_the_problem() -> None:
    """A quadruped with friction in its joints, some at their stops, while it lands."""
    world = quadruped().but(stiction=np.full(18, 0.5))
    model, results = world.model, []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        q, v = fallen(world, rng)
        few = rng.choice(np.arange(7, 19), 5, replace=False)
        upper = rng.integers(0, 2, 5)
        q[few] = np.where(upper, model.upper[few] - 1e-4, model.lower[few] + 1e-4)
        v[few - 1] = np.where(upper, 1.0, -1.0)
        v[6:8] = 1e-3  # slow enough for stiction
        results.append(compare(world, q, v, steps=3))
    judge("stops and brakes", results)
    without = compare(world.but(joint_friction=False, joint_limits=False), q, v, steps=3)
    judge("neither", [without])


def test_spheres_that_meet() -> None:
    """Two free balls in flight, and one against a ball that is fixed to the world."""
    builder = ts.Builder("balls", gravity=(0.0, 0.0, -9.81))
    for name, mass in (("a", 1.0), ("b", 2.0)):
        builder.body(name, mass, inertia=(0.01, 0.01, 0.01))
        builder.joint(f"{name}_flight", "free", "world", name)
    model = builder.build()
    placements = np.tile(np.eye(4), (3, 1, 1))
    world = World(
        model,
        ground_kind="none",
        ground_numbers=(),
        solid_body=[0, 1, -1],
        solid_kind=("sphere",) * 3,
        solid_placement=placements,
        solid_size=np.array([[0.2, 0, 0], [0.3, 0, 0], [0.4, 0, 0]]),
        pairs=[(0, 1), (1, 2)],
    )
    rng = np.random.default_rng(0)
    q = model.neutral()
    q[:3], q[7:10] = (0.1, 0.2, 1.1), (0.0, 0.0, 0.7)
    q[:3] = q[7:10] + 0.5 * (q[:3] - q[7:10]) / np.linalg.norm(q[:3] - q[7:10])
    v = rng.normal(size=12)
    v[2], v[8] = -2.0, -1.0
    for friction in (0.0, 0.3, 5.0):
        judge(f"balls {friction}", [compare(world.but(friction=friction), q, v, steps=5)])
