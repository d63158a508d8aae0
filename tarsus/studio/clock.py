"""Playback clock, and gaits in the studio."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tarsus._lib.files import Array
from tarsus.gait.cycle import LimitCycle, walked
from tarsus.gait.limit_cycle import limit_cycle
from tarsus.gait.walkers.walker import Walker
from tarsus.geometry.grounds import Ground
from tarsus.studio.edit_history import EXPECTED
from tarsus.studio.language import LineError
from tarsus.studio.quantities import Seen, values
from tarsus.studio.recording import Moment
from tarsus.studio.session import Answer, Stage

# The clock of a stage: while it plays, the machine's time keeps up with that on the wall.


PERIOD = 1.0 / 60.0
"""Between two frames [s]."""
PATIENCE = 0.1
"""How far the machine may lag behind before the lag is forgotten [s of the wall]."""


class Clock:
    """A thread that steps a stage while it plays, and calls `shown` for each frame."""

    def __init__(self, stage: Stage, shown: Callable[[], None]) -> None:
        self.stage, self._shown = stage, shown
        self.rate = 0.0
        """How fast the machine's time goes, compared with the wall, over the last second."""
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="tarsus studio clock")
        self._thread.start()

    def close(self) -> None:
        """Stop for good."""
        self._closed.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout=5.0)

    def _run(self) -> None:
        debt, before, made = 0.0, time.perf_counter(), 0.0
        since, seen = before, 0.0
        while not self._closed.wait(max(0.0, PERIOD - (time.perf_counter() - before))):
            now = time.perf_counter()
            passed, before = now - before, now
            if self.stage.playing:
                debt = min(debt + passed * self.stage.speed, PATIENCE * self.stage.speed)
                made = self._step(debt)
                debt -= made
                seen += made
            else:
                debt = 0.0
            if now - since > 0.5:
                self.rate = seen / (now - since)
                since, seen = now, 0.0
            self._shown()

    def _step(self, time_wanted: float) -> float:
        """Make as many steps as fit into a time [s], and return the time that they took."""
        stage = self.stage
        with stage.lock:
            if not stage.playing:
                return 0.0
            if stage.film:
                return self._play(time_wanted)
            dt = stage.document.dt
            count = int(time_wanted / dt)
            if count < 1:
                return 0.0
            try:
                stage.advance(count)
            except EXPECTED as error:
                stage.playing = False
                field = error.field if isinstance(error, LineError) else ""
                for listener in list(stage.listeners):
                    listener("play", Answer(f"the motion stopped: {error}", False, field))
            return count * dt

    def _play(self, time_wanted: float) -> float:
        """Go on in the recording by a time [s]; at its end it stands still."""
        stage = self.stage
        now = stage.looking.t if stage.looking is not None else stage.recording.span[0]
        stage.looking = stage.recording.at(now + time_wanted)
        stage.playing = stage.looking is not stage.recording.moments[-1]
        return stage.looking.t - now


# Gaits on the stage: found, told, and played; a push shows whether the machine comes back.
#
# A walker's motion goes from strike to strike by `tarsus.flow`, not by the steps of the clock: it
# is computed as a whole, becomes the recording, and is played from there.


EVERY = 1.0 / 60.0


@dataclass(frozen=True, eq=False)
class Gait:
    """A gait that was found, and the return map on the way: `returns` (steps, n) after strikes."""

    cycle: LimitCycle
    returns: Array

    def report(self) -> dict[str, object]:
        """Return its numbers as plain data."""
        cycle = self.cycle
        multipliers = np.asarray(cycle.multipliers)
        return {
            "walker": cycle.walker.name,
            "period": cycle.period,
            "speed": cycle.speed,
            "step_length": cycle.step_length,
            "stable": bool(cycle.stable),
            "multipliers": [[float(x.real), float(x.imag)] for x in multipliers],
            "cost_of_transport": float(cycle.cost_of_transport),
            "violations": list(cycle.violations),
            "returns": self.returns.tolist(),
        }

    def __str__(self) -> str:
        cycle = self.cycle
        sizes = ", ".join(f"{abs(x):.4g}" for x in cycle.multipliers)
        kind = "stable" if cycle.stable else "unstable"
        return (
            f"a {kind} gait: {cycle.speed:.4g} m/s, {cycle.period:.4g} s a step of "
            f"{cycle.step_length:.4g} m; sizes of multipliers {sizes}"
        )


def find_gait(stage: Stage, *, slope: float | None, steps: int, push: float) -> str:
    """Find a gait of the stage's walker, play it from a push, and say what it is."""
    walker = stage.document.walker
    if not isinstance(walker, Walker):
        raise LineError("nothing says how this machine walks: open compass or round_feet first")
    if slope is not None:
        walker = walker.but(slope=slope)
    cycle = limit_cycle(walker)
    q, v = cycle.state
    run, flowed = walked(walker, q, v * (1.0 + push), steps, EVERY, cycle.tolerances)
    returns = np.array([np.concatenate([event.q, event.v]) for event in flowed.events])
    document = stage.document.but(walker=walker, ground=Ground(slope=walker.slope))
    stage.become(document, "gait", start=(run.q[0], run.v[0]))
    machine, base = stage.machine, stage.t
    model = machine.model
    stage.recording.moments[:] = [
        Moment(base + t, model, q, v, values(machine, document.charts, Seen(model, q, v)))
        for t, q, v in zip(run.t, run.q, run.v, strict=True)
    ]
    stage.looking, stage.film = stage.recording.moments[0], True
    stage.gait = Gait(cycle, returns.reshape(len(flowed.events), -1))
    fell = "" if len(flowed.events) == steps else f"; it fell after {len(flowed.events)} steps"
    return f"{stage.gait}{fell}"
