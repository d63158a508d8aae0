"""Energy lost in impacts, and push-off."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import numbers, vectors
from tarsus._lib.files import Array
from tarsus.events.phase import mapped, resets_of
from tarsus.events.phase import struck as struck_impact_analysis
from tarsus.events.resets import Impact, Linear
from tarsus.gait.walkers.walker import Walker, check_walker
from tarsus.model.rerooted_model import Rooted

# What a strike takes of a walker's energy, by which motions, and whether a foot lets go at once.
#
# The energy that a strike takes is ½ vᵀ 𝒟 v, with 𝒟 = A (Aᵀ H⁻¹ A)⁻¹ Aᵀ and v of the coordinates
# that move before it. Its principal values in the metric of the kinetic energy, 𝒟 x = σ H x, are
# shares of energy between 0 and 1 that do not depend on coordinates; those of 𝒟 alone do. A passive
# gait loses in its strike what gravity gives it in a step, which bounds its energy there. V.
# Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
# Twente 2006, section 4.2.2.


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
    check_walker(walker)
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
    after, impulses = struck_impact_analysis(rows, inertia, ways)
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


# The push of an ankle just before a strike, by which a walker with light legs goes on as before.
#
# The hip has all the mass. A push along the old leg adds r to its velocity, the strike takes away
# what is along the new one. With unit directions s and n from the old and the new foot to the hip,
# the kinetic energy is the same before and after if what is added is what is taken away,
#
#     r = −n·v / (1 + n·s),
#
# V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
# Twente 2006, (5.37).


def leg_direction(pitch: ArrayLike, roll: ArrayLike) -> Array:
    """Return the unit vector (…, 3) from a foot to the hip, of a leg that leans ahead and right."""
    a, b = np.asarray(pitch, float), np.asarray(roll, float)
    return np.stack([np.sin(a) * np.cos(b), -np.sin(b), np.cos(a) * np.cos(b)], axis=-1)


def leg_velocity(pitch: ArrayLike, roll: ArrayLike, rates: ArrayLike) -> Array:
    """Return the velocity (…, 3) of a hip over a foot that stands [1/s], of the rates (…, 2)."""
    along, aside = _tangents(pitch, roll)
    rates = np.asarray(rates, float)
    return np.asarray(along * rates[..., :1] + aside * rates[..., 1:])


def leg_rates(pitch: ArrayLike, roll: ArrayLike, velocity: ArrayLike) -> Array:
    """Return the rates (…, 2) of both angles that a velocity (…, 3) across the leg has."""
    along, aside = _tangents(pitch, roll)
    u = np.asarray(velocity, float)
    size = (along * along).sum(axis=-1)
    return np.stack([(along * u).sum(axis=-1) / size, (aside * u).sum(axis=-1)], axis=-1)


def _tangents(pitch: ArrayLike, roll: ArrayLike) -> tuple[Array, Array]:
    a, b = np.asarray(pitch, float), np.asarray(roll, float)
    along = np.stack([np.cos(a) * np.cos(b), np.zeros_like(a * b), -np.sin(a) * np.cos(b)], -1)
    aside = np.stack([-np.sin(a) * np.sin(b), -np.cos(b), -np.cos(a) * np.sin(b)], axis=-1)
    return along, aside


def push_off(
    velocity: ArrayLike, stance: ArrayLike, swing: ArrayLike, energy: ArrayLike | None = None
) -> Array:
    """Return how fast an ankle pushes just before a strike (…) [m/s], never backwards.

    `velocity` (…, 3) is that of the hip, across the old leg; `stance` and `swing` (…, 3) are unit
    vectors from the old and the new foot to it. `energy` (…) [m²/s²] is the kinetic energy by mass
    that shall be there after the strike, as much as before unless stated.
    """
    v, s, n = (vectors(x, 3, name) for x, name in _named(velocity, stance, swing))
    into, between = (n * v).sum(axis=-1), (n * s).sum(axis=-1)
    if energy is None:
        return np.asarray(np.maximum(-into / (1.0 + between), 0.0))
    # |v + r s|² − (n·(v + r s))² = 2 energy, with v across s
    across = 1.0 - between**2
    rest = into**2 - (v * v).sum(axis=-1) + 2.0 * np.asarray(energy, float)
    root = np.sqrt(np.maximum((into * between) ** 2 + across * rest, 0.0))
    return np.asarray(np.maximum((into * between + root) / across, 0.0))


def struck(velocity: ArrayLike, stance: ArrayLike, swing: ArrayLike, push: ArrayLike) -> Array:
    """Return the velocity of the hip (…, 3) after a push and a strike."""
    v, s, n = (vectors(x, 3, name) for x, name in _named(velocity, stance, swing))
    pushed = v + np.asarray(push, float)[..., None] * s
    return np.asarray(pushed - n * (n * pushed).sum(axis=-1, keepdims=True))


def _named(*given: ArrayLike) -> list[tuple[ArrayLike, str]]:
    return list(zip(given, ("velocity", "stance", "swing"), strict=True))
