"""Factors of masses reach rotors inside gears, each its own, as if the model had been built so."""

from __future__ import annotations

import numpy as np
import pytest
from contact_worlds import Run, World
from test_contact_bits import same

import tarsus as ts


def machine(damping: float = 0.0) -> ts.Model:
    """Return an arm on a body that flies, with rotors on all of them, and one on the world."""
    rng = np.random.default_rng(4)
    b = ts.Builder("machine")
    b.body("trunk", 5.0, com=(0.02, 0.01, 0.0), inertia=(0.1, 0.12, 0.14))
    b.joint("base", "free", "world", "trunk")
    parent = "trunk"
    for k, axis in enumerate(("x", "y", "z")):
        b.body(f"link_{k}", 1.0 + k, com=rng.normal(size=3) / 10, inertia=(0.03, 0.02, 0.025))
        b.joint(
            f"joint_{k}",
            "revolute",
            parent,
            f"link_{k}",
            axis=axis,
            position=(0.1, 0.2, k / 10),
            damping=damping,
        )
        for stage, ratio in enumerate((7.3, -3.1)):
            name = f"rotor_{k}{stage}"
            b.body(name, 0.1 + 0.03 * k, inertia=(1e-3, 1e-3, 1.7e-3))
            b.gear(
                f"joint_{k}",
                ratio,
                name,
                axis="z",
                position=rng.normal(size=3) / 10,
                rotation=rng.normal(size=3),
                damping=damping / 100,
            )
        parent = f"link_{k}"
    # a rotor whose carrier does not move
    b.body("slide", 2.0, inertia=(0.1, 0.1, 0.1))
    b.joint("rail", "revolute", "world", "slide", axis="y")
    b.body("fixed_rotor", 0.2, com=(0.0, 0.0, 0.1), inertia=(1e-3, 1e-3, 1.9e-3))
    b.gear("rail", 11.7, "fixed_rotor", "world", axis="z", position=(0.0, 0.3, 0.1))
    return b.build()


def worlds(damping: float, count: int) -> tuple[World, np.ndarray, np.ndarray, np.ndarray]:
    """Return a world without ground, states, velocities, and factors (count, n_bodies)."""
    model, rng = machine(damping), np.random.default_rng(0)
    q = model.integrate(model.neutral(), rng.normal(size=(count, model.nv)))
    scale = rng.uniform(0.5, 2.0, (count, model.n_bodies))
    world = World(model, ground_kind="none", ground_numbers=())
    return world, q, rng.normal(size=(count, model.nv)), scale


@pytest.mark.parametrize("damping", [0.0, 0.3])
def test_factors_are_those_of_a_model_built_with_them(damping: float) -> None:
    world, q, v, scale = worlds(damping, 3)
    for k in range(3):
        here = world.but(mass_scale=scale[k])
        scaled = Run.start(here, q[k], v[k])
        built = Run.start(world.but(model=here.scaled_model()), q[k], v[k])
        first, second = scaled.advance(20), built.advance(20)
        for name in ("q", "v", "energy"):
            a, b = first[name], second[name]
            error = np.abs(a - b).max() / np.abs(b).max()
            print(f"{name}: {error:.1e}")
            assert error < 1e-11
        moved = np.abs(built.v - Run.start(world, q[k], v[k]).v).max()
        assert moved > 1e-3


@pytest.mark.parametrize("damping", [0.0, 0.3])
def test_a_state_does_not_see_its_neighbours_factors(damping: float) -> None:
    """Where all factors are one, gears are known beforehand; beside others they are not."""
    world, q, v, scale = worlds(damping, 5)
    scale[[0, 3]] = 1.0
    rows = [world.but(mass_scale=each).parameters() for each in scale]
    batch = Run.start(world, q, v)
    batch.parameters = np.concatenate(rows)
    record = batch.advance(20)
    for k in range(5):
        single = Run.start(world.but(mass_scale=scale[k]), q[k], v[k])
        same(single.advance(20), {key: array[k : k + 1] for key, array in record.items()})
