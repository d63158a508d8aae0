"""Machines on two legs, and what is known about them."""

from __future__ import annotations

from functools import cache
from importlib import metadata
from pathlib import Path

import tarsus as ts

FILES = {
    "talos_reduced": "talos_reduced.urdf",
    "talos": "talos_full_v2.urdf",
    "g1": "g1_29dof_rev_1_0.urdf",
    "icub": "icub_reduced.urdf",
    "romeo": "romeo_small.urdf",
    "bolt": "bolt.urdf",
    "alexander": "alexander_v1.lowerBodyOnly.urdf",
}


@cache
def machine(name: str) -> ts.Model:
    """Return a machine on two legs by name."""
    if name == "lola":
        return ts.robots.lola()
    files = metadata.files("example-robot-data") or ()
    file = next(file for file in files if file.name == FILES[name])
    return ts.load(Path(str(file.locate())), base="free", mimic="independent")
