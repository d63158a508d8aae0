"""Progress bars, and Ctrl-C in long computations."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Self

from tarsus._lib.checks import flag

PATIENCE = 1.0
"""Seconds before a bar appears."""


def progress_of(value: bool | None) -> bool | None:
    """Return whether to show a bar: True, False, or None for when it takes long."""
    return None if value is None else flag(value, "progress")


class Progress:
    """A context with `update`. `show` is True, False, or None for: on a terminal, after a while."""

    def __init__(
        self, total: float, show: bool | None, *, what: str = "simulating", unit: str = "s"
    ) -> None:
        self._total = total
        self._what, self._unit = what, unit
        self._show = sys.stderr.isatty() if show is None else show
        self._start = time.monotonic() + (0.0 if show else PATIENCE)
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, done: float, note: str = "") -> None:
        """Tell how much is done, and what to say about it."""
        if self._show and self._bar is None and time.monotonic() >= self._start:
            self._open(done)
        if self._bar is not None:
            self._bar.update(self._task, completed=done, note=note)

    def _open(self, done: float) -> None:
        try:
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar
        except ImportError:
            self._show = False
            return
        digits = ".3g" if self._unit == "s" else ".0f"
        amount = f"{{task.completed:{digits}}} of {{task.total:{digits}}} {self._unit}"
        text = TextColumn(amount + "{task.fields[note]}")
        columns = TextColumn(self._what), BarColumn(), text, TimeRemainingColumn()
        self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
        # what was done before counts for the bar, not for the speed
        self._task = self._bar.add_task("run", total=self._total, completed=done, note="")
        self._bar.start()


# Ctrl-C in long work: the first stops it where it is safe, the second at once.


class Interrupt:
    """A context in which Ctrl-C sets `pressed`; in threads other than the main one it is idle."""

    def __init__(self) -> None:
        self.pressed = False
        self._before: Any = None
        self._active = False

    def __enter__(self) -> Self:
        self._active = threading.current_thread() is threading.main_thread()
        if self._active:
            self._before = signal.signal(signal.SIGINT, self._press)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._active:
            signal.signal(signal.SIGINT, self._before)

    def _press(self, number: int, frame: FrameType | None) -> None:
        if self.pressed:
            raise KeyboardInterrupt
        self.pressed = True


# Progress of a sweep: cells, rate and remaining time, as a bar or passed to a function.


Told = Callable[[str, float], None]


class Status:
    """A context with `update`; rates count only what is computed now, not what was known before."""

    def __init__(self, total: int, known: int, show: bool | Told | None) -> None:
        self._tell = show if callable(show) else None
        self._bar = Progress(
            total,
            False if callable(show) else progress_of(show),
            what="sweeping",
            unit="cells",
        )
        self._total, self._known, self._done, self._failed = total, known, known, 0
        self._start = time.monotonic()

    def __enter__(self) -> Self:
        self._bar.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.__exit__(kind, error, trace)

    def update(self, done: int, failed: int) -> None:
        """Tell that so many cells more are done, and how many of them failed."""
        self._done += done
        self._failed += failed
        rate = (self._done - self._known) / max(time.monotonic() - self._start, 1e-9)
        note = f", {rate:.3g}/s" + (f", {self._failed} failed" if self._failed else "")
        self._bar.update(self._done, note)
        if self._tell is not None:
            left = (self._total - self._done) / rate if rate else float("inf")
            text = f"{self._done} of {self._total} cells{note}, {_clock(left)} left"
            self._tell(text, self._done / self._total)


def _clock(seconds: float) -> str:
    """Return a time in words: 8 s, 3 min, 2 h 5 min."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds == float("inf"):
        return "unknown time"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
