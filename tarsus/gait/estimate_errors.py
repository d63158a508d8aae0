"""How far walkers were from what they took themselves for: errors of the estimate of their base."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import NamedTuple, Self

import numpy as np

from tarsus.arrays import Array


class Spread(NamedTuple):
    """Sizes of an error over a walk."""

    mean: float
    usual: float
    """Which 95 % do not exceed."""
    largest: float


@dataclass(frozen=True)
class EstimateErrors:
    """By how much the base of a walker was not where and how it knew it."""

    ground: Spread
    """Along the ground [m]: it drifts, as nothing measures it."""
    height: Spread
    """[m]."""
    tilt: Spread
    """Off the vertical [rad]."""
    heading: Spread
    """About it [rad]: it drifts, too."""
    velocity: Spread
    """[m/s]."""

    @classmethod
    def of(cls, errors: Array) -> Self:
        """Return what errors (K, 5) come to, in the order of the entries."""
        columns = np.asarray(errors).T
        return cls(*(Spread(*_sizes(column)) for column in columns))

    def __str__(self) -> str:
        scales = {"ground": 1e3, "height": 1e3, "tilt": np.degrees(1.0), "heading": np.degrees(1.0)}
        units = {"ground": " mm", "height": " mm", "tilt": "°", "heading": "°", "velocity": " m/s"}
        names = {"ground": "along the ground"}
        parts = []
        for each in fields(self):
            own: Spread = getattr(self, each.name)
            sizes = (f"{scales.get(each.name, 1.0) * size:.2g}" for size in own)
            parts.append(f"{names.get(each.name, each.name)} {', '.join(sizes)}{units[each.name]}")
        return f"estimate off by (mean, 95 %, most): {'; '.join(parts)}"

    def as_data(self) -> dict[str, dict[str, float]]:
        """Return all entries by name."""
        return {each.name: getattr(self, each.name)._asdict() for each in fields(self)}


def _sizes(values: Array) -> tuple[float, float, float]:
    return float(values.mean()), float(np.percentile(values, 95)), float(values.max())
