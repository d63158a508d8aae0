"""Robots that stand on soles, edges and points, with what whole-body control needs of them."""

from __future__ import annotations

import importlib.metadata
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy_bodies import Statement
from oracle import Array

import tarsus as ts
from tarsus.control import Contact, WholeBody
from tarsus.ik import ComTask, OrientationTask, PositionTask, PostureTask, Solver
from tarsus.model import Joint, Loop
from tarsus.model.description import DescriptionDraft
from tarsus.robots.quadrupeds import legged

ROOT = "cmeel.prefix/share/example-robot-data/robots"
SIDES = ("left", "right")


@dataclass(frozen=True)
class Body:
    """A robot, its stance, corners of its contacts by frame, its torso, and what touches."""

    model: ts.Model
    q: Array
    corners: dict[str, Array]
    torso: str
    motors: tuple[str, ...] | None = None

    def contacts(self, friction: float = 0.6, margin: float = 0.0) -> list[Contact]:
        """Return contacts that are named as their frames are."""
        return [
            Contact(frame, at, friction=friction, margin=margin, name=f"{frame} contact")
            for frame, at in self.corners.items()
        ]

    def simulation(self, friction: float = 0.7, dt: float = 1e-3) -> ts.Simulation:
        """Return the robot on the ground, which its corners alone touch."""
        collision = ts.Collision.from_model(self.model, self.corners)
        return ts.Simulation(
            self.model, ground=ts.Ground(friction=friction), dt=dt, collision=collision
        )


def file_of(path: str) -> Path:
    """Return a file of example-robot-data."""
    package = importlib.metadata.distribution("example-robot-data")
    return Path(str(package.locate_file(f"{ROOT}/{path}")))


def talos() -> Body:
    """Return Talos on its soles."""
    robot = legged("talos_reduced")
    corners = np.array([[x, y, 0.0] for x in (-0.1, 0.1) for y in (-0.06, 0.06)])
    feet = dict.fromkeys(robot.feet.values(), corners)
    return Body(robot.model, robot.stance, feet, "torso_2_link")


def g1() -> Body:
    """Return G1 on its soles, with bent knees."""
    model = ts.load(file_of("g1_description/urdf/g1_29dof_rev_1_0.urdf"), base="free")
    q = model.neutral()
    for side in SIDES:
        for joint, angle in (("hip_pitch", -0.3), ("knee", 0.6), ("ankle_pitch", -0.3)):
            q[model.joint(f"{side}_{joint}_joint").q_slice] = angle
    corners = np.array(
        [[x, y, -0.035] for x, y in ((-0.05, 0.025), (-0.05, -0.025), (0.12, 0.03), (0.12, -0.03))]
    )
    feet = {f"{side}_ankle_roll_link": corners for side in SIDES}
    at = model.frame_pose(q, "left_ankle_roll_link")
    q[2] -= (at[:3, :3] @ corners.T + at[:3, 3:])[2].min()
    return Body(model, q, feet, "torso_link")


TOES = np.array([[-0.0457, 0.112, 0.0], [0.088, 0.0, 0.0]])
MOTORS = tuple(
    f"{side}-{joint}-op" for side in SIDES for joint in ("roll", "yaw", "pitch", "knee", "foot")
)
BENT = {"pitch-op": 0.6, "knee-op": -1.2, "shin-tarsus-joint": 1.4, "foot-op": -1.6}


def cassie() -> Body:
    """Return Cassie on the edges of its feet, its leaf springs as stiff as its links.

    Its rods are distances, as between balls at both ends. As the file states them, with hinges, the
    loops of its legs would be over-determined but for the last digits of their axes.
    """
    stated = ts.load(file_of("cassie_description/robots/cassie_v2.sdf")).description
    text = DescriptionDraft.of(stated)
    joints = {joint.name: joint for joint in text.joints}
    loops = {loop.name: loop for loop in text.loops}
    text.loops = []
    for side in SIDES:
        heel, rod = (joints[f"{side}-achilles-spring-joint{end}"] for end in ("", "_fixed"))
        hip, foot = (loops[f"{side}-{name}-joint"] for name in ("pitch-rod", "plantar-foot"))
        crank = joints[f"{side}-crank-rod-joint"]
        start = {f"{side}-{joint}": angle for joint, angle in BENT.items()}
        start[f"{side}-tarsus-crank-joint"] = BENT["foot-op"]
        for name, own, other, length in (
            ("heel", heel, hip, np.linalg.norm(rod.placement[:3, 3])),
            ("plantar", crank, foot, np.linalg.norm(foot.placement_a[:3, 3])),
        ):
            ends = own.parent, other.body_b
            at = own.placement, other.placement_b
            text.loops.append(
                Loop(f"{side} {name}", "distance", *ends, *at, length=float(length), start=start)
            )
    text.bodies = [body for body in text.bodies if "-rod" not in body.name]
    text.joints = [joint for joint in text.joints if "-rod" not in joint.child]
    stiff = {f"{side}-{spring}-joint" for side in SIDES for spring in SPRINGS}
    text.joints = [
        Joint(j.name, "fixed", j.parent, j.child, j.placement) if j.name in stiff else j
        for j in text.joints
    ]
    text.shapes = [shape for shape in text.shapes if "-rod" not in shape.body]
    model = ts.Model(text.build(), strict=False)
    feet = {f"{side}-foot": TOES for side in SIDES}
    return Body(model, standing_on_toes(model), feet, "pelvis", MOTORS)


