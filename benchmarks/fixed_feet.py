"""Two ways to fix feet: a tree rooted at a foot, and constraints on a tree that floats.

`python benchmarks/fixed_feet.py` prints the table of `docs/limit_cycles.md`: times of forward
dynamics, of its derivatives and of a motion by `ts.flow` with and without derivatives; how far
accelerations are from those of one dense system of equations; and how far feet are from where they
stood at the end of a long motion.

Mechanisms are a walker in the plane (its feet are pins), solo12 (points) and Talos (welded soles).
A foot is fixed by `Model.rooted_at`, by `ts.held` (a place that is a number of the model) or by
`ts.Planted` (a place that belongs to the state). Several feet are fixed by the last two, or the
first by a root and the others by `ts.Planted`, as those of walkers are.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from tarsus_lab.bench.timing import Contender, interleave, pinned

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.robots.quadrupeds import legged

STEP = 0.05
TIGHT: dict[str, Any] = {"rtol": 1e-10, "atol": 1e-12}
"""Duration of a motion [s] and its tolerances."""
LONG = 2.0
"""Duration of the motion after which feet are looked at [s]."""
SPEED = 0.3
"""Root mean square of the velocities at the start [rad/s, m/s]."""
BATCH = 64
ACROSS = (0.0, -1.0, 0.0)
ALIGNED: Literal["local_world_aligned"] = "local_world_aligned"
KINDS = {"revolute": "point", "spherical": "point", "fixed": "flat"}
"""Joint at a root → how a foot stands on a spot."""
LOOPS = {"revolute": "spherical", "spherical": "spherical", "fixed": "weld"}
"""Joint at a root → what holds a foot."""
ROWS = {"revolute": (0, 2), "spherical": (0, 1, 2), "fixed": range(6)}
"""Joint at a root → rows of a frame's velocity that are zero."""
HEAD = [
    *("mechanism", "feet", "fixed by", "nv", "forward dynamics [µs]", "its derivatives [µs]"),
    *("in a batch [µs]", "motion [ms]", "with derivatives [ms]"),
    *("error of accelerations", "drift [m]"),
]
"""Names of the columns."""


@dataclass(frozen=True)
class Mechanism:
    """A floating model, a posture (nq,), its feet and the joint by which each would be rooted."""

    name: str
    model: ts.Model
    posture: Array
    feet: tuple[str, ...]
    joint: str

    @property
    def planar(self) -> bool:
        """Whether it moves in the plane."""
        return self.joint == "revolute"


@dataclass(frozen=True)
class Fixed:
    """A model with feet fixed, a state on it, and the coordinates of the floating mechanism."""

    name: str
    model: ts.Model
    q: Array
    v: Array
    to_floating: Callable[[Array, Array], tuple[Array, Array]]


def mechanisms() -> Iterator[Mechanism]:
    """Yield the mechanisms of the table; springs in their joints are relaxed in the posture."""
    yield Mechanism(
        "walker in the plane",
        springy_legs(),
        np.array([0.0, 0.0, 0.3, 0.0, -0.6, 0.0]),
        ("left_foot", "right_foot"),
        "revolute",
    )
    solo, talos = legged("solo12"), legged("talos_reduced")
    for robot, joint, stiffness in ((solo, "spherical", 100.0), (talos, "fixed", 3000.0)):
        model = sprung(robot.model, robot.stance, stiffness)
        yield Mechanism(robot.name, model, robot.stance, tuple(robot.feet.values()), joint)


