"""Rigid contact whose events are located: impacts, releases, slips and sticks, to the last digits.

Between events what is closed stays closed: points that stick keep J v = 0, points that slide keep
their distance and rub with μ times the normal force. An event is a zero of a gap, a force, what
friction could still hold, or a speed, located to 1e-12 s. At an impact momenta change by impulses
that obey the same laws as `Exact`: none pulls, none is outside of the friction cone, and bounces
give no energy. Which contacts stay closed afterwards is decided by accelerations (V. Duindam,
"Port-based modeling and control for efficient bipedal walking robots", 2006, section 3.3; by
complementarity for any number of contacts).

Strikes that come slower than the ground's `rest_speed`, or than 2e-6 m/s, do not bounce, and what
parts more slowly than that stays: so a ball that bounces ever lower, or a box that rocks ever less,
comes to rest after a finite number of events.

Near standing still Coulomb's friction turns with the direction of sliding faster than anything else
moves. A point that slides more slowly than `creep` rubs against v + creep w instead of v, with the
way w in which it began: the force is as large, and turns no faster than at that speed. Where its
way ends it stands, if friction holds it.

More than 100 changes of contacts within 1e-4 s, and states in which forces have no solution
(Painlevé's paradox), are passed by steps of 1e-6 to 1e-4 s with impulses instead of forces (J. J.
Moreau, "Unilateral contact and dry friction in finite freedom dynamics", 1988).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from tarsus import _core
from tarsus._lib.checks import flag, positive
from tarsus._lib.files import Array
from tarsus.model import Model


@dataclass(frozen=True)
class Event:
    """Errors of a step are at most rtol relative and atol absolute, within each linkage.

    With `slips` False friction is infinite: a contact that is closed holds in all directions,
    whatever force that takes, and opens when its point would move away without it, as in Duindam
    2006; for up to twelve contacts at once. `creep` is the speed [m/s] below which the direction of
    friction turns no faster than there: smaller is nearer to Coulomb's law, and slower.
    """

    name: ClassVar[str] = "event"
    ignores: ClassVar[tuple[str, ...]] = ("torsion", "rolling", "stiffness", "damping")
    in_core: ClassVar[str] = "exact"
    """The law of the core's world, of which the geometry is used."""

    rtol: float = 1e-9
    atol: float = 1e-11
    slips: bool = True
    creep: float = 1e-4

    def __post_init__(self) -> None:
        positive(self.rtol, "rtol")
        positive(self.atol, "atol")
        flag(self.slips, "slips")
        positive(self.creep, "creep")

    @property
    def numbers(self) -> Mapping[str, float]:
        """What a file keeps of it, by name."""
        own = {"rtol": self.rtol, "atol": self.atol, "creep": self.creep}
        return {**own, "slips": float(self.slips)}

    def start_depth(self, model: Model, softest: float | None = None) -> float:
        """Return how deep shapes may be in each other when a run starts [m]."""
        return 1e-6

    def check(self, world: _core.World, q: Array, dt: float) -> tuple[str, ...]:
        """Return warnings about a run: none, there is nothing to tune."""
        return ()
