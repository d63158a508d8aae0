"""Other libraries that compute the same: to compare results with, and to measure against.

None of them is needed. A peer holds a model of its own and gives and takes coordinates in the
layout of ours, so that its numbers can be put beside ours.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from tarsus.model import Model
from tarsus.model.description import Array


class Peer(Protocol):
    """A library with the same mechanism."""

    label: str
    """Name and version, and how it got the mechanism."""

    def quantities(self, q: Array, v: Array, a: Array, tau: Array) -> dict[str, Array]:
        """Return what the library computes for one state, by the names of our methods."""


class NotComparableError(Exception):
    """A mechanism that the other library is not installed for, or cannot represent."""


def check_tree(model: Model, library: str) -> None:
    """Raise unless the model is a plain tree: couplings and loops are not handed over."""
    stated = model.description
    counts = {"coupling": len(stated.couplings), "loop": len(stated.loops)}
    found = [f"{n} {what}{'s' if n > 1 else ''}" for what, n in counts.items() if n]
    if found:
        has = " and ".join(found)
        message = f"{library} is handed trees only: not compared, the model has {has}"
        raise NotComparableError(message)


def peers(model: Model) -> tuple[dict[str, Peer], dict[str, str]]:
    """Return the peers that took the model by name, and for the others the reason why not."""
    from tarsus.peers.mujoco import MujocoPeer
    from tarsus.peers.pinocchio import PinocchioPeer

    makers: dict[str, Callable[[Model], Peer]] = {
        "Pinocchio": PinocchioPeer,
        "MuJoCo": MujocoPeer,
    }
    found: dict[str, Peer] = {}
    missing: dict[str, str] = {}
    for name, make in makers.items():
        try:
            found[name] = make(model)
        except NotComparableError as reason:
            missing[name] = str(reason)
    return found, missing
