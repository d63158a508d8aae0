"""What the core of whole-body control is given with each state, beside the programme in NumPy."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence

import numpy as np
import pytest
from cluster_cases import case
from machines import FLAVOURS
from numpy_bodies import numpy_solve
from oracle import Array
from whole_bodies import MOTORS, SIDES, Body, cassie, g1, states, talos

import tarsus as ts
from tarsus.control import Contact, WholeBody
from tarsus.geometry import Distances, SweptSphere, Volumes
from tarsus.ik import (
    AngularMomentumTask,
    Avoid,
    ComTask,
    LineTask,
    LookAtTask,
    OrientationTask,
    PlaneTask,
    PositionTask,
    PostureTask,
    Task,
    Within,
)

ROBOTS = {"talos": talos, "g1": g1, "cassie": cassie}


class OwnOrientation(OrientationTask):
    """A user's task, whose rows the core does not evaluate."""


class OwnMomentum(AngularMomentumTask):
    """A user's task that has a rate only."""


class OwnPosture(PostureTask):
    """A user's posture, which is no diagonal task of the core."""


def compared(law: WholeBody, q: Array, v: Array, tolerance: float = 1e-7) -> Array:
    """Return the codes of states, whose solutions are those of the programme in NumPy."""
    found, plain = law.solve(q, v), numpy_solve(law, q, v)
    assert np.array_equal(found.found.code, plain.found.code)
    done = np.asarray(found.found.code) == 0
    size = 1.0 + np.abs(plain.found.v).max(axis=-1)
    apart = (np.abs(found.found.v - plain.found.v).max(axis=-1) / size)[done]
    force = np.abs(plain.tau).max() + 1.0
    tau = (np.abs(found.tau - plain.tau).max(axis=-1) / force)[done]
    slack = np.abs(found.found.slack - plain.found.slack).max(initial=0.0)
    slip = np.abs(found.slip - plain.slip)[done].max(initial=0.0)
    worst = [float(each.max(initial=0.0)) for each in (apart, tau)] + [float(slack), float(slip)]
    print(f"{done.sum()} of {done.size}:", " ".join(f"{each:.1e}" for each in worst))
    assert worst[0] < tolerance and worst[1] < tolerance
    assert slack < 1e-5 and slip < 1e-4 * (1.0 + float(np.abs(plain.slip).max()))
    assert found.found.working_set.shape == plain.found.working_set.shape
    return np.asarray(found.found.code)


def tasks_of(body: Body, level: int, own: bool) -> list[Task]:
    """Return tasks of which the core evaluates all but frames that look, or those of a user."""
    m, q = body.model, body.q
    at = m.frame_pose(q, body.torso)
    turn, posture, spin = (
        (OwnOrientation, OwnPosture, OwnMomentum)
        if own
        else (OrientationTask, PostureTask, AngularMomentumTask)
    )
    com = ComTask(m.center_of_mass(q), weight=10.0, gain=6.0)
    com.target_velocity, com.target_acceleration = np.array([0.1, 0.0, 0.05]), np.ones(3)
    line = LineTask(body.torso, at[:3, 3], (0.1, 0.0, 1.0), weight=0.3)
    line.target_velocity, line.target_acceleration = np.array([0.0, 0.2, 0.0]), np.ones(3)
    return [
        com,
        turn(body.torso, at[:3, :3], gain=8.0, name="torso"),
        LookAtTask(body.torso, at[:3, 3] + [3.0, 0.5, 0.2], axis=(1.0, 0.0, 0.0), weight=0.1),
        line,
        spin([0.5], axes="z", weight=0.1),
        posture(q, weight=1e-3, gain=6.0, level=level),
    ]


@pytest.mark.parametrize("name", list(ROBOTS))
@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("level", [0, 1])
def test_robots_do_the_same(name: str, own: bool, level: int) -> None:
    """Targets that move, loads, limits of efforts and goals that are inequalities, in a batch."""
    pytest.importorskip("pinocchio")  # whose package of robots these are
    body = ROBOTS[name]()
    m, rng = body.model, np.random.default_rng(2)
    place = m.frame_pose(body.q, body.torso)[:3, 3]
    keep = PlaneTask(body.torso, place - [0.0, 0.0, 0.01], (0.0, 0.0, 1.0), name="height")
    motors = None if body.motors is None else dict.fromkeys(MOTORS, 6.0)
    law = WholeBody(
        m,
        tasks_of(body, level, own),
        body.contacts(margin=0.0),
        within=[Within(keep, lower=0.0)],
        motors=motors,
        effort=None if motors else 60.0,
    )
    q, v = states(body, 12, far=0.05)
    loads = np.clip(rng.uniform(-0.2, 1.4, (12, 2)), 0.0, 1.0)
    for aimed in (np.ones(2), loads):
        law.targets.loads = aimed
        law.reset()
        codes = compared(law, q, v, 1e-6)
        assert (codes == 0).sum() > 6
    assert law.last is None or law.last.saturated.any()


