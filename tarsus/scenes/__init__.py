"""Scenes to simulate at once, shared by examples, tests and benchmarks.

import tarsus as ts

run = ts.scenes.drop(0.5).run()
run = ts.scenes.walk("anymal").but(contact="penalty").run()
"""

from tarsus.scenes.ayit import drop, jump, trot
from tarsus.scenes.bars import four_bars, three_bars
from tarsus.scenes.blocks import bounce, incline, slide
from tarsus.scenes.bungee import bungee
from tarsus.scenes.cans import cans
from tarsus.scenes.car import car
from tarsus.scenes.cat import cat
from tarsus.scenes.closet import closet
from tarsus.scenes.elastic_gears import elastic_lola
from tarsus.scenes.gyroscope import gyroscope
from tarsus.scenes.hanging_chain import hanging_chain
from tarsus.scenes.legged import push, stand, walk
from tarsus.scenes.pendulums import pendulum_wave
from tarsus.scenes.releases import release, supports
from tarsus.scenes.scene import Scene
from tarsus.scenes.smooth_bodies import bowl, eggs
from tarsus.scenes.snakeboard import snakeboard
from tarsus.scenes.soft_ball import soft_ball
from tarsus.scenes.tensegrity import tensegrity

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
