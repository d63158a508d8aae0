"""Planar four-bars: a crank and a rocker on the world, and a coupler between them."""

from __future__ import annotations

from typing import Any

import numpy as np
from oracle import Array

import tarsus as ts

CRANK, COUPLER, ROCKER, GROUND = 0.3, 0.9, 0.6, 1.0


def four_bar(
    kind: str = "revolute",
    *,
    rocker: float = ROCKER,
    on_a_body: bool = False,
    start: dict[str, float] | None = None,
    **options: Any,
) -> ts.Model:
    """Return a crank-rocker in the x-y plane, gravity along −y, closed by a joint of `kind`.

    The crank stays independent unless the options say otherwise. With `on_a_body` it is mounted
    askew on a free body.
    """
    builder = ts.Builder("four-bar", gravity=(0.0, -9.81, 0.0))
    base, place = "world", {}
    if on_a_body:
        builder.body("base", 5.0, (0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
        builder.joint("flight", "free", "world", "base")
        base, place = "base", {"rotation": (0.4, -0.7, 1.1)}
        builder.body("mount", 0.1, inertia=(0.01, 0.01, 0.01))
        builder.joint("mounting", "fixed", "base", "mount", **place)
        base = "mount"
    for name, length in (("crank", CRANK), ("coupler", COUPLER), ("rocker", rocker)):
        moment = length**3 / 12.0
        builder.body(name, length, (0.5 * length, 0.0, 0.0), (1e-3, moment, moment))
    builder.joint("drive", "revolute", base, "crank")
    builder.joint("knuckle", "revolute", "crank", "coupler", position=(CRANK, 0.0, 0.0))
    builder.joint("swing", "revolute", base, "rocker", position=(GROUND, 0.0, 0.0))
    if start is None:
        start = {"drive": 0.5, "knuckle": 0.2, "swing": 1.7}
    if "independent" not in options and not options.get("constraint"):
        options["independent"] = ["drive"]
    builder.close_loop(
        *(kind, "coupler", (COUPLER, 0.0, 0.0), "rocker", (rocker, 0.0, 0.0)),
        name="pin",
        start=start,
        **options,
    )
    return builder.build()


def gap(model: ts.Model, q: Array) -> float:
    """Return the distance [m] of the two ends, from the poses."""
    poses = model.forward_kinematics(q)
    ends = [
        poses[model.body_names.index(name)] @ [length, 0.0, 0.0, 1.0]
        for name, length in (("coupler", COUPLER), ("rocker", ROCKER))
    ]
    return float(np.linalg.norm(ends[0] - ends[1]))
