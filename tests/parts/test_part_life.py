"""Parts come and go while a motion runs: nothing else changes, nothing leaks, trouble has names."""

from __future__ import annotations

import gc
import resource
import warnings

import numpy as np
import pytest

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.simulation.edited import LostPartWarning

c, f = ts.constraint, ts.forces
START = np.array([0.3, -0.4, 0.5])


def arm() -> ts.Model:
    """Return three links of 1 m in a plane, under gravity."""
    b = ts.Builder("arm")
    parent = "world"
    for k in range(3):
        at = np.eye(4)
        at[0, 3] = 1.0 if k else 0.0
        b.body(f"link{k}", mass=1.0, com=(0.5, 0, 0), inertia=np.diag([0.01, 0.1, 0.1]))
        b.joint(f"joint{k}", "revolute", parent, f"link{k}", axis=(0, 1, 0), placement=at)
        parent = f"link{k}"
    return b.build()


TIP = ("link2", (1.0, 0.0, 0.0))


def test_a_part_that_is_off_is_as_if_it_were_not_there() -> None:
    sim, bare = ts.Simulation(arm()), ts.Simulation(arm())
    nail = sim.add(c.Nail(TIP))
    nail.on = False
    for each in (sim, bare):
        each.reset(START)
        each.step(steps=50)
    assert sim.q.tobytes() == bare.q.tobytes() and sim.v.tobytes() == bare.v.tobytes()
    assert not nail.on
    sim.remove(nail)
    sim.step(steps=50)
    bare.step(steps=50)
    assert sim.q.tobytes() == bare.q.tobytes()


def test_adding_and_removing_changes_neither_state_nor_time() -> None:
    sim = ts.Simulation(arm())
    sim.reset(START)
    sim.step(steps=20)
    q, v, t = sim.q, sim.v, sim.t
    nail = sim.add(c.Nail(TIP))
    assert (sim.q == q).all() and (sim.v == v).all() and sim.t == t
    place = np.asarray(arm().frame_pose(q, "link2")) @ [1.0, 0.0, 0.0, 1.0]
    np.testing.assert_allclose(nail.target[:3], place[:3], atol=1e-12)
    sim.step(steps=100)
    held = np.asarray(arm().frame_pose(sim.q, "link2")) @ [1.0, 0.0, 0.0, 1.0]
    print(f"gap {np.abs(held - place).max():.1e}")
    assert np.abs(held - place).max() < 1e-6
    # the nail and the pin carry the weight together
    assert 0.0 < nail.force[2] < 3 * 9.81 * 2
    sim.remove("nail1")
    sim.step(steps=100)
    with pytest.raises(KeyError, match="nail1"):
        nail.target = (0.0, 0.0, 0.0)


def test_each_state_of_a_batch_has_its_own() -> None:
    sim = ts.Simulation(arm())
    sim.reset(np.tile(START, (3, 1)))
    nail = sim.add(c.Nail(TIP, time_constant=0.02))
    nail.on = [True, False, True]
    nail.target = [[2.0, 0, 0.5], [9.0, 9.0, 9.0], [1.5, 0, -0.5]]
    nail.time_constant = [0.02, 0.02, 0.05]
    assert nail.on.tolist() == [True, False, True] and nail.force.shape == (3, 3)
    sim.step(steps=1000)
    ends = np.asarray(arm().frame_pose(sim.q, "link2")) @ [1.0, 0.0, 0.0, 1.0]
    np.testing.assert_allclose(ends[0, :3], [2.0, 0, 0.5], atol=1e-6)
    np.testing.assert_allclose(ends[2, :3], [1.5, 0, -0.5], atol=1e-6)
    free = ts.Simulation(arm())
    free.reset(START)
    free.step(steps=1000)
    np.testing.assert_array_equal(sim.q[1], free.q)


