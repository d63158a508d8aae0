"""What all constraints have in common: a time constant, and a limit of force.

A gap C that is open closes as C̈ + 2 Ċ/τ + C/τ² = 0, critically damped, in the metric of the
masses (Schröder 1990, section 5.2); without a time constant it closes in a few steps. What has
closed stays so whatever pulls, up to `limit`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tarsus.parts import Part


@dataclass(frozen=True, eq=False, repr=False)
class Rigid(Part):
    """A constraint with a `time_constant` τ [s] (zero: at once) and a `limit` of force [N, N m]."""

    time_constant: float = field(default=0.0, kw_only=True)
    limit: float = field(default=float("inf"), kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(time_constant=0.0, limit=0.0)

    @property
    def numbers(self) -> dict[str, Any]:
        """The numbers of the law, by name."""
        return {"time_constant": self.time_constant, "limit": self.limit}
