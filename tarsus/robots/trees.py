"""Chains, trees, and random mechanisms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import checked_size, number
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.model.builder import Builder
from tarsus.model.description import KINDS, QUATERNION, SIZES, WITHOUT_SPRINGS
from tarsus.model.model import Model
from tarsus.robots.building import Rotors, add_gear, checked_rotors

# Chains and regular trees of equal links, as `autoTree` of Featherstone's spatial_v2 makes them.
#
# R. Featherstone, "Rigid Body Dynamics Algorithms", Springer 2008, and the MATLAB package
# spatial_v2 that goes with it.


def tree(
    n: SupportsIndex, branching: float = 2.0, *, skew: float = math.pi / 2, taper: float = 1.0
) -> Model:
    """Return a tree of `n` thin tubes (1 kg, 1 m along x) on revolute joints about z.

    `branching` is the mean number of children of a link (1 for a chain); links are numbered
    breadth first. Each joint sits at the tip of its parent, turned by `skew` [rad] about x:
    0 gives a planar mechanism. Each link is `taper` times as long as the one before it.
    """
    builder = Builder(f"tree({n}, {number(branching, 'branching'):g})")
    add_tree(builder, n, branching, skew=skew, taper=taper)
    return builder.build()


def chain(n: SupportsIndex, *, skew: float = math.pi / 2, taper: float = 1.0) -> Model:
    """Return a chain of `n` thin tubes (1 kg, 1 m); see `tree` for `skew` and `taper`."""
    return tree(n, 1.0, skew=skew, taper=taper)


def add_tree(
    builder: Builder, n: SupportsIndex, branching: float, *, skew: float, taper: float = 1.0
) -> list[str]:
    """Add the links and joints of `tree` to a builder; returns the names of the joints."""
    size = checked_size(n, "n")
    branching, skew, taper = (
        number(value, name)
        for name, value in (("branching", branching), ("skew", skew), ("taper", taper))
    )
    if branching < 1.0:
        raise ValueError(f"branching is {branching}, must be at least 1")
    for i in range(size):
        length = taper**i
        mass = length**3
        moments = [mass * length**2 * factor for factor in (0.0025, 1.015 / 12, 1.015 / 12)]
        builder.body(f"link_{i}", mass, com=(0.5 * length, 0.0, 0.0), inertia=moments)
        if i == 0:
            builder.joint("joint_0", "revolute", WORLD, "link_0")
            continue
        # spatial_v2 counts from 1: parent(i) = floor((i − 2 + ⌈branching⌉) / branching)
        parent = int((i - 1 + math.ceil(branching)) / branching) - 1
        builder.joint(
            f"joint_{i}",
            "revolute",
            f"link_{parent}",
            f"link_{i}",
            position=(taper**parent, 0.0, 0.0),
            rotation=(skew, 0.0, 0.0),
        )
    return [f"joint_{i}" for i in range(size)]


# Dill(n): a fractal tree of 2ⁿ links, the benchmark of M. Schwienbacher's thesis.
#
# M. Schwienbacher, "Efficient Algorithms for Biped Robots, Simulation, Collision Avoidance and
# Angular Momentum Tracking", TU München 2013, section 2.10.1.


LARGEST = 16


def dill(n: int) -> Model:
    """Return Dill(n): a link, n times the smallest in size, that carries Dill(0) … Dill(n − 1).

    The smallest link is a cylinder along x of 0.1 kg, 0.1 m and radius 0.01 m on a revolute
    joint about z. Links are numbered depth first; there are 2ⁿ of them, n at most 16.
    """
    n = checked_size(n, "n", 0, LARGEST)
    builder = Builder(f"dill({n})")
    _grow(builder, n, "link", WORLD, slot=0)
    return builder.build()


def _grow(builder: Builder, n: int, name: str, parent: str, slot: int) -> None:
    """Add Dill(n) at x = 0.1 `slot` of `parent`, turned by `slot`/3 rad about x."""
    scale = max(n, 1)
    builder.body(
        name,
        mass=0.1 * scale**3,
        com=(0.05 * scale, 0.0, 0.0),
        inertia=[moment * scale**5 for moment in (1 / 200000, 403 / 1200000, 403 / 1200000)],
        inertia_at="origin",
    )
    builder.joint(
        name, "revolute", parent, name, position=(0.1 * slot, 0, 0), rotation=(slot / 3, 0, 0)
    )
    for child in range(1, n + 1):
        _grow(builder, child - 1, f"{name}.{child}", name, slot=child)


# Chains and trees whose joints have geared motors, the test mechanisms of S. F. Echeandia.
#
# S. F. Echeandia, "Rigid-Body Dynamics Algorithms for Physically Interactive Robots", University
# of Notre Dame 2020, section 4.4: links as of `tree`, rotors of 0.5 kg and a ratio of 5. The
# inertia of the rotors is not stated there; 1 kg m² reproduces every figure of Tables 4.3 to 4.5
# that compares the two approximations, with a skew of 0.


def rotor_tree(
    n: SupportsIndex,
    branching: float = 2.0,
    *,
    skew: float = 0.0,
    ratio: float = 5.0,
    mass: float = 0.5,
    inertia: ArrayLike = (1.0, 1.0, 1.0),
    rotors: Rotors = "exact",
) -> Model:
    """Return `tree(n, branching)` with a motor at each joint, whose rotor turns about its axis.

    The rotor has `mass` [kg] and `inertia` (3,) or (3, 3) [kg m²], z is its axis; it hangs on the
    parent of the joint and turns `ratio` times as fast. `rotors` is "exact" (bodies that turn),
    "reflected" (welded, with n² J on the joint) or "none". With a `skew` of 0 all moves in a
    plane, and rotors have no gyroscopic effects.
    """
    checked_rotors(rotors)
    builder = Builder(f"rotor_tree({n}, {number(branching, 'branching'):g})")
    for joint in add_tree(builder, n, branching, skew=skew):
        add_gear(builder, joint, ratio, rotors, mass=mass, inertia=inertia)
    return builder.build()


def rotor_chain(
    n: SupportsIndex,
    *,
    skew: float = 0.0,
    ratio: float = 5.0,
    mass: float = 0.5,
    inertia: ArrayLike = (1.0, 1.0, 1.0),
    rotors: Rotors = "exact",
) -> Model:
    """Return `chain(n)` with a motor at each joint; see `rotor_tree` for the parameters."""
    return rotor_tree(n, 1.0, skew=skew, ratio=ratio, mass=mass, inertia=inertia, rotors=rotors)


# Random mechanisms with every kind of joint, for tests that must hold for all mechanisms.


def random_mechanism(
    rng: np.random.Generator | int | None = None,
    n_bodies: int = 20,
    kinds: Sequence[str] | None = None,
    *,
    axes: bool = True,
    armature: bool = False,
    springs: bool = False,
    limits: bool = False,
) -> Model:
    """Return a random tree of `n_bodies` bodies whose joints cycle through `kinds` (all).

    Places, axes, masses and inertias are random and physically consistent; without `axes` the
    axes are the defaults. `armature` adds reflected inertias, `springs` adds springs, damping
    and dry friction, `limits` adds limits to coordinates that are not quaternions. Bodies on
    fixed joints count among `n_bodies`.
    """
    generator = np.random.default_rng(rng)
    n_bodies = checked_size(n_bodies, "n_bodies")
    chosen = list(KINDS if kinds is None else kinds)
    if not chosen:
        raise ValueError("kinds is empty, must name at least one kind of joint")
    builder = Builder("random_mechanism", gravity=generator.normal(size=3) * 5.0)
    names = [WORLD]
    for i in range(n_bodies):
        # every kind once before any comes again, in an order that differs from round to round
        if i % len(chosen) == 0:
            round_of_kinds = generator.permutation(chosen).tolist()
        kind = round_of_kinds[i % len(chosen)]
        name = f"body_{i}"
        mass = generator.uniform(0.5, 2.0)
        builder.body(name, mass, generator.normal(size=3) * 0.2, _inertia(generator, mass))
        parent = names[int(generator.integers(max(0, len(names) - 4), len(names)))]
        builder.joint(
            f"{kind}_{i}",
            kind,
            parent,
            name,
            position=generator.normal(size=3) * 0.5,
            rotation=random_rotation(generator),
            **(_axes(generator, kind) if axes else _pitch(kind, 0.1)),
            **_sizes(generator, kind),
            **_surfaces(generator, kind),
            **_parameters(generator, kind, armature, springs, limits),
        )
        names.append(name)
    frames = generator.choice(names, size=3)
    for i, body in enumerate(frames.tolist()):
        position = generator.normal(size=3)
        builder.frame(f"frame_{i}", body, position=position, rotation=random_rotation(generator))
    return builder.build()


def random_rotation(rng: np.random.Generator) -> Array:
    """Return a random rotation (3, 3)."""
    columns, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return np.asarray(columns * np.sign(np.linalg.det(columns)))


def _inertia(rng: np.random.Generator, mass: float) -> Array:
    spread = rng.normal(size=(3, 3)) * 0.2
    second_moments = mass * spread @ spread.T
    return np.asarray(np.trace(second_moments) * np.eye(3) - second_moments)


def _axes(rng: np.random.Generator, kind: str) -> dict[str, Any]:
    """Return random axes; one in three is a coordinate axis, for which there are fast paths."""
    columns = np.eye(3)[:, rng.permutation(3)] if rng.random() < 1 / 3 else random_rotation(rng)
    axes: dict[str, Any] = {}
    if kind in ("revolute", "prismatic", "screw", "cylindrical", "universal", "planar"):
        axes["axis"] = columns[:, 0]
    if kind == "universal":
        axes["second_axis"] = columns[:, 1]
    return axes | _pitch(kind, rng.normal() * 0.3 if kind == "screw" else 0.0)


def _pitch(kind: str, pitch: float) -> dict[str, Any]:
    return {"pitch": pitch} if kind == "screw" else {}


def _sizes(rng: np.random.Generator, kind: str) -> dict[str, Any]:
    """Return random sizes of wheels, discs and balls [m]."""
    return {key: rng.uniform(0.1, 0.5) for key in ("radius", "track") if kind in SIZES[key]}


def _surfaces(rng: np.random.Generator, kind: str) -> dict[str, Any]:
    """Return a random ellipsoid, and a random ground into which it fits everywhere.

    Discs and tori are singular where they lie flat, spheres and ellipsoids end as grounds.
    """
    if kind != "rolling":
        return {}
    grounds: dict[str, Array] = {
        "plane": np.zeros(0),
        "paraboloid": rng.uniform(-0.3, 0.3, 2),
        "sinusoid": rng.uniform((0.02, 0.2), (0.1, 0.4)),
    }
    ground = str(rng.choice(list(grounds)))
    return {
        "surface": {"kind": "ellipsoid", "numbers": rng.uniform(0.2, 0.4, 3)},
        "ground": {"kind": ground, "numbers": grounds[ground]},
    }


def _parameters(
    rng: np.random.Generator, kind: str, armature: bool, springs: bool, limits: bool
) -> dict[str, Any]:
    nq, nv = KINDS[kind]
    parameters: dict[str, Any] = {}
    if armature:
        parameters["armature"] = rng.uniform(0.0, 0.5, nv)
    if springs:
        for key in ("damping", "friction"):
            parameters[key] = rng.uniform(0.0, 2.0, nv)
        if kind == "spherical":
            parameters["stiffness"] = np.full(nv, rng.uniform(0.0, 2.0))
        elif kind not in WITHOUT_SPRINGS:
            parameters["stiffness"] = rng.uniform(0.0, 2.0, nv)
        rest = rng.normal(size=nq)
        if kind in QUATERNION:
            rest[QUATERNION[kind]] /= np.linalg.norm(rest[QUATERNION[kind]])
        parameters["rest"] = rest
    if limits and kind not in QUATERNION:
        parameters["lower"] = -rng.uniform(0.1, 2.0, nq)
        parameters["upper"] = rng.uniform(0.1, 2.0, nq)
    return parameters
