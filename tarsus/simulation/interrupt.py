"""Ctrl-C during a run: the first stops it after the current steps, the second at once."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self


class Interrupt:
    """A context in which Ctrl-C sets `pressed`; in threads other than the main one it is idle.

    An idle one leaves Ctrl-C as it is: it raises `KeyboardInterrupt`.
    """

    def __init__(self, *, idle: bool = False) -> None:
        self.pressed = False
        self._before: Any = None
        self._idle = idle
        self._active = False

    def __enter__(self) -> Self:
        main = threading.main_thread()
        self._active = not self._idle and threading.current_thread() is main
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
