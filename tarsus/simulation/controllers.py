"""What simulations ask of controllers: how often they are called, and what they may return."""

from __future__ import annotations

from typing import Any

import numpy as np

from tarsus._lib.checks import is_tracked, number
from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.simulation.errors import SimulationError


def restart(controller: object) -> None:
    """Let a controller with a memory forget, before a new motion."""
    if isinstance(controller, type):
        name = controller.__name__
        raise TypeError(f"controller is the class {name}, must be an object of it: {name}(…)")
    reset = getattr(controller, "reset", None)
    if callable(reset):
        reset()


def remembers(controller: object) -> bool:
    """Whether a controller has a memory: ours say so, others have one if they can reset it."""
    return bool(getattr(controller, "remembers", hasattr(controller, "reset")))


def feels(controller: object) -> bool:
    """Whether a controller wants to know contacts of the last step, by its method `feel`."""
    return bool(getattr(controller, "feels", False))


def steps_of(controller: object, dt: float) -> int:
    """Return the period of a controller in steps, one if it states none."""
    period = getattr(controller, "period", None)
    return 1 if period is None else whole_steps(period, dt, "controller's period")


def whole_steps(period: float, dt: float, what: str) -> int:
    """Return a period [s] in steps, of which it must be a whole number."""
    period = number(period, f"the {what}")
    steps: int = round(period / dt)
    if steps < 1 or abs(steps * dt - period) > 1e-6 * period:
        raise ValueError(f"the {what} is {period} s, must be a whole number of steps dt = {dt} s")
    return steps


def checked_effort(value: Any, model: Model, lead: tuple[int, ...], t: float) -> Array:
    """Return what a controller returned, as finite efforts (nv,) or (*lead, nv)."""
    if value is None:
        raise SimulationError("the controller returned None: does it lack a return?", time=t)
    try:
        tau = np.asarray(value, np.float64)
    except (RuntimeError, TypeError, ValueError):
        if is_tracked(value):
            cause = "the controller returned a tensor that requires grad: return its .detach()"
            raise SimulationError(cause, time=t) from None
        raise SimulationError(f"the controller returned {value!r}, no numbers", time=t) from None
    if tau.shape not in ((model.nv,), (*lead, model.nv)):
        also = f" or {(*lead, model.nv)}" if lead else ""
        cause = f"the controller returned the shape {tau.shape}, must be ({model.nv},){also}"
        cause += _size_hint(model, tau)
        raise SimulationError(cause, time=t)
    if not np.isfinite(tau).all():
        where = int(np.argwhere(~np.isfinite(tau))[0][-1])
        joint = next(j for j in model.joints if j.v_slice.start <= where < j.v_slice.stop)
        cause = f"the controller returned {tau[..., where]} for joint {joint.name!r}"
        raise SimulationError(cause, time=t, body=joint.child)
    return tau


def _size_hint(model: Model, tau: Array) -> str:
    """What may be meant by efforts of another size: those of actuators, or without the base."""
    size = tau.shape[-1] if tau.ndim else 0
    if size == model.nu and size:
        return ": controls of actuators become efforts by ts.control.Actuated(model, law)"
    if size == np.count_nonzero(model.driven):
        return ", zeros for the base: tau = np.zeros(m.nv); tau[m.driven] = … has the joints' own"
    return ""
