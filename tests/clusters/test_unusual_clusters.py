"""Clusters that are large, deep, fly, or carry others, against the oracle."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from cluster_cases import METHODS, distance
from projection import Projection

import tarsus as ts

ROUND = (1e-3, 1e-3, 2e-3)


def body(builder: ts.Builder, name: str) -> None:
    builder.body(name, 1.0, (0.1, -0.05, 0.08), (0.1, 0.12, 0.09))


def row(builder: ts.Builder, count: int, length: int) -> list[str]:
    """Add branches of so many links, and return the joints' names."""
    for i in range(count):
        body(builder, f"b{i}")
        parent = f"b{i - 1}" if i % length else "world"
        place = {"axis": "xyz"[i % 3], "position": (0.1, 0.05, 0.02)}
        builder.joint(f"j{i}", "revolute", parent, f"b{i}", **place)
    return [f"j{i}" for i in range(count)]


def hundred_followers(builder: ts.Builder) -> None:
    names = row(builder, 100, 34)
    builder.couple(names, [[1.0], *([0.3 * (-1) ** i] for i in range(99))])


def thirty_leaders(builder: ts.Builder) -> None:
    matrix = 0.2 * np.random.default_rng(0).normal(size=(30, 30))
    builder.couple(row(builder, 60, 10), np.vstack([np.eye(30), matrix]))


def twenty_stages(builder: ts.Builder) -> None:
    body(builder, "link")
    builder.joint("stage", "revolute", "world", "link")
    joint = "stage"
    for i in range(20):
        body(builder, f"r{i}")
        builder.gear(joint, 1.1 * (-1) ** i, f"r{i}")
        joint = f"r{i}_joint"


def rotor_on_the_world_of_a_flying_arm(builder: ts.Builder) -> None:
    """The free joint lies between the rotor and its joint, so the cluster has it, too."""
    for name, kind, parent in (
        ("a", "free", "world"),
        ("b", "revolute", "a"),
        ("c", "spherical", "b"),
    ):
        body(builder, name)
        builder.joint(f"j{name}", kind, parent, name, position=(0.3, 0.1, 0.0))
    body(builder, "rotor")
    builder.gear("jb", 7.0, "rotor", "world", position=(1.0, 0.0, 0.0), axis="y")


def forty_joints_in_a_loop(builder: ts.Builder) -> None:
    row(builder, 40, 40)
    ends = ("world", (0.0, 0.0, 0.3), "b39", (0.1, 0.0, 0.0))
    builder.close_loop("distance", *ends, length=1.5, constraint=False)


def body_on_a_round_rotor(builder: ts.Builder) -> None:
    row(builder, 1, 1)
    builder.body("rotor", 0.1, inertia=ROUND).gear("j0", 9.0, "rotor")
    body(builder, "rider")
    builder.joint("riding", "revolute", "rotor", "rider", axis="x", position=(0.1, 0.0, 0.0))


def rack_with_its_rotor_on_the_driven_body(builder: ts.Builder) -> None:
    body(builder, "rack")
    builder.joint("slide", "prismatic", "world", "rack", axis="x")
    builder.body("rotor", 0.1, inertia=ROUND)
    builder.gear("slide", 90.0, "rotor", "rack", position=(0.1, 0.0, 0.0), axis="z")


def screw_with_two_round_rotors(builder: ts.Builder) -> None:
    body(builder, "nut")
    builder.joint("screw", "screw", "world", "nut", axis="x", pitch=0.1)
    for name, joint, mount in (("first", "screw", "world"), ("second", "first_joint", "nut")):
        builder.body(name, 0.1, inertia=ROUND)
        builder.gear(joint, 9.0, name, mount, position=(0.1, 0.0, 0.2), axis="z")


@pytest.mark.parametrize(
    "state_it",
    [
        hundred_followers,
        thirty_leaders,
        twenty_stages,
        rotor_on_the_world_of_a_flying_arm,
        forty_joints_in_a_loop,
        body_on_a_round_rotor,
        rack_with_its_rotor_on_the_driven_body,
        screw_with_two_round_rotors,
    ],
)
def test_dynamics(state_it: Callable[[ts.Builder], None]) -> None:
    builder = ts.Builder("unusual")
    state_it(builder)
    model, rng = builder.build(), np.random.default_rng(1)
    own = Projection.of(model)
    q = model.neutral() if own.loops else model.random_configuration(rng)
    x = np.asarray(model.joint_positions(q))
    v, a, tau = rng.normal(size=(3, model.nv))
    external = rng.normal(size=(model.n_bodies, 6))
    h, forces = own.mass_matrix(x), own.inverse_dynamics(x, v, a, external)
    expected = np.linalg.solve(h, tau - forces + h @ a)
    residuals = {
        "mass matrix": distance(model.mass_matrix(q), h),
        "inverse": distance(model.inverse_dynamics(q, v, a, external), forces),
    }
    for method in METHODS:
        found = model.forward_dynamics(q, v, tau, external, method=method)
        residuals[method] = distance(found, expected)
    print({name: f"{residual:.1e}" for name, residual in residuals.items()})
    assert max(residuals.values()) < 1e-11
