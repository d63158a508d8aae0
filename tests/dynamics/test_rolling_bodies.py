"""Smooth bodies that roll on smooth grounds: every pair against geometry and vector mechanics.

The oracle (tests/rolling.py) has the points that touch, and finds all rates from one statement: the
point that touches is at rest. No radius of curvature, no contact equation is shared.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import Array, Oracle, slope
from rolling import contact_point, rolling_step, touching_point
from rotations import quaternion_rate
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import tarsus as ts

MASS, G = 2.0, 9.81
ALIGNED: Any = "local_world_aligned"
BODIES = {
    "sphere": (0.3,),
    "ellipsoid": (0.3, 0.2, 0.25),
    "disc": (0.3,),
    "torus": (0.25, 0.1),
}
GROUNDS = {
    "plane": (),
    "sphere": (2.5,),
    "ellipsoid": (3.0, 2.5, 2.0),
    "paraboloid": (0.4, -0.2),
    "sinusoid": (0.05, 0.6),
}
PAIRS = [(body, ground) for body in BODIES for ground in GROUNDS]
each_pair = pytest.mark.parametrize(("body", "ground"), PAIRS)


def rolling(body: Any, ground: Any = "plane", *, arm: bool = False, **joint: Any) -> ts.Model:
    """A body whose centre of mass is off its centre, with an arm on it or not."""
    if isinstance(body, str):
        body = {"kind": body, "numbers": BODIES[body]}
    if isinstance(ground, str):
        ground = {"kind": ground, "numbers": GROUNDS[ground]}
    b = ts.Builder("rolling", gravity=(0.3, -0.2, -G))
    b.body("body", MASS, (0.02, -0.03, 0.05), (0.05, 0.06, 0.08))
    b.joint("root", "rolling", "world", "body", surface=body, ground=ground, **joint)
    if arm:
        b.body("arm", 0.5, (0.1, 0.0, 0.2), (0.01, 0.02, 0.015))
        b.joint("elbow", "revolute", "body", "arm", position=(0.1, 0.05, 0.0), axis=(1, 2, 2))
    return b.build()


def states(model: ts.Model, seed: int, count: int) -> tuple[Array, Array]:
    """Return configurations and velocities of bodies that do not lie flat."""
    rng = np.random.default_rng(seed)
    q = model.random_configuration(rng, 20 * count)
    upright = np.abs(model.forward_kinematics(q)[:, 0, 2, 2]) < 0.8
    return q[upright][:count], rng.normal(size=(count, model.nv))


@each_pair
def test_the_contact_is_on_both_surfaces_and_at_rest(body: str, ground: str) -> None:
    """Implicit equations of body and ground, opposite normals, and no slip."""
    model = rolling(body, ground)
    joint, (q, v) = model.joint("root"), states(model, 0, 40)
    pose, contact = model.forward_kinematics(q)[:, 0], contact_point(model.joint("root"), q)
    seen = np.einsum("nji,nj->ni", pose[:, :3, :3], contact - pose[:, :3, 3])
    distance, outward = implicit_body(body, seen)
    level, up = implicit_ground(ground, contact)
    across = np.cross(np.einsum("nij,nj->ni", pose[:, :3, :3], outward), up)
    if body == "disc":  # an edge: the normal of the ground is across the rim
        tangent = np.stack([-seen[:, 1], seen[:, 0], 0 * seen[:, 0]], axis=1)
        across = np.einsum("nij,nj,ni->n", pose[:, :3, :3], tangent, up)
    velocity = model.frame_velocity(q, v, "body")
    slip = velocity[:, :3] + np.cross(velocity[:, 3:], seen)
    worst = [float(np.abs(x).max()) for x in (distance, level, across, slip)]
    print(f"{body} on {ground}: {worst}")
    assert max(worst) < 1e-13
    assert joint.surface.kind == body and joint.ground.kind == ground


def implicit_body(kind: str, p: Array) -> tuple[Array, Array]:
    """Return F(p) and ∇F outwards (n, 3) with F = 0 on the body."""
    n, axial = BODIES[kind], np.array([1.0, 1.0, 0.0])
    flat = np.linalg.norm(p[:, :2], axis=1)
    if kind == "disc":
        return np.hypot(flat - n[0], p[:, 2]), p
    if kind == "torus":
        out = p - n[0] * p * axial / flat[:, None]
        return np.linalg.norm(out, axis=1) - n[1], out
    axes = np.broadcast_to(np.array(n), (3,))
    return ((p / axes) ** 2).sum(axis=1) - 1.0, p / axes**2


def implicit_ground(kind: str, p: Array) -> tuple[Array, Array]:
    """Return F(p) and its unit gradient (n, 3) with F = 0 on the ground, by a complex step."""
    n = GROUNDS[kind]

    def f(p: Array) -> Array:
        x, y, z = np.moveaxis(p, -1, 0)
        if kind == "paraboloid":
            return np.asarray(z - n[0] * x**2 - n[1] * y**2)
        if kind == "sinusoid":
            return np.asarray(z - n[0] * np.sin(2 * np.pi * n[1] * y))
        if kind == "plane":
            return z
        return np.asarray(((p / np.broadcast_to(np.array(n), (3,))) ** 2).sum(axis=-1) - 1.0)

    up = np.stack([f(p + 1e-30j * e).imag * 1e30 for e in np.eye(3)], axis=-1)
    return f(p), up / np.linalg.norm(up, axis=1, keepdims=True)


@each_pair
def test_dynamics_of_every_pair(body: str, ground: str) -> None:
    """Rates, mass matrices and forces with an arm on the body, and the bits of batches."""
    model = rolling(body, ground, arm=True, rotation=(0.3, -0.2, 0.5))
    oracle, (q, v), rng = Oracle(model), states(model, 1, 6), np.random.default_rng(2)
    a = rng.normal(size=v.shape)
    for one, w, b in zip(q, v, a, strict=True):
        assert np.allclose(model.configuration_rate(one, w), oracle.rate(one, w), atol=1e-12)
        h, force = model.mass_matrix(one), model.inverse_dynamics(one, w, b)
        assert np.allclose(h, oracle.mass_matrix(one), atol=1e-13)
        assert np.allclose(force, oracle.inverse_dynamics(one, w, b), rtol=1e-8, atol=1e-9)
        assert np.allclose(model.forward_dynamics(one, w, force), b, atol=1e-10)
        # S along integrate, and the derivative of forces along it
        moved = slope(lambda s, one=one, w=w: model.forward_kinematics(model.integrate(one, s * w)))
        twist = model.frame_velocity(one, w, "body", ALIGNED)
        assert np.allclose(moved[0, :3, 3], twist[:3], atol=1e-9)
        by_q, by_v, _ = model.inverse_dynamics_derivatives(one, w, b)
        along = slope(
            lambda s, one=one, w=w, b=b: model.inverse_dynamics(model.integrate(one, s * w), w, b)
        )
        assert np.allclose(by_q @ w, along, rtol=1e-7, atol=1e-7)
        faster = slope(lambda s, one=one, w=w, b=b: model.inverse_dynamics(one, w + s * b, b))
        assert np.allclose(by_v @ b, faster, rtol=1e-8, atol=1e-8)
    for name, arguments in (
        ("forward_dynamics", (q, v, a)),
        ("integrate", (q, v)),
        ("coriolis_matrix", (q, v)),
    ):
        call = getattr(model, name)
        alone = np.array([call(*one) for one in zip(*arguments, strict=True)])
        assert np.array_equal(call(*arguments), alone), name


@pytest.mark.parametrize("turn", [0.02, 0.2, 0.8])
def test_steps_follow_the_contact(turn: float) -> None:
    """One step against many: the error falls with the ninth power of the turn."""
    for body, ground in PAIRS:
        model = rolling(body, ground)
        (q, *_), (v, *_) = states(model, 3, 1)
        v = turn * v / np.linalg.norm(v)
        fine, joint = q, model.joint("root")
        for _ in range(32):
            fine = model.integrate(fine, v / 32)
        error = np.abs(model.integrate(q, v) - fine).max()
        assert error < max(1e-15, 3e-3 * turn**9) * 10, (body, ground, error)
        if turn == 0.02:
            assert np.abs(model.integrate(q, v) - rolling_step(joint, q, v)).max() < 1e-14


def test_a_sphere_on_a_plane_is_a_rolling_ball() -> None:
    radius, place = 0.3, {"rotation": (0.2, 0.3, -0.1)}
    model = rolling("sphere", **place)
    b = ts.Builder("ball", gravity=model.gravity)
    b.body("body", MASS, (0.02, -0.03, 0.05), (0.05, 0.06, 0.08))
    ball = b.joint("root", "rolling_ball", "world", "body", radius=radius, **place).build()
    (q, v), rng = states(model, 4, 30), np.random.default_rng(5)
    tau = rng.normal(size=v.shape)
    for name, arguments in (
        ("forward_kinematics", (q,)),
        ("forward_dynamics", (q, v, tau)),
        ("mass_matrix", (q,)),
        ("configuration_rate", (q, v)),
        ("integrate", (q, v)),
        ("coriolis_matrix", (q, v)),
        ("center_of_mass", (q,)),
    ):
        ours, theirs = getattr(model, name)(*arguments), getattr(ball, name)(*arguments)
        assert np.allclose(ours, theirs, rtol=1e-12, atol=1e-13), name


def test_a_rim_on_a_plane_is_a_rolling_disc() -> None:
    """The axle is z here and y there; the body's acceleration in space is the same."""
    axle = Rotation.from_euler("x", -np.pi / 2)  # from z to y
    inertia, com = np.diag([0.05, 0.06, 0.08]), np.array([0.02, -0.03, 0.05])
    inner = axle.as_matrix()
    b = ts.Builder("disc", gravity=(0.3, -0.2, -G))
    b.body("body", MASS, inner @ com, inner @ inertia @ inner.T)
    disc = b.joint("root", "rolling_disc", "world", "body", radius=0.3).build()
    model, rng = rolling("disc"), np.random.default_rng(6)
    for q in disc.random_configuration(rng, 20):
        v = rng.normal(size=3)
        turned = disc.forward_kinematics(q)[0, :3, :3] @ inner
        ours = np.concatenate([q[:2], Rotation.from_matrix(turned).as_quat()])
        spin = disc.frame_velocity(q, v, "body", ALIGNED)[3:] @ turned
        there, here = (
            m.frame_acceleration(x, w, m.forward_dynamics(x, w, np.zeros(3)), "body", ALIGNED)
            for m, x, w in ((disc, q, v), (model, ours, spin))
        )
        assert np.allclose(here, there, rtol=1e-10, atol=1e-11)
        assert np.isclose(model.kinetic_energy(ours, spin), disc.kinetic_energy(q, v))


