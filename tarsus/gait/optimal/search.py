"""Searches for a gait: from straight lines or from another gait, until nothing is missed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tarsus.arrays import Array
from tarsus.gait.optimal.bases import Basis, Chebyshev, fitted
from tarsus.gait.optimal.check import dense, missed
from tarsus.gait.optimal.conditions import Condition
from tarsus.gait.optimal.design import Design
from tarsus.gait.optimal.designs import Designs
from tarsus.gait.optimal.objective import Objective
from tarsus.gait.optimal.optimized import OptimizedGait
from tarsus.gait.optimal.sqp import Solution, minimise, violation
from tarsus.gait.optimal.starts import SAMPLES, Start, start
from tarsus.gait.optimal.transcription import Transcription
from tarsus.gait.walkers import Walker
from tarsus.model import Model

COARSE = 6
"""Order of polynomials with which a search without a guess begins."""
NOTHING = 1e-11
"""What cannot be gained any more, as a part of what straight lines between postures cost."""
EARLY, LATE = 1e-4, 1e-7
"""What a step gains at least, as a part of the cost, while nodes are added and afterwards."""
MISSED = 1e-3
"""Searches that miss more than this need no further nodes."""
EXCHANGES = 12
"""How often nodes are added where conditions were missed between them."""


@dataclass(frozen=True, eq=False)
class Task:
    """What is asked for."""

    walker: Walker
    speed: float | None
    basis: Basis
    objective: Objective
    conditions: tuple[Condition, ...]
    design: Design
    nodes: int | None
    iterations: int
    posture: Array | None

    @cached_property
    def designs(self) -> Designs:
        """Machines for numbers of the design."""
        return Designs(self.walker, self.design, self.conditions)

    @cached_property
    def scale(self) -> float:
        """Cost of straight lines between postures, by which others are large or small."""
        begin = start(self.walker, self.speed, posture=self.posture)
        stated = self._stated(self.basis)
        first = self.design.first(self.walker)
        x = stated.joined(begin.coefficients(self.basis), begin.durations, first)
        return stated.values(x).cost

    def searched(self, begin: Start) -> tuple[Solution, list[Array]]:
        """Search from straight lines: at first with few functions and the posture as it is."""
        coarse = Chebyshev(min(COARSE, self.basis.size - 1))
        held = None if begin.stands else begin.postures[0][0]
        first = self._stated(coarse, fixed=held, objective=self.objective.coarse())
        x = first.joined(
            begin.coefficients(coarse), begin.durations, self.design.first(self.walker)
        )
        found = minimise(first, x, iterations=30, precision=1e-3, tolerance=1e-6)
        return self._exchanged(self._carried(first, coarse, found.x))

    def continued(self, guess: OptimizedGait) -> tuple[Solution, list[Array]]:
        """Search from another gait."""
        if len(guess.durations) != len(self.walker.phases):
            raise ValueError(
                f"guess has {len(guess.durations)} phases, the walker {len(self.walker.phases)}"
            )
        stated = self._stated(self.basis)
        known = guess.walker.numbers
        free = [
            np.clip(known[name], low, high)
            for name, low, high in zip(
                self.design.names, self.design.lower, self.design.upper, strict=True
            )
        ]
        coefficients = [
            fitted(self.basis, SAMPLES, guess.basis.at(SAMPLES) @ c) for c in guess.coefficients
        ]
        return self._exchanged(stated.joined(coefficients, guess.durations, np.array(free)))

    def finished(self, found: Solution, more: list[Array]) -> OptimizedGait:
        """Return the gait, with all that is looked at afterwards."""
        stated = self._stated(self.basis, more=more)
        phases = stated.unknowns.phases(found.x)
        values = stated.numbers(found.x)
        machine = stated.machine(values)
        lacking, _ = missed(self.basis, phases, self.conditions, machine)
        if violation(found.values) > 1e-8:
            lacking["periodicity and speed"] = float(np.abs(found.values.equations).max())
        parts = [dense(self.basis, phase, machine, p) for p, phase in enumerate(phases)]
        end = np.sum(self.basis.at(np.ones(1)).T * phases[-1][0], axis=0)
        work = sum(float(np.trapezoid((tau * v).sum(axis=-1), t)) for t, v, tau in parts)
        peaks: dict[str, float] = {}
        for phase, (_, _, tau) in zip(machine.walker.phases, parts, strict=True):
            _raise_peaks(peaks, phase.model, tau)
        return OptimizedGait(
            self.design.walker(self.walker, values),
            self.basis,
            tuple(c.copy() for c, _ in phases),
            stated.unknowns.durations(found.x).copy(),
            dict(zip(self.design.names, values.tolist(), strict=True)),
            self.objective.measured(machine, parts, end),
            work / float(stated.unknowns.durations(found.x).sum()),
            peaks,
            lacking,
            found.status,
            found.iterations,
        )

    def _exchanged(self, x: Array) -> tuple[Solution, list[Array]]:
        """Search, and again with nodes where conditions were missed between those there were.

        Searches end early as long as nodes are missing.
        """
        more = [np.zeros(0) for _ in self.conditions]
        precision = EARLY
        for _ in range(EXCHANGES):
            stated = self._stated(self.basis, more=more)
            found = minimise(
                stated,
                x,
                iterations=self.iterations,
                precision=precision,
                nothing=NOTHING * self.scale,
            )
            x, places = found.x, self._missing(stated, found.x)
            complete = not any(len(each) for each in places) or found.violation > MISSED
            if complete and precision == LATE:
                break
            precision = LATE if complete else precision
            more = [np.concatenate(pair) for pair in zip(more, places, strict=True)]
        return found, more

    def _missing(self, stated: Transcription, x: Array) -> list[Array]:
        """Return where conditions are missed between nodes."""
        machine = stated.machine(stated.numbers(x))
        return missed(self.basis, stated.unknowns.phases(x), self.conditions, machine)[1]

    def _carried(self, coarse: Transcription, basis: Basis, x: Array) -> Array:
        unknowns = self._stated(self.basis).unknowns
        finer = [
            fitted(self.basis, SAMPLES, basis.at(SAMPLES) @ c) for c, _ in coarse.unknowns.phases(x)
        ]
        return unknowns.joined(finer, coarse.unknowns.durations(x), coarse.unknowns.design(x))

    def _stated(
        self,
        basis: Basis,
        fixed: Array | None = None,
        more: list[Array] | None = None,
        objective: Objective | None = None,
    ) -> Transcription:
        return Transcription(
            self.walker,
            basis,
            objective=self.objective if objective is None else objective,
            conditions=self.conditions,
            speed=self.speed,
            design=self.design,
            nodes=self.nodes,
            fixed=fixed,
            more=more,
            designs=self.designs,
        )


def rank(solution: Solution) -> tuple[bool, float]:
    """Order solutions: those that keep conditions first, by cost, others by what they miss."""
    kept = violation(solution.values) < 1e-7
    return (not kept, solution.values.cost if kept else violation(solution.values))


def _raise_peaks(peaks: dict[str, float], model: Model, tau: Array) -> None:
    for name in model.joint_names:
        most = float(np.abs(tau[:, model.joint(name).v_slice]).max(initial=0.0))
        peaks[name] = max(peaks.get(name, 0.0), most)
