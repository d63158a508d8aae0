"""Whole-body control: one programme for accelerations, forces of contacts and torques."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy_bodies import numpy_solve, programme_of, statement_of
from oracle import Array
from whole_bodies import SIDES, Body, cassie, controller, dense_solution, g1, states, talos

import tarsus as ts
from tarsus.control import Contact, WholeBody
from tarsus.ik import ComTask, FrameTask, OrientationTask, PostureTask

pytest.importorskip("pinocchio")  # whose package of robots these are

CORNERS = np.array([[x, y, 0.0] for x in (-0.1, 0.1) for y in (-0.06, 0.06)])


@pytest.fixture(scope="module")
def body() -> Body:
    """Return Talos."""
    return talos()


def loads(count: int, seed: int = 1) -> dict[str, Array]:
    """Return loads of both soles, some open, some in between."""
    rng = np.random.default_rng(seed)
    found = np.clip(rng.uniform(-0.3, 1.5, (2, count)), 0.0, 1.0)
    return {f"{side}_sole_link contact": found[k] for k, side in enumerate(("left", "right"))}


@pytest.mark.parametrize(("effort", "far"), [(None, 0.1), (40.0, 0.3)])
def test_solutions_are_those_of_another_solver(
    body: Body, effort: float | None, far: float
) -> None:
    count = 100
    law, (q, v) = controller(body, effort=effort), states(body, count, far=far)
    rng = np.random.default_rng(0)
    aims = body.model.center_of_mass(body.q) + 0.1 * rng.normal(size=(count, 3))
    law(0.0, q, v, {"com": aims, **loads(count)})
    found, stated = law.last.found, statement_of(law)
    apart, compared, gave_way = 0.0, 0, found.slack.max(axis=-1) > 0.0
    for k in np.flatnonzero(found.code == 0):
        x = dense_solution(stated, k)
        if x is None:
            continue
        compared += 1
        change = float(np.abs(found.v[k] - x).max()) / (1.0 + float(np.abs(x).max()))
        tau = float(np.abs(stated.forces[k] @ (found.v[k] - x)).max()) / 1e3
        apart = max(apart, change, tau)
    most = found.iterations.max()
    print(f"{compared} of {count} compared, {gave_way.sum()} give way, up to {most} passes")
    print(f"apart by {apart:.1e}")
    assert compared > 0.9 * count and gave_way.any() == (effort is not None)
    assert apart < 1e-6  # what DAQP leaves of weights from 1e-4 to 1e4


def test_wrenches_change_the_momentum(body: Body) -> None:
    """Newton and Euler of the whole: what contacts and weight do is the rate of the momentum."""
    m, law, (q, v) = body.model, controller(body), states(body, 200)
    law(0.0, q, v, loads(200))
    a = law.last.acceleration
    rate = np.einsum("bij,bj->bi", m.centroidal_momentum_matrix(q), a)
    rate += np.einsum("bij,bj->bi", m.centroidal_momentum_matrix_rate(q, v), v)
    total, centre = np.zeros((200, 6)), m.center_of_mass(q)
    total[:, :3] = m.total_mass * m.gravity
    for contact in law.contacts:
        wrench = law.last.wrenches[contact.name]
        arm = m.frame_pose(q, contact.frame)[:, :3, 3] - centre
        total[:, :3] += wrench[:, :3]
        total[:, 3:] += wrench[:, 3:] + np.cross(arm, wrench[:, :3])
    scale = np.abs(rate).max()
    print(f"balance {np.abs(total - rate).max():.1e} of {scale:.0f}")
    assert np.abs(total - rate).max() < 1e-9 * scale


def test_torques_give_the_accelerations(body: Body) -> None:
    """The dynamics of the model under the torques and wrenches are what was found."""
    m, law, (q, v) = body.model, controller(body), states(body, 50, far=0.02)
    tau = law(0.0, q, v)
    free = ~law.last.saturated.any(axis=-1)
    assert free.sum() > 30
    push = np.zeros((50, m.nv))
    for contact in law.contacts:
        jacobian = m.frame_jacobian(q, contact.frame, "local_world_aligned")
        push += np.einsum("bij,bi->bj", jacobian, law.last.wrenches[contact.name])
    springs = programme_of(law).passive(q, v)
    a = m.forward_dynamics(q, v, tau + push + springs)
    assert np.abs(a - law.last.acceleration)[free].max() < 1e-7 * np.abs(a[free]).max()


def test_forces_are_in_their_cones(body: Body) -> None:
    m, count = body.model, 300
    law = controller(body, friction=0.3)
    rng, shares = np.random.default_rng(3), loads(count)
    aims = m.center_of_mass(body.q) + 0.3 * rng.normal(size=(count, 3))
    q, v = np.broadcast_to(body.q, (count, m.nq)), 0.1 * rng.normal(size=(count, m.nv))
    law(0.0, q, v, {"com": aims, **shares})
    for contact in law.contacts:
        wrench, load = law.last.wrenches[contact.name], shares[contact.name]
        normal, slip = wrench[:, 2], np.linalg.norm(wrench[:, :2], axis=-1)
        assert (normal > -1e-9).all() and (slip <= 0.3 * normal + 1e-7).all()
        assert (normal[load == 0.0] == 0.0).all()
        between = (load > 0.0) & (load < 1.0)
        assert (normal[between] <= 3.0 * load[between] * law.programme.weight + 1e-6).all()
        on = normal > 1.0
        # the moment of the wrench about the centre of pressure is along the normal: flat soles
        centre = np.stack([-wrench[on, 4], wrench[on, 3]], axis=-1) / normal[on, None]
        told = law.last.pressure_centres[contact.name][on]
        assert np.abs(told[:, :2] - centre).max() < 1e-9
        assert (np.abs(centre) <= [0.095 + 1e-9, 0.055 + 1e-9]).all()
        edge = (np.abs(centre) > [0.0949, 0.0549]).any(axis=-1)
        near = (slip > 0.2 * normal)[on]
        print(f"{contact.name}: {edge.sum()} at the edge, {near.sum()} near the cone")
        assert edge.sum() > 5 and near.sum() > 5


def test_limits_of_efforts_hold_and_are_told(body: Body) -> None:
    m = body.model
    law = controller(body, effort={"leg_left_4_joint": 20.0, "leg_right_4_joint": 20.0})
    tau = law(0.0, body.q, np.zeros(m.nv))
    knees = [m.joint(f"leg_{side}_4_joint").v_slice.start for side in ("left", "right")]
    assert np.abs(tau[knees]).max() <= 20.0 + 1e-9
    names = [name for name, at in zip(law.last.limited, law.last.saturated, strict=True) if at]
    print(law.last.status, names, law.last.acceleration[2])
    assert {"leg_left_4_joint", "leg_right_4_joint"} <= set(names)
    assert np.isfinite(tau).all()


def test_what_gives_way_is_told() -> None:
    """A knee that comes to its limit faster than its motor can brake."""
    body = talos()
    law, m = controller(body, effort={"leg_left_4_joint": 5.0}), body.model
    v = np.zeros(m.nv)
    knee = m.joint("leg_left_4_joint")
    q = body.q.copy()
    q[knee.q_slice] = knee.upper[0] - 1e-3
    v[knee.v_slice] = 5.0
    tau = law(0.0, q, v)
    print(law.last.status, {k: float(x) for k, x in law.last.missed.items()})
    assert np.isfinite(tau).all() and abs(tau[knee.v_slice][0]) <= 5.0
    assert "effort missed by" in str(law.last.status)
    assert float(law.last.missed["dynamics"]) < 1e-9


def test_joints_brake_before_their_limits(body: Body) -> None:
    m, law = body.model, controller(body)
    elbow = m.joint("arm_left_4_joint")
    goal = body.q.copy()
    goal[elbow.q_slice] = elbow.lower[0] - 1.0  # out of reach
    law.tasks[2].weight = 1.0
    run = body.simulation().run(
        body.q, duration=0.8, controller=lambda t, q, v: law(t, q, v, {"posture": goal})
    )
    at = run.q[:, elbow.q_slice.start]
    print(f"ends {at[-1] - elbow.lower[0]:.4f} rad before its limit")
    assert at.min() > elbow.lower[0] - 1e-3 and at[-1] < elbow.lower[0] + 0.05


def test_levels_are_strict(body: Body) -> None:
    """A posture on level 1 has no influence on what level 0 reaches."""
    q, v = states(body, 20, far=0.05)
    reached = []
    for level, weight in ((0, 1.0), (1, 1.0), (0, 0.0)):
        law = controller(body, level)
        law.tasks[2].weight = weight
        law(0.0, q, v)
        stated = statement_of(law)
        own = slice(law.programme.held, law.programme.held + 6)
        reached.append(np.einsum("bij,bj->bi", stated.task[:, own], law.last.found.v))
    shared, strict = (np.abs(each - reached[2]).max() for each in reached[:2])
    print(
        f"a posture changes what the tasks reach by {shared:.1e}, on a level below by {strict:.1e}"
    )
    assert strict < 1e-6 and shared > 0.1


def test_contacts_come_and_go_without_jumps(body: Body) -> None:
    """A foot that is unloaded lets go, without a jump where its load vanishes."""
    m, q = body.model, body.q
    over = np.array([*m.frame_pose(q, "left_sole_link")[:2, 3], m.center_of_mass(q)[2]])
    feet = [FrameTask(f"{side}_sole_link", m.frame_pose(q, f"{side}_sole_link")) for side in SIDES]
    torso = OrientationTask(body.torso, m.frame_pose(q, body.torso)[:3, :3])
    q = ts.ik.Solver(m, [*feet, torso, ComTask(over)]).solve(q).q
    tasks = [ComTask(over), torso, PostureTask(q, weight=1e-3, level=0)]
    law = WholeBody(m, tasks, body.contacts())
    shares = np.linspace(0.2, 0.0, 101)
    tau = [law(0.0, q, np.zeros(m.nv), {"right_sole_link contact": share}) for share in shares]
    steps = np.abs(np.diff(tau, axis=0)).max(axis=-1)
    print(f"largest step {steps.max():.2f} N m, all of it {np.ptp(tau, axis=0).max():.1f} N m")
    assert steps.max() < 0.05 * np.ptp(tau, axis=0).max() and steps[-1] < steps.max()


@pytest.mark.parametrize("level", [0, 1])
def test_the_core_does_the_same(body: Body, level: int) -> None:
    """One call there and the lines in NumPy, with targets that move, limits and loads."""
    m, law, rng = body.model, controller(body, level, effort=60.0), np.random.default_rng(5)
    com, torso, posture = law.tasks
    for task, size in ((com, 3), (torso, 3), (posture, m.nv)):
        task.target_velocity = 0.1 * rng.normal(size=size)
        task.target_acceleration = rng.normal(size=size)
    momentum = ts.ik.AngularMomentumTask([0.5], axes="z", weight=0.1)
    momentum.target_velocity = [0.3]
    hand = FrameTask("arm_left_7_link", relative_to=body.torso, gain=5.0, name="hand")
    hand.target_velocity = rng.normal(size=6)
    sole = body.contacts(0.5)[0]
    toe = Contact("right_sole_link", CORNERS[:2], torsion=0.02, normal=[0.1, 0.0, 1.0])
    tasks = [com, torso, posture, momentum, hand]
    law = WholeBody(m, tasks, [sole, toe], effort={"leg_left_4_joint": 80.0})
    q, v = states(body, 30, far=0.05)
    law.targets.loads = np.stack([np.ones(30), np.clip(rng.uniform(-0.2, 1.2, 30), 0, 1)], -1)
    found, plain = law.solve(q, v), numpy_solve(law, q, v)
    apart = np.abs(found.found.v - plain.found.v).max() / np.abs(plain.found.v).max()
    print(f"apart by {apart:.1e}, {plain.saturated.sum()} efforts at their limits")
    assert apart < 1e-8 and plain.saturated.any()
    assert np.abs(found.tau - plain.tau).max() < 1e-6
    assert np.abs(found.slip - plain.slip).max() < 1e-6
    assert (found.found.code == plain.found.code).all()
    assert (found.saturated == plain.saturated).all()


def test_batches_are_many_states(body: Body) -> None:
    law, (q, v) = controller(body), states(body, 5)
    tau = law(0.0, q, v)
    for k in range(5):
        law.reset()
        assert np.array_equal(law(0.0, q[k], v[k]), tau[k])
    assert law(0.0, q.reshape(5, 1, -1), v).shape == (5, 5, body.model.nv)


def test_references_for_joint_controllers(body: Body) -> None:
    law = controller(body, outputs="references", period=2e-3)
    q, v, tau = law(0.0, body.q, np.zeros(body.model.nv))
    assert q.shape == body.q.shape and v.shape == tau.shape
    inner = ts.control.PD(body.model, 2000.0, 20.0)
    cascade = ts.control.Cascade(law, inner, outer_period=2e-3)
    run = body.simulation().run(body.q, duration=0.3, controller=cascade)
    assert np.abs(run.q[-1] - body.q).max() < 0.02


def sway(body: Body, side: float, down: float) -> Any:
    """Return a reference of the centre of mass, to the side and down and back again."""
    start = body.model.center_of_mass(body.q)
    half, rate = 0.5 * np.array([0.0, side, -down]), 2.0 * np.pi * 0.5

    def at(t: float) -> dict[str, Any]:
        s, c = np.sin(rate * t), np.cos(rate * t)
        return {"com": (start + (1.0 - c) * half, rate * s * half, rate**2 * c * half)}

    return at


@pytest.mark.parametrize(
    ("make", "side", "down"), [(talos, 0.06, 0.06), (g1, 0.03, 0.04), (cassie, 0.03, 0.05)]
)
def test_they_sway_and_squat(make: Any, side: float, down: float) -> None:
    """In true contact, with forces that are those that were planned."""
    body = make()
    law, m = controller(body, reference=sway(body, side, down)), body.model
    planned: list[Array] = []

    def watched(t: float, q: Array, v: Array) -> Array:
        tau = law(t, q, v)
        assert law.last.status == "solved"
        planned.append(np.array([law.last.wrenches[c.name][:3] for c in law.contacts]))
        return tau

    run = body.simulation().run(body.q, duration=2.0, controller=watched)
    task = law.tasks[0]
    errors = [task.error(q) for t, q in zip(run.t, run.q, strict=True) if aim(law, task, t)]
    measured = np.stack([run.contacts.force_on(c.frame) for c in law.contacts], axis=1)
    apart = np.abs(measured[1 : len(planned)] - np.array(planned)[1:]).max()
    weight = law.programme.weight
    print(
        m.name,
        f"off by {1e3 * np.abs(errors).max():.1f} mm, forces by {apart:.1f} of {weight:.0f} N",
    )
    assert np.abs(errors).max() < 0.012
    assert apart < 0.05 * weight
    assert (measured[1:, :, 2] > 0.1 * weight).all()


def aim(law: WholeBody, task: Any, t: float) -> bool:
    """Give a task its target at a time."""
    law.targets.aim(law.reference(t))
    return True


def test_a_foot_is_lifted(body: Body) -> None:
    m, q = body.model, body.q
    feet = {side: m.frame_pose(q, f"{side}_sole_link") for side in ("left", "right")}
    start, over = m.center_of_mass(q), feet["left"][:3, 3]
    foot = FrameTask("right_sole_link", feet["right"], gain=15.0, name="foot")

    def lift(t: float) -> dict[str, Any]:
        s, h = np.clip(t / 1.2, 0.0, 1.0), np.clip((t - 1.6) / 0.6, 0.0, 1.0)
        s, h = (x**3 * (10.0 - 15.0 * x + 6.0 * x * x) for x in (s, h))
        up = feet["right"].copy()
        up[2, 3] += 0.06 * h
        centre = start + s * np.array([*(over - start)[:2], 0.0])
        return {
            "com": centre,
            "foot": up,
            "right_sole_link contact": np.clip((1.6 - t) / 0.3, 0, 1),
        }

    tasks = [*controller(body).tasks, foot]
    law = WholeBody(m, tasks, body.contacts(margin=0.01), reference=lift)
    run = body.simulation().run(q, duration=2.4, controller=law)
    left, right = (run.contacts.force_on(f"{side}_sole_link")[-1, 2] for side in ("left", "right"))
    height = m.frame_pose(run.q[-1], "right_sole_link")[2, 3] - feet["right"][2, 3]
    print(f"{left:.0f} N and {right:.0f} N, the foot is {1e3 * height:.0f} mm up")
    assert right == 0.0 and abs(left - 9.81 * m.total_mass) < 30.0
    assert 0.045 < height < 0.075


def test_links_are_kept_apart(body: Body) -> None:
    """Hands that shall meet stay a margin away from each other."""
    m, hands = body.model, [f"arm_{side}_7_link" for side in SIDES]
    volumes = ts.geometry.Volumes(
        {hand: [ts.geometry.SweptSphere([[0.0, 0.0, 0.0]], 0.06)] for hand in hands}
    )
    apart = ts.ik.Avoid(ts.geometry.Distances(m, volumes, activation=0.15), margin=0.02)
    meet = np.array([0.35, 0.0, m.frame_pose(body.q, hands[0])[2, 3]])
    tasks = [*controller(body).tasks, *(ts.ik.PositionTask(h, meet, gain=6.0) for h in hands)]
    law = WholeBody(m, tasks, body.contacts(), avoid=apart)
    run = body.simulation().run(body.q, duration=1.5, controller=law)
    gaps = apart.distances.nearest(run.q).distance.min(axis=-1)
    print(f"{1e3 * gaps.min():.1f} mm at least, {1e3 * gaps[-1]:.1f} mm in the end")
    assert gaps.min() > 0.018 and gaps[-1] < 0.03


def test_tasks_stay_within_bounds(body: Body) -> None:
    """A squat that is asked for ends where the centre of mass may not go lower."""
    m, start = body.model, body.model.center_of_mass(body.q)
    above = ts.ik.PlaneTask("com", [0.0, 0.0, start[2] - 0.05], [0.0, 0.0, 1.0])
    law = controller(body)
    law = WholeBody(m, law.tasks, body.contacts(), within=[ts.ik.Within(above, lower=0.0)])
    law.tasks[0].target = start - [0.0, 0.0, 0.1]
    run = body.simulation().run(body.q, duration=1.5, controller=law)
    height = m.center_of_mass(run.q)[:, 2] - start[2]
    print(f"{1e3 * height.min():.1f} mm at the lowest, {1e3 * height[-1]:.1f} mm in the end")
    assert height.min() > -0.0505 and height[-1] < -0.045


def test_joints_that_follow_brake_before_their_limits() -> None:
    """The tarsus of Cassie follows its knee."""
    body = cassie()
    m, q = body.model, body.q
    text = m.description
    place = m.joint("left-shin-tarsus-joint").position_slice.start
    at = float(m.joint_positions(q)[place])
    joints = [
        replace(joint, upper=np.array([at + 0.05]))
        if joint.name == "left-shin-tarsus-joint"
        else joint
        for joint in text.joints
    ]
    near = ts.Model(replace(text, joints=joints), strict=False)
    v = np.zeros(m.nv)
    v[m.joint("left-knee-op").v_slice] = -2.0  # the tarsus goes up
    law = controller(Body(near, q, body.corners, body.torso, body.motors))
    law(0.0, q, v)
    own = m.joint("left-shin-tarsus-joint").velocity_slice.start
    speed = near.joint_velocities(q, v)[own]
    a = near.joint_accelerations(q, v, law.last.acceleration)[own]
    most = 20.0**2 * 0.05 - 2.0 * 20.0 * speed
    print(f"speed {speed:.2f} rad/s, acceleration {a:.2f}, at most {most:.2f} rad/s²")
    assert speed > 1.0 and a <= most + 1e-6


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda b: WholeBody(b.model, ComTask()), "tasks is .* alone, must be a list"),
        (lambda b: WholeBody(b.model, [1]), "tasks has a int"),
        (lambda b: controller(b, outputs="forces"), "outputs is 'forces'"),
        (lambda b: controller(b, within=[ComTask()]), "within has a ComTask"),
        (lambda b: controller(b, outputs="references"), "needs a period"),
        (lambda b: controller(b, reference={"hand": np.zeros(3)}), "reference names 'hand'.*com"),
        (lambda b: controller(b, reference={"com": np.zeros(2)}), "target of task 'com' has shape"),
        (lambda b: controller(b, reference={"left_sole_link contact": 2.0}), "load of .* from 0"),
        (lambda b: WholeBody(b.model, [], [Contact("foot")]), "frame 'foot'"),
        (
            lambda b: WholeBody(b.model, [], [Contact("left_sole_link")] * 2),
            "two tasks or contacts",
        ),
        (lambda b: Contact("f", np.zeros(3)), r"corners of .* must be \(k, 3\)"),
        (lambda b: Contact("f", np.eye(3)[[0, 0]]), "both corners"),
        (lambda b: Contact("f", friction=-1.0), "friction of .* must not be negative"),
        (lambda b: Contact("f", 0.01 * np.eye(3), margin=0.1), "leaves nothing of the face"),
        (lambda b: Contact("f", normal=np.zeros(3)), "has no direction"),
    ],
)
def test_wrong_input_is_named(body: Body, make: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        make(body)
