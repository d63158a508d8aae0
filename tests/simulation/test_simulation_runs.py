"""Runs: what they record, that they fall and stand as they must, and that bits never change."""

from __future__ import annotations

import numpy as np
import pytest
from movers import (
    ball,
    batch,
    fingerprint,
    on_ground,
    on_tip,
    point_mass,
    quadruped,
    standing,
    stiff,
)

import tarsus as ts
from tarsus.geometry import Ground
from tarsus.simulation import Simulation


def test_a_ball_falls_lands_and_stays() -> None:
    dt = 1e-3
    m = ball()
    q0 = m.neutral()
    q0[2] = 0.6
    run = Simulation(m, ground=Ground(), dt=dt).run(q0, duration=1.0)
    n = np.arange(len(run))
    fall = 0.6 - 0.5 * 9.81 * dt**2 * n * (n + 1)  # semi-implicit Euler, exactly
    flying = fall > 0.1
    print(f"fall off by {np.abs(run.q[flying, 2] - fall[flying]).max():.1e} m")
    np.testing.assert_allclose(run.q[flying, 2], fall[flying], atol=1e-12)
    assert run.t[-1] == pytest.approx(1.0) and len(run) == 1001
    landed = run.q[~flying, 2][5:]
    print(f"rests {np.abs(landed - 0.1).max():.1e} m from its radius")
    np.testing.assert_allclose(landed, 0.1, atol=1e-9)
    weight = run.contacts.ground_force()[-1]
    np.testing.assert_allclose(weight, [0.0, 0.0, 2.0 * 9.81], atol=1e-8)
    assert run.contacts.state_of("ball")[0] == "open"
    assert run.contacts.state_of("ball")[-1] == "stick"
    assert "impact" in run.contacts.state_of("ball")
    assert (run.tau == 0.0).all()
    assert run.statistics.penetration.max() < 1e-9


def test_the_quadruped_stands_on_its_feet() -> None:
    m, run = quadruped(), on_ground().run(standing(), duration=1.0, controller=stiff())
    force = run.contacts.ground_force()[-1]
    weight = m.total_mass * 9.81
    sway = np.abs(run.q[-1, :3] - run.q[0, :3]).max()
    print(f"force {force.round(3)} N, weight {weight:.3f} N, sway {sway:.1e} m")
    assert force[2] == pytest.approx(weight, rel=2e-3)
    assert sway < 0.02
    assert set(run.contacts.touching()) == {
        f"{end}_{side}_foot" for end in ("front", "rear") for side in ("left", "right")
    }
    shares = [run.contacts.force_on(link)[-1, 2] for link in run.contacts.touching()]
    assert sum(shares) == pytest.approx(force[2])
    assert min(shares) > 0.1 * weight
    assert run.contacts.state_of("front_left_foot")[-1] == "stick"
    worst = float(np.abs(run.energy.relative_residual).max())
    print(f"ledger {worst:.1e} of the flow")
    assert worst < 1e-3


@pytest.mark.parametrize("every", [1, 3, 7, 100, 999])
def test_samples_do_not_depend_on_how_often_they_are_taken(every: int) -> None:
    sim, (q, v) = on_ground(), batch(3)
    whole = sim.run(q, v, duration=0.2, controller=stiff())
    part = sim.run(q, v, duration=0.2, controller=stiff(), every=every)
    assert len(part) == 1 + 100 // every
    for name in whole.recorded:
        np.testing.assert_array_equal(part.recorded[name], whole.recorded[name][:, ::every])
    kept = whole.contacts.sample % every == 0
    np.testing.assert_array_equal(part.contacts.rows, whole.contacts.rows[kept])
    np.testing.assert_array_equal(part.contacts.sample * every, whole.contacts.sample[kept])
    np.testing.assert_array_equal(part.contacts.state_index, whole.contacts.state_index[kept])
    np.testing.assert_array_equal(part.t, whole.t[::every])


def test_bits_are_the_same_on_every_run_thread_count_and_batch() -> None:
    sim, (q, v) = on_ground(), batch(19)
    runs = {
        threads: sim.run(q, v, duration=0.3, controller=stiff(), threads=threads)
        for threads in (1, 2, 3, 7)
    }
    again = on_ground().run(q, v, duration=0.3, controller=stiff())
    hashes = {fingerprint(run) for run in (*runs.values(), again)}
    print(f"{len(runs) + 1} runs, {len(hashes)} fingerprint: {min(hashes)[:16]}")
    assert len(hashes) == 1
    assert len(again.contacts) > 1000
    for k in (0, 5, 18):
        alone = sim.run(q[k], v[k], duration=0.3, controller=stiff())
        assert fingerprint(alone) == fingerprint(runs[1][k])


def test_what_is_not_recorded_says_so() -> None:
    sim = on_ground()
    run = sim.run(standing(), duration=0.02, record=("q", "contacts"))
    assert set(run.recorded) == {"q"}
    assert len(run.contacts.at(-1)) >= 4
    for name in ("v", "tau", "energy", "statistics"):
        with pytest.raises(ValueError, match=f"{name} was not recorded"):
            getattr(run, name)
    with pytest.raises(ValueError, match="contacts was not recorded"):
        sim.run(standing(), duration=0.02, record="q").contacts  # noqa: B018


