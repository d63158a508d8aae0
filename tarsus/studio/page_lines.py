"""Messages of one page: those that wait for their turn, and the line that is being done.

The queue is bounded in messages and in bytes; a page that sends faster waits, because nothing more
is read from its socket. When the page has gone or the studio closes, messages that wait are
dropped, and the line that is being done is asked to stop.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tarsus.studio.stage import Answer, Stage

MOST_MESSAGES, MOST_BYTES = 1000, 4_000_000
"""Of a page that wait for their answers; one message may always wait."""

Message = str | bytes


class PageLines:
    """The queue of a page: `put` and `get` in the server's thread, `do` in any other."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._waiting: deque[Message] = deque()
        self._bytes = 0
        self._changed = asyncio.Condition()
        self._dropped = threading.Event()
        self._lock = threading.Lock()
        """Held to begin, end or stop a line, so that no line of another page is stopped."""
        self._thread: int | None = None
        """The thread that does a line, or waits for the stage to do it."""

    async def put(self, message: Message) -> None:
        """Append a message as soon as there is room for it."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._has_room(len(message)))
            self._waiting.append(message)
            self._bytes += len(message)
            self._changed.notify_all()

    async def get(self) -> Message:
        """Return the next message as soon as there is one."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._waiting)
            message = self._waiting.popleft()
            self._bytes -= len(message)
            self._changed.notify_all()
        return message

    def _has_room(self, size: int) -> bool:
        if not self._waiting:
            return True
        return len(self._waiting) < MOST_MESSAGES and self._bytes + size <= MOST_BYTES

    def do(self, line: str, overwrite: Iterable[str]) -> Answer:
        """Do a line of the page, unless it is dropped before its turn comes."""
        with self._lock:
            self._thread = threading.get_ident()
        try:
            return self._stage.do(line, overwrite=overwrite, unless=self._dropped.is_set)
        finally:
            with self._lock:
                self._thread = None

    def drop(self) -> None:
        """Begin no further line, and ask the one that is being done to stop."""
        self._dropped.set()
        with self._lock:
            if self._thread is not None:
                self._stage.work.stop(self._thread)
