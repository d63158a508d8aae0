"""A server behind the gate, in a thread of its own: it answers requests, and talks to pages.

On this machine unless told otherwise, at the first port that is free. What is served says what a
page may load, and is never kept by browsers.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import threading
from collections.abc import Callable, Coroutine, Iterable
from http import HTTPStatus
from typing import Any

from tarsus.view.gate import HOST, Gate

PORTS = 100
"""How many ports are tried after the first."""
MOST_CONNECTIONS = 100
"""Connections at a time, among them those that have not yet sent a request; others are refused."""
MOST_UNSENT = 64 * 1024 * 1024
"""Bytes that wait for a page; a page that reads no more than that is disconnected."""
GRACE_S = 1.0
"""How long pages have to answer when the server closes; then their connections are cut [s]."""

Answer = Callable[[Any, Any], Any]
"""From a connection and a request to a response, or to None: then a socket is opened."""


class GuardedServer:
    """Serves until `close`: `answer` is asked for requests, `talk` for each socket until it ends.

    Messages of pages have at most `largest` bytes.
    """

    def __init__(
        self,
        port: int,
        *,
        answer: Answer,
        talk: Callable[[Any], Coroutine[Any, Any, None]],
        largest: int,
        host: str = HOST,
    ) -> None:
        self.gate = Gate(host)
        self.port = 0
        self.pages: set[Any] = set()
        """Sockets of the pages that are open."""
        self._answer, self._talk, self._largest = answer, talk, largest
        self._transports: set[Any] = set()
        """All connections, also those that have not sent a request."""
        self._talks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._ready, self._end = threading.Event(), asyncio.Event()
        self._problem: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(port,), daemon=True)
        self._thread.start()
        self._ready.wait()
        if self._problem is not None:
            raise self._problem

    @property
    def url(self) -> str:
        """The address for a browser, with the token; whoever knows it gets in."""
        return self.gate.url(self.port)

    def call(self, function: Callable[..., object], *arguments: object) -> None:
        """Call a function in the server's thread, unless the server has ended."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(function, *arguments)

    def send(self, message: str | bytes, but: Any = None, backlog: int | None = None) -> None:
        """Send a message to all pages but one; from the server's thread.

        With `backlog` those for which more bytes wait are left out.
        """
        pages = [page for page in self.pages if page is not but]
        if backlog is not None:
            pages = [page for page in pages if page.transport.get_write_buffer_size() < backlog]
        self.send_to(pages, [message])

    def send_to(self, pages: Iterable[Any], messages: Iterable[str | bytes]) -> None:
        """Send messages to pages without waiting for any of them; from the server's thread.

        Pages that do not read what is sent are disconnected.
        """
        from websockets.asyncio.server import broadcast

        reading = []
        for page in pages:
            if page.transport.get_write_buffer_size() > MOST_UNSENT:
                page.transport.abort()
            else:
                reading.append(page)
        for message in messages:
            broadcast(reading, message)

    def close(self) -> None:
        """End the server and its thread."""
        self.call(self._end.set)
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self, port: int) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve(port))
        except BaseException as error:
            self._problem = error
        finally:
            self._ready.set()
            self._loop.close()

    async def _serve(self, first: int) -> None:
        """Serve at the first port that is free, until the end."""
        from websockets.asyncio.server import serve

        options: dict[str, Any] = {
            "create_connection": self._connection,
            "process_request": self.gate.before(self._answer),
            "max_size": self._largest,
            "logger": _logger(),
            "compression": None,  # the page is on this machine
        }
        for port in range(first, first + PORTS):
            try:
                async with serve(self._page, self.gate.host, port, **options) as server:
                    self.port = server.sockets[0].getsockname()[1]
                    self._ready.set()
                    await self._end.wait()
                    for talk in self._talks:
                        talk.cancel()
                    self._loop.call_later(GRACE_S, self._cut)
                    return
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
        raise OSError(f"no port from {first} to {first + PORTS - 1} is free")

    def _connection(self, *arguments: Any, **options: Any) -> Any:
        """Return a connection that is known from its first moment on."""
        from websockets.asyncio.server import ServerConnection

        transports = self._transports

        class Connection(ServerConnection):
            def connection_made(self, transport: Any) -> None:
                super().connection_made(transport)
                if len(transports) >= MOST_CONNECTIONS:
                    transport.abort()
                transports.add(transport)

            def connection_lost(self, error: Exception | None) -> None:
                transports.discard(self.transport)
                super().connection_lost(error)

        return Connection(*arguments, **options)

    def _cut(self) -> None:
        """Cut all connections: of pages that do not read, and of those that say nothing."""
        for transport in list(self._transports):
            transport.abort()

    async def _page(self, socket: Any) -> None:
        """Talk with one page until it goes, be it in the midst of a message, or the server ends."""
        from websockets.exceptions import ConnectionClosed

        talk = asyncio.create_task(self._talk(socket))
        closed = asyncio.create_task(socket.wait_closed())
        self.pages.add(socket)
        self._talks.add(talk)
        try:
            await asyncio.wait([talk, closed], return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.pages.discard(socket)
            self._talks.discard(talk)
            for task in (talk, closed):
                task.cancel()
            (ended, _) = await asyncio.gather(talk, closed, return_exceptions=True)
        gone = (ConnectionClosed, ConnectionError)
        if isinstance(ended, Exception) and not isinstance(ended, gone):
            raise ended


def _logger() -> logging.Logger:
    """Return the logger of servers, which leaves out connections that end before a request.

    Browsers open some of these in advance; they are no errors of ours.
    """
    logger = logging.getLogger("tarsus.view")
    logger.addFilter(_is_ours)
    return logger


def _is_ours(record: logging.LogRecord) -> bool:
    return record.getMessage() != "opening handshake failed"


def served(body: bytes, kind: str, policy: str) -> Any:
    """Return the response with a body of a kind, which may load what the policy says."""
    from websockets.datastructures import Headers
    from websockets.http11 import Response

    headers = Headers(
        {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Content-Security-Policy": policy,
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "no-store",
            "Connection": "close",
        }
    )
    return Response(HTTPStatus.OK, "OK", headers, body)