def motion(model: ts.Model, q: Array, v: Array, times: Array) -> tuple[Array, Array]:
    """Return the states at some times of a motion without joint forces, by SciPy."""
    idle = np.zeros(model.nv)

    def rates(_: float, x: Array) -> Array:
        q, v = np.split(x, [model.nq])
        return np.concatenate([model.configuration_rate(q, v), model.forward_dynamics(q, v, idle)])

    start = np.concatenate([q, v])
    path = solve_ivp(rates, (0.0, times[-1]), start, "DOP853", times, rtol=1e-10, atol=1e-11)
    return path.y[: model.nq].T, path.y[model.nq :].T


def test_a_ball_in_a_bowl_by_newton_and_euler() -> None:
    """p = g + r n; m p̈ = m G + F and J ω̇ = −r n × F with ṗ = ω × r n, as a system for ω̇ and F."""
    radius, a, b = 0.2, 0.5, 0.8
    moment = 0.4 * MASS * radius**2
    builder = ts.Builder("bowl").body("ball", MASS, inertia=(moment, moment, moment))
    ball, bowl = {"kind": "sphere", "numbers": [radius]}, {"kind": "paraboloid", "numbers": [a, b]}
    model = builder.joint("in", "rolling", "world", "ball", surface=ball, ground=bowl).build()

    def centre(place: Array) -> Array:
        x, y = place
        normal = np.array([-2 * a * x, -2 * b * y, 1.0 + 0 * x])
        return np.array([x, y, a * x**2 + b * y**2]) + radius * normal / np.sqrt(normal @ normal)

    def arm(place: Array) -> Array:
        return centre(place) - np.array([place[0], place[1], a * place[0] ** 2 + b * place[1] ** 2])

    def rates(_: float, state: Array) -> Array:
        place, omega = state[:2], state[2:]
        ways = np.stack([centre(place + 1e-30j * e).imag * 1e30 for e in np.eye(2)], axis=1)
        r = arm(place)
        travel = np.linalg.lstsq(ways, np.cross(omega, r), rcond=None)[0]
        turning = arm(place + 1e-30j * travel).imag * 1e30
        cross = np.cross(np.eye(3), r)  # ω̇ × r = crossᵀ ω̇
        system = np.block([[MASS * cross.T, -np.eye(3)], [moment * np.eye(3), -cross.T]])
        load = MASS * (np.array([0, 0, -G]) - np.cross(omega, turning))
        found = np.linalg.solve(system, np.concatenate([load, np.zeros(3)]))
        return np.concatenate([travel, found[:3]])

    q, v, times = (
        np.array([0.4, -0.3, 0.1, 0.2, 0.3, 0.9]),
        np.array([1.0, -2.0, 6.0]),
        np.array([1.5]),
    )
    q[2:] /= np.linalg.norm(q[2:])
    spin = model.frame_velocity(q, v, "ball", ALIGNED)[3:]
    path = solve_ivp(
        rates, (0, 1.5), np.concatenate([q[:2], spin]), "DOP853", rtol=1e-10, atol=1e-11
    )
    (end,), (speed,) = motion(model, q, v, times)
    apart = np.abs(end[:2] - path.y[:2, -1]).max()
    spin = model.frame_velocity(end, speed, "ball", ALIGNED)[3:]
    print(f"bowl: {apart:.1e} m, {np.abs(spin - path.y[2:, -1]).max():.1e} rad/s after 1.5 s")
    assert apart < 1e-8 and np.abs(spin - path.y[2:, -1]).max() < 1e-7
    assert np.abs(end[:2] - q[:2]).max() > 0.05
    # small swings: ω² = 5 g / (7 (ρ − r)) with ρ = 1/(2a) of the bowl
    q = np.array([1e-6, 0.0, 0, 0, 0, 1.0])
    aside = model.configuration_rate(q, model.forward_dynamics(q, np.zeros(3), np.zeros(3)))[0]
    shift = 1 / (1 - 2 * a * radius)  # of the contact, for that of the centre
    assert np.isclose(aside / shift, -5 / 7 * G / (0.5 / a - radius) * 1e-6 / shift, rtol=1e-6)


