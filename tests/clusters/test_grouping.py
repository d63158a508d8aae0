"""Which bodies form clusters, and how they are numbered."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from cluster_cases import METHODS, distance
from random_parts import random_inertia

import tarsus as ts
from tarsus.robots.trees import random_rotation


def siblings(order: tuple[int, ...], coupled: tuple[int, ...]) -> ts.Model:
    """Return eight bodies on the world, stated in this order; the first coupled one leads."""
    builder = ts.Builder("siblings")
    for i in order:
        builder.body(f"b{i}", 1.0 + i, (0.1 * i, 0.2, 0.0), (0.1, 0.1, 0.1))
        builder.joint(f"j{i}", "revolute", "world", f"b{i}", axis="y")
    for i in order:  # children of members and of others, stated last
        builder.body(f"c{i}", 1.0, (0.0, 0.0, 0.1), (0.1, 0.1, 0.1))
        builder.joint(f"k{i}", "revolute", f"b{i}", f"c{i}", axis="x", position=(0.0, 0.0, 0.3))
    builder.couple([f"j{i}" for i in coupled], [[1.0], *([-1.5 - i] for i in coupled[1:])])
    return builder.build()


def test_members_stand_together_whatever_the_order() -> None:
    rng = np.random.default_rng(0)
    q, v, tau = rng.normal(size=(3, 16))
    first: dict[tuple[int, ...], list[float]] = {}
    for _ in range(30):
        order = tuple(rng.permutation(8).tolist())
        for coupled in ((0, 1, 4, 5), (0, 2, 4), (7, 6, 5, 4, 3, 2, 1, 0)):
            model = siblings(order, coupled)
            names, parents = model.body_names, [body.parent for body in model.bodies]
            assert sorted(names) == sorted(f"{a}{i}" for a in "bc" for i in range(8))
            assert all(parent < i for i, parent in enumerate(parents))
            places = sorted(names.index(f"b{i}") for i in coupled)
            assert places == list(range(places[0], places[0] + len(coupled)))
            # the numbering does not change the motion
            values = []
            for array in (q, v, tau):
                own = np.zeros(model.nv)
                for joint in model.joints:
                    if not joint.dependent:
                        own[joint.v_slice] = array[int(joint.name[1]) + 8 * (joint.name[0] == "k")]
                values.append(own)
            a = model.forward_dynamics(*values)
            free = sorted(joint.name for joint in model.joints if not joint.dependent)
            found = [float(a[model.joint(name).v_slice][0]) for name in free]
            assert distance(found, first.setdefault(coupled, found)) < 1e-11


def test_a_model_without_couplings_has_one_body_in_each_cluster() -> None:
    model = ts.robots.random_mechanism(0, 15)
    assert all(len(cluster.bodies) == 1 and cluster.kind == "joint" for cluster in model.clusters)
    names = [f"body_{i}" for i in range(15) if f"body_{i}" in model.body_names]
    assert list(model.body_names) == names
    assert model.constraints == () and model.motors == ()


def test_bodies_between_a_rotor_and_its_joint_are_absorbed() -> None:
    """A motor two links up drives a distal joint by a belt: the links between belong to it."""
    builder = ts.Builder("belt")
    parent = "world"
    for i in range(4):
        builder.body(f"link_{i}", 1.0, (0.2, 0.0, 0.0), (0.01, 0.02, 0.03))
        place = {} if i == 0 else {"position": (0.4, 0.0, 0.0)}
        builder.joint(f"joint_{i}", "revolute", parent, f"link_{i}", **place)
        parent = f"link_{i}"
    builder.body("rotor", 0.1, inertia=(1e-3, 1e-3, 1e-3))
    builder.gear("joint_3", 5.0, "rotor", "link_0", position=(0.1, 0.0, 0.0), axis="z")
    model = builder.build()
    groups = [set(cluster.bodies) for cluster in model.clusters]
    assert groups == [{"link_0"}, {"link_1", "link_2", "link_3", "rotor"}]
    assert model.nv == 4 and model.motors == ("rotor_joint",)


def random_tree(rng: np.random.Generator) -> ts.Model:
    """Return 3 to 19 bodies, with rotors and coupled joints on common parents."""
    builder = ts.Builder("tree", gravity=rng.normal(size=3) * 5.0)
    names, single = ["world"], dict[str, list[str]]()
    for i in range(int(rng.integers(3, 20))):
        mass, kind = rng.uniform(0.5, 2.0), ("revolute", "prismatic", "free")[rng.integers(3)]
        parent = names[rng.integers(len(names))]
        if kind == "free" and rng.random() < 0.7:
            kind = "revolute"
        builder.body(f"b{i}", mass, rng.normal(size=3) * 0.2, random_inertia(rng, mass))
        place = {"position": rng.normal(size=3) * 0.4, "rotation": random_rotation(rng)}
        builder.joint(f"j{i}", kind, parent, f"b{i}", **place)
        names.append(f"b{i}")
        if kind == "free":
            continue
        if rng.random() < 0.4:
            builder.body(f"r{i}", 0.1, rng.normal(size=3) * 0.01, 0.01 * random_inertia(rng, 1.0))
            place = {"position": rng.normal(size=3) * 0.1, "axis": random_rotation(rng)[0]}
            builder.gear(f"j{i}", rng.uniform(-12, 12), f"r{i}", parent, **place)
        others = single.setdefault(parent, [])
        if others and rng.random() < 0.5:
            builder.couple([others[-1], f"j{i}"], [[1.0], [rng.uniform(-2, 2)]])
        others.append(f"j{i}")
    return builder.build()


@pytest.mark.parametrize("part", range(5))
def test_a_thousand_random_trees_by_three_methods(part: int) -> None:
    worst, clusters = 0.0, 0
    for seed in range(200 * part, 200 * part + 200):
        rng = np.random.default_rng(seed)
        model = random_tree(rng)
        q = model.random_configuration(rng)
        v, tau = rng.normal(size=(2, model.nv))
        a, *others = (model.forward_dynamics(q, v, tau, method=method) for method in METHODS)
        worst = max(worst, *(distance(other, a) for other in others))
        worst = max(worst, distance(model.inverse_dynamics(q, v, a), tau))
        clusters += sum(len(cluster.bodies) > 1 for cluster in model.clusters)
    print(f"three methods: {worst:.1e}, {clusters} clusters of several bodies")
    assert worst < 1e-9 and clusters > 200


def test_motors_do_the_work_of_the_joints() -> None:
    """A differential and its two motors: motor torques times speeds are tau times v."""
    builder = ts.Builder("differential")
    for name, parent, axis in (("yoke", "world", "y"), ("hand", "yoke", "x")):
        builder.body(name, 1.0, (0.1, 0.05, 0.2), (0.02, 0.03, 0.01))
        builder.joint({"yoke": "pitch", "hand": "roll"}[name], "revolute", parent, name, axis=axis)
    for name in ("left", "right"):
        builder.body(f"{name}_rotor", 0.2, inertia=(1e-3, 2e-3, 1e-3))
        builder.joint(name, "revolute", "world", f"{name}_rotor", axis="y")
    ratios = [[1, 0], [0, 1], [6, 6], [6, -6]]
    builder.couple(["pitch", "roll", "left", "right"], ratios, motor=True)
    model, rng = builder.build(), np.random.default_rng(0)
    q, v, tau = rng.normal(size=(3, 5, 2))
    assert set(model.motors) == {"left", "right"}
    order = [model.motors.index(name) for name in ("left", "right")]
    speeds = model.motor_velocities(q, v)[:, order]
    np.testing.assert_allclose(speeds, v @ np.array(ratios[2:]).T, atol=1e-13)
    np.testing.assert_allclose(
        model.motor_positions(q)[:, order], q @ np.array(ratios[2:]).T, atol=1e-13
    )
    power = (model.motor_torques(q, tau) * model.motor_velocities(q, v)).sum(axis=-1)
    np.testing.assert_allclose(power, (tau * v).sum(axis=-1), atol=1e-12)


def test_orders_of_statements_do_not_matter_for_stages() -> None:
    """Two stages of a gear multiply; permutations of statements give the same model."""
    ratios = {}
    for first, second in itertools.permutations((3.0, -5.0)):
        builder = ts.Builder("stages").body("link", 1.0, (0.1, 0, 0), (0.1, 0.1, 0.1))
        builder.body("first", 0.1, inertia=(1e-3,) * 3).body("second", 0.1, inertia=(1e-3,) * 3)
        builder.joint("hinge", "revolute", "world", "link")
        builder.gear("hinge", first, "first").gear("first_joint", second, "second")
        model = builder.build()
        g = model.coupling_matrix([0.0])
        ratios[first] = float(g[model.joint("second_joint").velocity_slice, 0][0])
        assert len(model.clusters) == 1 and model.nv == 1
    assert set(ratios.values()) == {-15.0}
