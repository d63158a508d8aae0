"""The web server of viewer and studio, and its access guard."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import errno
import ipaddress
import json
import logging
import secrets
import socket
import threading
import warnings
from collections.abc import Callable, Coroutine, Iterable, Mapping
from http import HTTPStatus
from typing import Any

# Who may look at the viewer: the page that was opened at its own secret address, and nobody else.
#
# A server on this machine can be reached by every page in the browser and by every user of the
# machine. A request passes if
#
#     its path begins with the token, which only `Viewer.url` tells,
#     its Host is this machine and port: a name that was rebound to this machine is another,
#     its Origin, which browsers state and pages cannot change, is that same address.
#
# Who serves under another `host` opens it to the network: then this machine has further names, and
# the token, which nothing encrypts on its way, is all that keeps others out.
#
# Pages connect to the path from which they were loaded, so the token needs no cookie, which would
# be shown to the servers of all other ports.


HOST = "127.0.0.1"
"""Only this machine can connect."""
NAMES = (HOST, "localhost")
EVERYWHERE = ("0.0.0.0", "::", "")
"""Hosts that stand for all addresses of this machine."""

AnswerGate = Callable[[Any, Any], Any]
"""From a connection and a request to a response, or to None: then a socket is opened."""


class Gate:
    """Refuses all requests but those that know its token and come from its own page."""

    def __init__(self, host: str = HOST) -> None:
        self.host = host
        self.token = secrets.token_urlsafe(24)
        if not _is_this_machine(host):
            warnings.warn(
                f"host={host!r} opens the page to the network: whoever has its address can look "
                "and move things, and it is not encrypted on its way; "
                "host='127.0.0.1' with ssh -L is safer",
                stacklevel=5,
            )

    def url(self, port: int) -> str:
        """Return the address of a page at a port, with the token."""
        name = socket.gethostname() if self.host in EVERYWHERE else self.host
        return f"http://{_bracketed(name)}:{port}/{self.token}/"

    def refusal(self, path: str, headers: Any, port: int) -> str:
        """Return why a request to a port is refused, or nothing."""
        hosts, origins = headers.get_all("Host"), headers.get_all("Origin")
        known = [f"{name}:{port}".removesuffix(":80") for name in self._names()]
        if len(hosts) != 1 or not (hosts[0] in known or self._is_number(hosts[0], port)):
            return f"the host must be {' or '.join(known)}"
        # browsers leave the origin out where they load a page, never where they open a socket
        if (origins or "Upgrade" in headers) and origins != [f"http://{hosts[0]}"]:
            return "the origin must be the page of this viewer"
        token = _parts(path)[0].encode(errors="replace")
        if not secrets.compare_digest(token, self.token.encode()):
            return "the address must have the token that the viewer's url has"
        return ""

    def _names(self) -> tuple[str, ...]:
        """Return what this machine may be called."""
        if self.host in EVERYWHERE:
            return (*NAMES, socket.gethostname())
        return NAMES if self.host in NAMES else (*NAMES, _bracketed(self.host))

    def _is_number(self, host: str, port: int) -> bool:
        """Return whether it is any address in numbers, which no name can be rebound to."""
        if self.host not in EVERYWHERE:
            return False
        number = host.removesuffix(f":{port}").strip("[]")
        with contextlib.suppress(ValueError):
            return bool(ipaddress.ip_address(number)) and (host.endswith(f":{port}") or port == 80)
        return False

    def before(self, answer: AnswerGate) -> AnswerGate:
        """Return an answer to the requests that pass, as if the token were not in their path."""

        def guarded(connection: Any, request: Any) -> Any:
            refusal = self.refusal(request.path, request.headers, connection.local_address[1])
            if refusal:
                return connection.respond(HTTPStatus.FORBIDDEN, f"{refusal}\n")
            response = answer(
                connection, dataclasses.replace(request, path=f"/{_parts(request.path)[1]}")
            )
            if response is not None:
                response.headers["Referrer-Policy"] = "no-referrer"
            return response

        return guarded


def _is_this_machine(host: str) -> bool:
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _parts(path: str) -> tuple[str, str]:
    """Return the first part of a path, and what follows it without a query."""
    first, _, rest = path.partition("?")[0].removeprefix("/").partition("/")
    return first, rest


# A page of our own, on this machine unless told otherwise: one file, one socket, behind the gate.
#
# Whoever has the address gets the page, its data as JSON, and a socket over which both sides send
# small JSON objects. Nothing else is served: there are no files to ask for.


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


# A server behind the gate, in a thread of its own: it answers requests, and talks to pages.
#
# On this machine unless told otherwise, at the first port that is free. What is served says what a
# page may load, and is never kept by browsers.


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
