"""Scenes to simulate at once, shared by examples, tests and benchmarks.

import tarsus as ts

run = ts.scenes.drop(0.5).run()
run = ts.scenes.walk("anymal").but(contact="penalty").run()
"""

from tarsus.scenes.ayit import drop, jump, trot
from tarsus.scenes.blocks import bounce, incline, slide
from tarsus.scenes.legged import push, stand, walk
from tarsus.scenes.scene import Scene

__all__ = [
    "Scene",
    "bounce",
    "drop",
    "incline",
    "jump",
    "names",
    "push",
    "slide",
    "stand",
    "trot",
    "walk",
]


def names() -> list[str]:
    """Return the names of the functions here that make a scene."""
    return [name for name in __all__ if name not in ("Scene", "names")]
