"""Quadratic programmes of inverse kinematics on Talos, beside daqp, piqp and proxsuite.

python benchmarks/quadratic_programmes.py

Sets: A has 18 rows of tasks (two feet, a hand) and 38 bounds, B 24 (two hands), C also 20 rows that
keep links apart. Easy: near its usual posture; hard: many joints at their limits, fast targets,
weights to 100, damping from 1e-6 to 1e-2. Each set is 20 motions of 25 steps; warm means that the
working set of the step before is known. Others begin cold, with the matrices ready made.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from tarsus_lab.bench.timing import pinned

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.robots.load import example

MOTIONS, STEPS, DT = 20, 25, 0.01
FEET = ("left_sole_link", "right_sole_link")
HANDS = ("gripper_left_base_link", "gripper_right_base_link")
APART = ("torso_2_link", "leg_left_4_link", "leg_right_4_link", "head_2_link", "base_link")
LIMBS = (*HANDS, "arm_left_4_link", "arm_right_4_link")
KNEES = {"3": -0.41, "4": 0.86, "5": -0.45}
ROUNDS = 5

Problem = dict[str, Array]


def problems(kind: str, hard: bool) -> Problem:
    """Return the problems of a set: arguments of `ts.ik.solve_qp` (motions, steps, …) by name."""
    model, rng = example("talos_reduced"), np.random.default_rng(0)
    q = postures(model, hard, rng)
    frames = FEET + (HANDS[:1] if kind == "A" else HANDS)
    m = 6 * len(frames)
    size, pace, phase = rng.normal(size=(MOTIONS, m)), *rng.uniform(1, 6, (2, MOTIONS, m))
    size *= 1.0 if hard else np.r_[np.zeros(12), np.full(m - 12, 0.25)]
    exponent = rng.uniform(-6, -2, (MOTIONS, 1)) if hard else np.full((MOTIONS, 1), -3.0)
    fixed = {
        "weight": 10.0 ** rng.uniform(0, 2 if hard else 1, (MOTIONS, m)),
        "damping": 10.0**exponent * np.ones(model.nv),
    }
    steps, safe = [], None
    for k in range(STEPS):
        jacobians = [model.frame_jacobian(q, name, reference=AXES) for name in frames]
        target = size * np.sin(pace * k * DT + phase)
        lower, upper = bounds(model, q)
        step = fixed | {"task": np.concatenate(jacobians, 1), "target": target}
        step |= {"lower": lower, "upper": upper}
        if kind == "C":
            gaps, rows = keep_apart(model, q)
            safe = (
                gaps * rng.uniform(0.9, 1.02 if hard else 0.99, gaps.shape)
                if safe is None
                else safe
            )
            step |= {"rows": rows, "rows_lower": np.minimum(-5.0 * (gaps - safe), 0.2)}
            step |= {"penalty": np.full(gaps.shape, 1e3)}
        steps.append(step)
        q = model.integrate(q, solve(step).v * DT)
    return {name: np.stack([step[name] for step in steps], 1) for name in steps[0]}


AXES = "local_world_aligned"


def postures(model: ts.Model, hard: bool, rng: np.random.Generator) -> Array:
    """Return where motions begin: near the usual posture, or with many joints at their limits."""
    q = np.tile(model.neutral(), (MOTIONS, 1))
    for name in model.joint_names:
        joint = model.joint(name)
        if joint.nq != 1:
            continue
        low, high = model.lower[joint.q_slice][0], model.upper[joint.q_slice][0]
        usual = KNEES.get(name.split("_")[2], 0.0) if name.startswith("leg") else 0.0
        angle = usual + 0.1 * rng.normal(size=MOTIONS)
        if hard:
            angle = rng.uniform(low, high, MOTIONS)
            at = np.where(rng.random(MOTIONS) < 0.5, low, high)
            angle = np.where(rng.random(MOTIONS) < 0.4, at, angle)
        room = 0.0 if hard else 0.02 * (high - low)
        q[:, joint.q_slice] = np.clip(angle, low + room, high - room)[:, None]
    return q


def bounds(model: ts.Model, q: Array) -> tuple[Array, Array]:
    """Return the least and largest velocities: half of what is left in a step, and limits."""
    most = np.where(np.isinf(model.velocity_limit), 3.0, np.minimum(model.velocity_limit, 4.0))
    lower, upper = np.tile(-most, (len(q), 1)), np.tile(most, (len(q), 1))
    for name in model.joint_names:
        joint = model.joint(name)
        if joint.nq == 1:
            at, own = q[:, joint.q_slice], joint.v_slice
            lower[:, own] = np.maximum(lower[:, own], 0.5 * (model.lower[joint.q_slice] - at) / DT)
            upper[:, own] = np.minimum(upper[:, own], 0.5 * (model.upper[joint.q_slice] - at) / DT)
    return lower, upper


def keep_apart(model: ts.Model, q: Array) -> tuple[Array, Array]:
    """Return distances of origins (…, 20), and how they change with v (…, 20, nv)."""
    gaps, rows = [], []
    for limb in LIMBS:
        for other in APART:
            between = model.frame_pose(q, limb)[:, :3, 3] - model.frame_pose(q, other)[:, :3, 3]
            gap = np.linalg.norm(between, axis=1, keepdims=True)
            ours, theirs = (model.frame_jacobian(q, name, reference=AXES) for name in (limb, other))
            rows.append(np.einsum("bi,bij->bj", between / gap, (ours - theirs)[:, :3]))
            gaps.append(gap)
    return np.concatenate(gaps, 1), np.stack(rows, 1)


def solve(problem: Problem, **options: Any) -> ts.ik.QPSolution:
    """Return the solutions of problems."""
    rest = {name: value for name, value in problem.items() if name not in ("task", "target")}
    return ts.ik.solve_qp(problem["task"], problem["target"], **rest, **options)


def dense(problem: Problem) -> dict[str, Array]:
    """Return one problem as others take it: H, f, rows and bounds, with hard rows."""
    weighed = problem["task"].T * problem["weight"]
    n = len(problem["damping"])
    rows = problem.get("rows", np.zeros((0, n)))
    low = problem.get("rows_lower", np.zeros(0))
    return {
        "H": weighed @ problem["task"] + np.diag(problem["damping"]),
        "f": -weighed @ problem["target"],
        "A": np.ascontiguousarray(rows),
        "low": np.r_[problem["lower"], low],
        "high": np.r_[problem["upper"], np.full(len(low), 1e30)],
    }


def by_daqp(p: dict[str, Array]) -> Array:
    """Return what daqp finds, with its tolerances as they are."""
    sense = np.zeros(len(p["low"]), np.int32)
    return daqp.solve(p["H"], p["f"], p["A"], p["high"], p["low"], sense)[0]


def by_piqp(p: dict[str, Array]) -> Array:
    """Return what piqp finds."""
    n = len(p["f"])
    solver = piqp.DenseSolver()
    rows = (p["A"], p["low"][n:], p["high"][n:]) if len(p["A"]) else (None, None, None)
    solver.setup(p["H"], p["f"], None, None, *rows, p["low"][:n], p["high"][:n])
    solver.solve()
    return solver.result.x


def by_proxsuite(p: dict[str, Array]) -> Array:
    """Return what proxsuite finds."""
    n, m = len(p["f"]), len(p["A"])
    solver = proxsuite.proxqp.dense.QP(n, 0, m, True)
    rows = (p["A"], p["low"][n:], p["high"][n:]) if m else (None, None, None)
    solver.init(p["H"], p["f"], None, None, *rows, p["low"][:n], p["high"][:n])
    solver.solve()
    return solver.results.x


def found(name: str) -> Any:
    """Return a library, or None if it is not there."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


