"""What a strike takes of a walker's energy, by which motions, and whether a foot lets go at once.

The energy that a strike takes is ½ vᵀ 𝒟 v, with 𝒟 = A (Aᵀ H⁻¹ A)⁻¹ Aᵀ and v of the coordinates that
move before it. Its principal values in the metric of the kinetic energy, 𝒟 x = σ H x, are shares of
energy between 0 and 1 that do not depend on coordinates; those of 𝒟 alone do. A passive gait loses
in its strike what gravity gives it in a step, which bounds its energy there. V. Duindam,
"Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of Twente 2006,
section 4.2.2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus.arrays import Array
from tarsus.events.mapped import mapped, resets_of, struck
from tarsus.events.resets import Impact, Linear
from tarsus.gait.walkers import Walker
from tarsus.kit.rooted import Rooted
from tarsus.model.checks import numbers


@dataclass(frozen=True, eq=False)
class ImpactAnalysis:
    """A strike of a walker in one configuration."""

    q: Array
    """Where it strikes (nq,), of the phase before."""
    loss: Array
    """𝒟 (nv, nv) [kg m² and the like]: a strike takes ½ vᵀ 𝒟 v."""
    shares: Array
    """Principal values σ (nv,), largest first: parts of the kinetic energy that are lost."""
    directions: Array
    """Velocities (nv, nv) that lose these shares, a column each, with unit kinetic energy."""
    work: float
    """What gravity gives in a step that ends here [J]."""
    _after: Array = field(repr=False)
    """From velocities before to those of the free model after (n, nv)."""
    _stance: Array = field(repr=False)
    """How fast the old stance foot rises, by velocities of the free model (n,)."""

    def lost(self, v: ArrayLike) -> Array:
        """Return the energy (…) that a strike with velocities v (…, nv) takes [J]."""
        at = np.asarray(v, float)
        return np.asarray(0.5 * np.einsum("...i,ij,...j->...", at, self.loss, at))

    @property
    def passive_energies(self) -> tuple[float, float]:
        """Least and largest kinetic energy at the strike of a passive gait [J].

        A step gains the `work` of gravity and has to lose it. On level ground, or uphill, there
        is no such gait: both are NaN.
        """
        if self.work <= 0.0:
            return math.nan, math.nan
        least = float(self.shares[-1])
        return self.work / float(self.shares[0]), self.work / least if least > 1e-12 else math.inf

    def rises(self, v: ArrayLike) -> Array:
        """Return how fast the old stance foot rises after a strike with velocities v (…, nv) [m/s].

        If it does not, it is pushed into the ground: both feet stay, or the strike is another.
        """
        return np.asarray(np.asarray(v, float) @ self._after.T @ self._stance)

    def instantaneous(self, v: ArrayLike) -> NDArray[np.bool_]:
        """Return whether double support lasts no time (…): the old stance foot lets go at once."""
        return np.asarray(self.rises(v) > 0.0)


def impact_analysis(walker: Walker, q: ArrayLike, phase: int = -1) -> ImpactAnalysis:
    """Return what the strike that ends a phase takes, at q (nq,) of this phase.

    The last phase, with which a step ends, unless another is stated.
    """
    if not -len(walker.phases) <= phase < len(walker.phases):
        raise ValueError(f"phase is {phase}, walker {walker.name!r} has {len(walker.phases)}")
    of = walker.phases[phase]
    at = np.array(numbers(q, (of.model.nq,), "q"))
    before: list[Linear] = []
    impact: Impact | None = None
    for each in resets_of(of):
        if isinstance(each, Impact):
            impact = each
            break
        if not isinstance(each, Linear):
            raise ValueError(
                f"phase {of.name!r} changes its state by {each!r} before its strike: only "
                "ts.resets.Linear is known here"
            )
        before.append(each)
    if impact is None:
        raise ValueError(f"phase {of.name!r} ends without an impact: nothing is lost there")
    units = np.eye(of.model.nv)
    lifted, ways = mapped(before, np.broadcast_to(at, (of.model.nv, len(at))), units)
    free, there, lift = impact.model, lifted[0], ways.T
    rows, inertia = (
        np.asarray(free.constraint_jacobian(there)),
        np.asarray(free.mass_matrix(there)),
    )
    after, impulses = struck(rows, inertia, ways)
    loss = -lift.T @ rows.T @ impulses.T
    loss = 0.5 * (loss + loss.T)
    shares, directions = _principal(loss, lift.T @ inertia @ lift)
    given = walker.weight * float(walker.ahead(at)) * math.sin(walker.slope)
    return ImpactAnalysis(
        at, loss, shares, directions, given, after.T, _rising(walker, phase, impact, there)
    )


def _principal(loss: Array, inertia: Array) -> tuple[Array, Array]:
    """Return σ and directions of 𝒟 x = σ H x, largest first, with xᵀ H x = 2."""
    back = np.linalg.inv(np.linalg.cholesky(inertia)).T
    shares, vectors = np.linalg.eigh(back.T @ loss @ back)
    return np.clip(shares[::-1], 0.0, 1.0), math.sqrt(2.0) * (back @ vectors)[:, ::-1]


def _rising(walker: Walker, phase: int, impact: Impact, q: Array) -> Array:
    """Return how fast the point of the old stance foot that is at the origin rises (n,)."""
    free = impact.model
    stance = walker.phases[phase].model
    foot = stance.root_frame if isinstance(stance, Rooted) else stance.body_names[0]
    normal = np.array([math.sin(walker.slope), 0.0, math.cos(walker.slope)])
    if foot not in free.frame_names:
        return np.zeros(free.nv)
    return np.asarray(normal @ np.asarray(free.frame_jacobian(q, foot, "world"))[:3])
