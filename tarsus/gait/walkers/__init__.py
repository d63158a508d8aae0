"""Machines that walk, from strike to strike: their phases, and where a gait may begin."""

from tarsus.gait.walkers.compass import compass
from tarsus.gait.walkers.rimless_wheel import rimless_wheel
from tarsus.gait.walkers.simplest import simplest
from tarsus.gait.walkers.walker import Section, Walker

__all__ = ["Section", "Walker", "compass", "rimless_wheel", "simplest"]
