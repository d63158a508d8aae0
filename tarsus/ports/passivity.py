"""Whether a controller of a simulation is passive: what it gave, beside what it can have stored.

A passive controller with the storage E ≥ 0 gives at most what it had: with the work W(t) that it
has done on the machine, W(t) + E(t) ≤ E(0) at all times. What is above that, it produced
(Duindam 2006, section 1.2.2).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.control import PD, ImplicitPD
from tarsus.ports.domains import PortError
from tarsus.simulation import Trajectory

Stored: TypeAlias = Callable[[Array, Array], ArrayLike] | ArrayLike | PD | ImplicitPD | None


@dataclass(frozen=True, eq=False)
class Passivity:
    """What a controller did and stored in a run [J], each (T,)."""

    t: Array
    given: Array
    """Work on the machine since the start."""
    stored: Array

    @property
    def excess(self) -> Array:
        """What it gave and has beyond what it had (T,): at most zero if it is passive."""
        return np.asarray(self.given + self.stored - self.stored[0])

    @property
    def produced(self) -> float:
        """The most that it had given beyond what it was given, and had at the start [J]."""
        return float(max(0.0, self.excess.max()))

    def passive(self, tolerance: float = 1e-6) -> bool:
        """Whether it produced at most `tolerance` of the energy that it moved."""
        moved = float(np.ptp(self.given) + np.ptp(self.stored))
        return self.produced <= tolerance * moved

    def __str__(self) -> str:
        gave, had = float(self.given.max()), float(self.stored[0])
        verdict = "passive" if self.passive() else f"not passive: it produced {self.produced:.4g} J"
        return (
            f"{verdict}; it gave up to {gave:.4g} J, had {had:.4g} J at the start "
            f"and {float(self.stored[-1]):.4g} J at the end"
        )


def passivity(run: Trajectory, stored: Stored = None) -> Passivity:
    """Return whether the controller of a run is passive, and if not how much energy it produced.

    `stored` is the energy that it has: a function of (q, v), numbers (T,), or a `PD` or
    `ImplicitPD` with a constant reference, whose springs store ½ eᵀ kp e. Without it the
    controller stores nothing, and may only brake.
    """
    if run.batch is not None:
        raise ValueError(f"this run has {run.batch} states: choose one, as in passivity(run[0])")
    return Passivity(run.t, run.energy.work("supplied"), _stored(run, stored))


def _stored(run: Trajectory, stored: Stored) -> Array:
    if stored is None:
        return np.zeros(len(run.t))
    if isinstance(stored, (PD, ImplicitPD)):
        target = stored.reference.at(0.0)
        later = stored.reference.at(float(run.t[-1]))
        if any(not np.array_equal(a, b) for a, b in zip(target, later, strict=True)):
            raise PortError(
                "the reference moves: then it is not the spring that works; give stored="
            )
        e = run.model.difference(run.q, target[0])
        return np.asarray(0.5 * (stored.kp * np.square(e)).sum(axis=-1))
    if callable(stored):
        values = np.array([stored(q, v) for q, v in zip(run.q, run.v, strict=True)], float)
    else:
        values = np.asarray(stored, float)
    if values.shape != (len(run.t),):
        raise PortError(f"stored has shape {values.shape}, must be ({len(run.t)},)")
    return values
