"""A page of our own, on this machine unless told otherwise: one file, one socket, behind the gate.

Whoever has the address gets the page, its data as JSON, and a socket over which both sides send
small JSON objects. Nothing else is served: there are no files to ask for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any

from tarsus.view.gate import HOST
from tarsus.view.guarded_server import GuardedServer, served

LARGEST = 1 << 16
"""Bytes of a message from the page."""
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
        self._texts = {"/": (page, "text/html"), "/index.html": (page, "text/html")}
        self._texts["/data.json"] = (data, "application/json")
        self._greet, self._hear = greet, hear
        self._server = GuardedServer(
            port, answer=self._answer, talk=self._talk, largest=LARGEST, host=host
        )

    @property
    def pages(self) -> set[Any]:
        """Sockets of the pages that are open."""
        return self._server.pages

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._server.port

    @property
    def url(self) -> str:
        """The address for a browser."""
        return self._server.url

    def send(self, message: Message) -> None:
        """Send a message to all pages, from any thread."""
        self._server.call(self._server.send, json.dumps(message))

    def close(self) -> None:
        """End the server and its thread."""
        self._server.close()

    def _answer(self, connection: Any, request: Any) -> Any:
        """Return the page or its data; None opens a socket."""
        if "Upgrade" in request.headers:
            return None
        if request.path not in self._texts:
            return connection.respond(HTTPStatus.NOT_FOUND, "there is no such page\n")
        make, kind = self._texts[request.path]
        return served(make().encode(), f"{kind}; charset=utf-8", POLICY)

    async def _talk(self, socket: Any) -> None:
        """Greet a page and hear what it says; what is no JSON object is not heard."""
        for message in self._greet():
            await socket.send(json.dumps(message))
        async for text in socket:
            try:
                message = json.loads(text)
            except (ValueError, RecursionError):
                continue
            if isinstance(message, dict):
                self._hear(message)
