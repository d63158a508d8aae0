"""Machines that walk, from strike to strike: their phases, and where a gait may begin."""

from collections.abc import Callable

from tarsus.gait.walkers.ball_feet import ball_feet
from tarsus.gait.walkers.compass import compass
from tarsus.gait.walkers.dribbel import dribbel
from tarsus.gait.walkers.hopper import hopper
from tarsus.gait.walkers.point_mass import point_mass
from tarsus.gait.walkers.rimless_wheel import rimless_wheel
from tarsus.gait.walkers.round_feet import round_feet
from tarsus.gait.walkers.section import Section
from tarsus.gait.walkers.simplest_walker import simplest_walker
from tarsus.gait.walkers.trot import trot
from tarsus.gait.walkers.walker import Walker
from tarsus.gait.walkers.walker3d import walker3d

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
