"""Gains and limits of joint controllers: a number, one for each joint, or one for each velocity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus.arrays import Array
from tarsus.model import Model
from tarsus.model.checks import reals, suggestion

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
