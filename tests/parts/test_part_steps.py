"""Steps with every kind of constraint and force, on machines with every joint, are those of the
dense oracle."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from dense_parts import DensePart, step
from scipy.spatial.transform import Rotation

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.model.description import NONHOLONOMIC
from tarsus.parts import Part

c, f = ts.constraint, ts.forces
H = 1e-3

MACHINES: dict[str, Callable[[], ts.Model]] = {
    "every joint": lambda: ts.robots.random_mechanism(3, 18, limits=False),
    "another tree": lambda: ts.robots.random_mechanism(8, 12),
    "four-bars": lambda: ts.robots.four_bar_chain(3),
    "rotors": lambda: ts.robots.rotor_tree(6),
    "Lola": ts.robots.lola,
}


def one_joint(model: ts.Model) -> list[str]:
    return [j.name for j in model.joints if (j.nq, j.nv) == (1, 1)]


def places(model: ts.Model) -> tuple[str, str]:
    """Return two bodies far from each other in the tree, no rotors."""
    names = [body.name for body in model.bodies if "rotor" not in body.name]
    return names[-1], names[len(names) // 2]


def near(model: ts.Model) -> Array:
    """Return a point beside the first place, so close that it counts as within reach."""
    pose = np.asarray(model.frame_pose(state(model, 0)[0], places(model)[0]))
    return pose[:3, 3] + [3e-4, -2e-4, 1e-4]


PARTS: dict[str, Callable[[ts.Model], Part]] = {
    "nail": lambda m: c.Nail((places(m)[0], (0.1, 0.2, -0.1))),
    "nailed pose": lambda m: c.Nail(places(m)[0], pose=True),
    "nail, slowly": lambda m: c.Nail((places(m)[0], (0.1, 0, 0)), time_constant=0.05),
    "point to point": lambda m: c.PointToPoint(
        (places(m)[0], (0.1, 0.2, -0.1)), (places(m)[1], (0.0, 0.3, 0.0)), time_constant=0.2
    ),
    "distance": lambda m: c.Distance((places(m)[0], (0.1, 0, 0)), places(m)[1]),
    "orientation": lambda m: c.Orientation(places(m)[0]),
    "orientation of another": lambda m: c.Orientation(places(m)[0], of=places(m)[1]),
    "plane": lambda m: c.PointInPlane(places(m)[0], (1.0, 0.3, 0.2)),
    "weld": lambda m: c.Weld(places(m)[1], places(m)[0]),
    "revolute": lambda m: c.Joint("revolute", places(m)[1], places(m)[0], where_they_are=True),
    "prismatic": lambda m: c.Joint(
        "prismatic", places(m)[1], places(m)[0], where_they_are=True, time_constant=0.1
    ),
    "joint motion": lambda m: c.JointMotion(one_joint(m)[0]),
    "move to": lambda m: c.MoveTo(places(m)[0], near(m), time_constant=0.3),
    "body motion": lambda m: c.BodyMotion(places(m)[0], time_constant=0.1),
    "support": lambda m: f.Support((places(m)[0], (0, 0.1, 0)), 500.0, 3.0, height=20.0),
    "grab": lambda m: c.Grab((places(m)[0], (0.2, 0, 0)), np.array([1.0, 2.0, 3.0])),
    "spring": lambda m: f.Spring(places(m)[1], (places(m)[0], (0, 0.1, 0)), 300.0, 0.2, 3.0),
    "stiff spring": lambda m: f.Spring((1.0, 0, 0), places(m)[0], 1e6),
    "stiff damped spring": lambda m: f.Spring((1.0, 0, 0), places(m)[0], 1e6, damping=1e4),
    "damper": lambda m: f.Damper(places(m)[1], places(m)[0], 40.0),
    "string": lambda m: f.String(places(m)[1], places(m)[0], 300.0, 0.05, 3.0),
    "rubber": lambda m: f.Rubber(places(m)[1], places(m)[0], 300.0, 0.05, 0.1, 0.5),
    "joint spring": lambda m: f.JointSpring({one_joint(m)[0]: 1.0}, 50.0, 1.0),
    "spring of several joints": lambda m: f.JointSpring(
        dict(zip(one_joint(m), (1.0, -0.5, 2.0), strict=False)), 500.0, 1.0, rest=0.3
    ),
    "drag": lambda m: f.Drag(places(m)[0], 0.7, 0.2),
    "damping": lambda m: f.Damping(places(m)[0], 0.7, 0.3),
    "brake": lambda m: f.Brake((places(m)[0], (0, 0, 0.4)), 20.0),
}


def state(model: ts.Model, seed: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    return np.asarray(model.random_configuration(rng)), 0.5 * rng.normal(size=model.nv)


def dense(model: ts.Model, part: Part, q: Array) -> DensePart:
    """Return the part with the target that it has when it is added at q."""
    stated = part.statement(model)
    made = DensePart(model, part, stated.target)
    if stated.target is not None or stated.law == "drag":
        if stated.target is None:
            made.target = np.eye(4)
        return made
    if stated.coordinates == "frame":
        assert stated.a is not None and stated.b is not None
        poses = np.asarray(model.forward_kinematics(q))
        b = stated.b.placement if stated.b.body < 0 else poses[stated.b.body] @ stated.b.placement
        a = np.eye(4) if stated.a.body < 0 else poses[stated.a.body]
        made.target = np.linalg.inv(a) @ b
        if all(row[0] == "position" for row in stated.rows):
            made.target[:3, :3] = stated.a.placement[:3, :3]
        return made
    made.target = 0.0
    made.target = float(made.values(q)[0])
    return made


def compare(model: ts.Model, parts: list[Part], seed: int = 0, steps: int = 3) -> float:
    """Return by how much velocities after some steps differ, of their size."""
    q, v = state(model, seed)
    sim = ts.Simulation(model, dt=H, joint_friction=False, joint_limits=False)
    sim.reset(q, v)
    for part in parts:
        sim.add(part)
    known = [dense(model, part, q) for part in parts]
    for _ in range(steps):
        q, v = step(model, q, v, known, H)
        sim.step()
    scale = max(1.0, float(np.abs(v).max()))
    return float(np.abs(sim.v - v).max()) / scale


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("part", PARTS)
def test_a_step_is_that_of_the_oracle(machine: str, part: str) -> None:
    model = MACHINES[machine]()
    stated = PARTS[part](model)
    error = compare(model, [stated])
    print(f"{machine}, {part}: {error:.1e}")
    # rows of the oracle are differences: 1e-9 of them, and a stiff row pushes 1e4 times as hard
    assert error < (2e-5 if "stiff" in part else 2e-7)


@pytest.mark.parametrize("seed", range(4))
def test_several_parts_act_together(seed: int) -> None:
    model = ts.robots.random_mechanism(20 + seed, 14)
    names = ("nail", "distance", "spring", "string", "spring of several joints", "drag", "grab")
    error = compare(model, [PARTS[name](model) for name in names], seed)
    print(f"{error:.1e}")
    assert error < 2e-7


@pytest.mark.filterwarnings("ignore:constraints contradict")
def test_lanes_have_the_bits_of_one_state() -> None:
    model = ts.robots.random_mechanism(3, 18)
    rng = np.random.default_rng(0)
    q = np.array([model.random_configuration(rng) for _ in range(11)])
    v = 0.3 * rng.normal(size=(11, model.nv))
    sim = ts.Simulation(
        model,
        dt=H,
        forces=[
            part(model)
            for name, part in PARTS.items()
            if name not in ("nailed pose", "weld", "revolute")
        ],
    )
    batch = sim.run(q, v, duration=0.02)
    threads = sim.run(q, v, duration=0.02, threads=3)
    assert batch.q.tobytes() == threads.q.tobytes()
    for k in range(11):
        alone = sim.run(q[k], v[k], duration=0.02)
        assert alone.q.tobytes() == batch.q[k].tobytes(), k
        assert alone.energy.rows.tobytes() == batch.energy.rows[k].tobytes()
        for name, record in alone.parts.items():
            assert record.force.tobytes() == batch.parts[name].force[k].tobytes()


def test_nonholonomic_joints_take_parts_too() -> None:
    model = ts.robots.random_mechanism(1, 6, kinds=[*NONHOLONOMIC, "revolute"])
    error = compare(model, [PARTS["nail"](model), PARTS["spring"](model)])
    print(f"{error:.1e}")
    assert error < 2e-7


def test_a_turn_is_measured_all_the_way_round() -> None:
    b = ts.Builder("one", gravity=(0, 0, 0))
    b.body("a", mass=1.0, inertia=np.eye(3))
    b.joint("free", "free", "world", "a")
    model = b.build()
    for angle in (0.1, 2.0, 3.1):
        target = np.eye(4)
        target[:3, :3] = Rotation.from_rotvec([angle, 0.0, 0.0]).as_matrix()
        sim = ts.Simulation(model, dt=H)
        sim.add(c.Orientation("a", target, time_constant=0.05))
        run = sim.run(duration=1.0)
        assert np.abs(np.asarray(model.frame_pose(run.q[-1], "a")) - target).max() < 1e-6
