"""How efforts come about in a run: by a law in the core, a Python function, or a table.

Each drive has the same list: `name`, `steps`, `effort` and `gains` for the core, and `rows`,
which returns the commands for the next steps. In an interactive motion a setpoint may be given that
replaces the reference of a controller.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from tarsus._lib.files import Array
from tarsus.control.controller import Cascade, ControlLaw, command
from tarsus.model import Model
from tarsus.sensors.touches import Touches
from tarsus.simulation.controllers import (
    checked_effort,
    feels,
    remembers,
    steps_of,
    whole_steps,
)
from tarsus.simulation.errors import SimulationError

Controller: TypeAlias = Callable[[float, Array, Array], Any]
"""(t, q, v) → efforts (nv,), or (B, nv) for q (B, nq) and v (B, nv)."""

SAMPLED = 1024
"""Periods of a reference that are sampled at once."""


class Rows(NamedTuple):
    """Commands (B or 1, K, n) for `steps` steps: row (s − first) // hold, or the last one."""

    values: Array
    hold: int
    first: int
    steps: int


class Seen(Protocol):
    """What a drive may look at."""

    def seen(self) -> tuple[Array, Array]:
        """Return q and v, (nq,) and (nv,) or (B, nq) and (B, nv)."""

    def touches(self) -> Touches | None:
        """Return what touched in the last step, if that is known."""


class Drive(Protocol):
    """What the run asks of the source of its efforts."""

    @property
    def name(self) -> str:
        """What the core calls it."""

    @property
    def steps(self) -> int:
        """Its period, in steps."""

    @property
    def effort(self) -> Array:
        """Limits (nv,)."""

    @property
    def gains(self) -> tuple[Array, Array, Array]:
        """kp, kd and ki, (nv,) or (B, nv)."""

    def rows(self, step: int, limit: int, state: Seen, setpoint: Any = None) -> Rows:
        """Return commands for at most `limit` steps from step number `step`."""

    def get_state(self) -> dict[str, Array]:
        """Return what the next commands depend on, besides the state of the run."""

    def set_state(self, state: dict[str, Array]) -> None:
        """Go on from what `get_state` returned."""


class Stateless:
    """A drive that remembers nothing."""

    def get_state(self) -> dict[str, Array]:
        """Return nothing."""
        return {}

    def set_state(self, state: dict[str, Array]) -> None:
        """Raise if there is something to remember."""
        if state:
            raise other_controller(state)


def other_controller(state: dict[str, Array]) -> ValueError:
    """Return the error of a memory that is another controller's."""
    what = ", ".join(sorted(state)) or "nothing"
    return ValueError(f"the checkpoint is of another controller: it remembers {what}")


