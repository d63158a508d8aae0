"""Steps from configuration to configuration; loops that cannot follow are told, state by state."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.ik.status import OPEN_LOOP
from tarsus.model import Model


def move(
    model: Model, q: Array, v: Array, dt: float, code: NDArray[np.int64]
) -> tuple[Array, Array, NDArray[np.int64]]:
    """Return the configurations (…, nq) after steps, the velocities of these, and codes (…).

    A state whose loops cannot follow goes half as far, at most five times; then it stays.
    """
    try:
        return np.asarray(model.integrate(q, v * dt)), v, code
    except ArithmeticError:
        pass
    places, speeds, codes = q.reshape(-1, model.nq), v.reshape(-1, model.nv), code.reshape(-1)
    reached, taken, ends = places.copy(), speeds.copy(), codes.copy()
    for k, (place, speed) in enumerate(zip(places, speeds, strict=True)):
        share = _share(model, place, speed * dt)
        taken[k] = share * speed
        if share > 0.0:
            reached[k] = model.integrate(place, taken[k] * dt)
        else:
            ends[k] = OPEN_LOOP
    return reached.reshape(q.shape), taken.reshape(v.shape), ends.reshape(code.shape)


def open_loops(model: Model, q: Array) -> NDArray[np.bool_]:
    """Return in which states (…) of q (…, nq) a loop cannot be closed."""
    try:
        model.forward_kinematics(q)
        return np.zeros(q.shape[:-1], bool)
    except ArithmeticError:
        found = [_is_open(model, place) for place in q.reshape(-1, model.nq)]
        return np.array(found).reshape(q.shape[:-1])


def _is_open(model: Model, q: Array) -> bool:
    try:
        model.forward_kinematics(q)
    except ArithmeticError:
        return True
    return False


def _share(model: Model, q: Array, step: Array) -> float:
    """Return how much of a step the loops of one state follow: 1, ½, … ¹⁄₃₂, or 0."""
    share = 1.0
    for _ in range(6):
        try:
            model.integrate(q, share * step)
            return share
        except ArithmeticError:
            share *= 0.5
    return 0.0
