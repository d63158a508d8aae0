"""Kits for tests: bars, chains, and random ones that are closed by construction."""

from __future__ import annotations

import numpy as np

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.model.loop_joints import TREE_KINDS
from tarsus.robots.trees import random_rotation
from tarsus.spatial import inverse, pose

BAR = {"mass": 1.0, "inertia": (1.25 / 12, 100.25 / 12, 101.0 / 12)}
"""A box of 10 × 1 × 0.5 m and 1 kg (Schröder 1990, section 7.2)."""


def loose_bar(builder: ts.Builder, name: str, position: tuple[float, float, float]) -> None:
    """Add a bar on a free joint."""
    builder.body(name, **BAR)
    builder.joint(f"{name}_free", "free", "world", name, position=position)


def three_bars() -> ts.Model:
    """Return three bars in line along x with pins four metres from their centres."""
    builder = ts.Builder("three_bars", gravity=(0.0, 0.0, 0.0))
    for k, name in enumerate(("left", "middle", "right")):
        loose_bar(builder, name, (8.0 * k, 0.0, 0.0))
    builder.close_loop("revolute", "left", (4, 0, 0), "middle", (-4, 0, 0), name="pin_left")
    builder.close_loop("revolute", "middle", (4, 0, 0), "right", (-4, 0, 0), name="pin_right")
    return builder.build()


def chain(n: int, kind: str = "revolute", spread: float = 0.0) -> ts.Builder:
    """Return loose bodies of growing mass in a row, a loop joint between neighbours."""
    rng = np.random.default_rng(n)
    builder = ts.Builder("chain")
    for k in range(n):
        builder.body(f"b{k}", 1.0 + k, (0.1, 0.0, 0.0), (0.1, 0.2, 0.25))
        place = np.array([k, 0.0, 0.0]) + spread * rng.normal(size=3)
        builder.joint(f"f{k}", "free", "world", f"b{k}", position=place)
    for k in range(n - 1):
        builder.close_loop(kind, f"b{k}", (0.5, 0, 0), f"b{k + 1}", (-0.5, 0, 0), name=f"pin{k}")
    return builder


def meeting(rng: np.random.Generator, kind: str) -> Array:
    """Return a random pose (4, 4) of frame b in frame a in which a loop joint is closed."""
    angle, along = rng.uniform(-1.0, 1.0, 2)
    c, s = np.cos(angle), np.sin(angle)
    turned = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    if rng.random() < 0.3:  # z of b may point the other way
        turned = turned @ np.diag([1.0, -1.0, -1.0])
    if kind == "weld":
        return np.eye(4)
    if kind == "prismatic":
        return pose((0.0, 0.0, along))
    if kind == "revolute":
        return pose(rotation=turned)
    if kind == "cylindrical":
        return pose((0.0, 0.0, along), turned)
    if kind == "planar":
        return pose((*rng.uniform(-1.0, 1.0, 2), 0.0), turned)
    if kind == "universal":
        x = np.array([c, s, 0.0])
        y = np.cross(x, rng.normal(size=3))
        y /= np.linalg.norm(y)
        return pose(rotation=np.column_stack([x, y, np.cross(x, y)]))
    if kind == "point_on_line":
        return pose((0.0, 0.0, along), random_rotation(rng))
    return pose(rotation=random_rotation(rng))  # spherical


def random_kit(seed: int, n: int = 8, extra: int = 3, *, grounded: bool = False) -> ts.Model:
    """Return a kit of n bodies whose loop joints, of every kind, are closed where it was built.

    Every body is joined to one before it, `extra` times two of them once more; frames are anywhere,
    and either body may be a or b.
    """
    rng = np.random.default_rng(seed)
    builder = ts.Builder("random_kit", gravity=rng.normal(size=3) * 3.0)
    places: dict[str, Array] = {"world": np.eye(4)}
    for k in range(n):
        name = f"body_{k}"
        spread = rng.normal(size=(3, 3)) * 0.2
        moments = spread @ spread.T
        inertia = np.trace(moments) * np.eye(3) - moments
        builder.body(name, rng.uniform(0.5, 2.0), rng.normal(size=3) * 0.1, inertia)
        places[name] = pose(rng.normal(size=3), random_rotation(rng))
        builder.joint(f"free_{k}", "free", "world", name, placement=places[name])
    kinds = list(rng.permutation(list(TREE_KINDS)))
    names = list(places)
    for k in range(1, n):
        older = names[int(rng.integers(1, k + 1))]
        join(builder, rng, kinds[k % len(kinds)], older, names[k + 1], places)
    if grounded:
        join(builder, rng, "revolute", "world", names[1], places)
    for kind in ("spherical", "distance", "point_on_line")[:extra]:
        a, b = rng.permutation(names[1:])[:2]
        join(builder, rng, kind, a, b, places)
    return builder.build()


def join(
    builder: ts.Builder,
    rng: np.random.Generator,
    kind: str,
    a: str,
    b: str,
    places: dict[str, Array],
) -> None:
    """Add a loop joint that is closed where the bodies are, in either direction."""
    if rng.random() < 0.5:
        a, b = b, a
    on_a = pose(rng.normal(size=3) * 0.4 * (rng.random() < 0.8), random_rotation(rng))
    on_b = inverse(places[b]) @ places[a] @ on_a @ meeting(rng, kind)
    length = 0.0
    if kind == "distance":
        on_b = pose(rng.normal(size=3) * 0.2)
        apart = (places[a] @ on_a)[:3, 3] - (places[b] @ on_b)[:3, 3]
        length = float(np.linalg.norm(apart))
    builder.close_loop(kind, str(a), on_a, str(b), on_b, length=length)


def accelerations(model: ts.Model, q: Array, v: Array, bodies: list[str]) -> Array:
    """Return accelerations (n, 6) of bodies, in axes of the world, without forces at joints."""
    a = model.forward_dynamics(q, v, np.zeros(model.nv))
    frame = "local_world_aligned"
    return np.array([model.frame_acceleration(q, v, a, name, reference=frame) for name in bodies])


def relative_error(found: Array, wanted: Array) -> float:
    """Return the largest difference, relative to the largest number."""
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())