def springy_legs() -> ts.Model:
    """Return a compass walker whose legs are springs."""
    b = ts.Builder("springy legs")
    b.body("left_thigh", 0.5, (0.0, 0.0, -0.25), inertia=(0.01, 0.01, 0.001)).body("hip", 5.0)
    b.joint("base", "planar", "world", "left_thigh", axis=ACROSS)
    b.joint("hip_mass", "fixed", "left_thigh", "hip")
    b.body("right_thigh", 0.5, (0.0, 0.0, -0.25), inertia=(0.01, 0.01, 0.001))
    b.joint("hip", "revolute", "left_thigh", "right_thigh", axis=ACROSS)
    for side in ("left", "right"):
        b.body(f"{side}_shank", 0.5, (0.0, 0.0, -0.25), inertia=(0.01, 0.01, 0.001))
        b.joint(
            *(f"{side}_leg", "prismatic", f"{side}_thigh", f"{side}_shank"),
            position=(0.0, 0.0, -0.5),
            axis="z",
            stiffness=20e3,
            damping=200.0,
        )
        b.frame(f"{side}_foot", f"{side}_shank", position=(0.0, 0.0, -0.5))
    return b.build()


def sprung(model: ts.Model, posture: Array, stiffness: float) -> ts.Model:
    """Return the model with springs and dampers in its joints, and without dry friction."""
    editor = ts.Editor(model)
    for joint in model.joints[1:]:
        editor.change(
            *("joint", joint.name),
            friction=0.0,
            damping=0.01 * stiffness,
            stiffness=stiffness,
            rest=float(posture[joint.q_slice][0]),
        )
    return editor.build()


def ways(mechanism: Mechanism, feet: Sequence[str]) -> Iterator[Fixed]:
    """Yield the models on these feet, all in the same state of the mechanism."""
    m, joint, feet = mechanism.model, mechanism.joint, list(feet)
    planar: dict[str, Any] = {"axis": ACROSS} if mechanism.planar else {}
    axes = "xz" if mechanism.planar else "xyz"
    at = m.frame_pose(mechanism.posture, feet[0])
    held = ts.held(m, feet, mechanism.posture, kind=LOOPS[joint])
    rng = np.random.default_rng(0)
    v = allowed(held, mechanism.posture, SPEED * rng.standard_normal(m.nv))
    rooted = m.rooted_at(feet[0], joint, at=at, **planar)
    state = rooted.from_original(mechanism.posture, v)
    if len(feet) == 1:
        yield Fixed("root", rooted, state.q, state.v, partial(floating, rooted))
    yield Fixed("held", held, mechanism.posture, v, lambda q, v: (q, v))
    planted = ts.Planted(m, feet, axes=axes, kind=KINDS[joint])
    there, rates, _ = planted.strike(mechanism.posture, v)
    yield Fixed("planted", planted, there, rates, planted.lift)
    if len(feet) > 1:
        both = ts.Planted(rooted, feet[1:], axes=axes, kind=KINDS[joint])
        there, rates, _ = both.strike(state.q, state.v)
        yield Fixed(
            "root + planted",
            both,
            there,
            rates,
            lambda q, v: floating(rooted, *both.lift(q, v)),
        )


def floating(rooted: ts.Rooted, q: Array, v: Array) -> tuple[Array, Array]:
    """Return the state of the floating mechanism."""
    state = rooted.to_original(q, v)
    return state.q, state.v


def allowed(model: ts.Model, q: Array, v: Array) -> Array:
    """Return the velocities nearest to v that constraints allow."""
    jacobian = np.asarray(model.constraint_jacobian(q))
    return v - np.linalg.pinv(jacobian) @ (jacobian @ v)


def dense(mechanism: Mechanism, feet: Sequence[str], q: Array, v: Array) -> Array:
    """Return accelerations (nv,) of the floating mechanism by H a − Jᵀ λ = f, J a = −J̇ v."""
    m, rows = mechanism.model, list(ROWS[mechanism.joint])
    jacobian = np.concatenate([m.frame_jacobian(q, f, ALIGNED)[rows] for f in feet])
    drift = np.concatenate([(m.frame_jacobian_rate(q, v, f, ALIGNED) @ v)[rows] for f in feet])
    inertia, n = np.asarray(m.mass_matrix(q)), len(jacobian)
    forces = np.asarray(m.passive_forces(q, v)) - m.bias_forces(q, v)
    system = np.block([[inertia, -jacobian.T], [jacobian, np.zeros((n, n))]])
    found = np.linalg.lstsq(system, np.concatenate([forces, -drift]), rcond=None)[0]
    return np.asarray(found[: m.nv])


