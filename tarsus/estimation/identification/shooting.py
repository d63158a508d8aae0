"""Motions from node to node through all samples, with slopes by the nodes and by the parameters.

Segments run side by side, sample by sample; slopes follow by the chain rule. Segments begin at
samples that are far enough from every strike: a state that is about right just before a strike may
be past it, and one just after it has names and velocities of the other side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.files import Array
from tarsus.estimation.identification.family import Family, Recording
from tarsus.events.flow import flow
from tarsus.events.flow_result import Flowed
from tarsus.events.phase import Phase
from tarsus.model.model import Model


@dataclass(frozen=True, eq=False)
class Nodes:
    """States where segments begin: at samples `at` (J,), the first of which is 0."""

    at: NDArray[np.int64]
    q: Array
    v: Array


@dataclass(frozen=True, eq=False)
class Shot:
    """States at all samples (N, …), those of nodes as they are, and what segments lead to.

    `slopes` (N, 2 nv, 2 nv + p) are by the node before and by the numbers; `ends` (J − 1, …) are
    states where the next node should be. `jumps` are times [s] at which the state jumped.
    """

    model: Model
    q: Array
    v: Array
    slopes: Array
    end_q: Array
    end_v: Array
    end_slopes: Array
    jumps: Array


@dataclass(frozen=True, eq=False)
class Shooting:
    """Segments of one recording, by machines of a family."""

    family: Family
    recording: Recording
    options: dict[str, Any]

    def shoot(self, values: Array, nodes: Nodes) -> Shot:
        """Follow all segments of the machine with these numbers.

        Raise ArithmeticError if a motion cannot go on.
        """
        return _March(self, values, nodes).through()


class _March:
    """All segments on their way."""

    def __init__(self, shooting: Shooting, values: Array, nodes: Nodes) -> None:
        self.recording, self.options = shooting.recording, shooting.options
        self.family, self.nodes = shooting.family, nodes
        self.phases = self.family.phases(values)
        self.beside = [self.family.beside(values, k) for k in self.family.by_differences]
        self.nv, self.p = self.phases[0].model.nv, len(values)
        count, segments = len(self.recording.t), len(nodes.at)
        self.q, self.v = nodes.q.copy(), nodes.v.copy()
        width = 2 * self.nv + self.p
        self.slopes = np.tile(np.eye(2 * self.nv, width), (segments, 1, 1))
        self.phase = np.zeros(segments, int)
        self.all_q = np.full((count, self.q.shape[1]), np.nan)
        self.all_v = np.full((count, self.nv), np.nan)
        self.all_slopes = np.zeros((count, 2 * self.nv, width))
        self.all_q[nodes.at], self.all_v[nodes.at] = self.q, self.v
        self.all_slopes[nodes.at] = self.slopes
        self.jumps: list[float] = []

    def through(self) -> Shot:
        """Return what all segments did."""
        at = self.nodes.at
        lengths = np.diff(np.append(at, len(self.recording.t) - 1))
        for i in range(int(lengths.max())):
            going = np.flatnonzero(lengths > i)
            for phase in np.unique(self.phase[going]).tolist():
                self._advance(going[self.phase[going] == phase], i, phase)
            inner = going[(lengths[going] > i + 1) | (going == len(at) - 1)]
            to = at[inner] + i + 1
            self.all_q[to], self.all_v[to] = self.q[inner], self.v[inner]
            self.all_slopes[to] = self.slopes[inner]
        ends = slice(0, len(at) - 1)
        return Shot(
            self.phases[0].model,
            *(self.all_q, self.all_v, self.all_slopes),
            *(self.q[ends], self.v[ends], self.slopes[ends]),
            np.array(sorted(self.jumps)),
        )

    def _advance(self, lanes: NDArray[np.int64], i: int, phase: int) -> None:
        """Take segments in one phase on to their next sample."""
        samples = self.nodes.at[lanes] + i
        known = [self.family.known[k] for k in self.family.by_flows]
        flowed = self._flow(self.phases, lanes, samples, phase, known)
        slopes = np.zeros((len(lanes), 2 * self.nv, 2 * self.nv + self.p))
        found = flowed.derivatives
        slopes[:, :, : 2 * self.nv] = found[:, :, : 2 * self.nv]
        slopes[:, :, [2 * self.nv + k for k in self.family.by_flows]] = found[:, :, 2 * self.nv :]
        for k, (step, both) in zip(self.family.by_differences, self.beside, strict=True):
            sides = [self._flow(each, lanes, samples, phase) for each in both]
            slopes[:, :, 2 * self.nv + k] = self._difference(flowed, sides, step)
        self._note(flowed, samples)
        before = self.slopes[lanes]
        after = slopes[:, :, : 2 * self.nv] @ before
        after[:, :, 2 * self.nv :] += slopes[:, :, 2 * self.nv :]
        self.q[lanes], self.v[lanes], self.slopes[lanes] = flowed.q, flowed.v, after
        names = [each.name for each in self.phases]
        self.phase[lanes] = [names.index(name) for name in flowed.phase]

    def _flow(
        self,
        phases: tuple[Phase, ...],
        lanes: NDArray[np.int64],
        samples: NDArray[np.int64],
        phase: int,
        known: Any = None,
    ) -> Flowed:
        tau = self.recording.tau
        ordered = (*phases[phase:], *phases[:phase])
        q, v = self.q[lanes], _as_it_rubs(phases[phase], self.v[lanes])
        flowed = flow(
            ordered,
            q,
            v,
            duration=self.recording.interval,
            tau=None if tau is None else tau[samples],
            derivatives=known is not None,
            parameters=known or (),
            **self.options,
        )
        short = flowed.failed | (flowed.t < self.recording.interval * (1.0 - 1e-9))
        if short.any():
            k = int(np.flatnonzero(short)[0])
            t = self.recording.t[samples[k]] + flowed.t[k]
            exits = [each.name for each in flowed.events if each.motion == k]
            raise ArithmeticError(
                f"the motion {flowed.ended[k]}{f' ({exits[-1]})' if exits else ''} at {t:.6g} s"
            )
        return flowed

    def _difference(self, at: Flowed, sides: list[Flowed], step: float) -> Array:
        """Return changes of states by differences, over those sides that have the same events."""
        model = self.phases[0].model
        total, over = np.zeros((len(at), 2 * self.nv)), np.zeros(len(at))
        for sign, side in zip((1.0, -1.0), sides, strict=True):
            moved = np.concatenate([model.difference(at.q, side.q), side.v - at.v], axis=1)
            alike = side.n_events == at.n_events
            total[alike] += sign * moved[alike]
            over += alike
        return total / (np.maximum(over, 1.0) * step)[:, None]

    def _note(self, flowed: Flowed, samples: NDArray[np.int64]) -> None:
        """Keep the times of events that do something to the state."""
        by_name = {each.name: each for each in self.phases}
        for event in flowed.events:
            if by_name[event.phase].exits[event.exit].reset:  # type: ignore[index]
                self.jumps.append(float(self.recording.t[samples[event.motion]] + event.t))


def _as_it_rubs(phase: Phase, v: Array) -> Array:
    """Return velocities with joints at rest that would turn against the way of their phase."""
    v = v.copy()
    for name, way in phase.rubbing.items():
        at = phase.model.joint(name).v_slice
        v[:, at] = np.where(way * v[:, at] < 0.0, 0.0, v[:, at])
    return v


State = tuple[Array, Array]


def first_nodes(
    phases: tuple[Phase, ...],
    recording: Recording,
    every: int,
    blind: float,
    start: State | None,
) -> Nodes:
    """Return nodes at about each `every`-th sample, with states by what was recorded there.

    Those closer to a jump than `blind` [s] are left out, by the motions from nodes before them.
    """
    model = phases[0].model
    count = len(recording.t)
    whole = recording.whole
    if start is None and whole[0]:
        raise ValueError("q has no finite first row: a motion must begin with what was recorded")
    # several phases: nobody knows in which of them a sample is
    later = [] if len(phases) > 1 else range(every, count - 1, every)
    chosen = [0, *sorted({int(whole[np.argmin(np.abs(whole - k))]) for k in later} - {0})]
    states = [recording.state(model, k) for k in chosen[1:]]
    states.insert(0, recording.state(model, 0) if start is None else start)
    at = np.array(chosen)
    q, v = (np.array(each) for each in zip(*states, strict=True))
    kept = _clear(phases, recording, Nodes(at, q, v), blind)
    return Nodes(at[kept], q[kept], v[kept])


def _clear(phases: tuple[Phase, ...], recording: Recording, nodes: Nodes, blind: float) -> Array:
    """Return which nodes (J,) are farther than `blind` from the jumps that others foresee."""
    kept = np.ones(len(nodes.at), bool)
    jumping = {k for k, each in enumerate(phases[0].exits) if each.reset}  # type: ignore[arg-type]
    if len(kept) == 1 or not jumping:
        return kept
    times = recording.t[nodes.at]
    horizon = 2.0 * (float(np.diff(times).max()) + blind)
    tau = None if recording.tau is None else recording.tau[nodes.at]
    foreseen = flow(phases, nodes.q, nodes.v, duration=horizon, tau=tau, events=1)
    for event in foreseen.events:
        if event.exit in jumping:
            t, after = times[event.motion] + event.t, slice(event.motion + 1, None)
            kept[after] &= np.abs(times[after] - t) > blind
    return kept
