"""External wrenches: what they do to momentum, what a step makes of them, and who supplies them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from movers import ARM, arm, ball, batch, fingerprint, on_ground, quadruped, standing, stiff
from oracle import Array

import tarsus as ts
from tarsus.simulation import Simulation

FORCE = np.array([30.0, -12.0, 5.0])


def momentum(m: ts.Model, q: Array, v: Array) -> Array:
    """Return the linear momentum (…, 3) in axes of the world, from the bodies one by one."""
    total = 0.0
    for body in m.bodies:
        if body.mass:
            at = m.frame_velocity(q, v, body.name, reference="local_world_aligned")
            pose = m.frame_pose(q, body.name)
            arm = np.einsum("...ij,j->...i", pose[..., :3, :3], body.com)
            total = total + body.mass * (at[..., :3] + np.cross(at[..., 3:], arm))
    return np.asarray(total)


@pytest.mark.parametrize("window", [(0.05, 0.1), (0.0, 0.2), (0.0503, 0.0007), (0.0307, 0.1111)])
def test_the_impulse_is_the_integral_of_the_force(window: tuple[float, float]) -> None:
    """Also for a push that begins and ends within steps, or is shorter than one."""
    m, (start, duration) = ball(), window
    sim = Simulation(m)
    v0 = np.array([0.3, 0.1, 2.0, 1.0, -2.0, 0.5])
    kick = ts.Push("ball", FORCE, point=(0.0, 0.05, 0.02), start=start, duration=duration)
    run = sim.run(None, v0, duration=0.25, external=kick)
    free = sim.run(None, v0, duration=0.25)
    gained = momentum(m, run.q, run.v) - momentum(m, free.q, free.v)
    print("impulse", gained[-1], "stated", FORCE * duration)
    np.testing.assert_allclose(gained[-1], FORCE * duration, rtol=1e-10)
    before = run.t <= start + 1e-12
    np.testing.assert_array_equal(run.v[before], free.v[before])
    share = np.clip((run.t - start) / duration, 0.0, 1.0)
    np.testing.assert_allclose(gained, share[:, None] * FORCE * duration, atol=1e-10)


def test_a_push_off_the_centre_turns_as_its_moment_says() -> None:
    m, point = ball(), np.array([0.0, 0.08, 0.0])
    sim = Simulation(m, dt=1e-4)
    run = sim.run(duration=1e-3, external=ts.Push("ball", (10.0, 0.0, 0.0), point=point))
    inertia = m.bodies[0].inertia[0, 0]
    expected = np.cross(point, [10.0, 0.0, 0.0]) * 1e-3 / inertia
    np.testing.assert_allclose(run.v[-1, 3:], expected, rtol=1e-5, atol=1e-9)
    turned = sim.run(duration=1e-3, external=ts.Push("ball", torque=(0.0, 0.0, 0.2)))
    np.testing.assert_allclose(turned.v[-1, 5], 0.2e-3 / inertia, rtol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_one_step_is_that_of_forward_dynamics(seed: int) -> None:
    """v after a step of explicit Euler is v + dt a, a by an algorithm that knows no parts."""
    rng = np.random.default_rng(seed)
    m = ts.robots.random_mechanism(rng=seed, n_bodies=10)
    q, v = m.random_configuration(seed), rng.normal(size=m.nv)
    wrenches = rng.normal(size=(m.n_bodies, 6))
    sim = Simulation(m, dt=1e-6, integrator="explicit", joint_friction=False, joint_limits=False)
    run = sim.run(q, v, duration=1e-6, external=wrenches)
    free = sim.run(q, v, duration=1e-6)
    found = (run.v[-1] - free.v[-1]) / 1e-6
    tau = np.zeros(m.nv)
    expected = m.forward_dynamics(q, v, tau, external=wrenches) - m.forward_dynamics(q, v, tau)
    print("largest", np.abs(expected).max(), "differs by", np.abs(found - expected).max())
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())


def test_all_ways_to_state_a_wrench_are_one() -> None:
    """A push at the origin of a body that does not turn is a wrench in its axes."""
    m = arm(1)
    sim, q0 = Simulation(m), np.zeros(1)
    w = np.array([[0.0, 0.0, 0.0, 0.2, 0.1, 0.7]])

    def function(t: float, q: Array, v: Array) -> Array:
        assert q.shape == (1,) and v.shape == (1,)
        return w

    table = np.array([0.0, 0.05]), np.stack([w, w])
    runs = [
        sim.run(q0, duration=0.1, external=each)
        for each in (w, w.tolist(), table, function, ts.Push("link_0", torque=w[0, 3:]))
    ]
    for run in runs[1:]:
        np.testing.assert_allclose(run.q, runs[0].q, atol=1e-14)
    for run in runs[1:4]:
        assert fingerprint(run) == fingerprint(runs[0])


def test_a_table_is_held_and_its_mean_taken_within_steps() -> None:
    m = ball()
    times = np.array([0.01, 0.0204, 0.05, 0.0507])
    rng = np.random.default_rng(1)
    values = rng.normal(size=(4, 1, 6))
    values[:, :, 3:] = 0.0
    run = Simulation(m).run(duration=0.06, external=(times, values))
    free = Simulation(m).run(duration=0.06)
    ends = np.append(times[1:], 0.06)
    impulse = ((ends - times)[:, None] * values[:, 0, :3]).sum(axis=0)
    gained = momentum(m, run.q, run.v)[-1] - momentum(m, free.q, free.v)[-1]
    np.testing.assert_allclose(gained, impulse, rtol=1e-9)


def test_batches_have_their_own_pushes_with_the_same_bits() -> None:
    sim, (q, v) = on_ground(), batch(6)
    forces = np.random.default_rng(2).normal(size=(6, 3)) * 60.0

    def wind(t: float, q: Array, v: Array) -> Array:
        return -2.0 * v[..., :3]

    def external(k: Any) -> list[ts.Push]:
        return [
            ts.Push("trunk", forces[k], start=0.03, duration=0.0415, name="kick"),
            ts.Push("front_left_foot", wind, point=(0.01, 0.0, 0.0)),
        ]

    whole = sim.run(q, v, duration=0.15, controller=stiff(), external=external(slice(None)))
    again = sim.run(
        q, v, duration=0.15, controller=stiff(), external=external(slice(None)), threads=2
    )
    assert fingerprint(whole) == fingerprint(again)
    for k in range(6):
        alone = sim.run(q[k], v[k], duration=0.15, controller=stiff(), external=external(k))
        for name, array in alone.recorded.items():
            np.testing.assert_array_equal(array, whole.recorded[name][k], err_msg=name)


def test_it_is_a_supplier_of_its_own_in_the_ledger() -> None:
    sim, q0 = on_ground(dt=1e-3), standing()
    kick = ts.Push("trunk", (0.0, 80.0, 0.0), start=0.05, duration=0.1, name="kick")
    run = sim.run(q0, duration=0.4, controller=stiff(), external=[kick, ts.Push("trunk", FORCE)])
    stored, work = run.energy.by_part()["kick"]
    assert set(run.energy.by_part()) == {"kick", "push1"}
    speed = np.asarray(
        quadruped().frame_velocity(run.q, run.v, "trunk", reference="local_world_aligned")
    )[:, 1]
    way = 0.5e-3 * (speed[1:] + speed[:-1])[50:150].sum()
    print(f"work {work[-1]:.6f} J, force times way {80.0 * way:.6f} J")
    assert not stored.any() and work[50] == 0.0
    assert work[-1] == pytest.approx(80.0 * way, rel=1e-4)
    run.energy.check(2e-3)
    force = run.parts["kick"].force
    np.testing.assert_allclose(force[60], [0.0, 80.0, 0.0], atol=1e-9)
    assert not force[200].any()
    assert "parts" in run.energy.names


def test_steps_are_pushed_for_as_long_as_they_last() -> None:
    sim, q0 = on_ground(), standing()
    kick = ts.Push("trunk", FORCE, start=0.02, duration=0.03)
    run = sim.run(q0, duration=0.1, controller=stiff(), external=kick)
    sim.reset(q0, controller=stiff())
    for n in (7, 1, 20, 22):
        q, v = sim.step(steps=n, external=kick)
    np.testing.assert_array_equal(q, run.q[-1])
    np.testing.assert_array_equal(v, run.v[-1])
    assert not sim.parts
    sim.reset(q0, controller=stiff())
    sim.step(steps=10, external=ts.Push("trunk", FORCE))
    pushed = sim.step(steps=10)
    sim.reset(q0, controller=stiff())
    sim.step(steps=20, external=ts.Push("trunk", FORCE, duration=0.02))
    np.testing.assert_array_equal(sim.q, pushed[0])
    sim.add(ts.forces.Wrench("trunk", (0.0, 0.0, 5.0), name="lift"))
    sim.step(external=np.zeros((quadruped().n_bodies, 6)))
    assert list(sim.parts) == ["lift"]


def test_rollouts_take_sequences_of_wrenches() -> None:
    m, sim = arm(), Simulation(arm())
    rng = np.random.default_rng(5)
    torques, wrenches = rng.normal(size=(3, 8, 4)), rng.normal(size=(3, 8, 4, 6))
    run = ts.rollout(sim, ARM, torques=torques, hold=5, external=wrenches)
    for k in range(3):
        sim.reset(ARM)
        for n in range(8):
            q, _ = sim.step(torques[k, n], steps=5, external=wrenches[k, n])
        np.testing.assert_array_equal(q, run.q[k, -1])
    one = ts.rollout(sim, ARM, torques=torques[0], hold=5, external=ts.Push("link_3", FORCE))
    assert one.q.shape == (1, 9, 4) or one.q.shape == (9, 4)
    assert m.n_bodies == 4


def test_it_ends_goes_on_and_comes_back_with_everything_else(tmp_path: Path) -> None:
    """`until`, checkpoints and pushes that change within a call of the core, together."""
    sim, (q, v), file = on_ground(), batch(4), tmp_path / "run.npz"
    kick = [ts.Push("trunk", np.outer(np.arange(4), FORCE), start=0.0337, duration=0.2)]
    options: dict[str, Any] = {"controller": stiff(), "external": kick}
    fastest = np.sort(np.abs(sim.run(q, v, duration=0.4, **options).v[..., 0]).max(axis=1))
    bound = fastest[1:3].mean()
    options["until"] = lambda t, q, v: np.abs(v[:, 0]) > bound
    whole = sim.run(q, v, duration=0.4, **options)
    print(whole.ended.time)
    assert whole.ended and np.isinf(whole.ended.time).any()
    for k in range(4):
        own = {**options, "external": ts.Push("trunk", k * FORCE, start=0.0337, duration=0.2)}
        own["until"] = lambda t, q, v: bool(np.abs(v[0]) > bound)
        alone = sim.run(q[k], v[k], duration=0.4, **own)
        assert alone.ended.time == whole.ended.time[k]
        np.testing.assert_array_equal(alone.q[-1], whole.q[k, -1])
        np.testing.assert_array_equal(alone.energy.parts, whole.energy.parts[k, : len(alone)])
    sim.run(q, v, duration=0.4, **options, checkpoint=file, checkpoint_every=0.15)
    rest = on_ground().resume(file, **options)
    np.testing.assert_array_equal(rest.q[:, -1], whole.q[:, -1])
    np.testing.assert_array_equal(rest.ended.time, whole.ended.time)
    with pytest.raises(ValueError, match="another external"):
        sim.resume(file, **{**options, "external": ts.Push("trunk", FORCE)})
    with pytest.raises(ValueError, match="another external"):
        sim.resume(file, **{**options, "external": None})


@pytest.mark.parametrize("bad", [np.nan, np.inf, "up", None, np.zeros(2)])
@pytest.mark.parametrize("whole", [True, False])
def test_nonsense_of_a_function_is_told_and_the_state_kept(bad: Any, whole: bool) -> None:
    sim, q0 = on_ground(), standing()

    def gust(t: float, q: Array, v: Array) -> Any:
        good = np.zeros((quadruped().n_bodies, 6)) if whole else np.zeros(3)
        return good + bad if t > 0.0195 and isinstance(bad, float) else bad if t > 0.0195 else good

    external = gust if whole else ts.Push("trunk", gust)
    with pytest.raises(ts.SimulationError, match="gust returned") as caught:
        sim.run(q0, duration=0.1, external=external)
    assert caught.value.time == pytest.approx(0.02)
    assert caught.value.trajectory is not None and len(caught.value.trajectory) == 11
    sim.reset(q0)
    with pytest.raises(ts.SimulationError, match="gust returned"):
        sim.step(steps=50, external=external)
    assert sim.t == pytest.approx(0.02) and not sim.parts
    np.testing.assert_array_equal(sim.q, caught.value.trajectory.q[-1])
    sim.step(steps=5)


def test_wrong_pushes_are_refused() -> None:
    sim, q0 = on_ground(), standing()

    def refused(error: type[Exception], match: str, external: Any) -> None:
        with pytest.raises(error, match=match):
            sim.run(q0, duration=0.1, external=external)
        sim.reset(q0)
        with pytest.raises(error, match=match):
            sim.step(external=external)
        assert not sim.parts

    n = quadruped().n_bodies
    refused(ValueError, "trunk", ts.Push("trnk", FORCE))
    refused(ValueError, "2 states", ts.Push("trunk", np.zeros((2, 3))))
    refused(ValueError, "external has", np.zeros((n - 1, 6)))
    refused(ValueError, "external has shape", np.zeros(6))
    refused(ValueError, "external has", np.zeros((5, n, 6)))
    refused(ValueError, "not finite", np.full((n, 6), np.nan))
    refused(ValueError, "increasing", ([0.0, 0.0], np.zeros((2, n, 6))))
    refused(ValueError, "increasing", ([0.0, 1.0, 2.0], np.zeros((2, n, 6))))
    refused(TypeError, "must be a tarsus.Push", [ts.Push("trunk", FORCE), 3])
    refused(TypeError, "no", "trunk")
    twice = [ts.Push("trunk", FORCE, name="a"), ts.Push("trunk", FORCE, name="a")]
    refused(ValueError, "already", twice)
    for wrong in (
        {"force": (1.0, 2.0)},
        {"force": (np.nan, 0.0, 0.0)},
        {"force": FORCE, "duration": -1.0},
        {"force": FORCE, "start": np.inf},
        {"force": np.zeros((2, 2, 3))},
    ):
        with pytest.raises(ValueError):
            ts.Push("trunk", **wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="external"):
        Simulation(arm(), integrator="rk4").run(ARM, duration=0.1, external=ts.Push("hand", FORCE))


def test_a_plan_keeps_to_its_part_when_others_go() -> None:
    """Removing an earlier part moves the numbers of the later ones."""
    sim = Simulation(arm())
    sim.reset(ARM)
    first = sim.add(ts.forces.Wrench("link_3", (1.0, 0.0, 0.0)))
    motor = sim.add(ts.constraint.JointMotion("joint_1"))
    motor.follow(lambda t: 0.6 + 0.5 * t)
    sim.step(steps=10)
    sim.remove(first)
    sim.step(steps=90)
    assert sim.q[1] == pytest.approx(0.65, abs=1e-9)


def test_a_plan_that_fails_is_told_and_the_state_kept() -> None:
    sim = Simulation(arm())
    motor = sim.add(ts.constraint.JointMotion("joint_1"))
    motor.follow(lambda t: 0.6 if t < 0.0205 else np.nan)
    with pytest.raises(ts.SimulationError, match="plan of part 'joint_motion1'") as caught:
        sim.run(ARM, duration=0.1)
    assert caught.value.time == pytest.approx(0.02)
    assert caught.value.trajectory is not None and len(caught.value.trajectory) == 21
    sim.reset(ARM)
    with pytest.raises(ts.SimulationError, match="plan of part 'joint_motion1'"):
        sim.step(steps=50)
    np.testing.assert_array_equal(sim.q, caught.value.trajectory.q[-1])
    motor.follow(None)
    sim.step(steps=5)
    assert sim.t == pytest.approx(0.025)
