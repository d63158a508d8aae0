"""The controller protocol: gains, references, and cascades of controllers."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import checked_period, expect, reals, suggestion, vectors
from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.model.model import Model

# What all controllers have in common: one way to call them, a reference, limits and a rate.


def checked_model(model: Model, what: str) -> Model:
    """Return `model`, if all its loops are in clusters: then its velocities are independent."""
    expect(model, Model, "model")
    if model.constraints:
        names = ", ".join(repr(each.name) for each in model.constraints)
        raise ModelError(
            f"{what} needs independent velocities, but these loops of {model.name!r} are "
            f"constraints: {names}; state them with constraint=False"
        )
    return model


class ControlLaw(ABC):
    """A law that leads a model along a reference: tau = controller(t, q, v).

    `reference` is what shall be followed, at rest or as a function of time; its value at a time is
    a setpoint. `effort` (nv,) limits the output, the model's limits unless stated, and nothing
    acts on the base then. The output is held over `period` [s], one step of the simulation
    unless stated. Laws that `remember` change with each call, until `reset`.
    """

    name: ClassVar[str] = ""
    """What the core calls the law, if it knows it."""
    remembers: ClassVar[bool] = False
    """Whether a call depends on those before: then `get_state` and `set_state` are there, too."""

    def __init__(
        self,
        model: Model,
        reference: Source,
        *,
        effort: Gains | None = None,
        period: float | None = None,
    ) -> None:
        expect(model, Model, "model")
        self.model = model
        self.effort = effort_limits(effort, model, "effort")
        self._unstated = self.effort.copy() if effort is None else None
        self.reference = Reference(reference, self.setpoint)
        self.period = checked_period(period)

    def __call__(self, t: float, q: ArrayLike, v: ArrayLike, reference: Any = None) -> Array:
        """Return efforts (…, nv) at the time t [s], for states q (…, nq) and v (…, nv).

        A `reference` given here replaces that of the controller for this call: a setpoint, not a
        function. As the inner loop of a `Cascade` it is given what the outer one returns.
        """
        return self.within(self.effort, t, q, v, reference)

    def within(
        self, limits: Array, t: float, q: ArrayLike, v: ArrayLike, reference: Any = None
    ) -> Array:
        """Return efforts (…, nv) within limits (nv,) instead of those of the controller."""
        state = vectors(q, self.model.nq, "q"), vectors(v, self.model.nv, "v")
        tau = self.law(t, *state, self.reference.at(t, reference))
        return np.clip(tau, -limits, limits)

    def reset(self) -> None:  # noqa: B027 (most laws remember nothing)
        """Forget what was, before a new motion; simulations do so at the start of each."""

    @property
    def own_limits(self) -> bool:
        """Whether `effort` was stated, here or later; if not, the limits of a simulation hold."""
        return self._unstated is None or not np.array_equal(self.effort, self._unstated)

    uses_model: ClassVar[bool] = True
    """Whether efforts depend on the dynamics of `model`; those of plain gains do not."""

    @property
    def core_gains(self) -> tuple[Array, Array, Array] | None:
        """Three gains (nv,) or (B, nv) for the same law in the core; None: call this object."""
        return None

    @abstractmethod
    def setpoint(self, value: Any) -> Setpoint:
        """Return the value of a reference, checked: where to be, how fast, and what is added."""

    @abstractmethod
    def law(self, t: float, q: Array, v: Array, setpoint: Setpoint) -> Array:
        """Return efforts (…, nv) without limits."""

    def __repr__(self) -> str:
        rate = "every step" if self.period is None else f"every {self.period:g} s"
        return f"<tarsus.control.{type(self).__name__} of {self.model.name!r}, {rate}>"


# Gains and limits of joint controllers: a number, one for each joint, or one for each velocity.


Gains: TypeAlias = ArrayLike | Mapping[str, float]


def gains(value: Gains, model: Model, name: str) -> Array:
    """Return gains (nv,) or (B, nv), finite and not negative.

    A number is for all coordinates with a drive. A mapping has numbers by names of joints; the
    joints that it does not name have none. A batch has a row of gains for each state.
    """
    found = _finite(_array(value, model, name, np.zeros(model.nv)), name)
    if found.ndim == 0:
        found = np.where(model.driven, float(found), 0.0)
    if found.shape[-1:] != (model.nv,) or found.ndim > 2:
        raise ValueError(
            f"{name} has shape {found.shape}, must be a number, ({model.nv},) or (B, {model.nv})"
            f"{_driven_hint(found, model, name)}"
        )
    return found


def _driven_hint(found: Array, model: Model, name: str) -> str:
    """Return what to say where only the driven coordinates seem to be meant."""
    count = int(np.count_nonzero(model.driven))
    if found.shape != (count,):
        return ""
    return (
        f"; for the {count} coordinates that are driven: full = np.zeros({model.nv}); "
        f"full[model.driven] = {name}"
    )


def effort_limits(value: Gains | None, model: Model, name: str) -> Array:
    """Return the largest efforts (nv,): those of the model unless stated, zero without a drive.

    A mapping states them for the joints it names.
    """
    usual = np.where(model.driven, model.effort_limit, 0.0)
    found = usual if value is None else _array(value, model, name, usual)
    if found.ndim == 0:
        found = np.where(model.driven, float(found), 0.0)
    if found.shape != (model.nv,):
        raise ValueError(f"{name} has shape {found.shape}, must be a number or ({model.nv},)")
    if np.isnan(found).any() or (found < 0.0).any():
        raise ValueError(f"{name} is {found.tolist()}, must not be negative")
    return found


def refuse_undriven(model: Model, effort: Array, what: str, values: Array) -> None:
    """Raise if values (…, nv) would act on a joint that floats, where they would be lost."""
    lost = np.argwhere(_undriven(model, effort) & (values != 0.0))
    if lost.size:
        where = int(lost[0][-1])
        raise ValueError(
            f"{what} has {values[..., where].max()} for joint {_joint_at(model, where)!r}, which "
            f"floats and has no drive: pass zero there, or state in effort what does drive it"
        )


def check_driven(model: Model, effort: Array, what: str) -> None:
    """Raise if a law that needs a drive on every coordinate finds one that floats without."""
    without = np.flatnonzero(_undriven(model, effort))
    if without.size:
        joint = _joint_at(model, int(without[0]))
        raise ValueError(
            f"{what} asks for forces on all coordinates, but joint {joint!r} floats and has no "
            f"drive; if something does drive it, say so: effort={{{joint!r}: np.inf}}"
        )


def _undriven(model: Model, effort: Array) -> NDArray[np.bool_]:
    """Return which velocities (nv,) float, and have no effort that was stated."""
    return np.asarray(~model.driven & (effort == 0.0))


def _joint_at(model: Model, velocity: int) -> str:
    joints = (j for j in model.joints if j.v_slice.start <= velocity < j.v_slice.stop)
    return next(joints).name


def _array(value: Gains, model: Model, name: str, others: Array) -> Array:
    """Return numbers as an array; those of joints that a mapping does not name are `others`."""
    if isinstance(value, Mapping):
        found = np.array(others)
        for joint, number in value.items():
            if not model.joint(joint).own_velocities:
                own = [each.name for each in model.joints if each.own_velocities]
                raise ValueError(
                    f"{name} names joint {joint!r}, which follows others and has no velocity of "
                    f"its own{suggestion(joint, own)}"
                )
            found[model.joint(joint).v_slice] = _number(number, f"{name} of joint {joint!r}")
        return found
    return reals(value, name)


def _number(value: object, name: str) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise TypeError(f"{name} is not a number: {value!r}") from None


def _finite(array: Array, name: str) -> Array:
    if not np.isfinite(array).all() or (array < 0.0).any():
        raise ValueError(f"{name} is {array.tolist()}, must be finite and not negative")
    return array


# What controllers follow: a setpoint that stays, a function of time, or a table of them.
#
# A setpoint is three things at a time t: where to be, how fast to move, and what is added. For
# joint controllers these are positions q (nq), velocities v (nv), and efforts (nv) for PD and PID
# or accelerations (nv) for inverse dynamics and passivity; for controllers of a frame its pose or
# position, its velocity and its acceleration. A batch has one of each for every state.


Setpoint: TypeAlias = tuple[Array, Array, Array]
"""Of joints: positions (…, nq), velocities (…, nv) and what is added (…, nv)."""

Source: TypeAlias = ArrayLike | tuple[ArrayLike, ...] | Callable[[float], Any]
"""A setpoint, or a function t → setpoint: its first part, the first two, or all three."""


class Reference:
    """What is followed, made into setpoints that `check` has looked at."""

    def __init__(self, source: Source, check: Callable[[Any], Setpoint]) -> None:
        self._function = source if callable(source) else None
        self._check = check
        first = check(source(0.0) if callable(source) else source)
        # what its owner does to an array afterwards is not followed
        self._constant = first[0].copy(), first[1].copy(), first[2].copy()

    @property
    def constant(self) -> bool:
        """Whether the reference is the same at all times."""
        return self._function is None

    def __call__(self, t: float) -> Setpoint:
        """Return the setpoint at a time [s]."""
        return self._constant if self._function is None else self._check(self._function(t))

    def at(self, t: float, given: Any = None) -> Setpoint:
        """Return the setpoint at a time [s], or the one that is given instead."""
        return self(t) if given is None else self._check(given)

    def content(self, times: Array) -> list[Array]:
        """Return what tells references apart: a table whole, functions at some times (n,)."""
        if isinstance(self._function, Table):
            table = self._function
            return [table.times, table.q, table.added, *([] if table.v is None else [table.v])]
        moments = [self._constant] if self.constant else [self(float(t)) for t in times]
        return [part for setpoint in moments for part in setpoint]

    def sample(self, times: Array) -> Array:
        """Return setpoints of joints at times (n,) as commands of the core (B or 1, n, size)."""
        if isinstance(self._function, Table):
            parts = self._function.sample(times)
            rows = max(len(part) if part.ndim > 2 else 1 for part in parts)
            level = [np.broadcast_to(part, (rows, *part.shape[-2:])) for part in parts]
            return np.ascontiguousarray(np.concatenate(level, axis=-1))
        found = [_joined(self(float(t))) for t in times]
        return np.ascontiguousarray(np.stack(np.broadcast_arrays(*found), axis=1))


class Table:
    """A motion through configurations at given times: a reference for joint controllers.

    Between `times` (K,) [s] the way from one of the configurations `q` (K, nq), or (B, K, nq),
    to the next is straight (on groups, along the exponential), and `v` (…, K, nv) and `added`
    (…, K, nv) change linearly. Without `v` the velocity is that of the way. Before the first and
    after the last time the ends are held, at rest.
    """

    def __init__(
        self,
        model: Model,
        times: ArrayLike,
        q: ArrayLike,
        v: ArrayLike | None = None,
        added: ArrayLike | None = None,
    ) -> None:
        expect(model, Model, "model")
        self.model = model
        self.times = np.array(times, np.float64)
        if self.times.ndim != 1 or len(self.times) < 2 or not _rise(self.times):
            raise ValueError(f"times must rise and be at least two, got {self.times.tolist()}")
        self.q = self._rows(q, model.nq, "q")
        self.steps = np.asarray(model.difference(self.q[..., :-1, :], self.q[..., 1:, :]))
        zeros = np.zeros((len(self.times), model.nv))
        self.v = None if v is None else self._rows(v, model.nv, "v")
        self.added = zeros if added is None else self._rows(added, model.nv, "added")

    def __call__(self, t: float) -> Setpoint:
        """Return positions, velocities and what is added at a time [s]."""
        q, v, added = self.sample(np.array([t]))
        return q[..., 0, :], v[..., 0, :], added[..., 0, :]

    def sample(self, times: Array) -> Setpoint:
        """Return the same at times (n,), as (…, n, nq), (…, n, nv) and (…, n, nv)."""
        after = np.searchsorted(self.times, times, side="right")
        k = np.clip(after - 1, 0, len(self.times) - 2)
        length = (self.times[k + 1] - self.times[k])[:, None]
        share = np.clip((times - self.times[k])[:, None] / length, 0.0, 1.0)
        steps = self.steps[..., k, :]
        q = np.asarray(self.model.integrate(self.q[..., k, :], share * steps))
        v = steps / length if self.v is None else _between(self.v, k, share)
        inside = (self.times[0] <= times) & (times <= self.times[-1])
        return q, v * inside[:, None], _between(self.added, k, share)

    def _rows(self, value: ArrayLike, size: int, name: str) -> Array:
        rows = vectors(value, size, name)
        if rows.ndim not in (2, 3) or rows.shape[-2:] != (len(self.times), size):
            raise ValueError(
                f"{name} has shape {rows.shape}, must be ({len(self.times)}, {size}) with an "
                "optional batch dimension in front"
            )
        return rows.copy()


def _rise(times: Array) -> bool:
    return bool((np.diff(times) > 0.0).all() and np.isfinite(times).all())


def joint_setpoint(model: Model, value: Any) -> Setpoint:
    """Return q, (q, v) or (q, v, added) as a checked setpoint; what is missing is zero."""
    q, v, added = parts_of(value, 1)
    return (
        vectors(q, model.nq, "reference"),
        vectors(v, model.nv, "the velocity of reference"),
        vectors(added, model.nv, "what reference adds"),
    )


def parts_of(value: Any, dimensions: int) -> tuple[Any, Any, Any]:
    """Return the three parts of a setpoint, None for what is missing.

    A tuple has parts if the first of them has at least as many dimensions as a part must have.
    """
    is_parts = isinstance(value, tuple) and value and np.ndim(value[0]) >= dimensions
    parts = tuple(value) if is_parts else (value,)
    if value is None:
        raise TypeError("reference is None, must be a setpoint")
    if len(parts) > 3:
        raise ValueError(f"reference has at most three parts, got {len(parts)}")
    return (*parts, None, None)[:3]


def command(setpoint: Setpoint) -> Array:
    """Return a setpoint of joints as a command of the core (B or 1, 1, nq + 2 nv)."""
    return np.ascontiguousarray(_joined(setpoint)[:, None])


def _joined(parts: Setpoint) -> Array:
    """Return the parts side by side, (B or 1, nq + 2 nv)."""
    if max(part.ndim for part in parts) > 2:
        shapes = ", ".join(str(part.shape) for part in parts)
        raise ValueError(f"reference has parts {shapes}, must have at most one batch dimension")
    sizes = [len(part) if part.ndim > 1 else 1 for part in parts]
    if sizes == [1, 1, 1]:  # nothing to repeat
        return np.concatenate(parts, axis=None)[None]
    level = [np.broadcast_to(part, (max(sizes), part.shape[-1])) for part in parts]
    return np.concatenate(level, axis=-1)


def _between(rows: Array, k: NDArray[np.int64], share: Array) -> Array:
    return np.asarray((1.0 - share) * rows[..., k, :] + share * rows[..., k + 1, :])


# A slow controller that gives a fast one its setpoints.


class Cascade:
    """tau = inner(t, q, v, setpoint), where setpoint = outer(t, q, v) is renewed by the outer one.

    `outer` is any function, called once in `outer_period` [s]. `inner` is a controller of this
    package, which takes setpoints as its fourth argument, or a function that does. The inner one
    has a period of its own, one step of the simulation unless it states one. Simulations run it in
    the core, with all contacts, where the core knows its law.
    """

    remembers = True

    def __init__(
        self,
        outer: Callable[[float, Array, Array], Any],
        inner: Callable[[float, Array, Array, Any], Any],
        outer_period: float,
    ) -> None:
        for name, part in (("outer", outer), ("inner", inner)):
            if not callable(part):
                raise TypeError(f"{name} is of type {type(part).__name__}, must be a function")
        slow = checked_period(outer_period, "outer_period")
        if slow is None:
            raise TypeError("outer_period is None, must be a number of seconds")
        self.outer, self.inner = outer, inner
        self.outer_period = slow
        if self.period is not None and self.period > slow:
            raise ValueError(
                f"the period of inner is {self.period} s, longer than outer_period, {slow} s"
            )
        self.reset()

    @property
    def period(self) -> float | None:
        """That of the inner controller [s]; None: one step of the simulation."""
        return checked_period(getattr(self.inner, "period", None))

    def reset(self) -> None:
        """Forget the setpoint, so that the next call asks the outer controller."""
        self.setpoint: Any = None
        self._tick = -1
        for part in (self.outer, self.inner):
            if hasattr(part, "reset"):
                part.reset()

    def __call__(self, t: float, q: Array, v: Array) -> Any:
        """Return the efforts of the inner controller."""
        return self.inner(t, q, v, self.renewed(t, q, v))

    def renewed(self, t: float, q: Array, v: Array) -> Any:
        """Return the setpoint at a time [s], from the outer controller once in its period."""
        tick = math.floor(t / self.outer_period + 1e-6)  # times are sums of steps
        if tick != self._tick:
            setpoint = self.outer(t, q, v)
            if setpoint is None:
                raise TypeError(f"outer returned None at t = {t:g} s, must return a setpoint")
            self.setpoint, self._tick = setpoint, tick
        return self.setpoint

    def get_state(self) -> dict[str, Array]:
        """Return what the next call depends on: the setpoint, and what both parts remember."""
        parts = self.setpoint if isinstance(self.setpoint, tuple) else (self.setpoint,)
        state: dict[str, Array] = {"tick": np.array(float(self._tick))}
        if self.setpoint is not None:
            state |= {f"setpoint_{k}": np.array(part, float) for k, part in enumerate(parts)}
            state["is_tuple"] = np.array(float(isinstance(self.setpoint, tuple)))
        for name, part in (("outer", self.outer), ("inner", self.inner)):
            own = part.get_state() if hasattr(part, "get_state") else {}
            state |= {f"{name}.{key}": value for key, value in own.items()}
        return state

    def set_state(self, state: dict[str, Array]) -> None:
        """Go on from a state that `get_state` returned."""
        self._tick = int(state["tick"])
        parts = tuple(state[key] for key in sorted(state) if key.startswith("setpoint_"))
        self.setpoint = None
        if parts:
            self.setpoint = parts if state["is_tuple"] else parts[0]
        for name, part in (("outer", self.outer), ("inner", self.inner)):
            prefix = name + "."
            own = {k.removeprefix(prefix): v for k, v in state.items() if k.startswith(prefix)}
            if hasattr(part, "set_state"):
                part.set_state(own)
