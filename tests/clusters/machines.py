"""Random machines with joints of every kind, gears, couplings, closed forms and loops."""

from __future__ import annotations

import functools

import numpy as np
from maker import Machine

import tarsus as ts

FLAVOURS = {
    "gears": {"gears": 5},
    "couplings": {"couplings": 3},
    "forms": {"forms": 4},
    "loops": {"loops": 2},
    "constraints": {"gears": 1, "constraints": 2},
    "everything": {"couplings": 2, "forms": 2, "loops": 2, "constraints": 1, "gears": 3},
}
"""What is added to a random tree of bodies, and how often."""


@functools.cache
def machine(seed: int, flavour: str) -> Machine:
    """Return a random machine with 12 to 40 bodies."""
    rng = np.random.default_rng(seed)
    options = {"armature": seed % 2 == 0, "springs": seed % 3 == 0}
    tree = ts.robots.random_mechanism(rng, 6 + seed % 7, **options)
    made = Machine(rng, tree.description)
    made.link("revolute", "world")
    made.functions = "loops" not in FLAVOURS[flavour]
    for what, count in FLAVOURS[flavour].items():
        for _ in range(count):
            if what in ("loops", "constraints"):
                made.loop(constraint=what == "constraints")
            else:
                {"gears": made.gear, "couplings": made.coupling, "forms": made.form}[what]()
    return made
