"""Simulations of anything, anywhere: they end with numbers or with an error that is meant.

Random mechanisms with random shapes, grounds, laws, controllers, options and starts, of which
some are nonsense. What comes back is finite and of the right shape. The same run has the same bits
in another order of the batch, on other threads and on other instruction sets with a fused
multiply-add, and is near on those without.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from instruction_sets import EPSILON, OTHERS, OWN, are_fused, same_bits, worker
from trials import outcomes, seeds

import tarsus as ts
from tarsus.model.description import DescriptionDraft
from tarsus.simulation.convergence import ALLOWED

REFUSED = (ValueError, TypeError, ts.SimulationError, ArithmeticError)
"""What nonsense leads to: refused, or a run that says where it failed."""

STEPS = 25
STEP = 1e-9
"""By how much a start is changed to find the condition of a step."""
ROUNDINGS = 1e4
"""By how many ulp a step may differ on sets without a fused multiply-add."""
STAGES = {"rk4": 4}
"""Accelerations that one step of an integrator evaluates, if more than one."""
SHORTEST_ARM_M = 0.05
"""Of the shapes of `machine`: from the center of one to where it touches."""
MOST_CONDITION = 1e6
"""Of the mass matrix, in steps that are compared so."""
KINDS = [kind for kind in ts.model.description.KINDS if kind != "fixed"]
WILD = (0.0, -1.0, 1e-300, 1e-12, 1e3, 1e12, 1e308, np.inf, -np.inf, np.nan)


def pick(rng: np.random.Generator, *ways: Callable[[], Any]) -> Any:
    """Return the value of one of the functions."""
    return ways[rng.integers(len(ways))]()


def number(rng: np.random.Generator, usual: float, wild: float = 0.05) -> Any:
    """Return a number near the usual one, sometimes anything else."""
    if rng.random() > wild:
        return float(usual * rng.uniform(0.3, 2.0))
    return pick(rng, lambda: float(rng.choice(WILD)), lambda: "x", lambda: None, lambda: [1.0])


def machine(rng: np.random.Generator) -> ts.Model:
    """Return a random mechanism whose bodies have random shapes."""
    kinds = pick(rng, lambda: KINDS, lambda: ["free", "revolute"], lambda: ["free"])
    made = ts.robots.random_mechanism(int(rng.integers(2**31)), int(rng.integers(1, 9)), kinds)
    text = DescriptionDraft.of(made.description)
    for body in text.bodies:
        kind, size = pick(
            rng,
            lambda: ("sphere", (0.1,)),
            lambda: ("box", (0.1, 0.2, 0.3)),
            lambda: ("capsule", (0.05, 0.3)),
            lambda: ("cylinder", (0.1, 0.2)),
            lambda: ("ellipsoid", (0.1, 0.2, 0.05)),
        )
        text.shapes.append(ts.Shape(body.name, "collision", kind, size))
    return ts.Model(text.build(), strict=False)


def ground(rng: np.random.Generator) -> Any:
    """Return a ground, or none, with numbers of which some are wild."""
    friction, bounce = number(rng, 0.7, 0.02), number(rng, 0.3, 0.02)
    heights = 0.1 * rng.normal(size=(6, 5))
    if rng.random() < 0.05:
        heights[2, 2] = rng.choice(WILD)
    return pick(
        rng,
        lambda: None,
        lambda: ts.Space(friction=friction),
        lambda: ts.Ground(friction=friction, restitution=bounce, slope=number(rng, 0.1, 0.02)),
        lambda: ts.HeightField(heights, number(rng, 0.5, 0.02), friction=friction),
        lambda: ts.Steps(rise=number(rng, 0.1, 0.02), friction=friction),
        lambda: ts.Profile([[-1.0, 0.0], [0.0, 0.1], [1.0, 0.0]], friction=friction),
    )


def start(rng: np.random.Generator, model: ts.Model) -> tuple[Any, Any]:
    """Return a start, one or a batch: somewhere above the ground, inside it, or nowhere."""
    shape = pick(rng, tuple, lambda: (3,), lambda: (9,))
    q = model.random_configuration(rng, shape)
    for joint in model.joints:
        if joint.kind == "free" and joint.parent == "world":
            q[..., joint.q_slice.start + 2] = rng.choice([0.0, 2.0, 4.0, 6.0])
    v = rng.normal(size=(*shape, model.nv)) * rng.choice([0.0, 1.0, 1e3])
    with np.errstate(all="ignore"):
        for array in (q, v):
            if array.size and rng.random() < 0.1:
                array.flat[rng.integers(array.size)] = rng.choice(WILD)
            if rng.random() < 0.03:
                array *= rng.choice(WILD)
    return q, v


def law_name(rng: np.random.Generator, model: ts.Model) -> str:
    """Return the name of a law; pivoting takes seconds for steps of many bodies."""
    names = ["exact", "exact", "penalty", *(["lemke"] if model.n_bodies < 4 else [])]
    return names[rng.integers(len(names))]


def controller(rng: np.random.Generator, model: ts.Model) -> Any:
    """Return a controller of the core or of Python, or none."""
    kp, kd = number(rng, 50.0, 0.02), number(rng, 2.0, 0.02)
    wild = rng.choice(WILD)
    return pick(
        rng,
        lambda: None,
        lambda: ts.control.PD(model, kp, kd),
        lambda: ts.control.ImplicitPD(model, kp, kd),
        lambda: lambda t, q, v: -np.asarray(v),
        lambda: lambda t, q, v: np.full(np.shape(v), wild),
    )


class Setup(NamedTuple):
    """A simulation with a start, a controller and a number of threads."""

    simulation: ts.Simulation
    q: Any
    v: Any
    law: Any
    threads: int

    def run(self, q: Any, v: Any, steps: int, threads: int) -> ts.Trajectory:
        """Return the run from q and v over some steps."""
        duration = steps * self.simulation.dt
        return self.simulation.run(
            q, v, duration=duration, controller=self.law, threads=threads, progress=False
        )


def setup(rng: np.random.Generator) -> Setup:
    """Return anything that may be simulated."""
    model = machine(rng)
    integrator = rng.choice([*["semi_implicit"] * 8, "explicit", "rk4"])
    simulation = ts.Simulation(
        model,
        ground=None if integrator == "rk4" else ground(rng),
        contact=law_name(rng, model),
        integrator=integrator,
        dt=number(rng, 2e-3, 0.03),
        strict=bool(rng.random() < 0.2),
    )
    q, v = start(rng, model)
    return Setup(simulation, q, v, controller(rng, model), int(rng.integers(1, 3)))


def simulated(seed: int, q: Any, v: Any, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Return q and v of the run of a seed, from the start of another instruction set."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = setup(np.random.default_rng(seed)).run(q, v, steps, 1)
    return run.q, run.v


def check_other_order(made: Setup, first: ts.Trajectory) -> None:
    """Make the run again: in reverse order, or one state as two of a batch; on other threads."""
    if first.q.ndim == 3:
        second = made.run(made.q[::-1], made.v[::-1], STEPS, 3 - made.threads)
        pairs = [(first.q, second.q[::-1]), (first.v, second.v[::-1])]
    else:
        second = made.run(np.stack([made.q] * 2), np.stack([made.v] * 2), STEPS, 3 - made.threads)
        pairs = [(first.q, second.q[1]), (first.v, second.v[1])]
    for mine, other in pairs:
        assert same_bits(mine, other)


def check_other_sets(seed: int, made: Setup, first: ts.Trajectory) -> None:
    """Make the run on the other instruction sets: the same bits, if they have the same operations.

    Sets without a fused multiply-add round products before they are added. Contacts and chaos
    amplify that, so that only single steps are compared.
    """
    for name in OTHERS:
        if are_fused(OWN, name):
            found, error = worker(name).compute(
                "test_simulations", "simulated", seed, made.q, made.v, STEPS
            )
            assert error is None, f"{name}: {error}"
            assert same_bits(first.q, found[0]) and same_bits(first.v, found[1]), name
            continue
        for sample in (0, STEPS):
            check_step(name, seed, made, first.q[..., sample, :], first.v[..., sample, :])


def check_step(name: str, seed: int, made: Setup, q: np.ndarray, v: np.ndarray) -> None:
    """Compare velocities after one step with those on a set without a fused multiply-add.

    The bound is relative to speeds, at least 1 in SI units, to what velocity products and torques
    change without contacts, and to what a start that differs by `STEP` changes, which stands for
    the condition of the step. There is no bound for states whose contacts the run reports as
    unsolved, and for those whose mass matrix is ill-conditioned, as where a body is 1 km away.

    Velocity products have rounding errors of eps * speed**2, also where they cancel: the torque
    v x (m v) on a free body is zero, and eps * m * speed**2 in floating point. In an integrator of
    several stages these errors are in the velocities whose products the next stage forms, which
    multiplies them by dt * speed.

    The exact law solves contacts by iteration, until the velocities of contact points are wrong by
    at most `ALLOWED` of the speeds; what is solved less well is reported as unsolved. Two sets may
    stop at different iterates within that tolerance. An error of a point's velocity is an error of
    the angular velocity that is larger by one over the arm of the point.
    """
    model, rng = made.simulation.model, np.random.default_rng(0)
    try:
        run = made.run(q, v, 1, 1)
        after = run.v[..., 1, :]
        near = []
        for _ in range(3):
            by_q, by_v = STEP * rng.normal(size=(2, *v.shape))
            moved = model.integrate(q, by_q), v + by_v * (1.0 + np.abs(v))
            near.append(made.run(*moved, 1, 1).v[..., 1, :])
    except REFUSED:
        return  # a state at which no run may start
    found, error = worker(name).compute("test_simulations", "simulated", seed, q, v, 1)
    assert error is None, f"{name}: {error}"
    other = found[1][..., 1, :]
    condition = np.max([np.abs(each - after) for each in near], axis=0).max(axis=-1) / STEP
    speed = np.maximum(np.abs(v), np.abs(after)).max(axis=-1, initial=0.0)
    force = np.abs(model.forward_dynamics(q, v, run.tau[..., 1, :])).max(axis=-1, initial=0.0)
    dt, stages = made.simulation.dt, STAGES.get(made.simulation.integrator.name, 1)
    growth = (1.0 + dt * speed) ** (stages - 1)
    scale = 1.0 + speed + dt * (speed**2 + force) * growth + condition
    bound = ROUNDINGS * EPSILON * scale
    if isinstance(made.simulation.contact, ts.contact.Exact):
        bound = bound + is_touching(run) * ALLOWED * (speed + dt * force) / SHORTEST_ARM_M
    apart = np.abs(other - after).max(axis=-1, initial=0.0) / bound
    unbounded = np.linalg.cond(model.mass_matrix(q)) > MOST_CONDITION
    apart = np.where(unbounded | (np.asarray(run.unsolved.count) > 0), 0.0, apart)
    assert (apart < 1.0).all(), f"{name}: {apart.max():.2g} of the bound from {OWN}"


def is_touching(run: ts.Trajectory) -> np.ndarray:
    """Return which states, () or (B,), have contacts in the last step."""
    found = np.zeros(run.q.shape[:-2], bool)
    if run.touched is not None:
        last = run.touched.sample == len(run.t) - 1
        np.atleast_1d(found)[run.touched.state_index[last]] = True
    return found


def trial(rng: np.random.Generator) -> None:
    """Run one simulation, and again in other ways."""
    seed = int(rng.integers(2**31))
    made = setup(np.random.default_rng(seed))
    first = made.run(made.q, made.v, STEPS, made.threads)
    # a state that failed keeps what it had; all others are numbers
    assert np.isfinite(first.q).all()
    assert np.isfinite(first.v).all()
    check_other_order(made, first)
    check_other_sets(seed, made, first)


@pytest.mark.parametrize("seed", [20281998, 20302928], ids=["fast flight", "eight contacts"])
def test_simulations_that_differed(seed: int) -> None:
    """A body at 2e7 m/s that turns by 2.6 rad in a step of RK4, and a box on redundant contacts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = outcomes(trial, range(seed, seed + 1), REFUSED)
    assert found["fine"] == 1


def test_simulations_of_anything() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of starts outside limits, stiff springs, unsolved steps
        found = outcomes(trial, seeds(150), REFUSED)
    assert found["fine"] > len(seeds(150)) // 10
