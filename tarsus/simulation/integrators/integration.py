"""What an integrator did in a run: its steps, and what they cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from tarsus._lib.files import Array

COUNTED = (
    "order",
    "steps",
    "rejected",
    "rates",
    "jacobians",
    "factorisations",
    "last_step",
    "next_step",
    "merged",
)


@dataclass(frozen=True, eq=False)
class Integration:
    """Statistics of a smooth run: numbers, or (B,) for a batch. NaN: the method does not tell."""

    name: str
    rtol: float
    """Relative tolerance, NaN for steps of one length."""
    atol: float
    """Absolute tolerance."""
    order: Array
    """Order of the method, for multistep methods in the last step."""
    steps: Array
    """Accepted steps."""
    rejected: Array
    """Steps that were tried and made anew, shorter."""
    rates: Array
    """Evaluations of accelerations, those for derivatives included."""
    jacobians: Array
    """How often derivatives were found."""
    factorisations: Array
    """How often systems of equations were factored."""
    last_step: Array
    """Length of the last step [s]."""
    next_step: Array
    """Length that the next step would have [s]."""
    merged: Array
    """Short times with impulses instead of forces, where contacts changed too fast (`"event"`)."""

    @classmethod
    def of(cls, integrator: Any, states: Sequence[Mapping[str, float]], batched: bool) -> Self:
        """Return the statistics of all states; what a method does not count is NaN."""
        counted = {
            name: np.array([state.get(name, np.nan) for state in states]) for name in COUNTED
        }
        if not batched:
            counted = {name: numbers[0] for name, numbers in counted.items()}
        rtol, atol = (getattr(integrator, name, np.nan) for name in ("rtol", "atol"))
        return cls(integrator.name, rtol, atol, **counted)

    def __getitem__(self, state: int) -> Integration:
        """Return the statistics of one state of a batch."""
        return type(self)(
            self.name, self.rtol, self.atol, *(getattr(self, name)[state] for name in COUNTED)
        )

    def __str__(self) -> str:
        """Return a line for each number."""
        width = max(len(field.name) for field in fields(self))
        return "\n".join(
            f"{field.name:{width}}  {getattr(self, field.name)}" for field in fields(self)
        )
