"""Several steps of the dense oracle, by any law, with its ledger."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from cone_problem import Array
from contact_worlds import World
from dense_step import DenseStep, Posed
from lcp import by_lemke, lcp_residual


@dataclass(frozen=True)
class Solved:
    """What a step found: the problem, its impulses, and the next state.

    `after` is the velocity after the step in the axes of its start, v in those of its end.
    """

    posed: Posed
    p: Array
    after: Array
    q: Array
    v: Array


@dataclass
class DenseRun:
    """One mechanism in a world; `steps` holds what each step found."""

    world: World
    q: Array
    v: Array
    steps: list[Solved] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.dense = DenseStep(self.world)

    def advance(self, count: int = 1, commands: Array | None = None) -> Solved:
        """Go on by some steps; row k of the commands is for step k, the last for all after it."""
        for _ in range(count):
            if commands is None:
                command = np.zeros(self.dense.model.nv)
            else:
                command = commands[min(len(self.steps), len(commands) - 1)]
            posed = self.dense.pose(self.q, self.v, command)
            p = self.impulses(posed)
            after = posed.after(p)
            self.q, self.v = self.dense.arrive(self.q, self.v, after)
            self.steps.append(Solved(posed, p, after, self.q, self.v))
        return self.steps[-1]

    def impulses(self, posed: Posed) -> Array:
        """Return the solution of the world's law."""
        if self.world.law != "lemke":
            return posed.problem.solve()
        facets = int(self.world.law_numbers.get("facets", 0.0))
        A, b, E = posed.problem.faceted(facets)
        u = by_lemke(A, b)
        assert u is not None, "a ray"
        assert lcp_residual(A, b, u) < 1e-9, "the oracle lost its way"
        return np.asarray(E @ u)
