"""Mechanisms to compute with at once: robots, mechanisms of textbooks and theses, random ones."""

from tarsus.robots.compass import compass
from tarsus.robots.differential import differential
from tarsus.robots.dill import dill
from tarsus.robots.dribbel import dribbel
from tarsus.robots.five_bodies import five_bodies
from tarsus.robots.linkages import four_bar, four_bar_chain, slider_crank, spatial_four_bar
from tarsus.robots.lola import lola
from tarsus.robots.mini_cheetah import mini_cheetah
from tarsus.robots.quadruped import quadruped
from tarsus.robots.random import random_mechanism
from tarsus.robots.rolling import rolling_disc, snakeboard
from tarsus.robots.rotors import rotor_chain, rotor_tree
from tarsus.robots.simplest_walker import simplest_walker
from tarsus.robots.strandbeest import strandbeest_leg
from tarsus.robots.trees import chain, tree
from tarsus.robots.vergence import vergence
from tarsus.robots.walker3d import walker3d

__all__ = [
    "chain",
    "compass",
    "differential",
    "dill",
    "dribbel",
    "five_bodies",
    "four_bar",
    "four_bar_chain",
    "lola",
    "mini_cheetah",
    "names",
    "quadruped",
    "random_mechanism",
    "rolling_disc",
    "rotor_chain",
    "rotor_tree",
    "simplest_walker",
    "slider_crank",
    "snakeboard",
    "spatial_four_bar",
    "strandbeest_leg",
    "tree",
    "vergence",
    "walker3d",
]


def names() -> list[str]:
    """Return the names of the functions here that make a model."""
    return [name for name in __all__ if name != "names"]