def test_an_ellipsoid_on_a_plane_by_newton_and_euler() -> None:
    """m (ω̇ × c + ω × ċ) = m G + F, I ω̇ + ω × I ω = −c × F with c = S²z/√(zᵀS²z) in the body."""
    model = rolling("ellipsoid")
    body, axes = model.body("body"), np.array(BODIES["ellipsoid"])
    about = Rotation.from_quat

    def up(spin: Array) -> Array:
        x, y, z, w = spin
        return np.array([x * z - w * y, y * z + w * x, 0.5 * (w * w + z * z - x * x - y * y)]) * 2

    def rates(_: float, state: Array) -> Array:
        spin, omega = state[2:6] / np.linalg.norm(state[2:6]), state[6:]

        def arm(z: Array) -> Array:  # from the contact to the centre of mass
            return axes**2 * z / np.sqrt((axes**2 * z) @ z) + body.com

        z = up(spin)
        c = arm(z)
        turning = arm(z - 1e-30j * np.cross(omega, z)).imag * 1e30
        cross = np.cross(np.eye(3), c)
        gravity = about(spin).inv().apply(np.array(model.gravity))
        system = np.block([[MASS * cross.T, -np.eye(3)], [body.inertia, -cross.T]])
        curved = np.cross(omega, np.cross(omega, c)) + np.cross(omega, turning)
        load = [MASS * (gravity - curved), -np.cross(omega, body.inertia @ omega)]
        found = np.linalg.solve(system, np.concatenate(load))
        travel = about(spin).apply(-turning)  # the contact moves as it does on the body
        return np.concatenate([travel[:2], quaternion_rate(spin, omega), found[:3]])

    (q, *_), _ = states(model, 7, 1)
    v = np.array([2.0, -1.0, 3.0])
    path = solve_ivp(rates, (0, 1.0), np.concatenate([q, v]), "DOP853", rtol=1e-10, atol=1e-11)
    (end,), (speed,) = motion(model, q, v, np.array([1.0]))
    found = path.y[:, -1]
    print(f"ellipsoid: {np.abs(np.concatenate([end, speed]) - found).max():.1e} after 1 s")
    assert np.allclose(end, found[:6], atol=1e-7) and np.allclose(speed, found[6:], atol=1e-6)


