"""What an identification found: numbers, what is left, and the machine with them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.files import Array
from tarsus.events.phase import Phase
from tarsus.identification import picture
from tarsus.identification.estimates import Estimates
from tarsus.identification.family import Family, phases_of
from tarsus.identification.recording import Recording
from tarsus.model import Model


@dataclass(frozen=True, eq=False)
class Identification(Estimates):
    """Numbers of a machine that explain a recording, and what is left of it.

    `residuals` (N, rows) are what samples are off the motion `q` (N, nq), `v` (N, nv) of the
    machine with these numbers, in their own units; NaN where nothing was recorded. `used` (N, rows)
    are those that had a say: samples next to strikes have none. `bounded` names numbers at a bound,
    whose deviations are those without it. `trouble` says why the search did not end, if so.
    """

    family: Family
    recording: Recording
    q: Array
    v: Array
    residuals: Array
    used: NDArray[np.bool_]
    bounded: tuple[str, ...]
    trouble: str

    @property
    def converged(self) -> bool:
        """Whether these are the least squares."""
        return not self.trouble

    @cached_property
    def machine(self) -> Any:
        """What was given, with the numbers that were found: model, phases or walker."""
        return self.family.make(self.values)

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases of the machine."""
        return phases_of(self.machine)

    @property
    def model(self) -> Model:
        """The model of the first phase."""
        return self.phases[0].model

    def plot(self, path: str | Path | None = None) -> Any:
        """Return a figure of the recording, the motion and what is between; `path` writes it."""
        return picture.draw(self, path)

    def __str__(self) -> str:
        rank = self.observability.rank
        lines = [f"{len(self.q)} samples, {len(self.names)} parameters, {rank} combinations told"]
        if self.trouble:
            lines.append(f"NOT CONVERGED: {self.trouble}")
        lines.append(self._noise())
        blind = int((~self.used & np.isfinite(self.residuals)).any(axis=1).sum())
        if blind:
            lines.append(f"{blind} samples next to strikes had no say")
        return "\n".join([*lines, *self.table(self.bounded)])

    def _noise(self) -> str:
        if self.freedom < 1:
            return "no more rows than unknowns: nothing tells noise from errors"
        if not self.recording.stated:
            return f"residuals have a deviation of {self.spread:.3g}"
        return (
            f"residuals are {self.spread:.3g} of the stated noise, which is so or more with "
            f"probability {self.probability:.2g}"
        )
