"""The compliant element beside matrices, and its balance of power at random states."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from compliant_oracle import Array, Oracle, coordinates, planar
from contact_scenes import ball_model, on_slope, quadruped
from contact_worlds import World
from scipy.spatial.transform import Rotation

import tarsus as ts
from tarsus.simulation.contact import (
    Bristle,
    Compliant,
    Hertz,
    HuntCrossley,
    Saturation,
    Spring,
    Stick,
)

NORMAL = {
    "spring": Spring(),
    "hertz": Hertz(3e6),
    "hunt_crossley": HuntCrossley(2e6, exponent=1.7, dissipation=0.8),
}
SLIP = {
    "stick": Stick(),
    "saturation": Saturation(length=4e-3, angle=0.3),
    "bristle": Bristle(stiction=1.4, stribeck_speed=0.5),
}
EXTRAS: dict[str, dict[str, Any]] = {
    "plain": {"damping": 0.0, "twist_stiffness": 0.0},
    "damped": {"damping": 80.0, "twist_stiffness": 0.0, "ratio": 0.3},
    "twisting": {"damping": 30.0, "twist_stiffness": 20.0, "twist_damping": 0.5, "ratio": 4.0},
    "rolling": {"damping": 30.0, "twist_stiffness": 20.0, "twist_damping": 0.5, "roll": 7.0},
    "rigid ground": {"damping": 30.0, "twist_stiffness": 20.0, "ratio": np.inf, "roll": 2.0},
}
RECORD = 18


def laws() -> list[Any]:
    """Return every law of pushing with every law of slipping, and all else."""
    return [
        pytest.param(Compliant(stiffness=2e4, law=n, slip=s, **more), id=f"{a}-{b}-{c}")
        for a, n in NORMAL.items()
        for b, s in SLIP.items()
        for c, more in EXTRAS.items()
    ]


def torsion_of(law: Compliant) -> float:
    """Return the torsion of a ground that fits."""
    return 0.01 if isinstance(law.slip, Bristle) and law.twist_stiffness > 0.0 else 0.0


def element(law: Compliant, world: World) -> Any:
    """Return the contacts of a world."""
    return law.element(world.core(), ts.Ground(torsion=torsion_of(law)))


def ball(**options: Any) -> World:
    """Return a ball of 0.1 m on a plane."""
    return World(
        ball_model(), point_body=[0], point_position=[[0, 0, 0.0]], point_radius=0.1, **options
    )


def deformations(rng: np.random.Generator, *shape: int) -> Array:
    """Return factors of random deformations, most of them pressed."""
    scale = np.array([0.2, 2e-3, 2e-3, 1e-3] * 2)
    found = rng.normal(size=(*shape, 8)) * scale
    found[..., 3::4] = -np.abs(found[..., 3::4]) * rng.choice([1.0, 1.0, -0.1], (*shape, 1))
    return found


@pytest.mark.parametrize("law", laws())
def test_ball_beside_matrices(law: Compliant) -> None:
    rng = np.random.default_rng(1)
    world = ball(viscous=0.4)
    oracle = Oracle(law, friction=0.6, viscous=0.4, torsion=torsion_of(law))
    n = 16
    own = deformations(rng, n)
    turn = Rotation.random(n, random_state=2)
    depth = rng.uniform(-2e-3, 2e-3, n)
    q = np.concatenate([np.zeros((n, 2)), (0.1 - depth)[:, None], turn.as_quat()], axis=1)
    linear, angular = rng.normal(size=(2, n, 3)) * rng.choice([0.01, 0.1, 2.0], (2, n, 3))
    v = np.concatenate([turn.inv().apply(linear), turn.inv().apply(angular)], axis=1)
    tau, rates, records = element(law, world).forces(world.parameters(), q, v, own, np.ones((n, 1)))
    worst = 0.0
    for k in range(n):
        origin = np.array([0.0, 0.0, -oracle.shares[0] * depth[k]])
        arm = origin - q[k, :3]
        T = np.concatenate([angular[k], linear[k] + np.cross(angular[k], arm)])
        expected = oracle.respond(own[k], T)
        wrench = np.concatenate([records[k, 10:13], records[k, 7:10]])
        scale = 1.0 + np.abs(expected["wrench"]).max()
        worst = max(worst, np.abs(wrench - expected["wrench"]).max() / scale)
        np.testing.assert_allclose(wrench, expected["wrench"], atol=3e-9 * scale)
        np.testing.assert_allclose(rates[k], expected["rates"], atol=1e-12, rtol=1e-9)
        np.testing.assert_allclose(records[k, 14], expected["stored"], rtol=1e-12, atol=1e-18)
        np.testing.assert_allclose(records[k, 15], expected["normal_loss"], rtol=1e-12, atol=1e-18)
        np.testing.assert_allclose(records[k, 16], expected["slip_loss"], atol=3e-8 * scale)
        np.testing.assert_allclose(records[k, 1:4], origin, atol=1e-15)
        # as generalised forces: in the body's frame, about its centre
        force, moment = records[k, 7:10], records[k, 10:13] + np.cross(arm, records[k, 7:10])
        back = turn[k].inv()
        expected_tau = np.concatenate([back.apply(force), back.apply(moment)])
        np.testing.assert_allclose(tau[k], expected_tau, atol=1e-12 * scale)
    print(f"largest difference of wrenches: {worst:.1e}")


def test_forces_do_not_depend_on_tangents() -> None:
    rng = np.random.default_rng(3)
    law = Compliant(slip=Saturation(3e-3), roll=5.0, twist_stiffness=10.0)
    oracle = Oracle(law)
    for _ in range(20):
        own, T = deformations(rng), rng.normal(size=6)
        angle = rng.uniform(-3, 3)
        R = planar(angle, 0, 0, 0)[:3, :3]
        turned = own.copy()
        for k in (1, 5):
            turned[k : k + 2] = R[:2, :2] @ own[k : k + 2]
        there = oracle.respond(turned, np.concatenate([R @ T[:3], R @ T[3:]]))["wrench"]
        here = oracle.respond(own, T)["wrench"]
        np.testing.assert_allclose(there, np.concatenate([R @ here[:3], R @ here[3:]]), atol=1e-5)


@pytest.mark.parametrize("name", NORMAL)
def test_normal_forces_are_slopes_of_energies(name: str) -> None:
    oracle, world = Oracle(Compliant(law=NORMAL[name], damping=0.0)), ball()
    core = element(oracle.law, world)
    q = np.array([[0, 0, 0.1, 0, 0, 0, 1.0]])

    def at(depth: float) -> tuple[float, float]:
        own = np.zeros((1, 8))
        own[0, 3] = -depth
        record = core.forces(world.parameters(), q, np.zeros((1, 6)), own, np.ones((1, 1)))[2][0]
        return float(record[14]), float(record[9])

    for depth in (1e-3, 5e-3, 0.02):
        h = 1e-3 * depth
        first, second = (
            (at(depth + j * h)[0] - at(depth - j * h)[0]) / (2 * j * h) for j in (1, 2)
        )
        assert at(depth)[1] == pytest.approx((4 * first - second) / 3, rel=1e-9)
        assert at(depth)[1] == pytest.approx(oracle.normal(depth, 0.0)[1], rel=1e-14)


def stored_power(oracle: Oracle, own: Array, rates: Array) -> float:
    """Return how fast a deformation stores, by the product rule of its two matrices."""
    H1, H2 = planar(*own[:4]), planar(*own[4:])

    def rate(at: Array, by: Array) -> Array:
        c, s = np.cos(at[0]), np.sin(at[0])
        out = np.zeros((4, 4))
        out[:2, :2] = by[0] * np.array([[-s, -c], [c, -s]])
        out[:3, 3] = by[1:]
        return out

    change = rate(own[:4], rates[:4]) @ H2 + H1 @ rate(own[4:], rates[4:])
    theta, x, y, z = coordinates(H1 @ H2)
    law = oracle.law
    elastic = oracle.normal(-z, 0.0)[1]
    return float(
        law.stiffness * (x * change[0, 3] + y * change[1, 3])
        + law.twist_stiffness * theta * (rates[0] + rates[4])
        - elastic * change[2, 3]
    )


@pytest.mark.parametrize("law", laws())
def test_power_adds_up_on_a_machine(law: Compliant) -> None:
    """What goes into bodies, what is stored and what is lost add up to nothing; losses are ≥ 0."""
    world = quadruped(ground_numbers=on_slope(0.2), viscous=0.3)
    model, rng = world.model, np.random.default_rng(5)
    n, contacts = 12, len(world.point_body)
    q = np.stack([model.random_configuration(rng) for _ in range(n)])
    v = rng.normal(size=(n, model.nv))
    own = deformations(rng, n, contacts)
    on = rng.choice([0.0, 1.0], (n, contacts))
    tau, rates, records = element(law, world).forces(
        world.parameters(), q, v, own.reshape(n, -1), on
    )
    oracle = Oracle(law, friction=world.friction, viscous=0.3, torsion=torsion_of(law))
    records, rates = records.reshape(n, contacts, RECORD), rates.reshape(n, contacts, 8)
    worst = 0.0
    for k in range(n):
        stored = [stored_power(oracle, own[k, c], rates[k, c]) for c in range(contacts)]
        terms = [tau[k] @ v[k], *stored, *records[k, :, 15], *records[k, :, 16]]
        worst = max(worst, abs(sum(terms)) / np.abs(terms).sum())
    print(f"balance of power: {worst:.1e}")
    assert worst < 1e-10 * 0.01
    assert records[..., 15].min() >= 0.0 and records[..., 16].min() >= -1e-12
    assert (rates[on == 0.0] == 0.0).all() and (records[..., 7:13][on == 0.0] == 0.0).all()


def test_pairs_push_both_bodies() -> None:
    """Two balls: the wrenches are opposite, and the frame lies nearer to the stiffer one."""
    builder = ts.Builder("balls")
    for name in ("one", "two"):
        builder.body(name, 1.0, inertia=(0.004, 0.004, 0.004))
        builder.joint(f"flight of {name}", "free", "world", name)
        builder.shape(name, "sphere", [0.1], role="collision")
    model = builder.build()
    sim = ts.Simulation(model)
    assert sim.worlds is not None
    world = sim.worlds.get(sim.started().limp)
    rng = np.random.default_rng(0)
    q = model.neutral()
    q[7:10] = [0.0, 0.12, 0.15]
    v = rng.normal(size=model.nv)
    count = world.n_candidates
    parameters = np.zeros((1, world.parameter_size))
    parameters[0, 0] = 0.6
    on = (world.contacts(q[None])[..., 0] < 0.0).astype(float)
    assert on.sum() == 1.0
    places = {}
    for ratio in (0.0, 1.0, np.inf):
        law = Compliant(ratio=ratio, slip="stick")
        own = np.tile(deformations(rng), count)[None]
        tau, _, records = law.element(world, ts.Space()).forces(
            parameters, q[None], v[None], own, on
        )
        touch = records[0].reshape(count, RECORD)
        close = touch[on[0] > 0.0]
        places[ratio] = close[0, 1:4]
        assert close[0, 0] == pytest.approx(np.hypot(0.12, 0.15) - 0.2)
        momentum = tau[0, :3] + tau[0, 6:9]
        np.testing.assert_allclose(momentum, 0.0, atol=1e-9)
        angular = tau[0, 3:6] + tau[0, 9:12] + np.cross(q[7:10], tau[0, 6:9])
        np.testing.assert_allclose(angular, 0.0, atol=1e-9)
    normal = (q[:3] - q[7:10]) / np.hypot(0.12, 0.15)
    touched, own_surface = q[7:10] + 0.1 * normal, q[:3] - 0.1 * normal
    np.testing.assert_allclose(places[np.inf], touched, atol=1e-15)
    np.testing.assert_allclose(places[0.0], own_surface, atol=1e-15)
    np.testing.assert_allclose(places[1.0], 0.5 * (touched + own_surface), atol=1e-15)


@pytest.mark.parametrize("slip", SLIP)
@pytest.mark.parametrize("normal", NORMAL)
def test_lanes_have_the_bits_of_one_state(normal: str, slip: str) -> None:
    law = Compliant(law=NORMAL[normal], slip=SLIP[slip], twist_stiffness=20.0, roll=3.0)
    world = quadruped()
    model, rng = world.model, np.random.default_rng(7)
    n, contacts = 19, len(world.point_body)
    q = np.stack([model.random_configuration(rng) for _ in range(n)])
    v, on = rng.normal(size=(n, model.nv)), rng.choice([0.0, 1.0], (n, contacts))
    own = deformations(rng, n, contacts).reshape(n, -1)
    core, numbers = element(law, world), world.parameters()
    together = core.forces(numbers, q, v, own, on)
    for k in range(n):
        alone = core.forces(numbers, q[k : k + 1], v[k : k + 1], own[k : k + 1], on[k : k + 1])
        for whole, one in zip(together, alone, strict=True):
            assert whole[k].tobytes() == one[0].tobytes()
