"""What a search makes small: a smooth function of outputs, which are numbers of the motion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tarsus.arrays import Array
from tarsus.gait.optimal.collocation import Slopes
from tarsus.gait.optimal.machine import Machine

Part = tuple[Array, Array, Array]
"""Times (n,), velocities and efforts (n, nv) of a phase at many instants."""


class Objective(Protocol):
    """A cost of outputs: those of each phase at nodes, then totals of the whole step."""

    nodes: int
    """How many nodes of quadrature there are for each function of the basis, unless stated."""

    def at(self, weights: Array) -> Objective:
        """Return the objective for nodes of quadrature with these weights."""

    def coarse(self) -> Objective:
        """Return what a search begins with."""

    def outputs(self, p: int, efforts: Array, v: Array, duration: float) -> Array:
        """Return outputs (n, rows) of a phase, by efforts and velocities (n, nv)."""

    def output_slopes(
        self, p: int, efforts: Array, slopes: tuple[Array, Array, Array], duration: float
    ) -> tuple[Slopes, Array]:
        """Return how they change (n, rows, nv) with q, v and a, and with the duration (n, rows).

        The latter is what they change while q, v and a stay.
        """

    def totals(self, machine: Machine, durations: Array, q: Array) -> Array:
        """Return outputs of the whole step, which ends at q."""

    def total_slopes(self, machine: Machine, q: Array) -> tuple[Array, Array]:
        """Return how they change with durations, and with q at the end."""

    def cost(self, outputs: Array) -> float:
        """Return the cost."""

    def gradient(self, outputs: Array, slopes: Array) -> Array:
        """Return its gradient by unknowns, which outputs change with as `slopes` (rows, n) say."""

    def curvature(self, outputs: Array, slopes: Array) -> Array:
        """Return a curvature (n, n) that is nowhere negative, of outputs that change linearly."""

    def unseen(self, here: tuple[Array, Array], there: tuple[Array, Array], step: Array) -> Array:
        """Return what the gradient changed (n,) along a step beyond the model.

        `here` and `there` are outputs and their slopes.
        """

    def measured(self, machine: Machine, parts: Sequence[Part], q: Array) -> float:
        """Return the cost itself, by many instants of each phase and where the step ends."""
