"""Integrators with their settings, the solver of those in the core, and statistics of runs.

Semi-implicit and explicit Euler are flags of the core's steps with contacts. The others are for
smooth motions: each makes a `solver`, which moves a state from a time to others.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain, islice, repeat
from typing import Any, ClassVar, Protocol, Self, TypeAlias

import numpy as np

from tarsus import _core
from tarsus._lib.checks import number, positive
from tarsus._lib.files import Array
from tarsus.control.joint_control import JointController
from tarsus.model import Model
from tarsus.simulation.errors import CAUSES, NOT_FINITE, SimulationError, diverged
from tarsus.simulation.integrators.smooth_motion import Effort, SmoothMotion, linkages

COUNTED = (
    "order",
    "steps",
    "rejected",
    "rates",
    "jacobians",
    "factorisations",
    "last_step",
    "next_step",
    "merged",
)


@dataclass(frozen=True, eq=False)
class Integration:
    """Statistics of a smooth run: numbers, or (B,) for a batch. NaN: the method does not tell."""

    name: str
    rtol: float
    """Relative tolerance, NaN for steps of one length."""
    atol: float
    """Absolute tolerance."""
    order: Array
    """Order of the method, for multistep methods in the last step."""
    steps: Array
    """Accepted steps."""
    rejected: Array
    """Steps that were tried and made anew, shorter."""
    rates: Array
    """Evaluations of accelerations, those for derivatives included."""
    jacobians: Array
    """How often derivatives were found."""
    factorisations: Array
    """How often systems of equations were factored."""
    last_step: Array
    """Length of the last step [s]."""
    next_step: Array
    """Length that the next step would have [s]."""
    merged: Array
    """Short times with impulses instead of forces, where contacts changed too fast (`"event"`)."""

    @classmethod
    def of(cls, integrator: Any, states: Sequence[Mapping[str, float]], batched: bool) -> Self:
        """Return the statistics of all states; what a method does not count is NaN."""
        counted = {
            name: np.array([state.get(name, np.nan) for state in states]) for name in COUNTED
        }
        if not batched:
            counted = {name: numbers[0] for name, numbers in counted.items()}
        rtol, atol = (getattr(integrator, name, np.nan) for name in ("rtol", "atol"))
        return cls(integrator.name, rtol, atol, **counted)

    def __getitem__(self, state: int) -> Integration:
        """Return the statistics of one state of a batch."""
        return type(self)(
            self.name, self.rtol, self.atol, *(getattr(self, name)[state] for name in COUNTED)
        )

    def __str__(self) -> str:
        """Return a line for each number."""
        width = max(len(field.name) for field in fields(self))
        return "\n".join(
            f"{field.name:{width}}  {getattr(self, field.name)}" for field in fields(self)
        )


Parts: TypeAlias = tuple[Array, Array, Array]
"""q (nq,), v (nv,) and works (3 nv + parts,)."""

SAME_TIME = 1e-9
"""Times that differ by less, in parts of dt, are one."""


class Solver(Protocol):
    """The motion of one state under way.

    It is never read beyond where it was asked: samples come from its dense output. Where the
    right-hand side may jump, at `tcrit` and where held efforts change, a step ends and the next one
    starts anew.
    """

    def between(
        self, t: float, state: Parts, times: Iterable[float], end: float, effort: Effort
    ) -> Iterator[Parts | None]:
        """Yield the states at rising times, from a state at t, without a step past their end.

        None says that it goes on, for steps that are far shorter than times are apart.
        """
        ...

    @property
    def statistics(self) -> Mapping[str, float]:
        """What was done until now, by the names of `Integration`."""
        ...


class Paced(Protocol):
    """What takes each state at its own pace: it has a name, and makes solvers."""

    @property
    def name(self) -> str:
        """How users call it."""
        ...

    def solver(self, motion: SmoothMotion, dt: float) -> Solver:
        """Return what makes the steps of one state, with samples each dt [s]."""
        ...


@dataclass(frozen=True)
class Adaptive:
    """Steps as long as errors of q and v, rtol relative and atol absolute, allow.

    No step crosses one of the times `tcrit` [s], where forces may jump.
    """

    rtol: float = 1e-9
    atol: float = 1e-10
    tcrit: Sequence[float] = ()

    def __post_init__(self) -> None:
        positive(self.rtol, "rtol")
        positive(self.atol, "atol")
        given = self.tcrit if isinstance(self.tcrit, Sequence | np.ndarray) else [self.tcrit]
        times = tuple(number(t, "tcrit") for t in given)
        object.__setattr__(self, "tcrit", times)


def before(stop: float, effort: Effort) -> Effort:
    """Return efforts whose jump at a time is seen after it, not by the step that ends there."""
    if isinstance(effort, np.ndarray):
        return effort
    latest = float(np.nextafter(stop, -math.inf))
    return lambda t, q, v: effort(min(t, latest), q, v)


def samples(
    solver: Solver,
    state: Parts,
    ticks: range,
    dt: float,
    effort: Effort,
    tcrit: Sequence[float] = (),
) -> Iterator[Parts | None]:
    """Yield the state at all ticks of dt [s] but the first, the start's; None: it goes on."""
    if state[0].size == 0:  # nothing can move, which libraries do not understand
        yield from repeat(state, len(ticks) - 1)
        return
    t, last, near = ticks[0] * dt, ticks[-1] * dt, SAME_TIME * dt
    following = ticks[0] + 1
    for stop in [*sorted(x for x in tcrit if t + near < x < last - near), last]:
        until = min(math.floor((stop + near) / dt), ticks[-1]) if stop < last else ticks[-1]
        times: Iterable[float] = (tick * dt for tick in range(following, until + 1))
        end = until * dt
        if end < stop - near:  # it ends between two ticks
            times, end = chain(times, [stop]), stop
        acting = effort if stop == last else before(stop, effort)
        for found in solver.between(t, state, times, end, acting):
            if found is None:
                yield None
                continue
            state = found
            if following <= until:
                following += 1
                yield state
        t = end


