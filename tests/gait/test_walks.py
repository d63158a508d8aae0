"""Machines walk in simulation with contact: short walks, and (slow) all that they shall do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from walking_machines import machine

import tarsus as ts
from tarsus.walking.ground_wrenches import sole_forces
from tarsus.walking.walk import Walked


def walk(name: str, **options: Any) -> Walked:
    walked = ts.walking.walk(machine(name), **options)
    print(f"{name} {options}\n{walked.report}")
    return walked


@pytest.fixture(scope="module")
def short() -> Walked:
    return walk("lola", speed=0.3, steps=3, duration=4.6)


def test_a_short_walk(short: Walked) -> None:
    report = short.report
    assert not report.fell
    assert report.steps == 3
    planned = short.plan.position[-1, 0]
    assert report.distance == pytest.approx(planned, rel=0.1)
    assert report.gave_way == ()
    # feet stand where they were planned
    stood = short.control.stepping.position[0]
    assert np.abs(stood - short.plan.position).max() < 0.04


def test_contact_keeps_its_laws(short: Walked) -> None:
    """Friction is in its cone and the centre of pressure on the soles, at every instant."""
    contacts = short.run.contacts
    push = (contacts.force * contacts.normal).sum(axis=1)
    along = contacts.force - push[:, None] * contacts.normal
    assert push.min() > -1e-6
    assert (np.linalg.norm(along, axis=1) <= 0.7 * push * (1 + 1e-6) + 1e-6).all()
    soles = sole_forces(short.run, short.walker.body)
    # soles are 100 mm wide, and the zero moment point is led within 80 % of that
    assert np.nanmin(soles.margin) > 0.01
    assert np.isfinite(soles.margin[1:]).all()  # one foot carries at all times


def test_newton_and_euler_hold_in_every_step(short: Walked) -> None:
    """H (v⁺ − v − dt ω × v) = dt (τ − h) + Jᵀ p to round-off, at the state before each step.

    Impulses p and efforts τ are those that the run tells, at the points that it tells. Of the first
    six rows, the whole machine, contact is all that moves it. The linear velocity of the base is
    stated in axes that turn with it: a step sees both ends in the axes of its start, where what
    nothing pushes keeps its velocity.
    """
    run, m = short.run, short.run.model
    some = np.arange(1, len(run.t), 3)
    q, v, dt = run.q[some - 1], run.v[some - 1], run.t[1] - run.t[0]
    turned = np.asarray(m.frame_pose(run.q, short.walker.body.trunk))[:, :3, :3]
    change = run.v[some] - v
    after = np.einsum("tij,tj->ti", turned[some], run.v[some, :3])
    after = np.einsum("tji,tj->ti", turned[some - 1], after)
    change[:, :3] = after - v[:, :3] - dt * np.cross(v[:, 3:6], v[:, :3])
    needed = np.einsum("tij,tj->ti", m.mass_matrix(q), change) / dt + m.bias_forces(q, v)
    left = np.abs(needed - run.tau[some] - pushed_by_contact(run)[some])
    weight = m.total_mass * float(np.linalg.norm(m.gravity))
    print(f"left over {left[:, :6].max():.1e} and {left[:, 6:].max():.1e} of {weight:.0f} N")
    assert np.abs(run.tau[:, :6]).max() == 0.0
    assert left.max() < 1e-12 * weight


def pushed_by_contact(run: ts.Trajectory) -> np.ndarray:
    """Return Jᵀ p/dt (T, nv) of the contacts of the step that ends at each time."""
    contacts, found = run.contacts, np.zeros_like(run.v)
    for body in set(contacts.bodies):
        mine = contacts.bodies == body
        before = np.maximum(contacts.sample[mine] - 1, 0)
        place = run.model.frame_pose(run.q, body)[before, :3, 3]
        rows = run.model.frame_jacobian(run.q, body, "local_world_aligned")[before]
        force = contacts.force[mine]
        moment = np.cross(contacts.point[mine] - place, force)
        wrench = np.concatenate([force, moment], axis=1)
        np.add.at(found, contacts.sample[mine], np.einsum("nij,ni->nj", rows, wrench))
    return found


def test_the_ground_carries_the_machine(short: Walked) -> None:
    """What the ground pushes in all is the weight and the change of momentum."""
    run, m = short.run, short.run.model
    impulse = run.contacts.ground_force()[1:].sum(axis=0) * 1e-3
    weight = m.total_mass * m.gravity * (run.t[-1] - run.t[0])
    p = np.asarray(m.centroidal_momentum(run.q, run.v))[:, :3]
    left = impulse + weight - (p[-1] - p[0])
    print(f"left over {left} N s of {np.linalg.norm(weight):.0f}")
    assert np.abs(left).max() < 2e-3 * np.linalg.norm(weight)


def test_reports_are_told(short: Walked, tmp_path: Any) -> None:
    text = str(short.report)
    for word in ("walked for", "3 steps", "cost of transport", "friction up to"):
        assert word in text
    assert "3 steps" in repr(short)
    assert short.report.as_data()["steps"] == 3
    short.plot(tmp_path / "walk.png")
    assert (tmp_path / "walk.png").stat().st_size > 10_000


def test_a_machine_that_falls_is_told() -> None:
    push = ts.Push("torso", (900.0, 0.0, 0.0), start=0.6, duration=0.2)
    walked = walk("lola", steps=3, push=push)
    report = walked.report
    assert report.fell
    assert report.time < 4.0
    assert report.gave_way[-1][1] == "it falls"
    assert len(report.gave_way) > 1
    assert "fell after" in str(report)


def test_what_is_wrong_is_named() -> None:
    m = machine("lola")
    with pytest.raises(ValueError, match=r"speed is 2.0 m/s: steps of .* m in .* s are longer"):
        ts.walking.walk(m, speed=2.0)
    with pytest.raises(TypeError, match="model is of type str"):
        ts.walking.walk("lola")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="steps is 0"):
        ts.walking.walk(m, steps=0)


ROBOTS = ("talos_reduced", "g1", "lola")
STAIRS = {"depth": 0.4, "count": 3, "start": 0.35}
WALKS: dict[str, dict[str, Any]] = {
    "straight": {"speed": 0.3, "steps": 50},
    "turning": {"speed": 0.0, "turn": 0.3, "steps": 10},
    "sideways": {"sideways": 0.06, "speed": 0.0, "steps": 10},
    "an arc": {"speed": 0.25, "turn": 0.2, "steps": 12},
    "uphill": {"speed": 0.2, "steps": 10, "ground": ts.Ground(slope=-0.14)},
    "downhill": {"speed": 0.2, "steps": 10, "ground": ts.Ground(slope=0.14)},
    "stairs up": {"speed": 0.13, "steps": 14, "ground": ts.Steps(rise=0.1, **STAIRS)},
    "stairs down": {"speed": 0.16, "steps": 12, "ground": ts.Steps(rise=-0.1, **STAIRS)},
    "slippery": {"speed": 0.3, "steps": 10, "friction": 0.3},
    "a path": {"speed": 0.25, "path": [(0.0, 0.0), (0.8, 0.0), (0.8, 0.8)]},
}


@pytest.mark.slow
@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("name", WALKS)
def test_walks(robot: str, name: str) -> None:
    walked = walk(robot, **WALKS[name])
    report = walked.report
    assert not report.fell
    end = walked.plan.position[-2:].mean(axis=0)
    com = walked.run.model.center_of_mass(walked.run.q[-1])
    assert np.linalg.norm(com[:2] - end[:2]) < 0.25
    assert report.turned == pytest.approx(walked.plan.yaw[-1] - walked.plan.yaw[0], abs=0.2)
    assert report.pressure_margin > -0.005


@pytest.mark.slow
@pytest.mark.parametrize("force", [(0, 200, 0), (0, -200, 0), (250, 0, 0), (-250, 0, 0)])
def test_pushes_are_survived_by_stepping(force: tuple[float, float, float]) -> None:
    """Footsteps go where the push does; a machine that keeps its footsteps falls.

    Ahead it does not: this push is made up for by the length of its soles.
    """
    push = ts.Push("base_link", force, start=3.0, duration=0.1)
    walked = walk("talos_reduced", steps=7, push=push)
    assert not walked.fell
    moved = (walked.control.stepping.position[0] - walked.plan.position)[4:, :2]
    along = moved @ np.array(force[:2]) / np.linalg.norm(force)
    print(f"footsteps moved by {along.round(3)} m")
    assert along.min() > 0.03  # without a push they move by 1 mm
    kept = walk("talos_reduced", steps=7, push=push, style=ts.walking.Style(adapt=False))
    assert kept.fell == (force != (250, 0, 0))


@pytest.mark.slow
def test_a_step_that_is_higher_than_told() -> None:
    """The machine takes the ground for level; a step of 2 cm is in its way."""
    ground = ts.Steps(rise=0.02, depth=5.0, count=1, start=0.45)
    assert not walk("talos_reduced", steps=8, ground=ground, known=ts.Ground()).fell


def test_walkers_of_a_batch_walk_as_they_do_alone() -> None:
    """To the bit, each at its own speed; the second lifts its foot while the first one does."""
    m = machine("lola")
    options: dict[str, Any] = {"steps": 2, "duration": 1.8}
    both = ts.walking.walk(m, speed=[0.1, 0.3], walkers=2, **options)
    alone = ts.walking.walk(m, speed=0.3, **options)
    assert np.array_equal(both.run.q[1], alone.run.q)
    assert both[1].report.steps == alone.report.steps
    with pytest.raises(ValueError, match="these are 2 walkers: choose one"):
        both.report  # noqa: B018 - it is what raises


def test_a_walk_goes_on_from_its_checkpoint(tmp_path: Any) -> None:
    """To the bit: the controller tells where each step is, and begins there again."""
    body = ts.gait.Anatomy.from_model(machine("lola"))
    own, ground, file = ts.walking.Biped.ready(body), ts.Ground(), tmp_path / "walk.npz"
    plan = own.footsteps(0.3, steps=2).on(ground, body.legs[0].sole.corners)
    q, touching = own.placed(plan, ground, body.collision()), body.collision()
    sim = ts.Simulation(body.model, ground=ground, collision=touching, dt=1e-3)
    options: dict[str, Any] = {"checkpoint": file, "checkpoint_every": 1.3}
    whole = sim.run(q, duration=1.6, controller=own.controller(plan, ground), **options)
    rest = sim.resume(file, own.controller(plan, ground))
    assert rest.t[0] > 1.2  # the first foot is in the air
    assert np.array_equal(rest.q, whole.q[-len(rest.q) :])


@pytest.mark.slow
@pytest.mark.parametrize("robot", ["lola", "talos_reduced"])
def test_arms_take_momentum_away(robot: str) -> None:
    """Arms that shall, leave less angular momentum about the vertical than those that swing."""
    peaks = {
        arms: walk(robot, speed=0.35, steps=8, style=ts.walking.Style(arms=arms)).report.momentum
        for arms in ("still", "swing", "momentum")
    }
    print(peaks)
    assert peaks["momentum"] < 0.85 * peaks["swing"]
    assert peaks["momentum"] < 0.85 * peaks["still"]
