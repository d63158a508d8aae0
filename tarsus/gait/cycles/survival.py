"""`ts.gait.survival`: how large disturbances a gait survives, as curves with confidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus.arrays import Array
from tarsus.events.flow import flow
from tarsus.events.report import ENDS, EVENTS
from tarsus.gait.cycles.cycle import LimitCycle
from tarsus.gait.cycles.return_map import COARSE
from tarsus.gait.walkers.stance import Stance
from tarsus.model import ModelError
from tarsus.model.checks import count, numbers, suggestion
from tarsus.progress import Progress, progress_of

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
    trials: int = 100,
    steps: int = 20,
    seed: int = 0,
    threads: int = 1,
    progress: bool | None = None,
) -> Survival:
    """Disturb a gait in so many `trials` of each size, and count who makes `steps` steps.

    `disturbance` is "push": a change of speed of that size [m/s] in a random direction (in the
    metric of the masses: a kinetic energy of ½ m size²); "step_down": the first strike is so much
    lower [m]; or the name of a number of the walker, which scatters by that part of itself.
    """
    for value, name in ((trials, "trials"), (steps, "steps"), (threads, "threads")):
        count(value, name)
    given = np.atleast_1d(np.asarray(sizes, float))
    numbers(given, (given.size,), "sizes")
    kinds: dict[str, Callable[..., int]] = {"push": _pushed, "step_down": _stepping_down}
    names = [*kinds, *gait.walker.numbers]
    if disturbance not in names:
        raise ValueError(f"disturbance is {disturbance!r}{suggestion(disturbance, names)}")
    if not given.size or (given < 0.0).any():
        raise ValueError(f"sizes are {given.tolist()}, must be some that are not negative")
    if disturbance in gait.walker.numbers and gait.walker.numbers[disturbance] == 0.0:
        raise ValueError(f"{disturbance} is 0, a part of which is 0: it does not scatter")
    if disturbance == "step_down":
        trials = 1  # nothing is random about it
    each = kinds.get(disturbance, _scattered)
    made = []
    with Progress(len(given), progress_of(progress), what="disturbing", unit="sizes") as bar:
        for k, size in enumerate(given.tolist()):
            rng = np.random.default_rng((seed, k))
            made.append(each(gait, size, trials, steps, rng, threads, disturbance))
            bar.update(k + 1)
    return Survival(gait, disturbance, given, np.array(made), trials, steps)


def _pushed(
    gait: LimitCycle,
    size: float,
    trials: int,
    steps: int,
    rng: np.random.Generator,
    threads: int,
    name: str,
) -> int:
    """Return how many walk on after their speed changed at the beginning of a step."""
    q, v = gait.state
    model = gait.walker.phases[0].model
    ways = rng.normal(size=(trials, model.nv))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    mass = gait.walker.weight / np.linalg.norm(model.gravity)
    root = np.linalg.cholesky(np.asarray(model.mass_matrix(q)) / mass)
    pushed = v + size * np.linalg.solve(root.T, ways.T).T
    return _walking(gait, np.tile(q, (trials, 1)), pushed, steps, threads)


def _stepping_down(
    gait: LimitCycle,
    size: float,
    trials: int,
    steps: int,
    rng: np.random.Generator,
    threads: int,
    name: str,
) -> int:
    """Return whether it walks on: one trial, as nothing is random about a step that is lower."""
    walker = gait.walker
    stance = walker.stance
    if not isinstance(stance, Stance) or len(walker.phases) > 1:
        raise ValueError(
            f"nothing says where the feet of {walker.name!r} are: it has no machine, or one on "
            "several feet"
        )
    (swing,) = walker.phases
    lower = stance.phase(swing.controller, "lower", drop=size, to=swing.name)
    phases = (lower, swing)
    flowed = flow(
        phases,
        gait.q[:1],
        gait.v[:1],
        duration=walker.longest * steps,
        events=steps,
        **COARSE._asdict(),
    )
    return int(flowed.ended[0] == ENDS[EVENTS])


def _scattered(
    gait: LimitCycle,
    size: float,
    trials: int,
    steps: int,
    rng: np.random.Generator,
    threads: int,
    name: str,
) -> int:
    """Return how many walkers whose number is another one walk on from the gait's state."""
    walked = 0
    for factor in 1.0 + size * rng.normal(size=trials):
        try:
            walker = gait.walker.but(**{name: gait.walker.numbers[name] * factor})
        except ModelError:
            continue  # there is no such machine: it does not walk
        flowed = walker.steps(gait.q[:1], gait.v[:1], steps, **COARSE._asdict())
        walked += flowed.ended[0] == ENDS[EVENTS]
    return walked


def _walking(gait: LimitCycle, q: Array, v: Array, steps: int, threads: int) -> int:
    flowed = gait.walker.steps(q, v, steps, threads=threads, **COARSE._asdict())
    return sum(why == ENDS[EVENTS] for why in flowed.ended)
