"""Requests to the studio that are not from its own page are refused on every route.

A page of another site can send requests to a server on the same computer, and with DNS rebinding
its own name becomes a name of that server. Each request here lacks one of what the studio's page
has: the name of this computer as Host, the studio's own address as Origin, or the token.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib import resources
from typing import Any
from urllib.parse import urlsplit

import pytest
from pages import PATIENCE

from tarsus.studio import Stage, Studio
from tarsus.studio.server import FOLDERS, open_studio

pytest.importorskip("websockets")

TOKEN_LENGTH = 32
"""Characters of 24 random bytes in base 64."""
SITE = "evil.example"
UPGRADE = (
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
)


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A studio with one body."""
    stage = Stage(root=tmp_path_factory.mktemp("root"))
    stage.do("add box brick -t 0 0 1")
    with open_studio(stage, port=0) as served:
        yield served


def files() -> list[str]:
    """Return the paths of all files that the studio serves."""
    found = ["", "page/", "view/", "missing.js"]
    for folder, package in FOLDERS.items():
        listed = resources.files(package).joinpath("page").iterdir()
        found += sorted(f"{folder}/{each.name}" for each in listed if each.is_file())
    assert len(found) > 50
    return found


def status(studio: Studio, path: str, *headers: str, method: str = "GET") -> int:
    """Return the status of the answer to a request, 0 for a connection that is closed."""
    with socket.create_connection(("127.0.0.1", studio.port), timeout=PATIENCE) as connection:
        lines = (f"{method} {path} HTTP/1.1", *headers, "", "")
        connection.sendall("\r\n".join(lines).encode())
        answer = b""
        while b"\r\n" not in answer:
            received = connection.recv(4096)
            if not received:
                return 0
            answer += received
    return int(answer.split()[1])


def token(studio: Studio) -> str:
    return urlsplit(studio.url).path.strip("/")


def test_own_page_is_served(studio: Studio) -> None:
    """The requests of the other tests fail by what they lack, not by their form."""
    host, secret = f"127.0.0.1:{studio.port}", token(studio)
    assert len(secret) == TOKEN_LENGTH
    for name in (host, f"localhost:{studio.port}"):
        assert status(studio, f"/{secret}/", f"Host: {name}") == 200
        assert status(studio, f"/{secret}/page/main.js", f"Host: {name}") == 200
        origin = f"Origin: http://{name}"
        assert status(studio, f"/{secret}/socket", f"Host: {name}", origin, *UPGRADE) == 101


@pytest.mark.parametrize("is_socket", [False, True], ids=["file", "socket"])
def test_foreign_hosts_are_refused(studio: Studio, is_socket: bool) -> None:
    """A rebound name is the Host and the Origin of what its page sends, also with the token."""
    port, secret = studio.port, token(studio)
    own = f"127.0.0.1:{port}"
    lists = [
        *([f"Host: {name}"] for name in (SITE, f"{SITE}:{port}", "127.0.0.1", "localhost", "")),
        *([f"Host: {name}:{port}"] for name in ("127.0.0.2", "[::1]", "0.0.0.0", "127.1")),
        *([f"Host: {name}:{port}"] for name in ("2130706433", f"localhost.{SITE}", "localhost.")),
        [f"Host: {own}.{SITE}"],
        [f"Host: {own}@{SITE}"],
        ["Host: 127.0.0.1:1"],
        [f"Host: {own}", f"Host: {SITE}"],
        [f"Host: {SITE}", f"Host: {own}"],
        [f"X-Forwarded-Host: {own}"],
    ]
    for headers in lists:
        name = headers[0].partition(": ")[2]
        rest = ["Origin: http://" + name, *UPGRADE] if is_socket else []
        path = f"/{secret}/socket" if is_socket else f"/{secret}/"
        assert status(studio, path, *headers, *rest) == 403, headers


def test_foreign_origins_are_refused(studio: Studio) -> None:
    port = studio.port
    host = f"Host: 127.0.0.1:{port}"
    origins = (
        *(f"http://{SITE}", f"http://{SITE}:{port}", f"https://127.0.0.1:{port}", "null", ""),
        *(f"http://localhost:{port}", "http://127.0.0.1", "http://127.0.0.1:1", "file://"),
        *(f"http://127.0.0.1:{port}.{SITE}", f"http://127.0.0.1:{port}/"),
        f"http://x@127.0.0.1:{port}",
    )
    for origin in origins:
        for path in (f"/{token(studio)}/", f"/{token(studio)}/page/main.js"):
            assert status(studio, path, host, f"Origin: {origin}") == 403, origin
        path = f"/{token(studio)}/socket"
        assert status(studio, path, host, f"Origin: {origin}", *UPGRADE) == 403, origin
    own = f"Origin: http://127.0.0.1:{port}"
    twice = (own, f"Origin: http://{SITE}")
    assert status(studio, f"/{token(studio)}/socket", host, *twice, *UPGRADE) == 403
    # browsers state the origin of every socket
    assert status(studio, f"/{token(studio)}/socket", host, *UPGRADE) == 403


