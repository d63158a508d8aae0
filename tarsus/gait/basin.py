"""Basins of attraction, and survival under disturbances."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import count, find, numbers, suggestion
from tarsus._lib.console import Progress, progress_of
from tarsus._lib.files import Array
from tarsus.events.flow import flow
from tarsus.events.flow_result import ENDS, EVENTS, EXIT
from tarsus.gait.cycle import LimitCycle, check_gait
from tarsus.gait.disturbances import CERTAIN, DISTURBANCES, Disturbance, Phases, pushed, scattered
from tarsus.gait.return_map import COARSE, residual
from tarsus.gait.walkers.walker import STIFF
from tarsus.sweep import sweep

if TYPE_CHECKING:
    from tarsus.gait.step_feedback import StepFeedback


# `ts.gait.basin`: from which states a walker comes to its gait, and when the others fall.


CHUNK = 4096
"""As many states go at once."""
NEAR = 1e-3
"""How near to the gait a walker is that came to it [rad, m, rad/s, m/s]."""


@dataclass(frozen=True, eq=False)
class Basin:
    """A map over the values of one, two or more numbers of a gait's section."""

    gait: LimitCycle
    over: dict[str, Array]
    steps: NDArray[np.int64]
    """How many steps each state made, shape of the grid."""
    fell: Array
    """When it fell [s], infinite if it did not."""
    distance: Array
    """How far it is from the nearest state of the gait at last, infinite if it fell."""
    asked: int = field(repr=False)

    @property
    def survived(self) -> NDArray[np.bool_]:
        """Which states made all steps."""
        return np.asarray(np.isinf(self.fell))

    @property
    def attracted(self) -> NDArray[np.bool_]:
        """Which of them are at the gait by then."""
        return np.asarray(self.distance < NEAR)

    @property
    def volume(self) -> float:
        """How much of the grid survives, by the product of its numbers' units."""
        spans = [np.ptp(values) for values in self.over.values()]
        return float(self.survived.mean() * np.prod(spans))

    def plot(self, path: str | Path | None = None) -> Any:
        """Return a figure of a map over two numbers: who walks, and after how many steps not."""
        from tarsus.gait.plots import plot_basin

        return plot_basin(self, path)

    def __repr__(self) -> str:
        shape = " × ".join(map(str, self.steps.shape))
        return (
            f"<Basin of {self.gait.walker.name} over {', '.join(self.over)}: {shape}, "
            f"{self.survived.mean():.1%} made {self.asked} steps, {self.attracted.mean():.1%} "
            "are at the gait>"
        )


def basin(
    gait: LimitCycle,
    over: Mapping[str, ArrayLike],
    *,
    steps: int = 20,
    executor: Literal["threads", "processes", "ray"] = "threads",
    workers: int = 1,
    checkpoint: str | Path | None = None,
    progress: bool | None = None,
) -> Basin:
    """Let a walker begin from all states of a grid, `steps` steps each.

    `over` has names of numbers of the walker's section and the values (n,) that they take; the
    others are those of the gait. States go in lanes, whatever their neighbours do, by `ts.sweep`
    with its `executor`, `workers` and `checkpoint`.
    """
    check_gait(gait)
    count(steps, "steps")
    section = gait.walker.numbered()
    axes = {}
    for name, values in over.items():
        find(dict.fromkeys(section.names), name, "number of the section")
        axes[name] = np.atleast_1d(np.asarray(values, float))
        numbers(axes[name], (axes[name].size,), name)
    if not axes:
        raise ValueError(f"over is empty, must name some of {', '.join(section.names)}")
    shape = tuple(values.size for values in axes.values())
    found = sweep(
        partial(_walked, gait, axes, steps),
        {"begin": range(0, math.prod(shape), CHUNK)},
        executor=executor,
        workers=workers,
        checkpoint=checkpoint,
        progress=progress,
    )
    made, fell, distance = (
        np.concatenate([each[name] for each in found.results]).reshape(shape)
        for name in ("made", "fell", "away")
    )
    return Basin(gait, axes, made.astype(np.int64), fell, distance, steps)


