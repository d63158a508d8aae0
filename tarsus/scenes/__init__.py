"""Scenes to simulate at once, shared by examples, tests and benchmarks.

import tarsus as ts

run = ts.scenes.drop(0.5).run()
run = ts.scenes.walk("anymal").but(contact="penalty").run()
"""

from tarsus.scenes.contact import (
    bounce,
    bowl,
    closet,
    eggs,
    incline,
    release,
    slide,
    soft_ball,
    supports,
)
from tarsus.scenes.robots import drop, elastic_lola, jump, push, stand, trot, walk
from tarsus.scenes.scene import Scene
from tarsus.scenes.toys import (
    bungee,
    cans,
    gyroscope,
    hanging_chain,
    pendulum_wave,
    snakeboard,
    tensegrity,
)
from tarsus.scenes.vehicles import car, cat, four_bars, three_bars

__all__ = [
    "Scene",
    "bounce",
    "bowl",
    "bungee",
    "cans",
    "car",
    "cat",
    "closet",
    "drop",
    "eggs",
    "elastic_lola",
    "four_bars",
    "gyroscope",
    "hanging_chain",
    "incline",
    "jump",
    "names",
    "pendulum_wave",
    "push",
    "release",
    "slide",
    "snakeboard",
    "soft_ball",
    "stand",
    "supports",
    "tensegrity",
    "three_bars",
    "trot",
    "walk",
]


def names() -> list[str]:
    """Return the names of the functions here that make a scene."""
    return [name for name in __all__ if name not in ("Scene", "names")]
