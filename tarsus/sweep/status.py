"""How far a study is: cells, their rate, and the time that is left, as a bar or to a function."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from tarsus._lib.console import Progress, progress_of

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
