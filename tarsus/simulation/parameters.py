"""Numbers that may differ from state to state of a batch: friction, gains, masses."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import read_only, reals
from tarsus._lib.files import Array
from tarsus.geometry.grounds import Terrain
from tarsus.model import Model
from tarsus.simulation.drives import Drive

MassScale: TypeAlias = ArrayLike | Mapping[str, Any] | None
"""Factors of masses: a number, (n_bodies,), (B, n_bodies), or by names of bodies."""


def parameters(
    model: Model,
    ground: Terrain,
    drive: Drive,
    mass_scale: MassScale,
    states: int,
) -> Array:
    """Return rows for the core: friction, viscous, restitution, rest speed, gains, mass scales.

    (1, n) if they are the same for all states, else (B, n).
    """
    contact = ground.parameters
    kp, kd, ki = drive.gains
    if mass_scale is None and len(contact) == kp.ndim == kd.ndim == ki.ndim == 1:
        return np.concatenate((contact[0], kp, kd, ki, unscaled(model.n_bodies)))[None]
    parts = {
        "the ground's numbers": contact,
        "kp": kp,
        "kd": kd,
        "ki": ki,
        "mass_scale": masses(model, mass_scale),
    }
    rows = [np.atleast_2d(part) for part in parts.values()]
    for name, part in zip(parts, rows, strict=True):
        if len(part) not in (1, states):
            raise ValueError(f"{name} are for {len(part)} states, but the run has {states}")
    size = max(map(len, rows))
    whole = [np.broadcast_to(part, (size, part.shape[1])) for part in rows]
    return np.ascontiguousarray(np.concatenate(whole, axis=1))


@lru_cache(64)
def unscaled(bodies: int) -> Array:
    """Return the factors of masses as they are, which nobody may change: runs share them."""
    return read_only(np.ones(bodies))


def masses(model: Model, scale: MassScale) -> Array:
    """Return factors of masses and inertias (n_bodies,) or (B, n_bodies).

    From a number, an array, or a mapping from names of bodies to numbers or arrays (B,).
    """
    if scale is None:
        return unscaled(model.n_bodies)
    named = scale if isinstance(scale, Mapping) else None
    found = reals(scale, "mass_scale") if named is None else _by_name(model, named)
    if found.ndim == 0:
        found = np.full(model.n_bodies, float(found))
    if found.ndim > 2 or found.shape[-1] != model.n_bodies:
        n = model.n_bodies
        raise ValueError(f"mass_scale has shape {found.shape}, must be (), ({n},) or (B, {n})")
    if not np.isfinite(found).all() or (found <= 0.0).any():
        raise ValueError("mass_scale must be finite and positive")
    return found


def _by_name(model: Model, scale: Mapping[str, Any]) -> Array:
    """Return factors (B, n_bodies) from numbers or arrays (B,) by names of bodies."""
    factors = {name: reals(each, f"mass_scale of {name!r}") for name, each in scale.items()}
    try:
        size = np.broadcast_shapes((1,), *(each.shape for each in factors.values()))
    except ValueError:
        shapes = ", ".join(f"{name!r} {each.shape}" for name, each in factors.items())
        raise ValueError(f"mass_scale has different numbers of states: {shapes}") from None
    found: Array = np.ones((*size, model.n_bodies))
    for name, factor in factors.items():
        found[..., model.body(name).index] = factor
    return found
