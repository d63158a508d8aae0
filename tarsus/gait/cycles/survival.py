"""`ts.gait.survival`: how large disturbances a gait survives, as curves with confidence."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus.arrays import Array
from tarsus.events.flow import flow
from tarsus.events.report import ENDS, EVENTS
from tarsus.gait.cycles.cycle import LimitCycle
from tarsus.gait.cycles.disturbances import (
    CERTAIN,
    DISTURBANCES,
    Disturbance,
    Phases,
    pushed,
    scattered,
)
from tarsus.gait.cycles.return_map import COARSE
from tarsus.gait.walkers.walker import STIFF
from tarsus.model.checks import count, numbers, suggestion
from tarsus.progress import Progress, progress_of

if TYPE_CHECKING:
    from tarsus.gait.step_feedback import StepFeedback

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
        from tarsus.gait.cycles.survival_plot import plot_survival

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
