"""Other libraries that compute the same: to compare results with, and to measure against.

None of them is needed. A peer holds a model of its own and gives and takes coordinates in the
layout of ours, so that its numbers can be put beside ours.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from tarsus.arrays import Array
from tarsus.model import Model


class Peer(Protocol):
    """A library with the same mechanism."""

    label: str
    """Name and version, and how it got the mechanism."""

    @property
    def dynamics(self) -> Model | None:
        """Methods of our model for identities, computed by the library alone, if it has them."""

    def quantities(self, q: Array, v: Array, a: Array, tau: Array) -> dict[str, Array]:
        """Return what the library computes for one state, by the names of our methods."""


class NotComparableError(Exception):
    """A mechanism that the other library is not installed for, or cannot represent."""


def check_tree(model: Model, library: str) -> None:
    """Raise unless the model is a plain tree: couplings and loops are not handed over."""
    check_counts(model, library, "trees", "coupling", "loop")


def check_counts(model: Model, library: str, handed: str, *kinds: str) -> None:
    """Raise if the model has what is not handed over to a library that gets something less."""
    stated = model.description
    numbers = {"coupling": len(stated.couplings), "loop": len(stated.loops)}
    counts = {kind: numbers[kind] for kind in kinds}
    found = [f"{n} {what}{'s' if n > 1 else ''}" for what, n in counts.items() if n]
    if found:
        has = " and ".join(found)
        message = f"{library} is handed {handed} only: not compared, the model has {has}"
        raise NotComparableError(message)


def peers(model: Model) -> tuple[dict[str, Peer], dict[str, str]]:
    """Return the peers that took the model by name, and for the others the reason why not."""
    from tarsus.peers.mujoco import MujocoPeer
    from tarsus.peers.pinocchio import PinocchioPeer

    makers: dict[str, Callable[[Model], Peer]] = {
        "Pinocchio": lambda model: PinocchioPeer(model, mimic=True),
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
