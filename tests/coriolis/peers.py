"""The same mechanisms in Pinocchio: its robots, and rows of bodies on joints that it has."""

from __future__ import annotations

from typing import Any

import pinocchio as pin
from test_pinocchio import FILES, FIXED, JOINTS, Pair, joints_in_a_row

import tarsus as ts

__all__ = ["JOINTS", "ROBOTS", "joints_in_a_row", "robot"]

UNREADABLE = ("ur3.urdf",)
"""Files that Pinocchio does not read."""
ROBOTS = [(name, "fixed" if name in FIXED else "free") for name in FILES if name not in UNREADABLE]


def robot(name: str, base: Any) -> Pair:
    """Return one of Pinocchio's robots, without coupled joints."""
    root = (pin.JointModelFreeFlyer(),) if base == "free" else ()
    peer = pin.buildModelFromUrdf(str(FILES[name]), *root)
    return Pair(ts.load(FILES[name], base, mimic="independent"), peer)
