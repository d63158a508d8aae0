"""Contact by springs and dampers, with the bound that their stiffness sets to the step.

Normal force K δ + D δ̇ for a depth δ, never negative; tangential force of a spring to the point
where contact began, and a damper, cut at the friction bound, where the anchor is dragged along
(Ayit 2015, section 5.3). For a contact point with the inverse inertia λ⁻¹ (its acceleration for a
unit force) semi-implicit Euler is stable if

    K λ⁻¹ dt² + 2 D λ⁻¹ dt < 4      and      D λ⁻¹ dt < 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tarsus import _core
from tarsus._lib.checks import positive
from tarsus._lib.files import Array
from tarsus.model import Model

CHECKED = 64
"""How many contact points are looked at, those that are next to touch."""


@dataclass(frozen=True)
class Stability:
    """How far a contact is from the bounds of its step."""

    candidate: int
    direction: str
    """"normal" or "tangential"."""
    mobility: float
    """Inverse inertia λ⁻¹ at the point [1/kg]."""
    stiff: float
    """K λ⁻¹ dt² + 2 D λ⁻¹ dt, which must be below 4."""
    damped: float
    """D λ⁻¹ dt, which must be below 2."""

    @property
    def stable(self) -> bool:
        """Whether both numbers are below their bounds."""
        return self.stiff < 4.0 and self.damped < 2.0


@dataclass(frozen=True)
class Penalty:
    """A spring and a damper at each contact, in N/m and N·s/m.

    The tangential ones are as the normal ones unless stated. With `hunt_crossley` the damping
    grows with the depth, so that forces start from zero: K. Hunt, F. Crossley, "Coefficient of
    restitution interpreted as damping in vibroimpact", Journal of Applied Mechanics 42, 1975;
    `damping` is then the one at a depth of 1 mm.
    """

    name: ClassVar[str] = "penalty"
    ignores: ClassVar[tuple[str, ...]] = ("restitution",)

    stiffness: float = 1e5
    damping: float = 300.0
    tangential_stiffness: float | None = None
    tangential_damping: float | None = None
    hunt_crossley: bool = False

    def __post_init__(self) -> None:
        positive(self.stiffness, "stiffness")
        positive(self.damping, "damping", zero=True)
        if self.tangential_stiffness is not None:
            positive(self.tangential_stiffness, "tangential_stiffness", zero=True)
        if self.tangential_damping is not None:
            positive(self.tangential_damping, "tangential_damping", zero=True)

    @property
    def numbers(self) -> Mapping[str, float]:
        """What the core needs to know, by name."""
        k, d = self.tangential_stiffness, self.tangential_damping
        return {
            "stiffness": self.stiffness,
            "damping": self.damping,
            "tangential_stiffness": self.stiffness if k is None else k,
            "tangential_damping": self.damping if d is None else d,
            "hunt_crossley": float(self.hunt_crossley),
        }

    def start_depth(self, model: Model, softest: float | None = None) -> float:
        """Return how deep shapes may be when a run starts: what the weight asks for, and more."""
        weight = model.total_mass * float(np.linalg.norm(model.gravity))
        return 1e-3 + 3.0 * weight / (self.stiffness if softest is None else softest)

    def springs(self, stiffness: Array, damping: Array) -> Array:
        """Return numbers (n, 4) of candidates whose normal ones (n,) are given."""
        k, d = self.tangential_stiffness, self.tangential_damping
        across = stiffness if k is None else np.full_like(stiffness, k)
        rub = damping if d is None else np.full_like(damping, d)
        return np.column_stack([stiffness, damping, across, rub])

    def stability(self, world: _core.World, q: Array, dt: float) -> list[Stability]:
        """Return the numbers of the contact points that are next to touch, two for each point."""
        gaps = world.contacts(q[None])[0, :, 0]
        found = []
        of_shapes = world.springs
        for candidate in np.argsort(gaps, kind="stable")[:CHECKED].tolist():
            block = world.operator(q[None], [candidate])[0][0]
            across = float(np.linalg.eigvalsh(block[1:, 1:])[-1])
            k, d, k_across, d_across = of_shapes[candidate] if of_shapes else self._own
            found += [
                _stability(candidate, "normal", float(block[0, 0]), k, d, dt),
                _stability(candidate, "tangential", across, k_across, d_across, dt),
            ]
        return found

    def check(self, world: _core.World, q: Array, dt: float) -> tuple[str, ...]:
        """Return a warning for each direction that is beyond its bound somewhere.

        The numbers are those of the pose q (nq,), and each contact by itself: a guide, no
        guarantee.
        """
        found = self.stability(world, q, dt)
        worst = [
            max((s for s in found if s.direction == direction), key=lambda s: s.stiff)
            for direction in ("normal", "tangential")
            if found
        ]
        return tuple(
            f"penalty contact is likely to explode, {s.direction}: K λ⁻¹ dt² + 2 D λ⁻¹ dt = "
            f"{s.stiff:.3g} (must be below 4), D λ⁻¹ dt = {s.damped:.3g} (below 2) with λ⁻¹ = "
            f"{s.mobility:.3g} 1/kg and dt = {dt:g} s; take a shorter step or softer contacts"
            for s in worst
            if not s.stable
        )

    @property
    def _own(self) -> list[float]:
        """Stiffness and damping, normal and tangential, where shapes state none."""
        numbers = self.numbers
        names = ("stiffness", "damping", "tangential_stiffness", "tangential_damping")
        return [numbers[name] for name in names]


def _stability(
    candidate: int, direction: str, mobility: float, k: float, d: float, dt: float
) -> Stability:
    damped = d * mobility * dt
    return Stability(candidate, direction, mobility, k * mobility * dt**2 + 2 * damped, damped)