@pytest.mark.parametrize("pair", [("ellipsoid", "sinusoid"), ("sphere", "paraboloid")])
def test_energy_is_kept(pair: tuple[str, str]) -> None:
    model = rolling(*pair, arm=True)
    (q, *_), (v, *_) = states(model, 8, 1)
    q, v = motion(model, q, 2.0 * v, np.linspace(0.0, 1.0, 11))
    energy = model.kinetic_energy(q, v) + model.potential_energy(q)
    print(f"{pair}: energy {np.ptp(energy):.1e} of {np.ptp(model.kinetic_energy(q, v)):.1e} J")
    assert np.ptp(energy) < 1e-7 < np.ptp(model.kinetic_energy(q, v))


def test_where_a_body_does_not_fit_nothing_is_finite() -> None:
    """The flat side of an ellipsoid in a bowl, and a disc that lies flat."""
    flat = {"kind": "ellipsoid", "numbers": (0.5, 0.5, 0.1)}
    model = rolling(flat, {"kind": "paraboloid", "numbers": (0.5, 0.5)})
    on_edge = [0, 0, np.sqrt(0.5), 0, 0, np.sqrt(0.5)]
    assert np.isfinite(model.forward_dynamics(on_edge, np.ones(3), np.zeros(3))).all()
    with pytest.raises(ArithmeticError, match=r"configuration_rate.*does not fit into its ground"):
        model.configuration_rate(model.neutral(), np.ones(3))
    with pytest.raises(ArithmeticError, match="forward_dynamics"):
        model.forward_dynamics(model.neutral(), np.ones(3), np.zeros(3))
    with pytest.raises(ArithmeticError, match=r"forward_kinematics.*lies flat"):
        rolling("disc").forward_kinematics([0, 0, 0, 0, 0, 1])