def test_constraints_that_contradict_are_named_and_meet_half_way() -> None:
    sim = ts.Simulation(arm())
    sim.add(c.Nail(TIP, (2.0, 0, 0.5), time_constant=0.1, name="low"))
    sim.add(c.Nail(TIP, (2.0, 0, 0.9), time_constant=0.1, name="high"))
    with pytest.warns(ts.ConvergenceWarning, match="'low'.*'high'"):
        run = sim.run(START, duration=3.0)
    end = np.asarray(arm().frame_pose(run.q[-1], "link2")) @ [1.0, 0.0, 0.0, 1.0]
    np.testing.assert_allclose(end[:3], [2.0, 0.0, 0.7], atol=1e-3)
    report = sim.diagnose(run.q[-1])
    assert len(report.conflicts) >= 1
    assert {"low", "high"} <= set(report.conflicts[0].names)
    sim.remove("high")
    run = sim.run(run.q[-1], duration=2.0)
    end = np.asarray(arm().frame_pose(run.q[-1], "link2")) @ [1.0, 0.0, 0.0, 1.0]
    np.testing.assert_allclose(end[:3], [2.0, 0.0, 0.5], atol=1e-6)


def test_a_nail_out_of_reach_is_named_and_can_be_removed() -> None:
    sim = ts.Simulation(arm())
    sim.reset(START)
    far = sim.add(c.Nail(TIP, (5.0, 0, 0), time_constant=0.1))
    sim.step(steps=3000)
    assert np.isfinite(sim.q).all() and np.abs(sim.v).max() < 1e3
    assert far.missed > 0.1
    sim.remove(far)
    sim.step(steps=100)
    with pytest.warns(ts.ConvergenceWarning, match="'far'"):
        again = ts.Simulation(arm())
        again.add(c.Nail(TIP, (5.0, 0, 0), time_constant=0.1, name="far"))
        again.run(START, duration=1.0)


def test_constraints_that_repeat_each_other_share_and_hold() -> None:
    once, twice = ts.Simulation(arm()), ts.Simulation(arm())
    once.reset(START)
    twice.reset(START)
    one = once.add(c.Nail(TIP))
    two = [twice.add(c.Nail(TIP)) for _ in range(2)]
    once.step(steps=200)
    twice.step(steps=200)
    np.testing.assert_allclose(twice.q, once.q, atol=1e-9)
    for nail in two:
        np.testing.assert_allclose(nail.force, 0.5 * one.force, rtol=1e-6, atol=1e-6)
    print(twice.diagnose())
    assert twice.diagnose().rank == once.diagnose().rank == 2
    assert twice.diagnose().redundant and not twice.diagnose().conflicts


def test_editing_the_model_keeps_state_time_and_parts() -> None:
    sim = ts.Simulation(arm())
    sim.reset(START, np.array([0.1, 0.2, -0.3]))
    nail = sim.add(c.Nail("link0", name="elbow", time_constant=0.1))
    sim.add(f.Spring("link2", (0.0, 0.0, 3.0), 10.0, name="spring"))
    sim.step(steps=30)
    nail.target = (0.1, 0.0, 0.1)
    editor = ts.Editor(arm())
    editor.cut("joint2")
    new, report = sim.edited(editor.build())
    assert report.exact and new.t == sim.t and set(new.parts) == {"elbow", "spring"}
    np.testing.assert_allclose(new.parts["elbow"].target[:3], (0.1, 0.0, 0.1))
    for name in ("link0", "link1", "link2"):
        before, after = arm().frame_pose(sim.q, name), new.model.frame_pose(new.q, name)
        np.testing.assert_allclose(after, before, atol=1e-9)
    new.step(steps=10)
    shorter = ts.Editor(arm())
    shorter.remove("body", "link2")
    with pytest.warns(LostPartWarning, match="'spring' is left behind"):
        new, _ = sim.edited(shorter.build())
    assert set(new.parts) == {"elbow"}