daqp, piqp, proxsuite = found("daqp"), found("piqp"), found("proxsuite")
PEERS = {"daqp": (daqp, by_daqp), "piqp": (piqp, by_piqp), "proxsuite": (proxsuite, by_proxsuite)}


def least(run: Callable[[], Any]) -> float:
    """Return the shortest time of the processor [µs]."""
    times = []
    for _ in range(ROUNDS):
        begin = time.thread_time()
        run()
        times.append(time.thread_time() - begin)
    return 1e6 * min(times)


def measure(kind: str, hard: bool) -> dict[str, Any]:
    """Return times [µs] a problem and passes of one set."""
    motions = problems(kind, hard)
    before = {name: value[:, :-1] for name, value in motions.items()}
    now = {name: value[:, 1:].reshape(-1, *value.shape[2:]) for name, value in motions.items()}
    count = len(now["task"])
    start = solve(before).working_set.reshape(count, -1)
    cold, warm = solve(now), solve(now, start=start)
    assert cold.success.all() and warm.success.all()
    result: dict[str, Any] = {
        "passes cold": tuple(np.percentile(cold.iterations, [50, 99, 100]).astype(int).tolist()),
        "passes warm": tuple(np.percentile(warm.iterations, [50, 99, 100]).astype(int).tolist()),
        "active": float(np.median(np.abs(warm.working_set).sum(-1))),
        "batch, cold": least(lambda: solve(now)) / count,
        "batch, warm": least(lambda: solve(now, start=start)) / count,
    }
    few = range(0, count, 16)
    ones = [({name: value[k] for name, value in now.items()}, start[k]) for k in few]
    result["one call, cold"] = least(lambda: [solve(p) for p, _ in ones]) / len(ones)
    result["one call, warm"] = least(lambda: [solve(p, start=s) for p, s in ones]) / len(ones)
    ready = [dense(p) for p, _ in ones]
    for name, (library, function) in PEERS.items():
        if library is None:
            continue
        result[name] = least(lambda f=function: [f(p) for p in ready]) / len(ready)
    return result


if __name__ == "__main__":
    with pinned(1):
        for kind in "ABC":
            for hard in (False, True):
                told = measure(kind, hard)
                print(f"{kind}, {'hard' if hard else 'easy'}")
                for what, value in told.items():
                    print(f"  {what:16}", f"{value:.1f}" if isinstance(value, float) else value)