def _grid(names: Sequence[str], nominal: Array, axes: Mapping[str, Array]) -> Array:
    """Return the numbers of all states of the grid (N, n), the last axis fastest."""
    mesh = np.meshgrid(*axes.values(), indexing="ij")
    found = np.tile(nominal, (mesh[0].size, 1))
    for name, values in zip(axes, mesh, strict=True):
        found[:, names.index(name)] = values.ravel()
    return found


def _walked(
    gait: LimitCycle, axes: Mapping[str, Array], steps: int, begin: int
) -> dict[str, Array]:
    """Return how many steps states make, when they fall, and how far from the gait they are.

    They are a chunk of those of the grid, which begins with a number.
    """
    walker, section = gait.walker, gait.walker.numbered()
    states = _grid(section.names, section.read(*gait.state), axes)[begin : begin + CHUNK]
    q, v = (np.array(x) for x in section.place(states))
    made, lasted = np.zeros(len(q), int), np.zeros(len(q))
    stood = np.ones(len(q), bool)
    at_once = 1 if walker.clocked else steps
    for _ in range(steps // at_once):
        if not stood.any():
            break
        flowed = walker.steps(q[stood], v[stood], at_once, **COARSE._asdict())
        left = np.array([why == ENDS[EXIT] for why in flowed.ended])
        made[stood] += (flowed.n_events - left) // walker.events
        lasted[stood] += flowed.t
        on = np.array([why == ENDS[EVENTS] for why in flowed.ended])
        stood[stood] = on
        nq, nv = q.shape[1], v.shape[1]
        q[stood], v[stood] = flowed.q[on, :nq], flowed.v[on, :nv]
    away = np.full(len(q), np.inf)
    for node_q, node_v in zip(gait.q, gait.v, strict=True):
        node = [np.tile(x, (int(stood.sum()), 1)) for x in (node_q, node_v)]
        off = residual(walker, node[0], node[1], q[stood], v[stood])
        away[stood] = np.minimum(away[stood], np.linalg.norm(off, axis=1))
    return {"made": made, "fell": np.where(stood, np.inf, lasted), "away": away}


# `ts.gait.survival`: how large disturbances a gait survives, as curves with confidence.


NORMAL = 1.96
"""Of 95 % confidence."""


@dataclass(frozen=True, eq=False)
class Survival:
    """Shares of trials that a gait survived, over the size of what disturbed it."""

    gait: LimitCycle
    disturbance: str
    sizes: Array
    survived: NDArray[np.int64]
    """How many of the trials (K,)."""
    trials: int
    steps: int

    @property
    def share(self) -> Array:
        """Of trials that survived (K,)."""
        return np.asarray(self.survived / self.trials)

    @property
    def confidence(self) -> tuple[Array, Array]:
        """Where the true shares are with 95 % confidence: low and high (K,).

        E. B. Wilson, 1927.
        """
        n, p, z = self.trials, self.share, NORMAL
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)

    def plot(self, path: str | Path | None = None) -> Any:
        """Return a figure of the curve with its confidence."""
        from tarsus.gait.plots import plot_survival

        return plot_survival(self, path)

    def __repr__(self) -> str:
        listed = ", ".join(f"{x:g}: {p:.0%}" for x, p in zip(self.sizes, self.share, strict=True))
        return f"<Survival of {self.gait.walker.name}, {self.disturbance}: {listed}>"


