"""`walk`: a humanoid walks in simulation, and the result."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import count, expect, finite
from tarsus._lib.files import Array
from tarsus.estimation.sensors import Sensors
from tarsus.gait.anatomy import Anatomy
from tarsus.geometry.grounds import Ground, Terrain
from tarsus.model.model import Model
from tarsus.simulation.external import External
from tarsus.simulation.simulation import Simulation
from tarsus.simulation.trajectory import Trajectory
from tarsus.walking.biped import Biped
from tarsus.walking.plans.footsteps import Footsteps
from tarsus.walking.report import WalkReport, report_of
from tarsus.walking.settings import Style
from tarsus.walking.state_feedback import Senses
from tarsus.walking.walking_controller import Walking

# `ts.walking.walk`: a machine on two legs walks, in simulation with contact.
#
# walked = ts.walking.walk(model, speed=0.3, steps=10)
# print(walked.report)


def walk(
    model: Model | Anatomy,
    *,
    speed: ArrayLike = 0.3,
    sideways: ArrayLike = 0.0,
    turn: ArrayLike = 0.0,
    steps: int = 10,
    path: ArrayLike | None = None,
    ground: Terrain | None = None,
    friction: float | Array | None = None,
    known: Terrain | None = None,
    push: External | None = None,
    sensors: Sensors | None = None,
    seed: int = 0,
    style: Style | None = None,
    walkers: int | None = None,
    duration: float | None = None,
    **simulation: Any,
) -> Walked:
    """Let a machine on two legs walk some `steps`, and return the run with a report.

    `speed` ahead and `sideways` to the left [m/s], `turn` to the left [rad/s]; with a `path`
    (K, 2) [m] it walks along it at this speed instead. `ground` is what it walks on, level unless
    given, with its own `friction` if that is stated; `known` is what the machine takes it for,
    the same unless given. `push` acts as `external` of `Simulation.run` does. `duration` [s] is
    that of the steps and two seconds more, unless given. What else is named goes to `Simulation`.

    With `sensors` the machine knows its state by them alone: encoders, an inertial unit, switches
    under its soles and the estimate of its base, with noise that follows from the `seed`. Without,
    it knows it exactly.

    With `walkers` there are so many at once, each in its own phase: speeds may be (B,), as forces
    of a push and coefficients of the ground.
    """
    expect(model, (Model, Anatomy), "model")
    body = Anatomy.from_model(model) if isinstance(model, Model) else model
    count(steps, "steps", 1)
    if walkers is not None:
        count(walkers, "walkers", 1)
    style = Style() if style is None else style
    expect(style, Style, "style")
    for name, rate in (("speed", speed), ("sideways", sideways), ("turn", turn)):
        _check_rate(rate, name, walkers)
    surface = Ground() if ground is None else ground
    expect(surface, Terrain, "ground")
    if friction is not None:
        surface = replace(surface, friction=friction)
    told = surface if known is None else known
    own = Biped.ready(body, style, float(np.abs(sideways).max()), told)
    plan = own.grounded(own.footsteps(speed, sideways, turn, steps, path), told)
    senses = None if sensors is None else Senses(body, sensors, told, seed)
    control = own.controller(plan, told, surface, walkers or 1, senses=senses)
    settings = {"collision": body.collision(), "dt": 1e-3, **simulation}
    sim = Simulation(body.model, ground=surface, **settings)
    q = own.placed(plan, surface, settings["collision"])
    if walkers is not None:
        q = np.tile(q, (walkers, 1))
    long = own.supports.start + plan.steps * own.step_time + 2.0 if duration is None else duration
    run = sim.run(q, duration=long, controller=control, external=push, until=own.fallen())
    return Walked(own, plan, control, run, np.asarray(surface.friction, float))


def _check_rate(rate: ArrayLike, name: str, walkers: int | None) -> None:
    """Raise unless a speed is a number, or one for each of the walkers."""
    shape = finite(rate, name).shape
    if shape and shape != (walkers,):
        wanted = "one number, or state walkers" if walkers is None else f"one or {walkers} numbers"
        raise ValueError(f"{name} is {rate!r}, must be {wanted}")


# A walk in simulation: who walked, along which plan, and the run with its report.


@dataclass(frozen=True, eq=False)
class Walked:
    """A walk in simulation: the machine, its plan, its controller with its notes, and the run."""

    walker: Biped
    plan: Footsteps
    control: Walking
    run: Trajectory
    friction: Array
    """That of the ground, a number or one for each walker (B,)."""
    index: int = 0
    """Which walker of a batch this is; its controller has notes of all."""

    @property
    def fell(self) -> bool:
        """Whether it ended before its time, or its simulation failed; one of a batch is enough."""
        return bool(self.run.ended) or bool(self.run.failures)

    @cached_property
    def report(self) -> WalkReport:
        """Numbers of the walk, and what gave way; of a batch, choose a walker: `walked[0]`."""
        if self.run.batch is not None:
            raise ValueError(f"these are {self.run.batch} walkers: choose one, walked[0].report")
        return report_of(self)

    def __getitem__(self, index: int) -> Walked:
        """Return one walker of a batch."""
        plan = self.plan
        if plan.position.ndim > 2:
            own = (plan.position[index], plan.yaw[index], plan.normal[index])
            plan = Footsteps(plan.side, *own)
        rubs = self.friction[index] if self.friction.ndim else self.friction
        return replace(self, run=self.run[index], plan=plan, friction=rubs, index=index)

    def plot(self, path: str | Path | None = None) -> Any:
        """Return a figure of the walk; `path` writes it to a file."""
        from tarsus.walking.plots import plot_walk  # figures need Matplotlib

        return plot_walk(self, path)

    def __repr__(self) -> str:
        if self.run.batch is not None:
            return f"<tarsus.walking.Walked {self.run.model.name!r}: {self.run.batch} walkers>"
        first = str(self.report).splitlines()[0]
        return f"<tarsus.walking.Walked {self.run.model.name!r}: {first}>"