def test_an_edited_simulation_keeps_numbers_for_later_runs_and_currents() -> None:
    forces = [
        f.Motor("joint0", 0.05, 0.8, 0.04, 20.0, 6.0, name="motor"),
        f.Drag("link2", 0.5, name="drag"),
    ]
    sim = ts.Simulation(arm(), forces=forces)
    sim.reset(START)
    sim.parts["drag"].quadratic, sim.parts["motor"].voltage_limit = 3.0, 5.0
    sim.parts["drag"].on = False
    sim.step(steps=50)
    new, _ = sim.edited(arm())
    assert new.parts["motor"].current == sim.parts["motor"].current != 0.0
    for _ in range(2):
        drag, motor = new.parts["drag"], new.parts["motor"]
        assert (drag.quadratic, drag.on, motor.voltage_limit) == (3.0, False, 5.0)
        new.reset(START)  # what was set is for all that start later


def test_an_edited_batch_keeps_the_numbers_of_each_state() -> None:
    sim = ts.Simulation(arm(), forces=[f.Drag("link2", 0.5, name="drag")])
    sim.reset(np.tile(START, (3, 1)))
    sim.parts["drag"].quadratic = [1.0, 2.0, 3.0]
    new, _ = sim.edited(arm())
    np.testing.assert_array_equal(new.parts["drag"].quadratic, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(np.stack(new.step(steps=20)), np.stack(sim.step(steps=20)))


def test_poses_of_a_table_turn_steadily() -> None:
    sim = ts.Simulation(arm())
    turn = 0.9 * np.pi
    poses = [ts.spatial.pose((0, 0, 0), ts.spatial.rotation_from_rpy((0, a, 0))) for a in (0, turn)]
    sim.add(c.BodyMotion("link0", name="crank")).follow(([0.0, 1.0], poses))
    run = sim.run(np.zeros(3), duration=1.2)
    np.testing.assert_allclose(run.q[:, 0], turn * np.minimum(run.t, 1.0), atol=1e-6)
    sim.parts["crank"].follow(([0.5], poses[:1]))  # one target, at all times
    assert np.abs(sim.run(np.zeros(3), duration=0.1).q[:, 0]).max() < 1e-9
    with pytest.raises(ValueError, match="not orthonormal"):
        sim.parts["crank"].follow(([0.0, 1.0], [poses[0], np.diag([2.0, 1.0, 1.0, 1.0])]))


def test_numbers_of_a_handle_are_checked_as_those_of_the_part() -> None:
    motor = f.Motor("joint0", 0.05, 0.8, name="motor")
    sim = ts.Simulation(arm(), forces=[motor, f.Rubber(TIP, (3, 0, 2), 20.0, name="band")])
    wrong = {"resistance": 0.0, "load": 1.5, "thermal_resistance": 0.0, "constant": np.nan}
    for name, value in wrong.items():
        with pytest.raises(ValueError, match=f"{name} of 'motor' is"):
            setattr(sim.parts["motor"], name, value)
    for name, value in {"return_ratio": 5.0, "smoothing": 0.0, "stiffness": -1.0}.items():
        with pytest.raises(ValueError, match=f"{name} of 'band' is"):
            setattr(sim.parts["band"], name, value)
    sim.parts["motor"].constant, sim.parts["motor"].voltage_limit = -0.05, np.inf
    assert sim.parts["motor"].constant == -0.05
    assert {"voltage_limit", "current", "heat"} <= set(dir(sim.parts["motor"]))


def test_a_diagnosis_knows_loops_of_the_model() -> None:
    b = ts.Builder("rod", gravity=(0, 0, 0))
    for k in range(2):
        b.body(f"ball{k}", 1.0).joint(f"slide{k}", "prismatic", "world", f"ball{k}", axis="x")
    rod = ("ball0", (0, 0, 0), "ball1", (1.0, 0, 0))
    b.close_loop("distance", *rod, length=1.0, name="rod", constraint=True)
    sim = ts.Simulation(b.build())
    assert sim.diagnose(np.zeros(2)).rank == 1
    sim.add(c.JointMotion("slide0", 0.0, name="here"))
    sim.add(c.JointMotion("slide1", 0.5, name="there"))
    assert set(sim.diagnose(np.zeros(2)).conflicts[0].names) == {"rod", "here", "there"}


def random_part(rng: np.random.Generator) -> ts.parts.Part:
    link = f"link{rng.integers(3)}"
    point = rng.normal(size=3) * 0.3
    kinds = (
        lambda: c.Nail((link, point)),
        lambda: c.Distance((link, point), (0.0, 0.0, 2.0)),
        lambda: c.PointInPlane(link, rng.normal(size=3)),
        lambda: c.JointMotion(f"joint{rng.integers(3)}"),
        lambda: c.Grab((link, point), rng.normal(size=3), limit=50.0),
        lambda: f.Spring((0, 0, 1.0), (link, point), 100.0, damping=1.0),
        lambda: f.String((0, 0, 1.0), (link, point), 300.0, 0.5),
        lambda: f.JointSpring({"joint0": 1.0, "joint2": -0.5}, 20.0),
        lambda: f.Wrench(link, rng.normal(size=3)),
        lambda: f.Drag(link, 0.5),
    )
    return kinds[rng.integers(len(kinds))]()


def soak(steps: int, seed: int) -> tuple[Array, int]:
    """Return the state after so many steps, with a part added or removed every ten of them."""
    rng = np.random.default_rng(seed)
    sim = ts.Simulation(arm(), forces=[f.Damping(f"link{k}", 1.0) for k in range(3)])
    sim.reset(START)
    handles: list[ts.simulation.PartHandle] = []
    for _ in range(steps // 10):
        if handles and (len(handles) > 4 or rng.random() < 0.5):
            sim.remove(handles.pop(rng.integers(len(handles))))
        else:
            handles.append(sim.add(random_part(rng)))
        sim.step(steps=10)
    assert np.isfinite(sim.q).all()
    return sim.q, len(sim.parts)


def test_a_million_steps_with_changes_leave_nothing_behind() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first = soak(5_000, 0)
        gc.collect()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for seed in range(10):
            soak(100_000, seed)
        assert soak(5_000, 0)[0].tobytes() == first[0].tobytes()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"grown by {grown} kB")
    assert grown < 20_000  # kB, of 100,000 changes


def test_a_nail_above_a_straight_leg_that_stands_does_not_tear() -> None:
    """The foot cannot give way, nor can the nail: what is left is round-off, not a force."""
    model = ts.robots.quadruped()
    q = ts.stand(model, model.neutral())
    rng = np.random.default_rng(0)
    sim = ts.Simulation(model, ground=ts.Ground(friction=0.7))
    sim.add(c.Nail("hind_left_hip"))
    run = sim.run(np.tile(q, (32, 1)), 0.3 * rng.normal(size=(32, model.nv)), duration=0.1)
    print(
        f"fastest {np.abs(run.v).max():.3g}, strongest {np.abs(run.parts['nail1'].force).max():.3g}"
    )
    assert not run.failures and run.unsolved.total == 0
    assert np.abs(run.v).max() < 100.0


@pytest.mark.parametrize("slender", [1e-3, 0.1])
def test_a_loose_kit_of_sticks_flies_together_and_gains_nothing(slender: float) -> None:
    """A tetrahedron of six sticks that are thrown into the air, without any damping."""
    corners = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) / np.sqrt(8)
    edges = [(i, j) for i in range(4) for j in range(i)]
    b = ts.Builder("kit", gravity=(0, 0, 0))
    rng, q = np.random.default_rng(3), []
    for k, (i, j) in enumerate(edges):
        b.body(f"stick{k}", mass=1.0, inertia=np.diag([slender, 1 / 12, 1 / 12]))
        b.joint(f"free{k}", "free", "world", f"stick{k}")
        way = corners[j] - corners[i] + 0.2 * rng.normal(size=3)
        turn = ts.spatial.rotation_along(way / np.linalg.norm(way))[:, [2, 0, 1]]
        middle = 0.5 * (corners[i] + corners[j]) + 0.2 * rng.normal(size=3)
        q += [*middle, *ts.spatial.quaternion_from_rotation(turn)]
    model = b.build()
    sim = ts.Simulation(model, dt=2e-3)
    for corner in range(4):
        ends = [
            (f"stick{k}", (-0.5 if edge[0] == corner else 0.5, 0, 0))
            for k, edge in enumerate(edges)
            if corner in edge
        ]
        for other in ends[1:]:
            sim.add(c.PointToPoint(ends[0], other, time_constant=0.2))
    run = sim.run(np.array(q), duration=2.0)
    for part in run.parts.values():
        size = np.linalg.norm(part.gap, axis=1)
        t = run.t[:-1] / 0.2
        # gaps of less than 1e-4 m close faster
        np.testing.assert_allclose(size[1:] / size[1], (1 + t) * np.exp(-t), atol=1e-3)
    momentum = np.einsum("tij,tj->ti", model.centroidal_momentum_matrix(run.q), run.v)
    gained = np.abs(run.energy.residual).max()
    print(f"kinetic {run.energy.kinetic.max():.3g} J, residual {gained:.1e}")
    assert np.abs(momentum[:, :3]).max() < 1e-12
    assert gained < 1e-9
    assert run.energy.kinetic[-1] < 0.2 * run.energy.kinetic.max()


