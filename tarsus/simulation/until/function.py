"""A function of the user as a condition, asked once a sample."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tarsus.model import Model
from tarsus.simulation.contact_record import Place
from tarsus.simulation.errors import SimulationError
from tarsus.simulation.until.condition import Condition, Mask, Samples


@dataclass(frozen=True, eq=False)
class Function(Condition):
    """`function(t, q, v)` returns True; for a batch it gets (B, nq) and returns (B,) truths."""

    needs: ClassVar[tuple[str, ...]] = ("q", "v")

    function: Callable[..., Any]

    def holds(self, samples: Samples, model: Model, places: Sequence[Place]) -> Mask:
        """Return whether it holds (B, K); samples after all states said so are not asked about."""
        q, v = samples.recorded["q"], samples.recorded["v"]
        held = np.zeros(q.shape[:2], np.bool_)
        over = np.zeros(len(q), np.bool_)
        for k, t in enumerate(samples.t.tolist()):
            each = slice(None) if samples.batched else 0
            value = self.function(t, q[each, k].copy(), v[each, k].copy())
            held[:, k] = self._truths(value, len(q), t)
            over |= held[:, k]
            if over.all():
                break
        return held

    def _truths(self, value: Any, states: int, t: float) -> Mask:
        found = np.asarray(value)
        if found.dtype != np.bool_ or found.shape not in ((), (states,)):
            shape = f" or ({states},) of them" if states > 1 else ""
            raise SimulationError(
                f"{self} returned {value!r}, must be True or False{shape}", time=t
            )
        return found

    def __str__(self) -> str:
        return str(getattr(self.function, "__name__", repr(self.function)))
