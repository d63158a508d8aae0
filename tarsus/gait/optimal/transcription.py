"""Transcription of a step into unknowns and equations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tarsus._lib.files import Array
from tarsus.gait.optimal.collocation import Basis, Grid, lobatto
from tarsus.gait.optimal.conditions import Condition
from tarsus.gait.optimal.costs import Objective
from tarsus.gait.optimal.design import Design, slope
from tarsus.gait.optimal.step_equations import Designs, Machine
from tarsus.gait.walkers.walker import Walker

# The search for an efficient gait as a programme of finitely many numbers.
#
# Unknowns are the coefficients of each phase's motion, how long it takes, and numbers of the
# design. The cost is an objective, such as the integral of τᵀ Q τ; a strike ends each phase, what
# it does leads to the next one, and after the last to the first. V. Duindam, "Port-Based Modeling
# and Control for Efficient Bipedal Walking Robots", University of Twente 2006, section 4.1.


SHORTEST, LONGEST = 0.05, 5.0
"""How long a phase may take [s]."""


@dataclass(frozen=True, eq=False)
class Values:
    """Outputs that the objective is of, equations that must vanish, slacks that must not be
    negative, each with derivatives by all unknowns, or without."""

    objective: Objective
    outputs: Array
    equations: Array
    slacks: Array
    output_slopes: Array
    equation_slopes: Array
    slack_slopes: Array

    @cached_property
    def cost(self) -> float:
        """What is to be small."""
        return self.objective.cost(self.outputs)

    @cached_property
    def gradient(self) -> Array:
        """Of the cost, by all unknowns (n,)."""
        return self.objective.gradient(self.outputs, self.output_slopes)

    @cached_property
    def curvature(self) -> Array:
        """Of the cost where outputs change linearly, nowhere negative (n, n)."""
        return self.objective.curvature(self.outputs, self.output_slopes)


class Transcription:
    """A gait's programme: values and exact derivatives at unknowns x (n,).

    `fixed` is q (nv,) with which the first phase has to
    begin, `more` nodes for each condition beside its own; `designs` are machines that are there.
    """

    def __init__(
        self,
        walker: Walker,
        basis: Basis,
        *,
        objective: Objective,
        conditions: Sequence[Condition] = (),
        speed: float | None = None,
        design: Design | None = None,
        nodes: int | None = None,
        fixed: Array | None = None,
        more: Sequence[Array] | None = None,
        designs: Designs | None = None,
    ) -> None:
        self.walker, self.basis, self.speed = walker, basis, speed
        self.design = Design() if design is None else design
        self.conditions = tuple(conditions)
        self.designs = Designs(walker, self.design, conditions) if designs is None else designs
        machine = self.machine(self.design.first(walker))
        self.unknowns = Unknowns(basis.size, tuple(machine.sizes), len(self.design.names))
        s, weights = lobatto(nodes or objective.nodes * basis.size)
        self.objective = objective.at(weights)
        self.grid, self._ends = Grid.of(basis, s), Grid.of(basis, np.array([0.0, 1.0]))
        added = [np.zeros(0)] * len(self.conditions) if more is None else more
        self._grids = [
            Grid.of(basis, np.concatenate([each.nodes(), extra]))
            for each, extra in zip(self.conditions, added, strict=True)
        ]
        self._fixed = fixed

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Least and largest unknowns."""
        n, phases = self.unknowns.coefficients, len(self.unknowns.sizes)
        free = np.full(n, np.inf)
        whole = np.ones(self.unknowns.designed)
        lower = np.concatenate([-free, np.full(phases, SHORTEST), 0.0 * whole])
        upper = np.concatenate([free, np.full(phases, LONGEST), whole])
        return lower, upper

    def machine(self, design: Array) -> Machine:
        """Return the walker with numbers of a design, as equations."""
        return self.designs.machine(design)

    def numbers(self, x: Array) -> Array:
        """Return numbers of the design, which are unknowns as parts of their ranges."""
        return self.design.lower + self.unknowns.design(x) * self.design.ranges

    def joined(self, coefficients: list[Array], durations: Array, numbers: Array) -> Array:
        """Return unknowns."""
        parts = (numbers - self.design.lower) / self.design.ranges
        return self.unknowns.joined(coefficients, durations, parts)

    def values(self, x: Array) -> Values:
        """Return values without derivatives."""
        parts = self._values(x, self.machine(self.numbers(x)))
        nothing = np.zeros((0, len(x)))
        return Values(self.objective, *parts, nothing, nothing, nothing)

    def linearised(self, x: Array) -> Values:
        """Return values with derivatives."""
        here = self.numbers(x)
        parts = self._values(x, self.machine(here))
        slopes = self._slopes(x, self.machine(here))
        for k, steps in enumerate(self.design.steps(here)):
            sides = []
            for step in steps:
                moved = here.copy()
                moved[k] += step
                sides.append(self._values(x, self.machine(moved)))
            column = self.unknowns.design_column(k)
            for matrix, at, one, two in zip(slopes, parts, *sides, strict=True):
                matrix[:, column] = slope(at, one, two, steps) * self.design.ranges[k]
        return Values(self.objective, *parts, *slopes)

    def _values(self, x: Array, machine: Machine) -> tuple[Array, Array, Array]:
        outputs: list[Array] = []
        equations: list[Array | list[float]] = []
        slacks: list[Array | list[float]] = []
        ends = []
        for p, (c, duration) in enumerate(self.unknowns.phases(x)):
            q, v, a = self.grid.motion(c, duration)
            efforts = machine.efforts[p].values(q, v, a)
            outputs.append(self.objective.outputs(p, efforts, v, duration).ravel())
            ends.append(self._ends.motion(c, duration)[:2])
        outputs.append(self.objective.totals(machine, self.unknowns.durations(x), ends[-1][0][1]))
        for p, (q, v) in enumerate(ends):
            begin_q, begin_v = ends[(p + 1) % len(ends)]
            begin = np.concatenate([begin_q[0], begin_v[0]])
            equations += [begin - machine.after(p, q[1], v[1]), [machine.strike(p, q[1], v[1])]]
        if self.speed is not None:
            took = self.unknowns.durations(x).sum()
            equations.append([machine.ahead(ends[-1][0][1]) - self.speed * took])
        if self._fixed is not None:
            equations.append(ends[0][0][0] - self._fixed)
        for each, rows, grid in zip(self.conditions, machine.rows, self._grids, strict=True):
            c, duration = self.unknowns.phases(x)[each.phase]
            kept = equations if each.equal else slacks
            kept.append(rows.slack(*grid.motion(c, duration)).ravel())
        return tuple(_joined(each) for each in (outputs, equations, slacks))  # type: ignore[return-value]

    def _slopes(self, x: Array, machine: Machine) -> tuple[Array, Array, Array]:
        n = len(x)
        outputs = [self._output_slopes(x, machine, p) for p in range(len(machine.efforts))]
        outputs.append(self._total_slopes(x, machine))
        equations = [self._link_slopes(x, machine, p) for p in range(len(machine.efforts))]
        if self.speed is not None:
            equations.append(self._speed_slopes(x, machine, self.speed))
        if self._fixed is not None:
            begins = self.unknowns.state_rows(x, 0, self._ends, 0)
            equations.append(begins[: len(self._fixed)])
        slacks: list[Array] = []
        for k, each in enumerate(self.conditions):
            (equations if each.equal else slacks).append(self._condition_slopes(x, machine, k))
        empty = np.zeros((0, n))
        return (
            np.concatenate(outputs),
            np.concatenate(equations),
            np.concatenate([*slacks, empty]),
        )

    def _output_slopes(self, x: Array, machine: Machine, p: int) -> Array:
        c, duration = self.unknowns.phases(x)[p]
        q, v, a = self.grid.motion(c, duration)
        efforts, slopes = machine.efforts[p].values(q, v, a), machine.efforts[p].slopes(q, v, a)
        by_motion, alone = self.objective.output_slopes(p, efforts, slopes, duration)
        by_c, lasting = self.grid.chained(by_motion, v, a, duration)
        return self.unknowns.spread(p, by_c, lasting + alone)

    def _total_slopes(self, x: Array, machine: Machine) -> Array:
        ends, q = self._last(x)
        by_durations, by_q = self.objective.total_slopes(machine, q)
        rows = by_q @ ends[: len(q)]
        rows[:, self.unknowns.duration_columns] += by_durations
        return np.asarray(rows)

    def _link_slopes(self, x: Array, machine: Machine, p: int) -> Array:
        """Return rows of where the next phase begins, and of the strike."""
        after = (p + 1) % len(machine.efforts)
        c, duration = self.unknowns.phases(x)[p]
        q, v, _ = self._ends.motion(c, duration)
        ends = self.unknowns.state_rows(x, p, self._ends, 1)
        begins = self.unknowns.state_rows(x, after, self._ends, 0)
        strike = machine.strike_slopes(p, q[1], v[1]) @ ends
        return np.concatenate(
            [begins - machine.after_slopes(p, q[1], v[1]) @ ends, strike[None, :]]
        )

    def _speed_slopes(self, x: Array, machine: Machine, speed: float) -> Array:
        ends, q = self._last(x)
        row = machine.ahead_slopes(q) @ ends[: len(q)]
        row[self.unknowns.duration_columns] -= speed
        return row[None, :]

    def _last(self, x: Array) -> tuple[Array, Array]:
        """Return how q and v change (2 nv, n) at the end of the step, and q there."""
        last = len(self.unknowns.sizes) - 1
        c, duration = self.unknowns.phases(x)[last]
        q = self._ends.motion(c, duration)[0][1]
        return self.unknowns.state_rows(x, last, self._ends, 1), q

    def _condition_slopes(self, x: Array, machine: Machine, k: int) -> Array:
        p = self.conditions[k].phase % len(machine.efforts)
        c, duration = self.unknowns.phases(x)[p]
        q, v, a = self._grids[k].motion(c, duration)
        slopes = machine.rows[k].slopes(q, v, a)
        by_c, lasting = self._grids[k].chained(slopes, v, a, duration)
        return self.unknowns.spread(p, by_c, lasting)


def _joined(parts: Sequence[Any]) -> Array:
    return np.concatenate([np.asarray(each, float) for each in [*parts, np.zeros(0)]])


# Where coefficients, durations and numbers of the design are among the unknowns.


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
