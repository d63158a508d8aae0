"""Gains and limits of joint controllers: a number, one for each joint, or one for each velocity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus.model import Model
from tarsus.model.description import Array

Gains: TypeAlias = ArrayLike | Mapping[str, float]


def gains(value: Gains, model: Model, name: str) -> Array:
    """Return gains (nv,) or (B, nv), finite and not negative.

    A number is for all coordinates with a drive. A mapping has numbers by names of joints; the
    joints that it does not name have none. A batch has a row of gains for each state.
    """
    found = _finite(_array(value, model, name), name)
    if found.ndim == 0:
        found = np.where(model.driven, float(found), 0.0)
    if found.shape[-1:] != (model.nv,) or found.ndim > 2:
        raise ValueError(
            f"{name} has shape {found.shape}, must be a number, ({model.nv},) or (B, {model.nv})"
        )
    return found


def effort_limits(value: Gains | None, model: Model, name: str) -> Array:
    """Return the largest efforts (nv,): those of the model unless stated, zero without a drive."""
    if value is None:
        return np.where(model.driven, model.effort_limit, 0.0)
    found = _array(value, model, name)
    if found.ndim == 0:
        found = np.where(model.driven, float(found), 0.0)
    if found.shape != (model.nv,):
        raise ValueError(f"{name} has shape {found.shape}, must be a number or ({model.nv},)")
    if np.isnan(found).any() or (found < 0.0).any():
        raise ValueError(f"{name} is {found.tolist()}, must not be negative")
    return found


def _array(value: Gains, model: Model, name: str) -> Array:
    if isinstance(value, Mapping):
        found = np.zeros(model.nv)
        for joint, number in value.items():
            found[model.joint(joint).v_slice] = number
        return found
    try:
        return np.array(value, np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is not an array of numbers: {value!r}") from None


def _finite(array: Array, name: str) -> Array:
    if not np.isfinite(array).all() or (array < 0.0).any():
        raise ValueError(f"{name} is {array.tolist()}, must be finite and not negative")
    return array