def test_without_a_recording_there_are_both_ends() -> None:
    sim, (q, v) = on_ground(), batch(2)
    whole = sim.run(q, v, duration=0.1)
    ends = sim.run(q, v, duration=0.1, record=False)
    np.testing.assert_array_equal(ends.t, whole.t[[0, -1]])
    np.testing.assert_array_equal(ends.q, whole.q[:, [0, -1]])
    np.testing.assert_array_equal(ends.v, whole.v[:, [0, -1]])


def test_steps_by_hand_are_those_of_a_run() -> None:
    sim = on_ground()
    q0 = standing()
    q0[2] += 0.01
    tau = np.zeros(quadruped().nv)
    tau[6:] = 0.5
    run = sim.run(q0, duration=0.06, controller=lambda t, q, v: tau)
    sim.reset(q0)
    for k in range(20):
        q, v = sim.step(tau)
        np.testing.assert_array_equal(q, run.q[k + 1])
        np.testing.assert_array_equal(v, run.v[k + 1])
    sim.step(tau, steps=10)
    np.testing.assert_array_equal(sim.q, run.q[30])
    np.testing.assert_array_equal(sim.v, run.v[30])
    assert sim.t == pytest.approx(0.06)
    now, then = sim.contacts_now(), run.contacts.at(30)
    assert [c.candidate for c in now] == [c.candidate for c in then]
    assert now and all(np.array_equal(a.force, b.force) for a, b in zip(now, then, strict=True))


def test_parameters_differ_within_a_batch() -> None:
    m = point_mass()
    friction, scale = np.array([0.1, 0.2, 0.4]), np.array([[1.0], [2.0], [0.5]])
    q0, v0 = np.zeros((3, 3)), np.tile([1.0, 0.0, 0.0], (3, 1))
    sim = Simulation(m, ground=Ground(friction=friction), collision=on_tip(m))
    run = sim.run(q0, v0, duration=0.05, mass_scale=scale)
    np.testing.assert_allclose(run.v[:, -1, 0], 1.0 - friction * 9.81 * 0.05, atol=1e-9)
    force = run.contacts.ground_force()[:, -1, 2]
    print(f"forces {force} N")
    np.testing.assert_allclose(force, 3.0 * 9.81 * scale[:, 0], rtol=1e-9)
    named = sim.run(q0, v0, duration=0.05, mass_scale={"mass": scale[:, 0]})
    assert fingerprint(named) == fingerprint(run)


def test_one_of_a_batch() -> None:
    run = on_ground().run(*batch(4), duration=0.1, controller=stiff())
    assert run.batch == 4 and run[0].batch is None
    one = run[-1]
    np.testing.assert_array_equal(one.q, run.q[3])
    np.testing.assert_array_equal(one.energy.kinetic, run.energy.kinetic[3])
    assert len(one.contacts) == (run.contacts.state_index == 3).sum()
    np.testing.assert_array_equal(one.contacts.ground_force(), run.contacts.ground_force()[3])
    with pytest.raises(IndexError):
        run[4]
    with pytest.raises(TypeError, match="run of a batch"):
        one[0]


@pytest.mark.parametrize("integrator", ["semi_implicit", "explicit", "rk4", "dormand_prince"])
def test_no_time_is_no_motion(integrator: str) -> None:
    q0 = standing()
    run = Simulation(quadruped(), integrator=integrator).run(q0, duration=0.0)
    assert len(run) == 1 and run.duration == 0.0
    np.testing.assert_array_equal(run.q[0], q0)
    assert (run.energy.relative_residual == 0.0).all()


def test_a_progress_bar_writes_to_the_terminal_only(capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("rich")
    with_bar = on_ground().run(standing(), duration=0.1, progress=True)
    text = capfd.readouterr()
    assert text.out == "" and fingerprint(with_bar) == fingerprint(
        on_ground().run(standing(), duration=0.1)
    )
    assert capfd.readouterr().err == ""


def test_what_a_run_looks_like() -> None:
    run = on_ground().run(*batch(2), duration=0.01)
    assert repr(run) == "<tarsus.Trajectory of 'quadruped': 2 × 6 samples, 0.01 s>"
    assert "level" in repr(on_ground()) or "Ground" in repr(on_ground())
    assert run.settings["dt"] == 2e-3 and run.settings["contact"]["name"] == "exact"
    assert run.ground is not None and run.loop_gaps.shape == (2, 6, 0)
    assert repr(run.contacts) == f"<tarsus.Contacts: {len(run.contacts)} in 6 samples>"


def test_loops_stay_closed() -> None:
    m = ts.robots.four_bar()
    run = Simulation(m, dt=1e-3).run(v0=np.ones(m.nv), duration=0.5)
    print(f"gaps {np.abs(run.loop_gaps).max():.1e} m")
    assert run.loop_gaps.shape[-1] > 0 and np.abs(run.loop_gaps).max() < 1e-9
    assert np.ptp(run.q, axis=0).max() > 0.1