def survival(
    gait: LimitCycle,
    disturbance: str,
    sizes: ArrayLike,
    *,
    feedback: StepFeedback | None = None,
    trials: int = 100,
    steps: int = 20,
    seed: int = 0,
    threads: int = 1,
    progress: bool | None = None,
) -> Survival:
    """Disturb a gait in so many `trials` of each size, and count who makes `steps` steps.

    `disturbance` is "push": a change of speed of that size [m/s] in a random direction (in the
    metric of the masses: a kinetic energy of ½ m size²); "step_down": the first strike is so much
    lower [m]; "sensor_noise": what controllers know of each coordinate and rate has an error of
    that size in the quadratic mean [rad, m; rad/s, m/s], which wanders between 0.5 and 20 Hz; or
    the name of a number of the walker, which scatters by that part of itself.

    A `feedback` of the gait sets numbers after each strike, whose sensors have errors of their own
    each time. It goes with pushes and sensor noise.
    """
    check_gait(gait)
    for value, name in ((trials, "trials"), (steps, "steps"), (threads, "threads")):
        count(value, name)
    given = np.atleast_1d(np.asarray(sizes, float))
    numbers(given, (given.size,), "sizes")
    names = [*DISTURBANCES, *gait.walker.numbers]
    if disturbance not in names:
        raise ValueError(f"disturbance is {disturbance!r}{suggestion(disturbance, names)}")
    if not given.size or (given < 0.0).any():
        raise ValueError(f"sizes are {given.tolist()}, must be some that are not negative")
    if disturbance in gait.walker.numbers and gait.walker.numbers[disturbance] == 0.0:
        raise ValueError(f"{disturbance} is 0, a part of which is 0: it does not scatter")
    trials = 1 if disturbance in CERTAIN else trials
    if feedback is None:
        disturb = DISTURBANCES.get(disturbance) or scattered(disturbance)
        who = partial(_walking, gait, disturb, trials, steps, threads)
    else:
        _check_feedback(gait, feedback, disturbance)
        who = partial(_kept, feedback, disturbance, trials, steps)
    made = []
    with Progress(len(given), progress_of(progress), what="disturbing", unit="sizes") as bar:
        for k, size in enumerate(given.tolist()):
            made.append(who(size, np.random.default_rng((seed, k))))
            bar.update(k + 1)
    return Survival(gait, disturbance, given, np.array(made), trials, steps)


def _walking(
    gait: LimitCycle,
    disturb: Disturbance,
    trials: int,
    steps: int,
    threads: int,
    size: float,
    rng: np.random.Generator,
) -> int:
    """Return how many trials make all steps: in lanes, or one by one if machines differ."""
    found = disturb(gait, size, trials, rng)
    if found.machines is None:
        return int(_walk_on(gait, found.phases, found.q, found.v, steps, threads).sum())
    return sum(
        bool(_walk_on(gait, phases, q[None], v[None], steps, threads).all())
        for phases, q, v in zip(found.machines(), found.q, found.v, strict=True)
        if phases is not None
    )


def _walk_on(
    gait: LimitCycle, phases: Phases, q: Array, v: Array, steps: int, threads: int
) -> NDArray[np.bool_]:
    """Return which states (T, nq), (T, nv) make all steps; by a clock of their own if they have."""
    walker = gait.walker
    own, at_once = len(walker.phases), 1 if walker.clocked else steps
    walking = np.ones(len(q), bool)
    for _ in range(steps // at_once):
        flowed = flow(
            phases,
            q[walking],
            v[walking],
            duration=walker.longest * at_once,
            events=own * at_once,
            most_steps=STIFF * at_once,
            threads=threads,
            **COARSE._asdict(),
        )
        made = np.array([why == ENDS[EVENTS] for why in flowed.ended])
        walking[walking] = made
        if not made.any():
            break
        phases = phases[-own:]  # but for a first phase of another kind
        nq, nv = phases[0].model.nq, phases[0].model.nv
        q, v = (np.zeros((len(walking), n)) for n in (nq, nv))
        q[walking], v[walking] = flowed.q[made, :nq], flowed.v[made, :nv]
    return walking


def _check_feedback(gait: LimitCycle, feedback: StepFeedback, disturbance: str) -> None:
    """Raise if a feedback is not of the gait, or does not go with a disturbance."""
    if feedback.cycle is not gait:
        raise ValueError("feedback is of another gait")
    if disturbance not in ("push", "sensor_noise"):
        raise ValueError(f"feedback goes with 'push' and 'sensor_noise', not with {disturbance!r}")


def _kept(
    feedback: StepFeedback,
    disturbance: str,
    trials: int,
    steps: int,
    size: float,
    rng: np.random.Generator,
) -> int:
    """Return how many trials make all steps under feedback."""
    gait, model = feedback.cycle, feedback.walker.phases[0].model
    if disturbance == "push":
        begun = pushed(gait, size, trials, rng)
        walks = [feedback.walk(q, v, steps) for q, v in zip(begun.q, begun.v, strict=True)]
        return sum(not walk.fell for walk in walks)

    def sensed(q: Array, v: Array) -> tuple[Array, Array]:
        error = size * rng.normal(size=2 * model.nv)
        return np.asarray(model.integrate(q, error[: model.nv])), v + error[model.nv :]

    return sum(not feedback.walk(*gait.state, steps, sensed=sensed).fell for _ in range(trials))
