"""Machines that walk, from strike to strike: their phases, and where a gait may begin."""

from tarsus.gait.walkers.compass import compass
from tarsus.gait.walkers.walker import Walker

__all__ = ["Walker", "compass"]