def error_of(mechanism: Mechanism, feet: Sequence[str], fixed: Fixed) -> float:
    """Return how far accelerations of bodies are from the dense ones, by the largest of these."""
    m, floats = fixed.model, mechanism.model
    a = m.forward_dynamics(fixed.q, fixed.v, m.passive_forces(fixed.q, fixed.v))
    q, v = fixed.to_floating(fixed.q, fixed.v)
    a_there = dense(mechanism, feet, q, v)
    names = [body.name for body in floats.description.bodies if body.mass > 0.0]
    wanted = np.stack([floats.frame_acceleration(q, v, a_there, name) for name in names])
    found = np.stack([m.frame_acceleration(fixed.q, fixed.v, a, name) for name in names])
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())


def drift_of(mechanism: Mechanism, feet: Sequence[str], fixed: Fixed, duration: float) -> float:
    """Return how far feet are from where they stood after a motion [m]."""
    end = ts.flow(fixed.model, fixed.q, fixed.v, duration=duration, **TIGHT)
    ends = [fixed.to_floating(*state)[0] for state in ((fixed.q, fixed.v), (end.q, end.v))]
    begin, now = (
        np.stack([mechanism.model.frame_pose(q, name)[:3, 3] for name in feet]) for q in ends
    )
    return float(np.abs(now - begin).max())


def contenders(fixed: Fixed) -> dict[str, Contender]:
    """Return what is timed."""
    m = fixed.model
    names = {"m": m, "q": fixed.q, "v": fixed.v, "tau": np.zeros(m.nv), "flow": ts.flow, **TIGHT}
    many = {
        "q": np.tile(fixed.q, (BATCH, 1)),
        "v": np.tile(fixed.v, (BATCH, 1)),
        "tau": np.zeros((BATCH, m.nv)),
    }
    motion = f"flow(m, q, v, duration={STEP}, rtol=rtol, atol=atol"
    return {
        "forward dynamics": Contender("m.forward_dynamics(q, v, tau)", names),
        "derivatives": Contender("m.forward_dynamics_derivatives(q, v, tau)", names),
        "batch": Contender("m.forward_dynamics(q, v, tau)", {**names, **many}, units=BATCH),
        "motion": Contender(f"{motion})", names),
        "with derivatives": Contender(f"{motion}, derivatives=True)", names),
    }


def share(key: str) -> float:
    """Return the factor from microseconds to the unit of a column."""
    return 1e-3 if key in ("motion", "with derivatives") else 1.0


def rows(rounds: int, long: float) -> Iterator[list[str]]:
    """Yield the rows of the table."""
    for mechanism in mechanisms():
        for count in sorted({1, 2, len(mechanism.feet)}):
            feet = mechanism.feet[:count]
            listed = list(ways(mechanism, feet))
            timed = [contenders(fixed) for fixed in listed]
            with pinned(1):
                for key in timed[0]:
                    interleave([each[key] for each in timed], rounds, 0.02, lambda share: None)
            for fixed, each in zip(listed, timed, strict=True):
                yield [
                    *(mechanism.name, str(count), fixed.name, str(fixed.model.nv)),
                    *(f"{share(key) * each[key].median:.3g}" for key in each),
                    f"{error_of(mechanism, feet, fixed):.1e}",
                    f"{drift_of(mechanism, feet, fixed, long):.1e}",
                ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--long", type=float, default=LONG)
    options = parser.parse_args()
    print("| " + " | ".join(HEAD) + " |")
    print("|" + "---|" * len(HEAD))
    for row in rows(options.rounds, options.long):
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
