"""A progress bar for runs that take long, if rich is installed and someone looks."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, Self

from tarsus.model.checks import flag

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
        self._total, self._what, self._unit = total, what, unit
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

    def update(self, done: float) -> None:
        """Tell how much is done: how many seconds are simulated."""
        if self._show and self._bar is None and time.monotonic() >= self._start:
            self._open()
        if self._bar is not None:
            self._bar.update(self._task, completed=done)

    def _open(self) -> None:
        try:
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar
        except ImportError:
            self._show = False
            return
        text = TextColumn(f"{{task.completed:.3g}} of {{task.total:.3g}} {self._unit}")
        columns = TextColumn(self._what), BarColumn(), text, TimeRemainingColumn()
        self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task("run", total=self._total)
        self._bar.start()
