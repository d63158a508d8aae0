"""Simulations of anything, anywhere: they end with numbers or with an error that is meant.

Random mechanisms with random shapes, grounds, laws, controllers, options and starts, of which
some are nonsense. What comes back is finite and of the right shape, and the same run made again
gives the same bits.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from trials import outcomes, seeds

import tarsus as ts

REFUSED = (ValueError, TypeError, ts.SimulationError, ArithmeticError)
"""What nonsense leads to: refused, or a run that says where it failed."""

KINDS = [kind for kind in ts.model.kinds.KINDS if kind != "fixed"]
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
    text = made.description
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
    return ts.Model(text, strict=False)


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


def trial(rng: np.random.Generator) -> None:
    """Run one simulation twice."""
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
    duration = 25.0 * simulation.dt
    law = controller(rng, model)
    threads = int(rng.integers(1, 3))
    runs = [
        simulation.run(q, v, duration=duration, controller=law, threads=threads, progress=False)
        for _ in range(2)
    ]
    first, second = runs
    assert first.q.shape == second.q.shape
    # a state that failed keeps what it had; all others are numbers
    assert np.isfinite(first.q).all()
    assert np.isfinite(first.v).all()
    assert first.q.tobytes() == second.q.tobytes()
    assert first.v.tobytes() == second.v.tobytes()


def test_simulations_of_anything() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of starts outside limits, stiff springs, unsolved steps
        found = outcomes(trial, seeds(150), REFUSED)
    assert found["fine"] > len(seeds(150)) // 10
