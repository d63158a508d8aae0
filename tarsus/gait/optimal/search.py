"""Search for optimal gaits: initial guesses, SQP, checks, the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.files import Array
from tarsus.events.guards import GuardValues
from tarsus.events.phase import Exit, mapped, mapped_derivatives, resets_of
from tarsus.events.resets import Reset
from tarsus.gait.optimal.collocation import Basis, Chebyshev, Efforts, Grid, fitted
from tarsus.gait.optimal.conditions import Condition
from tarsus.gait.optimal.costs import Objective
from tarsus.gait.optimal.design import Design, Motors, cost_of_transport, drives
from tarsus.gait.optimal.sqp import Solution, minimise, violation
from tarsus.gait.optimal.step_equations import Designs, Machine
from tarsus.gait.optimal.transcription import Transcription
from tarsus.gait.walkers.walker import Walker
from tarsus.model.model import Model

# Searches for a gait: from straight lines or from another gait, until nothing is missed.


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


# Where searches for gaits begin: from posture to posture in straight lines, without any guess.


SCALES = ((1.0, 1.0), (1.6, 1.0), (0.6, 1.0), (1.3, 1.0), (0.8, 1.0), (2.0, 1.0), (1.0, 1.4))
"""Of postures and of durations, one search each: mostly postures decide where a search ends."""
TIME = 0.8
"""How long a step takes that nothing says it of [s]."""
STILL = 1e-6
"""Postures that are nearer to each other are the same [rad or m]."""
NEWTON = 20
"""Most steps to the posture before a strike."""
SAMPLES = np.linspace(0.0, 1.0, 40)


@dataclass(frozen=True, eq=False)
class Start:
    """Postures (q at the begin, q at the end) and durations [s] of all phases."""

    postures: tuple[tuple[Array, Array], ...]
    durations: Array

    @property
    def stands(self) -> bool:
        """Whether no phase leads anywhere: such a posture is none to begin a step with."""
        return all(np.abs(end - begin).max() < STILL for begin, end in self.postures)

    def coefficients(self, basis: Basis) -> list[Array]:
        """Return straight lines between postures, as sums of a basis."""
        return [
            fitted(basis, SAMPLES, begin + SAMPLES[:, None] * (end - begin))
            for begin, end in self.postures
        ]


def start(
    walker: Walker,
    speed: float | None,
    scales: tuple[float, float] = (1.0, 1.0),
    posture: Array | None = None,
) -> Start:
    """Return where a search begins, with steps and durations that are scaled by two numbers.

    The first posture is the one that is given, or the walker's start; the last is the one from
    which a strike leads to it. Where these are the same, it is durations that the first scales.
    """
    resets = [resets_of(phase) for phase in walker.phases]
    begins = [np.asarray(walker.start[0] if posture is None else posture, float)]
    for each in resets[:-1]:
        begins.append(_after(each, begins[-1]))
    last = _before(resets[-1], begins[0], begins[-1])
    middle, half = 0.5 * (begins[-1] + last), 0.5 * scales[0] * (last - begins[-1])
    postures = []
    begin = middle - half if len(resets) == 1 else begins[0]
    for p, each in enumerate(resets[:-1]):
        through = middle + half * (2.0 * (p + 1) / len(resets) - 1.0)
        end = _before(each, through, begins[p])
        postures.append((begin, end))
        begin = _after(each, end)
    postures.append((begin, middle + half))
    took = _took(walker, speed, postures[-1][1], scales[1])
    found = Start(tuple(postures), np.full(len(resets), took / len(resets)))
    return replace(found, durations=scales[0] * found.durations) if found.stands else found


def _after(resets: Sequence[Reset], q: Array) -> Array:
    return mapped(resets, q, np.zeros_like(q))[0]


def _before(resets: Sequence[Reset], after: Array, guess: Array) -> Array:
    """Return the posture from which resets lead to another, nearest to a guess."""
    q, still = guess.copy(), np.zeros_like(guess)
    for _ in range(NEWTON):
        slopes = mapped_derivatives(resets, q, still)[0][:, : len(q)]
        step = np.linalg.lstsq(slopes, after - _after(resets, q), rcond=1e-8)[0]
        q = q + step
        if np.abs(step).max() < 1e-10:
            break
    return q


def _took(walker: Walker, speed: float | None, last: Array, scale: float) -> float:
    ahead = float(walker.ahead(last))
    if speed is None or not ahead / speed > 0.0:
        return TIME * scale
    return float(np.clip(ahead / speed, 0.2, 3.0)) * scale


# Whether an optimised gait cheats: all is looked at between the nodes of the search, too.


POINTS = 3201
"""Of a phase at which it is looked at: so dense that nothing of weight fits between them."""
TOLERANCE = 1e-6
"""What may be missed."""
EARLY_CHECK, LATE_CHECK = 0.02, 1e-3
"""Parts of a phase at its ends where what has just struck, or is about to, may be at its guard."""

Phase = tuple[Array, float]
"""Coefficients and duration."""


def missed(
    basis: Basis, phases: Sequence[Phase], conditions: Sequence[Condition], machine: Machine
) -> tuple[dict[str, float], list[Array]]:
    """Return what is missed and by how much, and for each condition where on [0, 1] it is worst."""
    found: dict[str, float] = {}
    places = []
    for each, rows in zip(conditions, machine.rows, strict=True):
        c, duration = phases[each.phase]
        s = each.nodes(POINTS)
        slack = rows.slack(*Grid.of(basis, s).motion(c, duration)).min(axis=-1, initial=np.inf)
        if each.equal:
            slack = -np.abs(slack)
        places.append(np.zeros(0) if each.equal else _valleys(s, slack))
        if slack.min() < -TOLERANCE:
            found[each.label] = max(found.get(each.label, 0.0), float(-slack.min()))
    return found | _strikes_early(basis, phases, machine), places


def dense(basis: Basis, phase: Phase, machine: Machine, p: int) -> tuple[Array, Array, Array]:
    """Return times (n,), velocities and efforts (n, nv) of a phase at many instants."""
    c, duration = phase
    s = np.linspace(0.0, 1.0, POINTS)
    q, v, a = Grid.of(basis, s).motion(c, duration)
    return s * duration, v, machine.efforts[p].values(q, v, a)


def _valleys(s: Array, slack: Array) -> Array:
    """Return where slack is negative and least nearby."""
    padded = np.concatenate([[np.inf], slack, [np.inf]])
    least = (slack <= padded[:-2]) & (slack <= padded[2:]) & (slack < -0.5 * TOLERANCE)
    return np.asarray(s[least])


def _strikes_early(basis: Basis, phases: Sequence[Phase], machine: Machine) -> dict[str, float]:
    """Return how early, as a part of its phase, a strike comes before the end."""
    s = np.linspace(EARLY_CHECK, 1.0 - LATE_CHECK, POINTS)
    found = {}
    for p, phase in enumerate(machine.walker.phases):
        q, v, _ = Grid.of(basis, s).motion(*phases[p])
        for way in phase.exits:  # type: ignore[union-attr]
            early = np.flatnonzero(_taken(way, phase.model, q, v))
            if len(early):
                label = f"{way.name or 'exit'} before the end of {phase.name}"
                found[label] = float(1.0 - s[early[0]])
    return found


def _taken(way: Exit, model: Model, q: Array, v: Array) -> NDArray[np.bool_]:
    """Return between which states (n − 1,) an exit is taken."""
    value = GuardValues(model, way.guard).values(q, v)
    falls = (value[:-1] > 0.0) & (value[1:] <= 0.0)
    rises = (value[:-1] < 0.0) & (value[1:] >= 0.0)
    taken = {"falling": falls, "rising": rises, "any": falls | rises}[way.crossing]
    for each in way.when:  # type: ignore[union-attr]
        taken = taken & (GuardValues(model, each).values(q, v)[:-1] > 0.0)
    return np.asarray(taken)


# What a search for an efficient gait returns.


SAMPLES_OPTIMIZED = 2001
"""Of a phase for its energies."""


@dataclass(frozen=True, eq=False)
class OptimizedGait:
    """A gait of least efforts: motions of its phases, what they need, and what they miss.

    Times begin just after a strike, and end at the next one; `q`, `v` and `tau` are functions of
    them. `success` is whether the search converged and nothing is violated between its nodes.
    """

    walker: Walker
    """With the design that was found."""
    basis: Basis = field(repr=False)
    coefficients: tuple[Array, ...] = field(repr=False)
    """Of each phase's motion (functions, nv)."""
    durations: Array
    """How long each phase takes [s]."""
    design: Mapping[str, float]
    """Numbers of the mechanics that were free."""
    cost: float
    """What was made small: ∫ τᵀ Q τ dt of a step, or with motors their cost of transport."""
    power: float
    """Mean mechanical power of the efforts [W]: what strikes and dampers take, less gravity's."""
    peak_efforts: Mapping[str, float]
    """Largest effort of each joint [N m or N], by its name."""
    violations: Mapping[str, float]
    """What is missed between the nodes of the search, too, and by how much; empty for nothing."""
    status: str
    """"converged", or what was in the way."""
    iterations: int
    """Of the search that found it."""

    @property
    def success(self) -> bool:
        """Whether it is a gait that keeps everything."""
        return self.status == "converged" and not self.violations

    @property
    def duration(self) -> float:
        """How long a step takes [s]."""
        return float(self.durations.sum())

    @property
    def step_length(self) -> float:
        """How far a step leads [m]."""
        return float(self.walker.ahead(self._ends(-1)[0]))

    @property
    def speed(self) -> float:
        """Mean speed [m/s]."""
        return self.step_length / self.duration

    @property
    def cost_of_transport(self) -> float:
        """Energy that is spent for each unit of weight and of way, as that of a `LimitCycle`.

        The slope's work and the positive work of motors are: what brakes is not given back.
        """
        return self.cost_with_motors({})

    @property
    def net_cost_of_transport(self) -> float:
        """Mean mechanical power over weight and speed: work that motors take counts as gained."""
        return self.power / (self.walker.weight * self.speed)

    def cost_with_motors(self, motors: Motors) -> float:
        """Return the cost of transport by the electrical power of motors, which get warm.

        `motors` are `ts.control.CurrentMotor` by names of joints, or one for all. Joints without
        one lose nothing. What a motor feeds back is lost, joint by joint.
        """
        parts = []
        for p, duration in enumerate(self.durations):
            t = np.linspace(0.0, float(duration), SAMPLES_OPTIMIZED)
            parts.append((t, self.v(t, p), self.tau(t, p)))
        phases = drives(self.walker, motors, complete=False)
        return cost_of_transport(self.walker, self.walker.weight, self.step_length, phases, parts)

    @property
    def state(self) -> tuple[Array, Array]:
        """q and v just after a strike: where `ts.gait.limit_cycle` may begin."""
        # what the strike does, not the sum of functions: a knee that it locks is at zero exactly,
        # and no rounding makes it strike at once
        return mapped(resets_of(self.walker.phases[-1]), *self._ends(-1))

    def q(self, t: ArrayLike, phase: int = 0) -> Array:
        """Return positions (…, nq) of a phase at times from its begin [s]."""
        return self._motion(t, phase)[0]

    def v(self, t: ArrayLike, phase: int = 0) -> Array:
        """Return velocities (…, nv)."""
        return self._motion(t, phase)[1]

    def a(self, t: ArrayLike, phase: int = 0) -> Array:
        """Return accelerations (…, nv)."""
        return self._motion(t, phase)[2]

    def tau(self, t: ArrayLike, phase: int = 0) -> Array:
        """Return efforts of the motors (…, nv) [N m or N]."""
        return Efforts(self.walker.phases[phase].model).values(*self._motion(t, phase))

    def plot(self, path: str | Path | None = None) -> Any:
        """Return a figure of positions and efforts over a step; `path` writes it to a file."""
        from tarsus.gait.plots import plot  # needs matplotlib

        return plot(self, path)

    def _motion(self, t: ArrayLike, phase: int) -> tuple[Array, Array, Array]:
        times = np.asarray(t, float)
        duration = float(self.durations[phase])
        s = times.ravel() / duration
        if np.any(s < -1e-9) or np.any(s > 1.0 + 1e-9):
            raise ValueError(
                f"t goes from {times.min():g} to {times.max():g} s, phase {phase} lasts "
                f"{duration:g} s from 0 on"
            )
        parts = Grid.of(self.basis, s).motion(self.coefficients[phase], duration)
        return tuple(each.reshape(*times.shape, -1) for each in parts)  # type: ignore[return-value]

    def _ends(self, phase: int) -> tuple[Array, Array]:
        grid = Grid.of(self.basis, np.ones(1))
        q, v, _ = grid.motion(self.coefficients[phase], float(self.durations[phase]))
        return q[0], v[0]

    def __repr__(self) -> str:
        missed = f", misses {', '.join(self.violations)}" if self.violations else ""
        return (
            f"<tarsus.OptimizedGait of {self.walker.name!r}: {self.status}, cost {self.cost:.4g}, "
            f"{self.speed:.3g} m/s, {self.duration:.3g} s a step{missed}>"
        )
