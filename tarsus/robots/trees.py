"""Chains and regular trees of equal links, as `autoTree` of Featherstone's spatial_v2 makes them.

R. Featherstone, "Rigid Body Dynamics Algorithms", Springer 2008, and the MATLAB package
spatial_v2 that goes with it.
"""

from __future__ import annotations

import math
from typing import SupportsIndex

from tarsus.model import WORLD, Builder, Model
from tarsus.model.checks import number
from tarsus.robots.sizes import checked_size


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