def standing_on_toes(model: ts.Model) -> Array:
    """Return Cassie with its centre of mass above its feet."""
    tasks: list[ts.ik.Task] = [
        ts.ik.ComTask([0.0, 0.0, 0.75]),
        OrientationTask("pelvis", np.eye(3)),
    ]
    for side, y in (("left", 0.13), ("right", -0.13)):
        tasks += [
            PositionTask(f"{side}-foot", [x, y, 0.0], offset=at, name=f"{side} {x}")
            for at, x in ((TOES[0], 0.0872), (TOES[1], -0.0872))
        ]
    q = model.neutral()
    q[2] = 0.8
    for task in tasks:
        task.gain = 5.0
    solver = Solver(model, tasks)
    for _ in range(400):
        q = solver.step(q, 0.01).q
    return q


SPRINGS = ("knee-shin", "tarsus-spring")


def controller(body: Body, level: int = 0, friction: float = 0.6, **options: Any) -> WholeBody:
    """Return the control of centre of mass, torso and posture."""
    m, q = body.model, body.q
    tasks = [
        ComTask(m.center_of_mass(q), weight=10.0, gain=6.0),
        OrientationTask(body.torso, m.frame_pose(q, body.torso)[:3, :3], gain=8.0, name="torso"),
        PostureTask(q, weight=1e-3, gain=6.0, level=level),
    ]
    contacts = body.contacts(friction, 0.0 if len(body.corners) == 2 and body.motors else 0.005)
    return WholeBody(m, tasks, contacts, motors=body.motors, **options)


def states(body: Body, count: int, seed: int = 0, far: float = 0.15) -> tuple[Array, Array]:
    """Return states near the stance that move."""
    rng, m = np.random.default_rng(seed), body.model
    steps, v = far * rng.normal(size=(count, m.nv)), 3.0 * far * rng.normal(size=(count, m.nv))
    return m.integrate(np.broadcast_to(body.q, (count, m.nq)), steps), v


def dense_solution(stated: Statement, k: int) -> Array | None:
    """Return x by DAQP, with what limits give way as unknowns of their own."""
    daqp: Any = pytest.importorskip("daqp")
    a, w = stated.task[k], stated.weight[k]
    damping = np.broadcast_to(stated.damping, stated.lower.shape)[k]
    hessian = a.T @ (w[:, None] * a) + np.diag(damping)
    gradient = -a.T @ (w * stated.target[k]) - damping * stated.reference[k]
    # in units in which the hessian has ones on its diagonal: DAQP has absolute tolerances
    unit = 1.0 / np.sqrt(np.diagonal(hessian))
    n, soft = len(unit), np.flatnonzero(np.isfinite(stated.penalty))
    hard = np.flatnonzero(~np.isfinite(stated.penalty))
    rows, give = stated.rows[k] * unit, np.eye(len(soft)) / np.sqrt(stated.penalty[soft])
    none = np.full(len(soft), np.inf)
    low, high = stated.rows_lower[k], stated.rows_upper[k]
    lines = np.block(
        [
            [rows[hard], np.zeros((len(hard), len(soft)))],
            [rows[soft], give],
            [rows[soft], -give],
        ]
    )
    upper = [stated.upper[k] / unit, none, high[hard], none, high[soft]]
    lower = [stated.lower[k] / unit, np.zeros(len(soft)), low[hard], low[soft], -none]
    bounds = [np.clip(np.concatenate(each), -1e30, 1e30) for each in (upper, lower)]
    whole = np.eye(n + len(soft))
    whole[:n, :n] = hessian * unit * unit[:, None]
    slope = np.concatenate([gradient * unit, np.sqrt(stated.penalty[soft])])
    sense = np.where(bounds[0] == bounds[1], 5, 0).astype(np.int32)
    x, _, flag, _ = daqp.solve(
        whole, slope, lines, *bounds, sense, primal_tol=1e-10, dual_tol=1e-12
    )
    return np.asarray(x)[:n] * unit if flag == 1 else None
