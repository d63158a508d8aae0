"""Mechanisms to compute with at once: benchmarks of the literature and random ones for tests."""

from tarsus.robots.dill import dill
from tarsus.robots.random import random_mechanism
from tarsus.robots.trees import chain, tree

__all__ = ["chain", "dill", "names", "random_mechanism", "tree"]


def names() -> list[str]:
    """Return the names of the functions here that make a model."""
    return [name for name in __all__ if name != "names"]