def test_tokens_are_needed_on_every_route(studio: Studio) -> None:
    secret = token(studio)
    host = f"127.0.0.1:{studio.port}"
    origin = f"Origin: http://{host}"
    wrong = ("", "x" * TOKEN_LENGTH, secret[:-1], secret + "x", secret.swapcase(), "%00", "..")
    wrong += (f"x/{secret}", f"./{secret}", "".join(f"%{ord(each):02x}" for each in secret))
    for first in wrong:
        before = f"/{first}" if first else ""
        for path in (f"{before}/", f"{before}/page/main.js", f"{before}/?{secret}"):
            assert status(studio, path, f"Host: {host}") == 403, path
        for path in (f"{before}/socket", f"{before}/socket?token={secret}", f"{before}/"):
            assert status(studio, path, f"Host: {host}", origin, *UPGRADE) == 403, path


def test_every_file_is_behind_the_same_checks(studio: Studio) -> None:
    secret, own = token(studio), f"Host: 127.0.0.1:{studio.port}"
    for path in files():
        assert status(studio, f"/{secret}/{path}", own) in (200, 404), path
        assert status(studio, f"/{path}", own) == 403, path
        assert status(studio, f"/{secret}/{path}", f"Host: {SITE}:{studio.port}") == 403, path
        assert status(studio, f"/{secret}/{path}", own, f"Origin: http://{SITE}") == 403, path


def test_other_methods_do_nothing(studio: Studio) -> None:
    """Also preflight requests are not answered, so that no page may send what needs one."""
    own = f"Host: 127.0.0.1:{studio.port}"
    for method in ("OPTIONS", "POST", "PUT", "DELETE", "HEAD", "CONNECT", "TRACE"):
        found = status(studio, f"/{token(studio)}/", own, f"Origin: http://{SITE}", method=method)
        assert found == 0 or found >= 400, (method, found)


# --- in a browser -------------------------------------------------------------------------------


class ForeignSite(BaseHTTPRequestHandler):
    """An empty page of another site."""

    def do_GET(self) -> None:
        body = b"<!doctype html><title>foreign</title>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


@pytest.fixture
def foreign_site() -> Iterator[str]:
    """Return the address of a page at another port of this computer."""
    server = HTTPServer(("127.0.0.1", 0), ForeignSite)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(PATIENCE)


ATTACK = """async ([address, socket]) => {
  const told = {}
  told.fetch = await fetch(address).then((r) => r.text(), () => "refused")
  told.blind = await fetch(address, {mode: "no-cors"}).then((r) => r.type, () => "refused")
  told.socket = await new Promise((end) => {
    const made = new WebSocket(socket)
    made.onopen = () => made.send(JSON.stringify({line: "add box foreign"}))
    made.onmessage = (event) => end(String(event.data))
    made.onerror = () => end("refused")
  })
  return told
}"""


def test_other_site_with_the_token_gets_nothing(
    chromium: Any, studio: Studio, foreign_site: str
) -> None:
    """A page of another origin, even one that has learned the address, is refused."""
    page = chromium.new_context().new_page()
    page.set_default_timeout(1000 * PATIENCE)
    page.goto(foreign_site)
    socket_address = studio.url.replace("http", "ws", 1) + "socket"
    told = page.evaluate(ATTACK, [studio.url, socket_address])
    assert told["fetch"] == told["socket"] == "refused", told
    assert told["blind"] in ("opaque", "refused"), told
    assert "foreign" not in studio.stage.document.names
    page.context.close()


def test_rebound_name_gets_nothing(chromium: Any, studio: Studio) -> None:
    """A page under a foreign name of this computer has the origin of its own requests.

    Browsers resolve all names below "localhost" to this computer, as DNS rebinding does with
    others. The refusal is a document of that origin, so that scripts in it stand for the page that
    an attacker has loaded before the name was rebound.
    """
    page = chromium.new_context().new_page()
    page.set_default_timeout(1000 * PATIENCE)
    address = studio.url.replace("127.0.0.1", "evil.localhost")
    answer = page.goto(address)
    assert answer is not None and answer.status == 403
    told = page.evaluate(ATTACK, [address, address.replace("http", "ws", 1) + "socket"])
    assert "host must be" in told["fetch"] and told["socket"] == "refused", told
    assert "foreign" not in studio.stage.document.names
    page.context.close()
