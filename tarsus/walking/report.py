"""What came of a walk: how far and how fast, what it cost, and what gave way if it fell."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus._lib.files import Array
from tarsus.walking.ground_wrenches import CARRIES, Soles, sole_forces, sole_position
from tarsus.walking.state_feedback import EstimateErrors, FeltPush, felt_pushes

if TYPE_CHECKING:
    from tarsus.walking.walk import Walked


STRAYS = 0.1
"""Errors of the divergent component that are told, as shares of the height."""


@dataclass(frozen=True)
class WalkReport:
    """Numbers of a walk, NaN where there are none; see the docstrings of its entries."""

    fell: bool
    time: float
    """Until it ended or fell [s]."""
    steps: int
    """Steps that were made."""
    distance: float
    """The length of the way of the middle between both feet, step by step [m]."""
    speed: float
    """The distance by the time of its steps [m/s]."""
    turned: float
    """By which angle the trunk turned, to the left [rad]."""
    cost_of_transport: float
    """Mechanical work of the drives, all counted positive, per weight and distance."""
    effort: float
    """The largest torque, as a share of its limit; NaN where torques have no limits."""
    effort_joint: str
    friction: float
    """The largest friction that soles with a fifth of the weight or more needed, a coefficient."""
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
    estimate: EstimateErrors | None = None
    """By how much it was not where it took itself to be; None if it knew its state as it was."""
    pushes: tuple[FeltPush, ...] = ()
    """Those that it felt, by its estimate and the momentum observer."""

    def __str__(self) -> str:
        end = f"fell after {self.time:.2f} s" if self.fell else f"walked for {self.time:.2f} s"
        turned = f", turned by {np.degrees(self.turned):.0f}°" if abs(self.turned) > 0.02 else ""
        lines = [
            f"{end}: {self.steps} steps, {self.distance:.2f} m at {self.speed:.2f} m/s{turned}",
            _told(self.cost_of_transport, "cost of transport {:.2f}", "no way: no cost of it"),
            _told(
                100 * self.effort,
                f"torques up to {{:.0f}} % of their limits ({self.effort_joint})",
                "torques have no limits",
            ),
            _told(
                self.friction,
                f"friction up to {{:.2f}} of {self.friction_limit:.2f}, of soles with "
                f"{100 * CARRIES:.0f} % of the weight or more",
                f"no sole carried {100 * CARRIES:.0f} % of the weight",
            ),
            _told(
                1e3 * self.pressure_margin,
                "centre of pressure {:.0f} mm inside the soles at least",
                "no centre of pressure",
            ),
            f"angular momentum about the vertical up to {self.momentum:.2f} N·m·s, its rate up to "
            f"{self.momentum_rate:.1f} N·m",
            f"divergent component off by {1e3 * self.divergence:.0f} mm at most",
        ]
        lines += [] if self.estimate is None else [str(self.estimate)]
        lines += [str(push) for push in self.pushes]
        lines += [f"gave way at {t:.2f} s: {what}" for t, what in self.gave_way]
        return "\n".join(lines)

    def as_data(self) -> dict[str, Any]:
        """Return all entries by name, None for what is NaN."""
        own = {each.name: getattr(self, each.name) for each in fields(self)}
        own["estimate"] = None if self.estimate is None else self.estimate.as_data()
        own["pushes"] = [asdict(push) for push in self.pushes]
        return {name: None if value != value else value for name, value in own.items()}


def _told(value: float, text: str, none: str) -> str:
    return none if np.isnan(value) else text.format(value)


def report_of(walked: Walked) -> WalkReport:
    """Return the numbers of a walk."""
    run, model, count = walked.run, walked.walker.body.model, _samples(walked)
    q, v, t, tau = run.q[:count], run.v[:count], run.t[:count], run.tau[:count]
    soles = sole_forces(run, walked.walker.body).until(count)
    error, steps = _cycles(walked, float(t[-1]))
    distance = _distance(walked, steps)
    power = np.abs(tau * v)[:, model.driven].sum(axis=1)
    weight = model.total_mass * float(np.linalg.norm(model.gravity))
    share = np.abs(tau) / np.where(_limited(walked), model.effort_limit, np.inf)
    momentum = np.asarray(model.centroidal_momentum(q, v))[:, 5]
    heading = np.unwrap(np.arctan2(*_ahead(walked, q)))
    limited = bool(_limited(walked).any())
    work = float(np.trapezoid(power, t))
    return WalkReport(
        fell=walked.fell,
        time=float(t[-1]),
        steps=steps,
        distance=distance,
        speed=distance / max(min(steps * walked.walker.step_time, float(t[-1])), 1e-9),
        turned=float(heading[-1] - heading[0]),
        cost_of_transport=work / (weight * distance) if distance > 1e-3 else np.nan,
        effort=float(share.max()) if limited else np.nan,
        effort_joint=_joint_of(walked, int(share.max(axis=0).argmax())) if limited else "",
        friction=-_least(-soles.friction),
        friction_limit=float(walked.friction),
        pressure_margin=_least(soles.margin),
        momentum=float(np.abs(momentum).max()),
        momentum_rate=float(np.abs(np.diff(momentum) / np.diff(t)).max(initial=0.0)),
        divergence=float(error.max(initial=0.0)),
        gave_way=gave_way(walked, soles, share, error),
        estimate=_estimate(walked, len(error)),
        pushes=_pushes(walked, len(error), weight),
    )


def gave_way(
    walked: Walked, soles: Soles, share: Array, error: Array
) -> tuple[tuple[float, str], ...]:
    """Return what gave way, and when [s], in the order of time."""
    run, t = walked.run, walked.run.t
    found = []
    if (at := _first(np.asarray(share >= 0.999).any(axis=1))) is not None:
        joint = _joint_of(walked, int(share[at].argmax()))
        found.append((float(t[at]), f"the torque of {joint!r} is at its limit"))
    if (at := _first(soles.slips.any(axis=1))) is not None:
        leg = walked.walker.body.legs[int(soles.slips[at].argmax())]
        found.append((float(t[at]), f"{leg.end!r} slips"))
    if (at := _first(error > STRAYS * walked.walker.height)) is not None:
        what = f"the divergent component is off by {1e3 * error[at]:.0f} mm"
        found.append((walked.control.cycles.t[at], what))
    if (at := _first(soles.margin < 1e-4)) is not None:
        found.append((float(t[at]), "the centre of pressure is at the edge of the soles"))
    found = sorted(found)
    if run.ended:
        found.append((float(run.ended.time), "it falls"))
    found += [(each.time, f"its simulation fails: {each.cause}") for each in run.failures]
    return tuple(found)


def _samples(walked: Walked) -> int:
    """Return how many samples there are until it fell; the others of a batch may have gone on."""
    ends = [float(walked.run.ended.time), *(each.time for each in walked.run.failures)]
    return max(1, int(np.searchsorted(walked.run.t, min(ends) + 1e-9, side="right")))


def _cycles(walked: Walked, end: float) -> tuple[Array, int]:
    """Return errors of the divergent component (K,) before a time [s], and the steps until it."""
    cycles = walked.control.cycles
    count = int(np.searchsorted(cycles.t, end - 1e-9))
    if not count:
        return np.zeros(0), 0
    error = np.array(cycles.error[:count])[:, walked.index]
    # who was pushed after the last step makes the last ones again
    most = max(int(step[walked.index]) for step in cycles.step[:count])
    return np.linalg.norm(error, axis=1), most - 2


def _estimate(walked: Walked, count: int) -> EstimateErrors | None:
    """Return errors of the estimate in the first cycles, None if there was none."""
    errors = walked.control.cycles.estimate[:count]
    return EstimateErrors.of(np.array(errors)[:, walked.index]) if errors else None


def _pushes(walked: Walked, count: int, weight: float) -> tuple[FeltPush, ...]:
    """Return the pushes that were felt in the first cycles."""
    cycles = walked.control.cycles
    felt = cycles.felt[:count]
    if len(felt) < 2:
        return ()
    return felt_pushes(np.array(cycles.t[:count]), np.array(felt)[:, walked.index], weight)


def _distance(walked: Walked, steps: int) -> float:
    # between the feet nothing sways, and arcs are as long as they are
    stood = _stood(walked, steps)
    return float(np.linalg.norm(np.diff((stood[1:] + stood[:-1]) / 2, axis=0), axis=1).sum())


def _stood(walked: Walked, steps: int) -> Array:
    """Return where feet stood (steps + 2, 2) [m]."""
    control, run, body = walked.control, walked.run, walked.walker.body
    if control.senses is None:
        return control.stepping.position[walked.index, : steps + 2, :2]
    # where walkers with sensors take themselves to be is not where they are
    made = np.array(control.cycles.step)[:, walked.index]
    landed = np.searchsorted(made, np.arange(steps + 2), side="right")
    times = np.array(control.cycles.t)[landed]
    q = run.q[np.searchsorted(run.t, times - 1e-9)]
    left, right = (sole_position(body.model, leg, q)[:, :2] for leg in body.legs)
    return np.where(walked.plan.side[: steps + 2, None] > 0, left, right)


def _limited(walked: Walked) -> Any:
    """Return which efforts (nv,) have limits."""
    limits = walked.run.model.effort_limit
    return np.isfinite(limits) & (limits > 0.0)


def _least(values: Array) -> float:
    """Return the least of the values that are there, NaN if none is."""
    there = values[np.isfinite(values)]
    return float(there.min()) if there.size else np.nan


def _first(holds: Any) -> int | None:
    return int(holds.argmax()) if holds.any() else None


def _ahead(walked: Walked, q: Array) -> tuple[Array, Array]:
    """Return y and x (T,) of where the trunk looks to."""
    body = walked.walker.body
    ahead = body.model.frame_pose(q, body.trunk)[:, :3, :3] @ body.ahead
    return ahead[:, 1], ahead[:, 0]


def _joint_of(walked: Walked, velocity: int) -> str:
    for joint in walked.run.model.joints:
        if joint.v_slice.start <= velocity < joint.v_slice.stop:
            return joint.name
    return ""
