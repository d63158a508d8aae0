"""Work under way that can be stopped, and the wording of errors."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from tarsus.model.description import Description
from tarsus.studio.document import helpers

# Work that lasts: how far it has come, and whether someone else wants it to stop.


PERIOD = 0.1
"""Between two looks of those who watch [s of the wall]."""


class Work:
    """A context for whatever lasts; what is done within it is part of the outermost.

    Whoever works holds the stage, so nobody else can say a line meanwhile. `stop` needs no leave:
    it asks the work to end where the state is whole, and is forgotten when that work has ended.
    """

    def __init__(self) -> None:
        self.stopping = False
        """Whether the work that is being done is to end."""
        self.text = ""
        """How far it has come, nothing if it does not last."""
        self.watchers: list[Callable[[], None]] = []
        """Called by who works, now and then, while it lasts."""
        self._lock = threading.Lock()
        self._depth, self._thread, self._shown = 0, 0, 0.0

    def __enter__(self) -> Self:
        with self._lock:
            self._depth += 1
            if self._depth == 1:
                self._thread, self._shown = threading.get_ident(), time.monotonic()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            self._depth -= 1
            if self._depth == 0:
                self.stopping, self.text, self._thread = False, "", 0

    def stop(self, thread: int | None = None) -> None:
        """Ask what another thread is doing to end soon; nothing happens if nobody works.

        With `thread` only the work of the thread with that identifier is stopped.
        """
        with self._lock:
            if self._depth > 0 and self._thread != threading.get_ident():
                self.stopping |= thread in (None, self._thread)

    def tell(self, done: int, whole: int, what: str) -> None:
        """Say how far the work has come; those who watch are told some times a second."""
        now = time.monotonic()
        if now - self._shown < PERIOD:
            return
        self._shown, self.text = now, f"{done} of {whole} {what}"
        for watcher in list(self.watchers):
            watcher()


# What the library says, in words for people who build: their names, and no advice for programs.


FOR_PROGRAMS = (
    r"; check its frames, or give joint positions near the closed loop as `start`",
    r"\. That is too deep to start from: .*",
    r", which is singular; give another `start`",
)
"""Advice that needs Python to be followed."""


def spoken(stated: Description, text: str) -> str:
    """Return a text with the names that people gave."""
    for name, meant in helpers(stated).items():
        if name in text:
            text = re.sub(rf"(?<![\w.]){re.escape(name)}(?!\w|\.\w)", meant, text)
    for advice in FOR_PROGRAMS:
        text = re.sub(advice, "", text)
    return text
