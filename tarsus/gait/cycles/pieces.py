"""The motion of a gait in pieces, from event to event, with states at both ends of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import Array
from tarsus.events.phase import Phase
from tarsus.events.report import Flowed
from tarsus.gait.walkers.walker import Walker


@dataclass(frozen=True, eq=False)
class Piece:
    """A phase of a step: times (T,) [s], q (T, nq), v (T, nv), and efforts of its controller."""

    step: int
    """Which of the steps, from 0 on."""
    phase: Phase
    t: Array
    q: Array
    v: Array
    tau: Array

    def integral(self, values: Array) -> float:
        """Return the integral of values (T,) over the piece, by a spline through them."""
        from scipy.interpolate import CubicSpline  # slow to import, and only needed here

        return float(CubicSpline(self.t, values).integrate(self.t[0], self.t[-1]))


def pieces(walker: Walker, flowed: Flowed) -> Iterator[Piece]:
    """Yield the pieces of a flow with samples that ended with an event."""
    t, q, v = flowed.samples
    first = walker.phases[0].model
    begin, at_q, at_v = 0.0, q[0, : first.nq], v[0, : first.nv]
    named = {phase.name: phase for phase in walker.phases}
    for k, event in enumerate(flowed.events):
        phase = named[event.phase]
        m = phase.model
        inside = (t > begin + 1e-9) & (t < event.t - 1e-9)
        times = np.concatenate([[begin], t[inside], [event.t]])
        states = np.concatenate([at_q[None], q[inside, : m.nq], event.q[None]])
        rates = np.concatenate([at_v[None], v[inside, : m.nv], event.v[None]])
        tau = _efforts(phase, times, states, rates)
        yield Piece(k // walker.events, phase, times, states, rates, tau)
        begin, at_q, at_v = event.t, event.next_q, event.next_v


def _efforts(phase: Phase, t: Array, q: Array, v: Array) -> Array:
    if phase.controller is None:
        return np.zeros_like(v)
    return np.array([phase.controller(s, a, b) for s, a, b in zip(t, q, v, strict=True)], float)