class LawDrive(Stateless):
    """A controller that runs in the core."""

    def __init__(self, controller: ControlLaw, dt: float, effort: Array) -> None:
        gains = controller.core_gains
        if gains is None:
            raise ValueError(f"{controller!r} does not run in the core, but ImplicitPD does")
        self.controller = controller
        self.name = controller.name
        self.dt = dt
        self.hold = steps_of(controller, dt)
        # what is implicit in a step is part of every step: the period is that of its reference
        self.steps = 1 if self.name == "implicit_pd" else self.hold
        self.effort = effort
        self.gains = gains
        reference = controller.reference
        self._constant = command(reference(0.0)) if reference.constant else None
        self._read = numbers_of(controller)

    def is_of(self, controller: Controller) -> bool:
        """Whether this is the drive of a controller, which nobody has changed since."""
        return controller is self.controller and numbers_of(self.controller) == self._read

    def rows(self, step: int, limit: int, state: Seen, setpoint: Any = None) -> Rows:
        """Return setpoints for at most `limit` steps from step number `step`."""
        if setpoint is not None:
            return Rows(command(self.controller.setpoint(setpoint)), 1, 0, limit)
        if self._constant is not None:
            return Rows(self._constant, 1, 0, limit)
        tick = step // self.hold
        first = tick * self.hold
        n = min(SAMPLED, -(-(step + limit - first) // self.hold))
        times = np.arange(tick, tick + n, dtype=np.float64) * (self.hold * self.dt)
        values = self.controller.reference.sample(times)
        return Rows(values, self.hold, first, min(limit, first + n * self.hold - step))


def numbers_of(controller: ControlLaw) -> list[object]:
    """Return all that a drive reads from a controller, as it is now."""
    reference = controller.reference
    setpoint = reference(0.0) if reference.constant else ()
    found: list[object] = [controller.model, controller.name, controller.period, reference]
    for array in (*(controller.core_gains or ()), controller.effort, *setpoint):
        found += array.shape, array.tobytes()
    return found


class PythonDrive:
    """A Python function, called once a period, whose efforts are held."""

    name = "torque"

    def __init__(self, model: Model, controller: Controller, dt: float, effort: Array) -> None:
        self.controller = controller
        self._efforts = efforts_of(controller, effort)
        self.model = model
        self.dt = dt
        self.period = steps_of(controller, dt)
        self.steps = 1  # the core need not hold what does not change
        self.effort = effort
        self.gains = (np.zeros(model.nv),) * 3
        self._tau = np.zeros(model.nv)

    def rows(self, step: int, limit: int, state: Seen, setpoint: Any = None) -> Rows:
        """Call the function if its period is over; return what holds until the next one is."""
        t = step * self.dt
        given = () if setpoint is None else (setpoint,)
        if given and not isinstance(self.controller, ControlLaw):
            raise TypeError(f"{self.controller!r} takes no setpoint: those of ts.control do")
        if step % self.period == 0:
            q, v = state.seen()
            if feels(self.controller):
                self.controller.feel(state.touches())  # type: ignore[attr-defined]
            tau = self._efforts(t, q, v, *given)
            self._tau = checked_effort(tau, self.model, q.shape[:-1], t)
        values = np.array(self._tau.reshape(-1, 1, self.model.nv))
        return Rows(values, 1, step, min(limit, self.period - step % self.period))

    def get_state(self) -> dict[str, Array]:
        """Return the held efforts, and what the controller's own `get_state` returns."""
        own = self.controller.get_state() if hasattr(self.controller, "get_state") else None
        if own is None and remembers(self.controller):
            raise TypeError(f"{self.controller!r} has a memory, but no get_state to tell it")
        return {"tau": self._tau, **(own or {})}

    def set_state(self, state: dict[str, Array]) -> None:
        """Go on from what `get_state` returned."""
        if "tau" not in state:
            raise other_controller(state)
        own = dict(state)
        self._tau = own.pop("tau")
        if hasattr(self.controller, "set_state"):
            self.controller.set_state(own)


class CascadeDrive:
    """A Python function that gives setpoints to a controller in the core."""

    def __init__(self, cascade: Cascade, inner: ControlLaw, dt: float, effort: Array) -> None:
        self.controller = cascade
        self.inner = inner
        self.dt = dt
        law = LawDrive(inner, dt, effort)
        self.name, self.steps, self.effort, self.gains = law.name, law.steps, law.effort, law.gains
        self.period = whole_steps(cascade.outer_period, dt, "outer_period of the cascade")

    def rows(self, step: int, limit: int, state: Seen, setpoint: Any = None) -> Rows:
        """Ask the function if its period is over; return what holds until the next one is."""
        if setpoint is not None:
            raise TypeError("a Cascade takes no setpoint: its outer controller gives it")
        t = step * self.dt
        value = self.controller.renewed(t, *state.seen())
        try:
            values = command(self.inner.setpoint(value))
        except (TypeError, ValueError) as error:
            raise SimulationError(f"the outer controller returned: {error}", time=t) from None
        # counted from the start, so that the inner period goes on wherever runs are cut
        return Rows(values, 1, 0, min(limit, self.period - step % self.period))

    def get_state(self) -> dict[str, Array]:
        """Return the setpoint, and what the function's own `get_state` returns."""
        return self.controller.get_state()

    def set_state(self, state: dict[str, Array]) -> None:
        """Go on from what `get_state` returned."""
        if "tick" not in state:
            raise other_controller(state)
        self.controller.set_state(state)


@dataclass(frozen=True)
class TableDrive(Stateless):
    """Commands for the whole run, each held for some steps."""

    name: str
    steps: int
    effort: Array
    gains: tuple[Array, Array, Array]
    values: Array
    """(B or 1, K, n)."""
    hold: int

    def rows(self, step: int, limit: int, state: Seen, setpoint: Any = None) -> Rows:
        """Return all commands."""
        return Rows(self.values, self.hold, 0, limit)


def torques(model: Model, effort: Array, values: Array | None = None, hold: int = 1) -> TableDrive:
    """Return a drive with efforts (B or 1, K, nv), none unless stated."""
    none = np.zeros(model.nv)
    table = none.reshape(1, 1, -1) if values is None else values
    return TableDrive("torque", 1, effort, (none, none, none), table, hold)


def limits_of(controller: ControlLaw, effort: Array) -> Array:
    """Return the limits (nv,) of a simulation, and of the controller if it states any.

    Without those the model's limits, which it keeps for itself, do not count.
    """
    free = np.where(controller.model.driven, np.inf, 0.0)
    return np.minimum(controller.effort if controller.own_limits else free, effort)


def efforts_of(controller: Controller, effort: Array) -> Controller:
    """Return a controller as a function of (t, q, v) that keeps the limits of a simulation."""
    if not isinstance(controller, ControlLaw):
        return controller
    return partial(controller.within, limits_of(controller, effort))


def drive_of(model: Model, controller: Controller | None, dt: float, effort: Array) -> Drive:
    """Return how the efforts of a controller come about: in the core, if it knows it."""
    if controller is None:
        return torques(model, effort)
    check_controller(model, controller)
    inner = controller.inner if isinstance(controller, Cascade) else controller
    if isinstance(inner, ControlLaw):
        limits = limits_of(inner, effort)
        # the core computes with the simulation's model: a law that has another one runs by itself
        same = not inner.uses_model or inner.model is model or inner.model == model
        if same and inner.core_gains is not None:
            if isinstance(controller, Cascade):
                return CascadeDrive(controller, inner, dt, limits)
            return LawDrive(inner, dt, limits)
    return PythonDrive(model, controller, dt, effort)


def check_controller(model: Model, controller: Controller) -> None:
    """Raise unless it is a function, and if it is for a model, for one like this."""
    if not callable(controller):
        raise TypeError(
            f"controller is of type {type(controller).__name__}, must be a function "
            "(t, q, v) → tau or one of ts.control"
        )
    if not isinstance(controller, ControlLaw):
        _check_signature(controller)
    inner = controller.inner if isinstance(controller, Cascade) else controller
    own = inner.model if isinstance(inner, ControlLaw) else model
    if (own.nq, own.nv) != (model.nq, model.nv):
        raise ValueError(f"the controller is for {own.name!r}, the simulation for {model.name!r}")


def _check_signature(controller: Controller) -> None:
    """Raise unless a function can be called with (t, q, v); some do not say how they are."""
    try:
        signature = inspect.signature(controller)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(0.0, None, None)
    except TypeError:
        name = getattr(controller, "__name__", type(controller).__name__)
        raise TypeError(f"controller {name}{signature} must take (t, q, v)") from None
