"""Who may look at the viewer: the page that was opened at its own secret address, and nobody else.

A server on this machine can be reached by every page in the browser and by every user of the
machine. viser, on which the editor of volumes stands, lets all of them in: they read the scene,
move sliders, and can ask for a tunnel that opens it to the world. Here a request passes if

    its path begins with the token, which only `Viewer.url` tells,
    its Host is this machine and port: a name that was rebound to this machine is another,
    its Origin, which browsers state and pages cannot change, is that same address.

Who serves under another `host` opens it to the network: then this machine has further names, and
the token, which nothing encrypts on its way, is all that keeps others out.

Pages connect to the path from which they were loaded, so the token needs no cookie, which would be
shown to the servers of all other ports.
"""

from __future__ import annotations

import contextlib
import dataclasses
import ipaddress
import secrets
import socket
import threading
import warnings
from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Any

HOST = "127.0.0.1"
"""Only this machine can connect."""
NAMES = (HOST, "localhost")
EVERYWHERE = ("0.0.0.0", "::", "")
"""Hosts that stand for all addresses of this machine."""

_one_at_a_time = threading.Lock()

Answer = Callable[[Any, Any], Any]
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
        self.stands = False
        """Whether a server is behind it."""

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

    def before(self, answer: Answer) -> Answer:
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

        self.stands = True
        return guarded


def guarded_server(gate: Gate, port: int, label: str) -> Any:
    """Return a server of viser behind a gate, without tunnels; needs viser."""
    import viser

    class Server(viser.ViserServer):  # type: ignore[misc, unused-ignore]
        def request_share_url(self, verbose: bool = True) -> None:
            """Ask for no tunnel, whoever wants one."""

    with _standing_before_viser(gate):
        server = Server(HOST, port, label, verbose=False)
    if not gate.stands or "request_share_url" not in vars(viser.ViserServer):
        server.stop()
        raise RuntimeError(
            f"viser {viser.__version__} serves in a way that the viewer cannot guard; "
            "pip install 'viser==1.1.*'"
        )
    return server


@contextlib.contextmanager
def _standing_before_viser(gate: Gate) -> Iterator[None]:
    """Put a gate before the server that viser starts in the meantime.

    viser has no place for a check of its own, and a second server before it would leave its port
    open. But it asks websockets to serve, and that takes a function which sees requests first.
    """
    from websockets.asyncio import server as websockets

    serve: Any = websockets.serve

    def guarded(handler: Any, *where: Any, **options: Any) -> Any:
        if handler.__module__.startswith("viser.") and options.get("process_request"):
            options["process_request"] = gate.before(options["process_request"])
        return serve(handler, *where, **options)

    with _one_at_a_time:
        websockets.serve = guarded  # type: ignore[misc, assignment]
        try:
            yield
        finally:
            websockets.serve = serve  # type: ignore[misc]


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
