"""Machines that walk, from strike to strike: their phases, and where a gait may begin."""

from collections.abc import Callable

from tarsus.gait.walkers.planar import compass, dribbel, rimless_wheel, round_feet, simplest_walker
from tarsus.gait.walkers.point_mass import point_mass
from tarsus.gait.walkers.spatial import ball_feet, hopper, walker3d
from tarsus.gait.walkers.trot import trot
from tarsus.gait.walkers.walker import Factory, Section, Walker

SHIPPED: dict[str, Callable[..., Walker]] = {
    "compass": compass,
    "simplest_walker": simplest_walker,
    "rimless_wheel": rimless_wheel,
    "dribbel": dribbel,
    "walker3d": walker3d,
    "hopper": hopper,
    "round_feet": round_feet,
    "ball_feet": ball_feet,
}
"""Walkers by their names."""

__all__ = [
    "SHIPPED",
    "Factory",
    "Section",
    "Walker",
    "ball_feet",
    "compass",
    "dribbel",
    "hopper",
    "point_mass",
    "rimless_wheel",
    "round_feet",
    "simplest_walker",
    "trot",
    "walker3d",
]
