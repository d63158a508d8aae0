"""Parts come and go while a motion runs: nothing else changes, nothing leaks, trouble has names."""

from __future__ import annotations

import gc
import resource
import warnings

import numpy as np
import pytest

import tarsus as ts
from tarsus.arrays import Array
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


def test_thousands_of_changes_leave_nothing_behind() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first = soak(5_000, 0)
        gc.collect()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for seed in range(3):
            soak(10_000, seed)
        assert soak(5_000, 0)[0].tobytes() == first[0].tobytes()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"grown by {grown} kB")
    assert grown < 20_000  # kB: 3,000 changes of parts that took as much as one run would be more


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
