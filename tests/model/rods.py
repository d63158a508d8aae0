"""Rods on hinges in a plane, open and closed, for the tests of loops."""

from __future__ import annotations

from typing import Any

import numpy as np

import tarsus as ts
from tarsus._lib.files import Array

LENGTHS = (0.3, 1.0, 0.8, 0.9)
"""Of crank, coupler, rocker and ground: at crank angle zero they span a triangle."""


def rods(builder: ts.Builder, lengths: tuple[float, ...], prefix: str = "") -> ts.Builder:
    for name, length in zip("abc", lengths, strict=False):
        inertia = (0.001, length**2 / 12, length**2 / 12)
        builder.body(prefix + name, 1.0, (length / 2, 0, 0), inertia)
    return builder


def open_chain(
    lengths: tuple[float, ...] = LENGTHS, prefix: str = "", base: str = "world"
) -> ts.Builder:
    """A chain of three rods a, b, c in the plane of x and y, on joints ja, jb, jc."""
    return add_chain(ts.Builder("four_bar"), lengths, prefix, base)


def add_chain(
    builder: ts.Builder, lengths: tuple[float, ...], prefix: str = "", base: str = "world"
) -> ts.Builder:
    rods(builder, lengths, prefix)
    parent, x = base, 0.0
    for name, length in zip("abc", lengths, strict=False):
        builder.joint(f"{prefix}j{name}", "revolute", parent, prefix + name, position=(x, 0, 0))
        parent, x = prefix + name, length
    return builder


def four_bar(lengths: tuple[float, ...] = LENGTHS, **options: Any) -> ts.Builder:
    ends = ("c", (lengths[2], 0, 0), "world", (lengths[3], 0, 0))
    return open_chain(lengths).close_loop("revolute", *ends, name="pin", **options)


def gap(model: ts.Model, q: Array) -> float:
    return float(np.abs(model.loop_gaps(q)).max())


def offset_four_bars(offset: float, n: int = 1) -> ts.Builder:
    """Equal planar four-bars on the world, whose pins meet but for an offset out of the plane."""
    builder, (_, _, rocker, ground) = ts.Builder("file"), LENGTHS
    for i in range(n):
        add_chain(builder, LENGTHS, f"{i}")
        pin = (f"{i}c", (rocker, 0, 0), "world", (ground, 0, offset))
        builder.close_loop("revolute", *pin, name=f"pin{i}")
    return builder
