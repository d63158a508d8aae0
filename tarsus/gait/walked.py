"""What came of a walk: how far and how fast, what it cost, and what gave way if it fell."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tarsus.arrays import Array
from tarsus.gait.biped import Biped
from tarsus.gait.plans.footsteps import Footsteps
from tarsus.gait.sole_forces import Soles, sole_forces
from tarsus.gait.walking import Walking
from tarsus.simulation import Trajectory

STRAYS = 0.1
"""Errors of the divergent component that are told, as shares of the height."""


@dataclass(frozen=True)
class WalkReport:
    """Numbers of a walk; see the docstrings of its entries."""

    fell: bool
    time: float
    """Until it ended or fell [s]."""
    steps: int
    """Steps that were made."""
    distance: float
    """Of the centre of mass along the ground [m]."""
    speed: float
    """While it walked [m/s]."""
    turned: float
    """By which angle the trunk turned, to the left [rad]."""
    cost_of_transport: float
    """Mechanical work of the drives, all counted positive, per weight and distance."""
    effort: float
    """The largest torque, as a share of its limit."""
    effort_joint: str
    friction: float
    """The largest friction that soles needed, as a coefficient."""
    friction_limit: float
    pressure_margin: float
    """How far inside the soles the centre of pressure stayed, all feet together [m]."""
    momentum: float
    """The largest angular momentum about the vertical [N·m·s]."""
    momentum_rate: float
    """… and its largest rate [N·m]."""
    divergence: float
    """The largest error of the divergent component [m]."""
    gave_way: tuple[tuple[float, str], ...]
    """What gave way, and when [s], the first one first."""

    def __str__(self) -> str:
        end = f"fell after {self.time:.2f} s" if self.fell else f"walked for {self.time:.2f} s"
        lines = [
            f"{end}: {self.steps} steps, {self.distance:.2f} m at {self.speed:.2f} m/s"
            + (f", turned by {np.degrees(self.turned):.0f}°" if abs(self.turned) > 0.02 else ""),
            f"cost of transport {self.cost_of_transport:.2f}",
            f"torques up to {100 * self.effort:.0f} % of their limits ({self.effort_joint})",
            f"friction up to {self.friction:.2f} of {self.friction_limit:.2f}",
            f"centre of pressure {1e3 * self.pressure_margin:.0f} mm inside the soles at least",
            f"angular momentum about the vertical up to {self.momentum:.2f} N·m·s, its rate up to "
            f"{self.momentum_rate:.1f} N·m",
            f"divergent component off by {1e3 * self.divergence:.0f} mm at most",
        ]
        lines += [f"gave way at {t:.2f} s: {what}" for t, what in self.gave_way]
        return "\n".join(lines)

    def as_data(self) -> dict[str, Any]:
        """Return all entries by name."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


@dataclass(frozen=True, eq=False)
class Walked:
    """A walk in simulation: the machine, its plan, its controller with its notes, and the run."""

    walker: Biped
    plan: Footsteps
    control: Walking
    run: Trajectory
    friction: float
    """That of the ground."""
    index: int = 0
    """Which walker of a batch this is; its controller has notes of all."""

    @property
    def fell(self) -> bool:
        """Whether it ended before its time."""
        return self.run.ended is not None and bool(np.any(self.run.ended.time < np.inf))

    @cached_property
    def report(self) -> WalkReport:
        """Numbers of the walk, and what gave way; of a batch, choose a walker: `walked[0]`."""
        if self.run.batch is not None:
            raise ValueError(f"these are {self.run.batch} walkers: choose one, walked[0].report")
        return report(self)

    def __getitem__(self, index: int) -> Walked:
        """Return one walker of a batch."""
        plan = self.plan
        if plan.position.ndim > 2:
            own = (plan.position[index], plan.yaw[index], plan.normal[index])
            plan = Footsteps(plan.side, *own)
        return replace(self, run=self.run[index], plan=plan, index=index)

    def plot(self, path: str | Path | None = None) -> Any:
        """Return a figure of the walk; `path` writes it to a file."""
        from tarsus.gait.walk_plot import plot_walk  # figures need Matplotlib

        return plot_walk(self, path)

    def __repr__(self) -> str:
        if self.run.batch is not None:
            return f"<tarsus.gait.Walked {self.run.model.name!r}: {self.run.batch} walkers>"
        first = str(self.report).splitlines()[0]
        return f"<tarsus.gait.Walked {self.run.model.name!r}: {first}>"