REACHED, PAUSED, TOO_SHORT, NOT_SOLVED, LOST, DIVERGED = range(6)
"""Why the core stopped."""
WHY = {
    TOO_SHORT: "the step became too short: forces jump, or change far faster than anything else",
    NOT_SOLVED: "the stages of a step were not found: dt is too long for these speeds or springs; "
    "shorten it, or use 'radau'",
    LOST: CAUSES[NOT_FINITE],
}
CHUNK = 256
"""Times that the core is given at once, for one state."""


class CoreSolver:
    """The motion of one state by a method of the core; `step` is the first or the only length.

    By "rk4" some states move together: then q, v, works and held efforts are rows of these.
    """

    def __init__(
        self,
        motion: SmoothMotion,
        method: str,
        order: int,
        *,
        rtol: float = 1.0,
        atol: float = 1.0,
        step: float = 0.0,
    ) -> None:
        self.motion, self.order = motion, order
        self.ahead: int | None = None
        """Times that the core is given at once at most."""
        of_q, of_v = linkages(motion.model)
        self._flow = _core.Flow(
            motion.model,
            method,
            rtol=rtol,
            atol=atol,
            step=step,
            friction=motion.friction,
            linkage_of_q=of_q.tolist(),
            linkage_of_v=of_v.tolist(),
            parts=motion.parts,
            part_numbers=None if motion.numbers is None else motion.numbers[0],
        )

    def between(
        self, t: float, state: Parts, times: Iterable[float], end: float, effort: Effort
    ) -> Iterator[Parts | None]:
        """Yield the states at rising times, from a state at t; None: it goes on."""
        rows = state[0].shape[:-1]
        states = math.prod(rows)
        self._flow.start(t, state[0].ravel(), state[1].ravel(), state[2].ravel(), states)
        rising = iter(times)
        # Ctrl-C is seen between chunks; where Python is asked anyway they may be short
        chunk = 1
        if isinstance(effort, np.ndarray):
            chunk, effort = max(1, (self.ahead or CHUNK) // states), np.ravel(effort)
        while len(some := np.fromiter(islice(rising, chunk), np.float64)):
            while len(some):
                q, v, work, ended = self._flow.go(some, end, effort)
                if rows:
                    q, v, work = (
                        part.reshape(len(part), states, part.shape[1] // states)
                        for part in (q, v, work)
                    )
                yield from zip(q, v, work, strict=True)
                some = some[len(q) :]
                if ended == PAUSED:
                    yield None
                elif ended != REACHED:
                    self._fail(ended, effort)

    @property
    def statistics(self) -> Mapping[str, float]:
        """What was done until now."""
        return {"order": self.order, **self._flow.statistics}

    def _fail(self, ended: int, effort: Effort) -> None:
        """Raise what says why it could not go on."""
        t, model = self._flow.t, self.motion.model
        q, v = (row[0] for row in self._flow.lost)
        if ended == DIVERGED:
            raise diverged(model, v, t)
        reason = ""
        if ended != NOT_SOLVED and len(q) == model.nq:
            try:
                self.motion.rates(t, q, v, effort)
                model.integrate(q, np.zeros(model.nv))
            except (ArithmeticError, ValueError) as error:
                reason = f" ({error})"
        raise SimulationError(f"{WHY[ended]}{reason}", time=t)


@dataclass(frozen=True)
class SemiImplicit:
    """Semi-implicit Euler: new velocities first, then positions with the new velocities.

        v⁺ = v + dt H̃⁻¹ (τ − bias + …) + H̃⁻¹ Jᵀ p,      q⁺ = q exp(dt v⁺)

    Of first order, and the energy of a spring stays bounded for all times below its stability limit
    (it is symplectic for constant inertia). The default, and the one for contacts.
    """

    name: ClassVar[str] = "semi_implicit"
    explicit: ClassVar[bool] = False


@dataclass(frozen=True)
class ExplicitEuler:
    """Explicit Euler: positions with the old velocities. To see why one should not.

        v⁺ = v + dt H̃⁻¹ (τ − bias + …) + H̃⁻¹ Jᵀ p,      q⁺ = q exp(dt v)

    A spring gains energy in every step unless a damper takes it: kd + damping > kp dt for each
    joint (Ayit 2015, chapter 5, drives its quadruped with kd = 1, which this method cannot bear).
    """

    name: ClassVar[str] = "explicit"
    explicit: ClassVar[bool] = True

    def check(self, model: Model, controller: object, dt: float) -> tuple[str, ...]:
        """Return a warning that names the joints whose gains gain energy."""
        if not isinstance(controller, JointController) or controller.adds != "effort":
            return ()
        kp = np.broadcast_to(controller.kp, (*controller.kp.shape[:-1], model.nv))
        weak = []
        for joint in model.joints:
            if len(joint.own_velocities) == joint.nv:
                enough = controller.kd[..., joint.v_slice] + joint.damping
                if (enough <= kp[..., joint.v_slice] * dt)[kp[..., joint.v_slice] > 0.0].any():
                    weak.append(joint.name)
        if not weak:
            return ()
        names = ", ".join(weak[:8]) + (f", … ({len(weak)} in all)" if len(weak) > 8 else "")
        return (
            "explicit Euler is likely to explode: it needs kd + damping > kp dt, which does not "
            f"hold for {names}; raise kd, or use semi_implicit",
        )


@dataclass(frozen=True)
class RK4:
    """The classical Runge–Kutta method of order four, with steps of dt, for smooth motions.

    A tableau of the core's explicit steps (`core/flow/runge_kutta.cpp`), which computes states of a
    batch in lanes: E. Hairer, S. P. Nørsett, G. Wanner, "Solving ordinary differential equations
    I", section II.1. Coordinates go back to where they belong as those of `DormandPrince`, so that
    order four is order four for bodies that spin, and for joints that roll.
    """

    name: ClassVar[str] = "rk4"

    def solver(self, motion: SmoothMotion, dt: float) -> CoreSolver:
        """Return what moves some states with the same parts together, as rows of q and v."""
        return CoreSolver(motion, "rk4", 4, step=dt)


@dataclass(frozen=True)
class DormandPrince(Adaptive):
    """Explicit steps as long as errors of q and v, rtol relative and atol absolute, allow.

    Samples lie on a polynomial between steps, so they do not shorten them. No step crosses one of
    the times `tcrit` [s], where forces may jump.

    Steps of order eight by J. Dormand and P. Prince, with output of order seven between them:
    E. Hairer, S. P. Nørsett, G. Wanner, "Solving ordinary differential equations I", section II.10;
    in the core (`core/flow/dormand_prince.cpp`). The numbers of q follow their rates, and each step
    brings quaternions and loops back to where they belong, which takes away errors of the order of
    the step's own: E. Hairer, C. Lubich, G. Wanner, "Geometric numerical integration", section
    IV.4.
    """

    name: ClassVar[str] = "dormand_prince"

    def solver(self, motion: SmoothMotion, dt: float) -> CoreSolver:
        """Return what moves one state."""
        return CoreSolver(motion, "dormand_prince", 8, rtol=self.rtol, atol=self.atol)


@dataclass(frozen=True)
class Radau(Adaptive):
    """Implicit steps as long as errors of q and v, rtol relative and atol absolute, allow.

    No step crosses one of the times `tcrit` [s], where forces may jump. Radau IIA of order five,
    for stiff drives, springs and strings: E. Hairer, G. Wanner, "Solving ordinary differential
    equations II", section IV.8; in the core (`core/flow/radau.cpp`).
    """

    name: ClassVar[str] = "radau"

    rtol: float = 1e-6
    atol: float = 1e-8

    def solver(self, motion: SmoothMotion, dt: float) -> CoreSolver:
        """Return what moves one state."""
        return CoreSolver(motion, "radau", 5, rtol=self.rtol, atol=self.atol)


@dataclass(frozen=True)
class Gauss:
    """Gauss collocation with eight stages in positions and momenta, for hours of true energy.

    Steps of one length, dt, that are symplectic or at least symmetric, of order sixteen: energy is
    kept up to rounding as long as dt is a small part of any oscillation. E. Hairer, C. Lubich,
    G. Wanner, "Geometric numerical integration", chapters VI and IX; in the core
    (`core/flow/gauss.cpp`).
    """

    name: ClassVar[str] = "gauss"

    def solver(self, motion: SmoothMotion, dt: float) -> CoreSolver:
        """Return what moves one state."""
        return CoreSolver(motion, "gauss", 16, step=dt)
