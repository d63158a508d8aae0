"""Limbs of a machine, and its legs: chains of joints from the trunk to a hand or a foot."""

from __future__ import annotations

from dataclasses import dataclass

from tarsus.gait.soles import Sole

ANKLE = 5
"""Legs with such freedom have an ankle above the foot; others stand on their shanks."""
FREEDOM = 6
"""A leg with more joints than this may have a toe."""


@dataclass(frozen=True, eq=False)
class Limb:
    """A chain of joints from the trunk to an end; `side` is 1 on the left, −1 on the right."""

    name: str
    side: int
    bodies: tuple[str, ...]
    """From the first that the limb moves to its end, a foot or a hand."""
    joints: tuple[str, ...]
    """Those that carry these bodies."""
    bend: str
    """The joint in the middle: knee or elbow."""
    reach: float
    """How far the last joint can be from the first one [m]."""

    @property
    def end(self) -> str:
        """The body at the end: foot or hand."""
        return self.bodies[-1]

    @property
    def root(self) -> str:
        """The first body: hip or shoulder."""
        return self.bodies[0]


@dataclass(frozen=True, eq=False)
class Leg(Limb):
    """A limb that ends with a sole; `toes` are bodies behind the foot that can touch, too."""

    sole: Sole
    freedom: int
    """In how many directions its joints move the foot: 6 lead it anywhere."""
    toes: tuple[str, ...] = ()
