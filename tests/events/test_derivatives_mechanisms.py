"""Derivatives of flows on random mechanisms: every joint on a manifold, gears, loops, forces."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flow_differences import by_number, by_states, extrapolated

import tarsus as ts
from tarsus._lib.files import Array

sys.path.append(str(Path(__file__).parent.parent / "clusters"))
from maker import Machine

P = ts.parameters
HOLONOMIC = (
    *("revolute", "prismatic", "screw", "cylindrical", "universal", "spherical"),
    *("spherical_zyx", "planar", "translation", "free", "fixed", "rolling_cylinder"),
)
DURATION = 0.2
TIGHT = {"rtol": 1e-12, "atol": 1e-13}


def mechanism(seed: int, *, springs: bool = False) -> ts.Model:
    """Return a random tree without dry friction."""
    kinds = np.random.default_rng(seed).permutation(HOLONOMIC)[:5]
    model = ts.robots.random_mechanism(seed, 5, kinds, armature=seed % 2 == 0, springs=springs)
    return smooth(model)


def smooth(model: ts.Model) -> ts.Model:
    """Return the model without dry friction."""
    editor = ts.Editor(model)
    for name in model.joint_names:
        editor.change("joint", name, friction=None)
    return editor.build()


def state(model: ts.Model, seed: int) -> tuple[Array, Array]:
    """Return a random state."""
    rng = np.random.default_rng(seed)
    return np.asarray(model.random_configuration(rng)), 0.5 * rng.standard_normal(model.nv)


def residual(found: Array, expected: Array) -> float:
    """Return the largest difference, relative to the largest number if that is above 1."""
    assert found.shape == expected.shape
    return float(np.abs(found - expected).max() / max(1.0, np.abs(expected).max()))


def check_lanes(model: ts.Model, q: Array, v: Array, found: ts.Flowed, **options: Any) -> None:
    """A state in a batch has the bits that it has alone, and without derivatives."""
    batch = ts.flow(model, np.stack([q, q]), np.stack([v, 0.5 * v]), derivatives=True, **options)
    assert np.array_equal(batch.derivatives[0], found.derivatives)
    plain = ts.flow(model, q, v, **{k: x for k, x in options.items() if k != "parameters"})
    assert np.array_equal(plain.q, found.q) and np.array_equal(plain.v, found.v)


@pytest.mark.parametrize("seed", range(8))
def test_trees(seed: int) -> None:
    """Trees with every kind of joint, springs and dampers."""
    model = mechanism(seed, springs=seed % 2 == 0)
    q, v = state(model, seed)
    found = ts.flow(model, q, v, duration=DURATION, derivatives=True, **TIGHT)
    expected = by_states(model, q, v, duration=DURATION)[:-1]
    error = residual(found.derivatives, expected)
    kinds = sorted({model.joint(name).kind for name in model.joint_names})
    print(f"{', '.join(kinds)}: {error:.1e}")
    assert error < 1e-8
    check_lanes(model, q, v, found, duration=DURATION, **TIGHT)


FLAVOURS = {
    "gears": ("gear", "gear", "gear"),
    "couplings": ("coupling", "coupling"),
    "forms": ("form", "form"),
    "loops": ("loop",),
    "all": ("gear", "coupling", "form", "loop"),
}


def machine(seed: int, flavour: str) -> tuple[ts.Model, Array]:
    """Return a machine with clusters, and a configuration of it."""
    rng = np.random.default_rng(seed)
    kinds = rng.permutation([kind for kind in HOLONOMIC if kind != "fixed"])[:4]
    tree = smooth(ts.robots.random_mechanism(rng, 4, kinds, springs=seed % 2 == 0))
    made = Machine(rng, tree.description)
    made.functions = False
    made.link("revolute", "world")
    for what in FLAVOURS[flavour]:
        made.loop(constraint=False) if what == "loop" else getattr(made, what)()
    model = smooth(made.builder.build())
    if "loop" in FLAVOURS[flavour]:
        return model, np.asarray(model.neutral())
    return model, np.asarray(model.random_configuration(rng))


@pytest.mark.parametrize("flavour", FLAVOURS)
@pytest.mark.parametrize("seed", range(3))
def test_clusters(flavour: str, seed: int) -> None:
    """Gears, rotors, couplings, closed forms and loops."""
    model, q = machine(seed, flavour)
    v = 0.2 * np.random.default_rng(seed).standard_normal(model.nv)
    found = ts.flow(model, q, v, duration=DURATION, derivatives=True, **TIGHT)
    expected = by_states(model, q, v, duration=DURATION, step=1e-3)[:-1]
    error = residual(found.derivatives, expected)
    print(f"{flavour} {seed}, nv = {model.nv}: {error:.1e}")
    assert error < 1e-8
    check_lanes(model, q, v, found, duration=DURATION, **TIGHT)


def changed(model: ts.Model, name: str, h: float) -> ts.Model:
    """Return the model with one number changed by h; what the numbers are is in `PARAMETERS`."""
    editor, described = ts.Editor(model), model.description
    body = next(each for each in described.bodies if each.name == described.joints[-1].child)
    joint = described.joints[-1]
    way = np.array([0.6, 0.0, 0.8])
    if name == "mass":
        editor.change("body", body.name, mass=body.mass + h)
    elif name == "com":
        editor.change("body", body.name, com=body.com + h * way)
    elif name == "inertia":
        editor.change("body", body.name, inertia=body.inertia + h * np.outer(way, way))
    elif name == "length":
        place = np.array(joint.placement)
        place[:3, 3] *= 1.0 + h / np.linalg.norm(place[:3, 3])
        editor.change("joint", joint.name, placement=place)
    elif name == "stiffness" or name == "damping":
        here = getattr(joint, name)
        editor.change("joint", joint.name, **{name: (0.0 if here is None else here) + h})
    elif name == "gravity":
        unit = model.gravity / np.linalg.norm(model.gravity)
        return ts.Model(dataclasses.replace(described, gravity=model.gravity + h * unit))
    return editor.build()


def parameters(model: ts.Model) -> dict[str, P.Parameter]:
    """Return parameters by name."""
    joint = model.description.joints[-1]
    way = (0.6, 0.0, 0.8)
    return {
        "mass": P.Mass(joint.child),
        "com": P.CenterOfMass(joint.child, way),
        "inertia": P.Inertia(joint.child, way),
        "length": P.Length(joint.name),
        "stiffness": P.Stiffness(joint.name),
        "damping": P.Damping(joint.name),
        "gravity": P.Gravity(),
    }


@pytest.mark.parametrize("last", ["revolute", "spherical", "fixed", "universal"])
def test_parameters(last: str) -> None:
    """Masses, centres, inertias, lengths, springs and gravity of a tree with gears."""
    rng = np.random.default_rng(7)
    kinds = ("free", "spherical", "revolute", "planar")
    tree = smooth(ts.robots.random_mechanism(rng, 4, kinds, springs=True, armature=True))
    made = Machine(rng, tree.description)
    made.gear()
    made.link("revolute", made.body_names[0])
    parent = made.body_names[-1]
    b = ts.Editor(smooth(made.builder.build())).body("end", 1.3, (0.1, 0.2, 0.3), (0.1, 0.2, 0.25))
    springs = {} if last == "fixed" else {"stiffness": 1.5, "damping": 0.3}
    b.joint("last", last, parent, "end", position=(0.2, 0.3, -0.1), rotation=np.eye(3), **springs)
    model = b.build()
    q, v = state(model, 3)
    wanted = parameters(model)
    if last == "fixed":
        del wanted["stiffness"], wanted["damping"]
    options = {"duration": DURATION}
    found = ts.flow(
        model, q, v, **options, derivatives=True, parameters=tuple(wanted.values()), **TIGHT
    )
    check_lanes(model, q, v, found, parameters=tuple(wanted.values()), **options, **TIGHT)
    for k, name in enumerate(wanted):
        expected = by_number(lambda h, name=name: changed(model, name, h), q, v, **options)[:-1]
        error = residual(found.derivatives[:, 2 * model.nv + k], expected)
        print(f"{last}, {name}: {error:.1e} of {np.abs(expected).max():.1e}")
        assert error < 1e-8 and np.abs(expected).max() > 1e-4, name


def closing(model: ts.Model, q: Array, v: Array) -> tuple[Array, Array]:
    """Return the nearest state that keeps the constraints, in the metric of the mass matrix."""

    def response(q: Array) -> tuple[Array, Array]:
        jacobian = np.asarray(model.constraint_jacobian(q))
        spread = np.linalg.solve(model.mass_matrix(q), jacobian.T)
        return jacobian, spread @ np.linalg.pinv(jacobian @ spread, rcond=1e-10)

    for _ in range(6):
        gaps = np.concatenate([np.ravel(gap) for gap in [model.loop_gaps(q)]])
        q = np.asarray(model.integrate(q, -response(q)[1] @ gaps))
    jacobian, spread = response(q)
    return q, v - spread @ (jacobian @ v)


@pytest.mark.parametrize(
    ("kind", "seed"), [("spherical", 0), ("spherical", 1), ("weld", 0), ("planar", 1)]
)
def test_constraints(kind: str, seed: int) -> None:
    """What is held: derivatives by states that keep constraints, and by lengths and masses."""
    kinds = ("revolute", "spherical", "prismatic", "universal", "revolute", "cylindrical", "free")
    tree = smooth(ts.robots.random_mechanism(seed, 7, kinds, springs=True))
    q0, v0 = state(tree, seed)
    leaf = tree.body_names[-1]

    at = np.eye(4)
    at[:3, 3] = 0.1, 0.2, 0.0
    pose = tree.frame_pose(q0, leaf) @ at

    def held(model: ts.Model) -> ts.Model:
        return ts.Editor(model).close_loop(kind, "world", pose, leaf, at, constraint=True).build()

    model = held(tree)
    q, v = closing(model, q0, v0)
    options = {"duration": DURATION}
    found = ts.flow(model, q, v, **options, derivatives=True, **TIGHT)
    expected = by_states(
        model, q, v, step=1e-3, start=lambda q, v: closing(model, q, v), **options
    )[:-1]
    error = residual(found.derivatives, expected)
    print(f"{kind} {seed}: {error:.1e}")
    assert error < 1e-8

    wanted = parameters(tree)
    listed = [wanted[name] for name in ("length", "mass")]
    found = ts.flow(model, q, v, **options, derivatives=True, parameters=listed, **TIGHT)
    check_lanes(model, q, v, found, parameters=listed, **options, **TIGHT)
    for k, name in enumerate(("length", "mass")):

        def end_of(h: float, name: str = name) -> Array:
            other = held(changed(tree, name, h))
            end = ts.flow(other, *closing(other, q, v), **options, rtol=1e-13, atol=1e-15)
            return np.concatenate([model.difference(found.q, end.q), end.v])

        error = residual(found.derivatives[:, 2 * model.nv + k], extrapolated(end_of, 1e-3))
        print(f"{kind} {seed}, {name}: {error:.1e}")
        assert error < 1e-8


def test_forces() -> None:
    """Springs and dampers between points, drag, rubber, a field of gravity and a wrench."""
    kinds = ("free", "revolute", "spherical", "free")
    tree = smooth(ts.robots.random_mechanism(5, 4, kinds, springs=True))
    a, b, c, d = tree.body_names
    f = ts.forces
    forces = [
        f.Spring(
            (a, (0.1, 0.0, 0.2)), (d, (0.0, 0.3, 0.0)), stiffness=20.0, rest_length=0.2, damping=0.7
        ),
        f.Rubber((b, (0.1, 0.0, 0.2)), (0.0, 0.0, 2.0), stiffness=9.0, rest_length=0.2),
        f.Drag(c, quadratic=0.4, linear=0.2),
        f.GravityField(center=(0.0, 0.0, 5.0), mu=3.0),
        f.Wrench(b, force=(0.3, 0.2, 0.1), torque=(0.0, 0.5, 0.0)),
    ]
    editor = ts.Editor(tree)
    for force in forces:
        editor.force(force)
    model = editor.build()
    q, v = state(model, 5)
    parameters = [P.Length(model.description.joints[1].name)]
    found = ts.flow(
        model, q, v, duration=DURATION, derivatives=True, parameters=parameters, **TIGHT
    )
    expected = by_states(model, q, v, duration=DURATION)[:-1]
    error = residual(found.derivatives[:, : 2 * model.nv], expected)
    print(f"forces: {error:.1e}")
    assert error < 1e-8

    def longer(h: float) -> ts.Model:
        joint = model.description.joints[1]
        place = np.array(joint.placement)
        place[:3, 3] *= 1.0 + h / np.linalg.norm(place[:3, 3])
        return ts.Editor(model).change("joint", joint.name, placement=place).build()

    error = residual(found.derivatives[:, -1], by_number(longer, q, v, duration=DURATION)[:-1])
    print(f"forces, length: {error:.1e}")
    assert error < 1e-8
    check_lanes(model, q, v, found, duration=DURATION, parameters=parameters, **TIGHT)