@pytest.mark.parametrize("flavour", ["trees", *FLAVOURS])
def test_random_mechanisms_do_the_same(flavour: str) -> None:
    """Loops as constraints, couplings by functions, joints that follow others."""
    loops = functions = solved = 0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        tree = flavour == "trees"
        model = ts.robots.random_mechanism(rng, 10) if tree else case(flavour, seed).model
        q, v = model.random_configuration(rng, 4), 0.3 * rng.normal(size=(4, model.nv))
        tip, other = model.frame_names[-1], model.frame_names[len(model.frame_names) // 2]
        tasks: Sequence[Task] = [
            PositionTask(tip, rng.normal(size=3), weight=2.0),
            OwnMomentum(weight=0.1),
            PlaneTask(other, rng.normal(size=3), rng.normal(size=3)),
            ComTask(rng.normal(size=3), weight=0.1),
        ]
        contact = Contact(other, torsion=0.05, friction=0.4)
        law = WholeBody(model, tasks, [contact], effort=50.0, regularisation=(1e-2, 1e-2))
        codes = compared(law, q, v, 1e-5)
        solved += int((codes == 0).sum())
        loops += law.programme.loops is not None
        functions += any(cluster.closure.count("function") for cluster in model.clusters)
    assert solved >= 10
    assert loops > 0 or flavour not in ("constraints", "everything")
    assert functions > 0 or flavour != "forms"


def test_links_that_shall_stay_apart() -> None:
    """Pairs that are near in some states are rows of all."""
    pytest.importorskip("pinocchio")
    body = talos()
    m, q = body.model, body.q
    spheres = {
        f"arm_{side}_7_link": [SweptSphere([[0.0, 0.0, 0.0]], 0.1)] for side in ("left", "right")
    }
    spheres["torso_2_link"] = [SweptSphere([[0.0, 0.0, -0.1], [0.0, 0.0, 0.2]], 0.25)]
    near = Distances(m, Volumes(spheres), activation=1.0)
    aims = [
        PositionTask(f"arm_{side}_7_link", m.frame_pose(q, "torso_2_link")[:3, 3], weight=5.0)
        for side in SIDES
    ]
    law = WholeBody(
        m,
        [*tasks_of(body, 0, False), *aims],
        body.contacts(),
        avoid=Avoid(near, margin=0.02),
    )
    places, v = states(body, 10, far=0.1)
    rows = law.solve(places, v).found.slack.shape[-1]
    assert rows > law.programme.drives.rows + len(law.programme.drives.effort)
    assert (compared(law, places, v, 1e-6) == 0).all()


@pytest.mark.parametrize("level", [0, 1])
def test_without_tasks_or_contacts(level: int) -> None:
    """Nothing to follow comes to rest, and a fixed arm needs no contact."""
    from ik_arms import seven_joints

    model, rng = seven_joints(), np.random.default_rng(1)
    q, v = model.random_configuration(rng, 3), rng.normal(size=(3, 7))
    for tasks in ([], [OwnOrientation("hand", level=level)]):
        law = WholeBody(model, tasks, effort=1e3)
        assert (compared(law, q, v) == 0).all()
    assert (
        np.abs(
            WholeBody(model, [], effort=1e3, limits=False).solve(q, v).acceleration + 10 * v
        ).max()
        < 1e-6
    )


def test_frames_that_look_straight_at_their_point() -> None:
    """Where the angle vanishes its rate is still a number."""
    from ik_arms import seven_joints

    model = seven_joints()
    q, v = np.full((1, 7), 0.3), np.full((1, 7), 0.2)
    pose = model.frame_pose(q[0], "hand")
    look = LookAtTask("hand", pose[:3, 3] + pose[:3, 2], axis=(0.0, 0.0, 1.0))
    law = WholeBody(model, [look], effort=1e3)
    assert np.abs(look.error(q)).max() < 1e-12
    assert (compared(law, q, v) == 0).all()


def test_targets_of_other_states_are_refused() -> None:
    from ik_arms import seven_joints

    model = seven_joints()
    law = WholeBody(model, [PositionTask("hand", np.zeros((4, 3)))], effort=1e3)
    with pytest.raises(ValueError, match="targets for other states"):
        law.solve(np.zeros((3, 7)), np.zeros((3, 7)))


def test_controllers_are_copied_after_a_call() -> None:
    """The core's own is not: each copy makes it anew."""
    model = ts.robots.quadruped()
    q, v = model.neutral(), 0.1 * np.ones(model.nv)
    law = WholeBody(model, [PostureTask(gain=2.0)])
    expected = law.solve(q, v).tau
    for again in (copy.deepcopy(law), pickle.loads(pickle.dumps(law))):
        assert np.array_equal(again.solve(q, v).tau, expected)
