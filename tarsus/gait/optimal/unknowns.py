"""Where coefficients, durations and numbers of the design are among the unknowns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import Array
from tarsus.gait.optimal.collocation import Grid


@dataclass(frozen=True)
class Unknowns:
    """Unknowns x: coefficients (functions, nv) of each phase, durations, numbers of the design."""

    functions: int
    sizes: tuple[int, ...]
    """How many coordinates each phase has."""
    designed: int

    @property
    def coefficients(self) -> int:
        """How many coefficients there are."""
        return self.functions * sum(self.sizes)

    @property
    def count(self) -> int:
        """How many unknowns there are."""
        return self.coefficients + len(self.sizes) + self.designed

    @property
    def duration_columns(self) -> slice:
        """Where durations are."""
        return slice(self.coefficients, self.coefficients + len(self.sizes))

    def design_column(self, k: int) -> int:
        """Return where a number of the design is."""
        return self.coefficients + len(self.sizes) + k

    def joined(self, coefficients: list[Array], durations: Array, design: Array) -> Array:
        """Return x."""
        return np.concatenate([*(each.ravel() for each in coefficients), durations, design])

    def phases(self, x: Array) -> list[tuple[Array, float]]:
        """Return coefficients (functions, nv) and the duration [s] of each phase."""
        durations = self.durations(x)
        return [
            (x[self._columns(p)].reshape(self.functions, size), float(durations[p]))
            for p, size in enumerate(self.sizes)
        ]

    def durations(self, x: Array) -> Array:
        """Return how long phases take [s]."""
        return x[self.duration_columns]

    def design(self, x: Array) -> Array:
        """Return numbers of the design."""
        return x[self.coefficients + len(self.sizes) :]

    def spread(self, p: int, by_c: Array, lasting: Array) -> Array:
        """Return rows (n rows, count) of derivatives by coefficients and by the duration.

        They are those of one phase: (n, rows, functions, nv) and (n, rows).
        """
        rows = by_c.shape[0] * by_c.shape[1]
        found = np.zeros((rows, self.count))
        found[:, self._columns(p)] = by_c.reshape(rows, self.functions * self.sizes[p])
        found[:, self.coefficients + p] = lasting.ravel()
        return found

    def state_rows(self, x: Array, p: int, grid: Grid, node: int) -> Array:
        """Return derivatives (2 nv, count) of q and v of a phase at a node of a grid."""
        c, duration = self.phases(x)[p]
        size = self.sizes[p]
        units = np.eye(size)
        found = np.zeros((2 * size, self.count))
        for k, functions in enumerate((grid.values[node], grid.slopes[node] / duration)):
            rows = slice(k * size, (k + 1) * size)
            found[rows, self._columns(p)] = np.einsum("j,ab->ajb", functions, units).reshape(
                size, -1
            )
        found[size:, self.coefficients + p] = -(grid.slopes[node] @ c) / duration**2
        return found

    def _columns(self, p: int) -> slice:
        begin = self.functions * sum(self.sizes[:p])
        return slice(begin, begin + self.functions * self.sizes[p])
