"""Mechanisms to compute with at once: robots, mechanisms of textbooks and theses, random ones."""

from tarsus.robots.geared import lola, mini_cheetah
from tarsus.robots.linkages import (
    four_bar,
    four_bar_chain,
    slider_crank,
    spatial_four_bar,
    strandbeest_leg,
)
from tarsus.robots.mechanisms import differential, five_bodies, rolling_disc, snakeboard, vergence
from tarsus.robots.quadrupeds import quadruped
from tarsus.robots.trees import chain, dill, random_mechanism, rotor_chain, rotor_tree, tree
from tarsus.robots.walkers import compass, dribbel, simplest_walker, walker3d

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
