"""Small models and files of robots for the tests of geometry."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import gymnasium

import tarsus as ts

ROBOTS = sorted(
    Path(str(file.locate()))
    for file in metadata.files("example-robot-data") or ()
    if file.name.endswith(".urdf")
)
MUJOCO = sorted((Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets").glob("*.xml"))


def robot(name: str, base: str = "free") -> ts.Model:
    """Return a robot of example-robot-data by the name of its file."""
    return ts.load(next(file for file in ROBOTS if file.name == name), base=base)  # type: ignore[arg-type]


def free_body(kind: str, size: tuple[float, ...], **place: object) -> ts.Model:
    """Return one free body with one shape to touch with."""
    b = ts.Builder(kind)
    b.body("body", 1.0, inertia=(0.1, 0.1, 0.1)).joint("root", "free", "world", "body")
    b.shape("body", kind, size, role="collision", name="skin", **place)  # type: ignore[arg-type]
    return b.build()


def arm(fixed: bool = False) -> ts.Builder:
    """Return an arm of three links with a box, a massless link and a capsule, and its foot."""
    b = ts.Builder("arm")
    root = "fixed" if fixed else "free"
    b.body("base", 3.0, inertia=(0.1, 0.1, 0.1)).joint("root", root, "world", "base")
    b.shape("base", "box", (0.4, 0.4, 0.2), role="collision", name="trunk")
    b.body("yoke").joint("yaw", "revolute", "base", "yoke", axis="z", position=(0, 0, 0.1))
    b.body("upper", 1.0, com=(0, 0, 0.25), inertia=(0.1, 0.1, 0.01))
    b.joint("pitch", "revolute", "yoke", "upper", axis="y")
    b.shape("upper", "capsule", (0.05, 0.4), role="collision", position=(0, 0, 0.25))
    b.body("lower", 1.0, com=(0, 0, 0.25), inertia=(0.1, 0.1, 0.01))
    b.joint("elbow", "revolute", "upper", "lower", axis="y", position=(0, 0, 0.5))
    b.shape("lower", "capsule", (0.04, 0.4), role="collision", position=(0, 0, 0.25))
    b.body("hand", 0.2, inertia=(0.01, 0.01, 0.01))
    b.joint("wrist", "fixed", "lower", "hand", position=(0, 0, 0.5))
    b.shape("hand", "sphere", (0.08,), role="collision", name="palm")
    b.frame("tip", "hand", position=(0, 0, 0.08))
    return b
