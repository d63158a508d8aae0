"""Several steps of the dense oracle, by any law, with its ledger."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from cone_problem import Array, ConeProblem
from contact_worlds import World
from corrections import correction
from dense_rows import Members
from dense_step import DenseStep, Posed
from lcp import by_lemke, lcp_residual
from restraint import restrained


@dataclass(frozen=True)
class Solved:
    """What a step found: the problem, its impulses, and the next state.

    `after` is the velocity after the step in the axes of its start, v in those of its end;
    `shift` corrects positions.
    """

    posed: Posed
    p: Array
    after: Array
    shift: Array
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
            posed = self.dense.pose(self.q, self.v, command, self.pushed)
            posed, p = self.dense.resolve(posed, self.impulses)
            self.steps.append(self.solved(posed, p))
            self.q, self.v = self.steps[-1].q, self.steps[-1].v
        return self.steps[-1]

    @property
    def pushed(self) -> Members:
        """What the last step pushed, where a step looks ahead."""
        if not self.steps or self.world.law == "penalty" or not self.dense.maker.ahead:
            return frozenset()
        return self.steps[-1].posed.pushed(self.steps[-1].p)

    def solved(self, posed: Posed, p: Array) -> Solved:
        """Return where impulses lead."""
        after = posed.after(p)
        shift = np.zeros(len(after))
        if self.world.law != "penalty" and self.world.law_numbers.get("ahead", 1.0):
            shift = correction(posed, p, self.world.dt)
        q, v = self.dense.arrive(posed, after, shift)
        return Solved(posed, p, after, shift, q, v)

    def impulses(self, posed: Posed) -> Array:
        """Return the solution of the world's law."""
        return restrained(posed.problem, posed.rows.target, posed.rows.bounce, self.solve)

    def solve(self, problem: ConeProblem) -> Array:
        """Return the solution of one problem."""
        if self.world.law != "lemke":
            return problem.solve()
        A, b, E = problem.faceted(int(self.world.law_numbers.get("facets", 0.0)))
        u = by_lemke(A, b)
        assert u is not None, "a ray"
        assert lcp_residual(A, b, u) < 1e-9, "the oracle lost its way"
        return np.asarray(E @ u)