def test_forces_of_an_edited_model_are_its_own() -> None:
    editor = ts.Editor(arm())
    editor.force(f.Spring("link2", (0.0, 0.0, 3.0), 10.0, name="spring"))
    sim = ts.Simulation(editor.build())
    sim.reset(START)
    sim.add(c.Nail(TIP, name="tip"))
    sim.step(steps=5)
    harder = ts.Editor(arm())
    harder.force(f.Spring("link2", (0.0, 0.0, 3.0), 70.0, name="spring"))
    harder.force(f.Brake("link0", 2.0, name="brake"))
    new, _ = sim.edited(harder.build())
    assert set(new.parts) == {"spring", "brake", "tip"}
    assert new.parts["spring"].stiffness == 70.0
    np.testing.assert_allclose(new.parts["tip"].target, sim.parts["tip"].target)
    new.step(steps=5)


@pytest.mark.parametrize("links", [2, 3, 5])
def test_a_chain_that_is_stretched_between_nails_holds(links: int) -> None:
    """Level and straight it cannot carry its weight, whatever the force: it sags a little."""
    b, parent = ts.Builder("chain"), "world"
    for k in range(links):
        at = np.eye(4)
        at[0, 3] = 1.0 if k else 0.0
        b.body(f"link{k}", mass=1.0, com=(0.5, 0, 0), inertia=np.diag([0.01, 0.1, 0.1]))
        b.joint(f"joint{k}", "revolute", parent, f"link{k}", axis=(0, 1, 0), placement=at)
        parent = f"link{k}"
    sim = ts.Simulation(b.build())
    sim.add(c.Nail((parent, (1.0, 0, 0)), name="end"))
    run = sim.run(duration=0.5)
    gap, fast = np.abs(run.parts["end"].gap).max(), np.abs(run.v).max()
    print(f"gap {gap:.1e} m, fastest {fast:.1e} rad/s")
    assert gap < 1e-5 and fast < 1.0


def test_a_gap_is_told_before_the_first_step() -> None:
    target = np.array([2.0, 0.0, 0.5])

    def gap(q: Array) -> Array:
        return np.asarray(arm().frame_pose(q, "link2") @ [1.0, 0.0, 0.0, 1.0])[:3] - target

    sim = ts.Simulation(arm())
    sim.add(f.Drag("link0", 1.0))
    nail = sim.add(c.Nail(TIP, target, time_constant=0.1))
    sim.reset(START)
    np.testing.assert_allclose(nail.gap, gap(START), atol=1e-12)
    sim.step(steps=3)
    np.testing.assert_allclose(nail.gap, gap(sim.q), atol=1e-12)
    run = sim.run(START, duration=0.01)
    np.testing.assert_allclose(run.parts[nail.name].gap[:2], [gap(START)] * 2, atol=1e-12)
