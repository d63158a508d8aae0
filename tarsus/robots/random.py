"""Random mechanisms with every kind of joint, for tests that must hold for all mechanisms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tarsus.arrays import Array
from tarsus.model import WORLD, Builder, Model
from tarsus.model.kinds import KINDS, QUATERNION, SIZES, WITHOUT_SPRINGS
from tarsus.robots.sizes import checked_size


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
