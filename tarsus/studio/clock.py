"""The clock of a stage: while it plays, the machine's time keeps up with that on the wall."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from tarsus.studio.language import LineError
from tarsus.studio.stage import Answer, Stage
from tarsus.studio.world import EXPECTED

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