def test_a_rocker_on_a_rolling_cylinder() -> None:
    """T = ½ (J + m (r² + d² − 2 r d cos q)) v², V = −m g d cos q, the mass d below the axis."""
    radius, d, moment = 0.4, 0.3, 0.05
    b = ts.Builder("rocker").body("foot", MASS, (0, 0, -d), (0.1, moment, 0.1))
    model = b.joint("sole", "rolling_cylinder", "world", "foot", radius=radius).build()
    q, v = np.random.default_rng(9).normal(size=(2, 50, 1))
    h = moment + MASS * (radius**2 + d**2 - 2 * radius * d * np.cos(q))
    bias = MASS * radius * d * np.sin(q) * v**2 + MASS * G * d * np.sin(q)
    assert np.allclose(model.mass_matrix(q)[..., 0], h, atol=1e-14)
    assert np.allclose(model.bias_forces(q, v), bias, atol=1e-13)
    assert np.allclose(model.forward_kinematics(q)[:, 0, 0, 3], radius * q[:, 0])


def test_the_points_that_touch_have_the_oracles_places() -> None:
    model = rolling("torus", "ellipsoid")
    q, _ = states(model, 10, 20)
    pose = model.forward_kinematics(q)[:, 0]
    joint = model.joint("root")
    point = np.einsum("nij,nj->ni", pose[:, :3, :3], touching_point(joint, q)) + pose[:, :3, 3]
    assert np.allclose(point, contact_point(joint, q), atol=1e-14)
