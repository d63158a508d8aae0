"""Where segments begin: at samples that are far enough from every strike.

A state that is about right just before a strike may be past it, and one just after it has names and
velocities of the other side. No segment begins there.
"""

from __future__ import annotations

import numpy as np

from tarsus._lib.files import Array
from tarsus.events import flow
from tarsus.events.phase import Phase
from tarsus.identification.recording import Recording
from tarsus.identification.shooting import Nodes

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
