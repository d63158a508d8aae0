"""Machines that tests of inverse kinematics move."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import tarsus as ts


def planar_arm(n: int = 4, length: float = 0.4, base: str = "world") -> ts.Model:
    """Return an arm of n links in the x y plane, with a frame "tip"."""
    builder = ts.Builder("planar arm")
    last = base
    for k in range(n):
        builder.body(f"link_{k}", 1.0, [length / 2, 0.0, 0.0], np.diag([0.01, 0.02, 0.02]))
        place = [length if k else 0.0, 0.0, 0.0]
        builder.joint(f"joint_{k}", "revolute", last, f"link_{k}", position=place, axis=[0, 0, 1])
        last = f"link_{k}"
    builder.frame("tip", last, position=[length, 0.0, 0.0])
    return builder.build()


def seven_joints(limits: bool = True) -> ts.Model:
    """Return an arm with shoulder, elbow and wrist, seven joints and a frame "hand"."""
    axes: Sequence[Sequence[float]] = (
        *([0, 0, 1], [0, 1, 0], [0, 0, 1], [0, -1, 0], [0, 0, 1], [0, 1, 0], [0, 0, 1]),
    )
    heights = (0.3, 0.0, 0.4, 0.0, 0.35, 0.0, 0.1)
    builder = ts.Builder("seven joints")
    last = "world"
    for k, (axis, height) in enumerate(zip(axes, heights, strict=True)):
        builder.body(f"link_{k}", 2.0, [0.0, 0.0, 0.1], np.diag([0.02, 0.02, 0.01]))
        ranges = {"lower": -2.6, "upper": 2.6, "velocity_limit": 3.0} if limits else {}
        builder.joint(
            f"joint_{k}",
            "revolute",
            last,
            f"link_{k}",
            position=[0, 0, height],
            axis=axis,
            **ranges,
        )
        last = f"link_{k}"
    builder.frame("hand", last, position=[0.0, 0.0, 0.1])
    return builder.build()
