"""Disturbances of a walk, and sensor noise."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tarsus._lib.files import Array
from tarsus.events.phase import Efforts, Phase
from tarsus.gait.cycle import LimitCycle
from tarsus.gait.walkers.stance import Stance
from tarsus.model.model import Model

# What disturbs a gait: in each trial another state, or other phases from which it begins.
#
# A disturbance is a function of a gait, a size, a number of trials and random numbers. Who walks on
# is looked at in one way for all of them.


Phases = Sequence[Phase]


@dataclass(frozen=True, eq=False)
class Disturbed:
    """Trials: states after a strike q (T, nq), v (T, nv), and what they walk with.

    `machines` yields phases for one trial after another, None where there is no such machine;
    without them all trials have `phases`.
    """

    q: Array
    v: Array
    phases: Phases = ()
    machines: Callable[[], Iterator[Phases | None]] | None = None


Disturbance = Callable[[LimitCycle, float, int, np.random.Generator], Disturbed]
"""From a gait, a size, a number of trials and random numbers."""


def _beginning(gait: LimitCycle, trials: int) -> tuple[Array, Array]:
    q, v = (np.tile(x, (trials, 1)) for x in gait.state)
    return q, v


def pushed(gait: LimitCycle, size: float, trials: int, rng: np.random.Generator) -> Disturbed:
    """Change the speed at the beginning of a step, in random directions of the kinetic metric."""
    q, v = gait.state
    model = gait.walker.phases[0].model
    ways = rng.normal(size=(trials, model.nv))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    mass = gait.walker.weight / np.linalg.norm(model.gravity)
    root = np.linalg.cholesky(np.asarray(model.mass_matrix(q)) / mass)
    faster = v + size * np.linalg.solve(root.T, ways.T).T
    return Disturbed(np.tile(q, (trials, 1)), faster, gait.walker.phases)


def stepping_down(
    gait: LimitCycle, size: float, trials: int, rng: np.random.Generator
) -> Disturbed:
    """Let the ground of the first strike be lower."""
    walker = gait.walker
    stance = walker.stance
    if not isinstance(stance, Stance) or len(walker.phases) > 1:
        raise ValueError(
            f"nothing says where the feet of {walker.name!r} are: it has no machine, or one on "
            "several feet"
        )
    (swing,) = walker.phases
    lower = stance.phase(swing.controller, "lower", drop=size, to=swing.name)
    return Disturbed(*_beginning(gait, trials), (lower, swing))


def scattered(name: str) -> Disturbance:
    """Return the disturbance by which a number of the walker is another one in each trial."""

    def of(gait: LimitCycle, size: float, trials: int, rng: np.random.Generator) -> Disturbed:
        factors = 1.0 + size * rng.normal(size=trials)

        def machines() -> Iterator[Phases | None]:
            for factor in factors:
                try:
                    yield gait.walker.but(**{name: gait.walker.numbers[name] * factor}).phases
                except ValueError:
                    yield None  # there is no such machine: it does not walk

        return Disturbed(*_beginning(gait, trials), machines=machines)

    return of


def misled(gait: LimitCycle, size: float, trials: int, rng: np.random.Generator) -> Disturbed:
    """Let controllers of phases go by what sensors with errors tell of the state."""
    walker = gait.walker
    if all(phase.controller is None for phase in walker.phases):
        raise ValueError(
            f"no phase of {walker.name!r} has a controller that sensors could mislead: give the "
            "`feedback` that keeps its gait"
        )

    def machines() -> Iterator[Phases | None]:
        for _ in range(trials):
            yield [_misled(phase, size, rng) for phase in walker.phases]

    return Disturbed(*_beginning(gait, trials), machines=machines)


def _misled(phase: Phase, size: float, rng: np.random.Generator) -> Phase:
    if phase.controller is None:
        return phase
    noise = SensorNoise.drawn(phase.model, size, rng)
    return dataclasses.replace(phase, controller=noise.misled(phase.controller))


DISTURBANCES: dict[str, Disturbance] = {
    "push": pushed,
    "step_down": stepping_down,
    "sensor_noise": misled,
}
"""Those that have names; others are the names of a walker's numbers, which scatter."""
CERTAIN = ("step_down",)
"""Those about which nothing is random: one trial tells."""


# What sensors tell of a state: the state and an error that wanders, within a band of frequencies.
#
# A sum of sines with random phases is smooth, so that motions under controllers that feel it are
# integrated as well as without, and as good as normal after a dozen of them (S. O. Rice, 1944).


SINES = 16
BAND = (0.5, 20.0)
"""Of frequencies of the error [Hz]."""


@dataclass(frozen=True, eq=False)
class SensorNoise:
    """An error of `size` [rad, m; rad/s, m/s] in the quadratic mean of each coordinate and rate."""

    model: Model
    size: float
    frequencies: Array
    """(2 nv, n) [Hz]."""
    phases: Array
    """(2 nv, n) [rad]."""

    @classmethod
    def drawn(cls, model: Model, size: float, rng: np.random.Generator) -> SensorNoise:
        """Return an error that is one of all that there could be."""
        shape = (2 * model.nv, SINES)
        return cls(model, size, rng.uniform(*BAND, shape), rng.uniform(0.0, 2.0 * math.pi, shape))

    def error(self, t: float) -> Array:
        """Return steps of q and changes of v (2 nv,) at a time [s]."""
        waves = np.sin(2.0 * math.pi * self.frequencies * t + self.phases)
        return np.asarray(self.size * math.sqrt(2.0 / SINES) * waves.sum(axis=1))

    def sensed(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """Return what sensors tell of a state q (nq,), v (nv,)."""
        step, change = np.split(self.error(t), 2)
        return np.asarray(self.model.integrate(q, step)), v + change

    def misled(self, controller: Efforts) -> Efforts:
        """Return a controller that goes by what sensors tell."""
        return lambda t, q, v: controller(t, *self.sensed(t, q, v))