def report(walked: Walked) -> WalkReport:
    """Return the numbers of a walk."""
    run, model = walked.run, walked.walker.body.model
    q, v, t = run.q, run.v, run.t
    com = np.asarray(model.center_of_mass(q))
    soles = sole_forces(run, walked.walker.body)
    way = np.linalg.norm(np.diff(com[:, :2], axis=0), axis=1).sum()
    moved = float(np.linalg.norm(com[-1, :2] - com[0, :2]))
    steps = int(walked.control.stepping.step[walked.index]) - 2
    walks = max(steps, 1) * walked.walker.step_time
    power = np.abs(run.tau * v)[:, model.driven].sum(axis=1)
    weight = model.total_mass * float(np.linalg.norm(model.gravity))
    work = float(np.trapezoid(power, t))
    limits = model.effort_limit
    share = np.abs(run.tau) / np.where(np.isfinite(limits) & (limits > 0.0), limits, np.inf)
    worst = int(share.max(axis=0).argmax())
    momentum = np.asarray(model.centroidal_momentum(q, v))[:, 5]
    rate = np.diff(momentum) / np.diff(t)
    error = np.linalg.norm(np.array(walked.control.cycles.error)[:, walked.index], axis=1)
    heading = np.unwrap(np.arctan2(*_ahead(walked)))
    return WalkReport(
        walked.fell,
        float(t[-1]),
        steps,
        moved,
        moved / min(walks, float(t[-1])),
        float(heading[-1] - heading[0]),
        work / (weight * max(float(way), 1e-3)),
        float(share.max()),
        _joint_of(walked, worst),
        float(np.nanmax(soles.friction, initial=0.0)),
        walked.friction,
        float(np.nanmin(soles.margin)),
        float(np.abs(momentum).max()),
        float(np.abs(rate).max()),
        float(error.max()),
        gave_way(walked, soles, share, error),
    )


def gave_way(
    walked: Walked, soles: Soles, share: Array, error: Array
) -> tuple[tuple[float, str], ...]:
    """Return what gave way, and when [s], in the order of time."""
    t, cycles = walked.run.t, walked.control.cycles
    found = []
    slips = np.nan_to_num(soles.friction) > 0.99 * walked.friction
    if (at := _first(np.asarray(share >= 0.999).any(axis=1))) is not None:
        joint = _joint_of(walked, int(share[at].argmax()))
        found.append((float(t[at]), f"the torque of {joint!r} is at its limit"))
    if (at := _first(slips.any(axis=1))) is not None:
        leg = walked.walker.body.legs[int(slips[at].argmax())]
        found.append((float(t[at]), f"{leg.end!r} slips"))
    if (at := _first(error > STRAYS * walked.walker.height)) is not None:
        what = f"the divergent component is off by {1e3 * error[at]:.0f} mm"
        found.append((cycles.t[at], what))
    if (at := _first(soles.margin < 1e-4)) is not None:
        found.append((float(t[at]), "the centre of pressure is at the edge of the soles"))
    if walked.fell:
        found.append((float(t[-1]), "it falls"))
    return tuple(sorted(found))


def _first(holds: Any) -> int | None:
    return int(holds.argmax()) if holds.any() else None


def _ahead(walked: Walked) -> tuple[Array, Array]:
    """Return y and x (T,) of where the trunk looks to."""
    body = walked.walker.body
    ahead = body.model.frame_pose(walked.run.q, body.trunk)[:, :3, :3] @ body.ahead
    return ahead[:, 1], ahead[:, 0]


def _joint_of(walked: Walked, velocity: int) -> str:
    for joint in walked.run.model.joints:
        if joint.v_slice.start <= velocity < joint.v_slice.stop:
            return joint.name
    return ""
