"""`LimitCycle`: a periodic gait with its multipliers, energy balance and run."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from tarsus._lib.checks import count, number
from tarsus._lib.data import content_hash
from tarsus._lib.files import Array
from tarsus.events.flow_result import Flowed, FlowEvent
from tarsus.gait.return_map import Tolerances, fade, multipliers_of, on_root, residual, take_step
from tarsus.gait.step_contact import Footing, Piece, footings, pieces
from tarsus.gait.walkers.stance import Stance
from tarsus.gait.walkers.walker import Walker, kind_of, walker_call
from tarsus.geometry.grounds import Ground
from tarsus.model.model import Model
from tarsus.simulation.array_file import read_arrays
from tarsus.simulation.errors import RunFileError
from tarsus.simulation.trajectory import Trajectory

# A gait: the states after its strikes, what small pushes become, its speed and its cost.


SAMPLES = 400
"""States that are kept of a period."""


@dataclass(frozen=True, eq=False)
class LimitCycle:
    """A motion that repeats after `steps` steps, as `ts.gait.limit_cycle` finds it."""

    walker: Walker
    q: Array
    """Configurations after each strike (steps, nq)."""
    v: Array
    error: float
    """How far a state is from where its step leads, at most."""
    times: Array
    """How long each step takes (steps,) [s]."""
    slopes: Array = field(repr=False)
    """Derivatives of the return map at each node (steps, 2 nv, 2 nv)."""
    tolerances: Tolerances = field(repr=False)

    @property
    def steps(self) -> int:
        """After how many steps it repeats."""
        return len(self.q)

    @property
    def state(self) -> tuple[Array, Array]:
        """The state after the first strike."""
        return self.q[0], self.v[0]

    @property
    def period(self) -> float:
        """How long all steps take [s]."""
        return float(self.times.sum())

    @cached_property
    def flowed(self) -> Flowed:
        """One period, as `ts.flow` has it: events, and samples over time."""
        every = self.period / SAMPLES
        return self.walker.steps(*self.state, self.steps, sample=every, **self.tolerances._asdict())

    @property
    def step_length(self) -> float:
        """How long a step is in the mean [m]."""
        strikes = list(self.flowed.events)[self.walker.events - 1 :: self.walker.events]
        return float(np.mean([self.walker.ahead(event.q) for event in strikes]))

    @property
    def speed(self) -> float:
        """How fast it walks [m/s]."""
        return self.step_length * self.steps / self.period

    @cached_property
    def multipliers(self) -> Array:
        """What small pushes are multiplied by in a period (2 nv − 1,), the largest first.

        Eigenvalues of the derivative of the return map; the one along the motion, zero, is left out
        (A. Floquet, 1883), and that of the heading, where that is free (`walker.heading`).
        """
        return multipliers_of(self.slopes, self.walker.heading)

    @property
    def stable(self) -> bool:
        """Whether all small pushes fade, but for those to other gaits of a family.

        Of these the walker says how many there are: `walker.neutral`.
        """
        return bool(fade(self.multipliers, self.walker.neutral))

    @cached_property
    def energy(self) -> GaitEnergy:
        """Where the energy of a period comes from and where it goes."""
        return ledger(self.walker, self.flowed, self.step_length * self.steps)

    @property
    def cost_of_transport(self) -> float:
        """Energy that is spent for each unit of weight and of way."""
        return self.energy.spent / (self.walker.weight * self.step_length * self.steps)

    @cached_property
    def footings(self) -> list[Footing]:
        """Forces of the ground and clearance over each step; none without a machine."""
        return footings(self.walker, self.flowed)

    @property
    def violations(self) -> tuple[str, ...]:
        """What of it no real foot would do: lift or slip where it stands, scuff where it swings."""
        if not self.footings:
            return ("feet were not looked at: nothing says where they are in all phases",)
        return tuple(line for each in self.footings for line in each.violations())

    @cached_property
    def shortest(self) -> int:
        """After how many steps it repeats already, to 1e-6."""
        for n in range(1, self.steps):
            if self.steps % n == 0:
                shifted = np.roll(self.q, -n, 0), np.roll(self.v, -n, 0)
                if np.abs(residual(self.walker, self.q, self.v, *shifted)).max() < 1e-6:
                    return n
        return self.steps

    def fingerprint(self) -> str:
        """Return what tells it from other gaits and walkers: a hash of the walker and states."""
        return content_hash(self.walker, self.q, self.v)

    def save(self, path: str | Path) -> None:
        """Write the gait to a file of NumPy: states, times, slopes and numbers of the walker."""
        numbers = self.walker.numbers
        np.savez(
            path,
            q=self.q,
            v=self.v,
            times=self.times,
            slopes=self.slopes,
            walker=self.walker.name,
            names=np.array(list(numbers)),
            values=np.array(list(numbers.values()), float),
        )

    @classmethod
    def load(cls, path: str | Path, walker: Walker) -> Self:
        """Return the gait that `save` wrote, of a walker with the same numbers."""
        file = read_arrays(Path(path), "a limit cycle")
        missing = {"names", "values", "q", "v", "times", "slopes"} - file.keys()
        if missing:
            raise RunFileError(
                f"{path} is not a limit cycle: it has no {', '.join(sorted(missing))}"
            )
        told = dict(zip(file["names"].tolist(), file["values"].tolist(), strict=True))
        q, v, times, slopes = (file[key] for key in ("q", "v", "times", "slopes"))
        if told != dict(walker.numbers):
            raise ValueError(
                f"{path} is a gait of a walker with {told}, not {dict(walker.numbers)}"
            )
        at = take_step(walker, q, v)
        away = residual(walker, np.roll(q, -1, 0), np.roll(v, -1, 0), at.q, at.v)
        error = float(np.abs(away).max())
        if not at.walked.all() or error > 1e-6:
            raise ValueError(f"{path} is no gait of {walker.name!r}: a step leads {error:.1e} away")
        return cls(walker, q, v, error, times, slopes, Tolerances())

    def run(self, steps: int = 6, *, every: float = 0.01) -> Trajectory:
        """Return so many steps as a run of the machine, to look at: `run.film(…)`, `run.plot()`."""

        count(steps, "steps")
        return run_of(self, steps, number(every, "every"))

    def plot(self, path: str | Path | None = None) -> Any:
        """Return a figure: angles and speeds over a period, its closed curves, its multipliers."""
        from tarsus.gait.plots import plot_cycle

        return plot_cycle(self, path)

    def __repr__(self) -> str:
        word = "stable" if self.stable else "unstable"
        many = "" if self.steps == 1 else f"of {self.steps} steps, "
        return (
            f"<LimitCycle of {self.walker.name}: {many}{word}, {self.period:.5f} s, "
            f"{self.speed:.4f} m/s, largest multiplier {np.abs(self.multipliers).max():.4f}>"
        )


def check_gait(value: object, what: str = "gait") -> None:
    """Raise `TypeError` unless `value` is a gait; the error says how to find one."""
    if not isinstance(value, LimitCycle):
        walker = "walker" if isinstance(value, Walker) else walker_call(value)
        raise TypeError(
            f"{what} is {kind_of(value)}, must be a tarsus.gait.LimitCycle: "
            f"use ts.gait.limit_cycle({walker})"
        )


def cycle_of(
    walker: Walker, q: Array, v: Array, error: float, tolerances: Tolerances
) -> LimitCycle:
    """Return the gait through nodes (n, nq), (n, nv) that return to each other."""
    q = on_root(walker, q)
    at = take_step(walker, q, v, tolerances, derivatives=True)
    assert at.slopes is not None
    return LimitCycle(walker, q, v, error, at.time, at.slopes, tolerances)


# A gait as a run of the machine that floats: step after step, left and right in turn.


def run_of(cycle: LimitCycle, steps: int, every: float) -> Trajectory:
    """Return so many steps of a gait with a sample `every` [s], from the origin along x."""
    return walked(cycle.walker, *cycle.state, steps, every, cycle.tolerances)[0]


def walked(
    walker: Walker, q: Array, v: Array, steps: int, every: float, tolerances: Tolerances
) -> tuple[Trajectory, Flowed]:
    """Return the machine that floats on its way from a state after a strike, as far as it walks.

    And how it ended, or of a walker with a clock its last step, as each is one of its own.
    """
    machine = walker.stance
    if machine is None or (isinstance(machine, Stance) and len(walker.phases) > 1):
        raise ValueError(f"nothing says how {walker.name!r} looks: it has no machine")
    stance = machine if isinstance(machine, Stance) else machine.stance
    at_once = 1 if walker.clocked else steps
    parts: list[tuple[Array, Array, Array]] = []
    strikes: list[float] = []
    places: list[Array] = []
    begin = 0.0
    for _ in range(steps // at_once):
        flowed = walker.steps(q, v, at_once, sample=every, **tolerances._asdict())
        t, *sampled = flowed.samples
        parts.append((begin + t, sampled[0], sampled[1]))
        for event in list(flowed.events)[walker.events - 1 :: walker.events]:
            side = (-1.0) ** len(strikes)  # left of what is mirrored is right
            strikes.append(begin + event.t)
            places.append(stance.placed(event.q[: stance.standing.nq]) * (1.0, side))
        begin, q, v = begin + float(flowed.t), flowed.q, flowed.v
        if flowed.n_events < at_once * walker.events:
            break
    t, q, v = (np.concatenate(x) for x in zip(*parts, strict=True))
    q, v = q[:, : stance.standing.nq], v[:, : stance.standing.nv]
    ways = np.cumsum([np.zeros(2), *places], axis=0)
    number = np.searchsorted(strikes, t, side="right")
    states = [
        _state(stance, a, b, ways[k], bool(k % 2)) for a, b, k in zip(q, v, number, strict=True)
    ]
    recorded = {"q": np.array([q for q, _ in states]), "v": np.array([v for _, v in states])}
    return Trajectory(stance.model, t, recorded, ground=Ground(slope=stance.slope)), flowed


def _state(stance: Stance, q: Array, v: Array, way: Array, right: bool) -> tuple[Array, Array]:
    """Return q and v of the machine that floats, its root a way (2,) along and across the slope."""
    at = stance.at.copy()
    at[:3, 3] += stance.at[:3, :2] @ way
    root = stance.other if right else stance.standing
    if right:
        q = stance.relabelling.back.configurations(q)
        v = stance.names.T @ v
    found = root.to_original(q, v, at=at)
    return found.q, found.v


# What a gait's energy becomes: slope and motors give, impacts and dampers take.


@dataclass(frozen=True)
class GaitEnergy:
    """Energies of one period [J]; `closure` is what is left when all is summed up."""

    slope: float
    """By the weight that comes down the slope."""
    impacts: float
    """Lost at strikes, of feet and knees."""
    motors: float
    """Work of the controllers of phases."""
    dampers: float
    """Taken by damping in joints."""
    positive: float
    """Work of controllers where they give, joint by joint."""

    @property
    def closure(self) -> float:
        """Return given less taken: zero for a gait. Each term is computed on its own."""
        return self.slope + self.motors - self.dampers - self.impacts

    @property
    def spent(self) -> float:
        """What the gait costs: the slope's and the motors' work."""
        return max(self.slope, 0.0) + self.positive


def ledger(walker: Walker, flowed: Flowed, length: float) -> GaitEnergy:
    """Return the ledger of a flow over one period that led `length` [m] along the ground.

    The slope's work is known from the way and the weight, impacts from speeds at strikes, motors
    and dampers from integrals of their power.
    """
    motors = dampers = positive = 0.0
    for piece in pieces(walker, flowed):
        power = piece.tau * piece.v
        motors += piece.integral(power.sum(axis=1))
        positive += piece.integral(np.maximum(power, 0.0).sum(axis=1))
        dampers += piece.integral(_damped(piece))
    impacts = sum(_lost(walker, event) for event in flowed.events)
    slope = walker.weight * math.sin(walker.slope) * length
    return GaitEnergy(slope, impacts, motors, dampers, positive)


def _damped(piece: Piece) -> Array:
    """Return the power (T,) that dampers in joints take [W]: forces that depend on speeds."""
    model = piece.phase.model
    moving = np.asarray(model.passive_forces(piece.q, piece.v))
    still = np.asarray(model.passive_forces(piece.q, np.zeros_like(piece.v)))
    return np.asarray(-((moving - still) * piece.v).sum(axis=1))


def _lost(walker: Walker, event: FlowEvent) -> float:
    """Return the kinetic energy that an event takes [J]."""
    before, after = _models(walker, event)
    kinetic = before.kinetic_energy(event.q, event.v)
    return float(kinetic - after.kinetic_energy(event.next_q, event.next_v))


def _models(walker: Walker, event: FlowEvent) -> tuple[Model, Model]:
    names = [phase.name for phase in walker.phases]
    k = names.index(event.phase)
    to = walker.phases[k].exits[event.exit].to  # type: ignore[index]
    return walker.phases[k].model, walker.phases[k if to is None else names.index(to)].model
