"""Steps short enough for the feedback of a controller that was made for whole runs.

An adaptive run follows a stiff feedback by steps of its own, and `dt` is how often it is recorded.
Steps of that length may not: τ = −K x − D v, held for a step, is stable only if all eigenvalues of

    v⁺ = v − dt M⁻¹ (K x + D v),   x⁺ = x + dt v⁺

are within the unit circle.
"""

from __future__ import annotations

import numpy as np

from tarsus._lib.files import Array
from tarsus.scenes.scene import Scene

LEAST_PART = 2**-8
"""Of the scene's dt; a feedback that is not stable with such steps is left as it is, and told."""
GROWTH = 1.01
"""By which a disturbance may grow in a step, as what falls over does."""
NUDGE = 1e-6
"""By which slopes of the feedback are found [m, rad, m/s, rad/s]."""


def stable_step(scene: Scene) -> float:
    """Return the dt of a scene, halved until the feedback of its controller is stable [s]."""
    if not callable(scene.controller):
        return scene.dt
    rates = _rates(scene)
    dt = scene.dt
    while dt >= LEAST_PART * scene.dt:
        if _growth(*rates, dt) <= GROWTH:
            return dt
        dt /= 2
    return scene.dt


def diverges(scene: Scene, dt: float) -> bool:
    """Return whether the feedback of a scene's controller is not stable with steps of dt [s]."""
    return callable(scene.controller) and _growth(*_rates(scene), dt) > GROWTH


def _rates(scene: Scene) -> tuple[Array, Array]:
    """Return M⁻¹ K and M⁻¹ D (nv, nv) of the controller at the start, stiffness and damping."""
    model, q, v = scene.model, scene.q0, scene.v0

    def effort(dq: Array, dv: Array) -> Array:
        return np.asarray(scene.controller(0.0, model.integrate(q, dq), v + dv))

    none, nudges = np.zeros(model.nv), NUDGE * np.eye(model.nv)
    stiffness = [effort(-x, none) - effort(x, none) for x in nudges]
    damping = [effort(none, -x) - effort(none, x) for x in nudges]
    mass = model.mass_matrix(q)
    slopes = (np.transpose(each) / (2 * NUDGE) for each in (stiffness, damping))
    first, second = (np.asarray(np.linalg.solve(mass, each), float) for each in slopes)
    return first, second


def _growth(stiffness: Array, damping: Array, dt: float) -> float:
    """Return by which a disturbance grows in a step, at most; both (nv, nv) are per mass."""
    one = np.eye(len(stiffness))
    velocity = np.hstack([-dt * stiffness, one - dt * damping])
    whole = np.vstack([np.hstack([one, 0 * one]) + dt * velocity, velocity])
    return float(np.abs(np.linalg.eigvals(whole)).max(initial=0.0))
