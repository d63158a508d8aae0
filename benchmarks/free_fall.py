"""Free fall by SciPy's RK45, J. Dormand's and P. Prince's method of order 5, driven from Python.

`Before` is how `integrator="dormand_prince"` was until it came into the core: works of the ledger
go along, errors are measured by linkages, and each step is brought back to unit quaternions.
`plain` is the least that one can write, with positions and velocities alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import RK45, solve_ivp

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.simulation.integrators.smooth_motion import LinkageNorm, SmoothMotion


def frictionless(model: ts.Model) -> ts.Model:
    """Return a model without dry friction in its joints, under which no motion is smooth."""
    editor = ts.Editor(model)
    for joint in model.joints:
        if np.any(joint.friction):
            editor.change("joint", joint.name, friction=0.0)
    return editor.build()


def plain(model: ts.Model, y: Array, duration: float, rtol: float, atol: float) -> Array:
    """Return (q, v) after a motion from y = (q, v)."""
    nq = model.nq

    def rates(_: float, y: Array) -> Array:
        q, v = y[:nq], y[nq:]
        a = model.forward_dynamics(q, v, model.passive_forces(q, v))
        return np.concatenate([model.configuration_rate(q, v), a])

    span = (0.0, duration)
    found = solve_ivp(rates, span, y, method="RK45", t_eval=[duration], rtol=rtol, atol=atol)
    return np.asarray(found.y[:, -1])


class Before:
    """SciPy's steps with all that a simulation needs."""

    def __init__(self, model: ts.Model) -> None:
        self.motion = motion = SmoothMotion(model)
        norm = LinkageNorm(model, motion.works)

        class Steps(RK45):  # type: ignore[misc]
            """SciPy's steps with errors by linkages."""

            def _estimate_error_norm(self, stages: Array, h: float, scale: Array) -> float:
                return float(norm(self._estimate_error(stages, h) / scale))

        self.steps: Any = Steps

    def end(self, y: Array, duration: float, rtol: float, atol: float) -> Array:
        """Return (q, v) after a motion from y = (q, v)."""
        motion = self.motion
        rates = motion.rates_of(np.zeros(motion.model.nv))
        begin = np.concatenate([y, np.zeros(motion.works)])
        solver = self.steps(rates, 0.0, begin, duration, rtol=rtol, atol=atol)
        while solver.status == "running":
            message = solver.step()
            if solver.status == "failed":
                raise ArithmeticError(message)
            solver.dense_output()  # samples were taken from it
            solver.y = np.concatenate(motion.on_group(solver.y))
            solver.f = solver.fun(solver.t, solver.y)
        return np.asarray(solver.y[: len(y)])
