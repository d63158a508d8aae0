"""A page of our own, on this machine unless told otherwise: one file, one socket, behind the gate.

Whoever has the address gets the page, its data as JSON, and a socket over which both sides send
small JSON objects. Nothing else is served: there are no files to ask for.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import logging
import threading
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any

from tarsus.view.gate import HOST, Gate

LARGEST = 1 << 16
"""Bytes of a message from the page."""
PORTS = 100
"""How many ports are tried after the first."""
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'"
)
"""What a page may load: nothing but what it is."""

Message = Mapping[str, Any]


class PageServer:
    """Serves a page and its data, and carries messages, in a thread of its own.

    `page` and `data` return text when a browser asks; `greet` returns the messages for one that
    has connected; `hear` is called with each message of a page, one after another.
    """

    def __init__(
        self,
        port: int,
        *,
        page: Callable[[], str],
        data: Callable[[], str],
        greet: Callable[[], Iterable[Message]],
        hear: Callable[[Message], None],
        host: str = HOST,
    ) -> None:
        self.gate = Gate(host)
        self.pages: set[Any] = set()
        """Sockets of the pages that are open."""
        self._texts = {"/": (page, "text/html"), "/index.html": (page, "text/html")}
        self._texts["/data.json"] = (data, "application/json")
        self._greet, self._hear = greet, hear
        self._loop = asyncio.new_event_loop()
        self._ready, self._end = threading.Event(), asyncio.Event()
        self._problem: BaseException | None = None
        self.port = 0
        self._thread = threading.Thread(target=self._run, args=(port,), daemon=True)
        self._thread.start()
        self._ready.wait()
        if self._problem is not None:
            raise self._problem

    @property
    def url(self) -> str:
        """The address for a browser."""
        return self.gate.url(self.port)

    def send(self, message: Message) -> None:
        """Send a message to all pages, from any thread."""
        text = json.dumps(message)
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._broadcast, text)

    def close(self) -> None:
        """End the server and its thread."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._end.set)
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _broadcast(self, text: str) -> None:
        from websockets.asyncio.server import broadcast

        broadcast(self.pages, text)

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

        quiet = logging.getLogger("tarsus.view")
        options: dict[str, Any] = {
            "process_request": self.gate.before(self._answer),
            "max_size": LARGEST,
            "logger": quiet,
        }
        for port in range(first, first + PORTS):
            try:
                async with serve(self._talk, self.gate.host, port, **options) as server:
                    self.port = server.sockets[0].getsockname()[1]
                    self._ready.set()
                    await self._end.wait()
                    return
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
        raise OSError(f"no port from {first} to {first + PORTS - 1} is free")

    def _answer(self, connection: Any, request: Any) -> Any:
        """Return the page or its data; None opens a socket."""
        from websockets.datastructures import Headers
        from websockets.http11 import Response

        if "Upgrade" in request.headers:
            return None
        if request.path not in self._texts:
            return connection.respond(HTTPStatus.NOT_FOUND, "there is no such page\n")
        make, kind = self._texts[request.path]
        body = make().encode()
        headers = Headers(
            {
                "Content-Type": f"{kind}; charset=utf-8",
                "Content-Length": str(len(body)),
                "Content-Security-Policy": POLICY,
                "X-Content-Type-Options": "nosniff",
                "Cache-Control": "no-store",
                "Connection": "close",
            }
        )
        return Response(HTTPStatus.OK, "OK", headers, body)

    async def _talk(self, socket: Any) -> None:
        """Greet a page and hear what it says; what is no JSON object is not heard."""
        greeting = [json.dumps(message) for message in self._greet()]
        self.pages.add(socket)
        try:
            for text in greeting:
                await socket.send(text)
            async for text in socket:
                try:
                    message = json.loads(text)
                except (ValueError, RecursionError):
                    continue
                if isinstance(message, dict):
                    self._hear(message)
        finally:
            self.pages.discard(socket)
