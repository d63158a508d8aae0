"""Pages that are slow, silent, greedy or gone: they keep neither the studio nor others waiting."""

from __future__ import annotations

import asyncio
import json
import socket as sockets
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tarsus.studio import Stage, Studio, server
from tarsus.studio import server as page_lines
from tarsus.studio.server import PageLines, open_studio
from tarsus.view import server as guarded_server
from tarsus.view.server import PageServer

pytest.importorskip("websockets")

LONG = "advance 10000000"
PATIENCE = 60.0
"""How long a busy machine may take for what takes a moment [s]."""


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """A box that falls."""
    made = Stage(root=tmp_path)
    made.do("add box brick -t 0 0 1")
    return made


@contextmanager
def served(stage: Stage) -> Iterator[Studio]:
    """Serve a stage, and require that it closes."""
    studio = open_studio(stage, port=0)
    try:
        yield studio
    finally:
        closes(studio.close)


def closes(close: Callable[[], None]) -> None:
    """Call `close` and require that it returns."""
    thread = threading.Thread(target=close, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive(), "close() hangs"


def talk(studio: Any, say: Callable[[Any], Awaitable[Any]]) -> Any:
    """Open a page, and return what `say` returns."""
    from websockets.asyncio.client import connect

    async def main() -> Any:
        origin: Any = studio.url[: studio.url.index("/", 8)]
        address = studio.url.replace("http", "ws", 1) + "socket"
        options: Any = {"origin": origin, "max_size": None, "proxy": None, "close_timeout": 1.0}
        async with connect(address, **options) as socket:
            return await say(socket)

    return asyncio.run(asyncio.wait_for(main(), PATIENCE))


def line(text: str, number: int = 0) -> str:
    return json.dumps({"id": number, "line": text})


async def answer(socket: Any, number: int) -> Any:
    """Return the answer with a number."""
    async for message in socket:
        if isinstance(message, str) and json.loads(message).get("id") == number:
            return json.loads(message)
    return None


def until(holds: Callable[[], Any], what: str) -> None:
    """Wait until something holds."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, f"{what} never became true"
        time.sleep(0.01)


def raw(studio: Any, *, upgrade: bool = True) -> sockets.socket:
    """Return a TCP connection that has sent a handshake and never reads, or has sent nothing."""
    address = urlsplit(studio.url)
    made = sockets.create_connection((address.hostname, address.port), timeout=PATIENCE)
    if upgrade:
        host = f"{address.hostname}:{address.port}"
        made.sendall(
            f"GET {address.path}socket HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
    return made


def test_a_page_that_sends_much_and_leaves(stage: Stage) -> None:
    """The rest of its lines is dropped, and the studio closes."""
    with served(stage) as studio:

        async def flood(socket: Any) -> None:
            for _ in range(3000):
                await socket.send(line("help"))

        talk(studio, flood)
        until(lambda: not studio._server.pages, "the page has gone")
        assert talk(studio, lambda socket: _asked(socket, "pause"))["ok"]


async def _asked(socket: Any, text: str) -> Any:
    await socket.send(line(text, 7))
    return await answer(socket, 7)


def test_many_lines_are_all_answered_in_their_order(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_lines, "MOST_MESSAGES", 10)

    async def say(socket: Any) -> list[int]:
        for number in range(200):
            await socket.send(line("rtime", number))
        found: list[int] = []
        while len(found) < 200:
            message = await socket.recv()
            if isinstance(message, str) and json.loads(message)["kind"] == "answer":
                found.append(json.loads(message)["id"])
        return found

    with served(stage) as studio:
        assert talk(studio, say) == list(range(200))


def test_a_page_that_leaves_stops_its_line(stage: Stage) -> None:
    told = threading.Event()
    stage.work.watchers.append(told.set)
    with served(stage) as studio:

        async def begin(socket: Any) -> None:
            for number in range(10):
                await socket.send(line(LONG, number))
            await asyncio.to_thread(told.wait, PATIENCE)

        talk(studio, begin)
        until(lambda: not studio._server.pages and not stage.work.text, "the line has ended")
        with stage.lock:
            steps = stage.steps
        assert 0 < steps < 10_000_000
        # those that waited have been dropped
        assert talk(studio, lambda socket: _asked(socket, "rtime"))["text"] == f"{stage.t:.9g}"
        assert stage.steps == steps


def test_a_page_that_leaves_does_not_stop_lines_of_others(stage: Stage) -> None:
    told = threading.Event()
    with served(stage) as studio, ThreadPoolExecutor(1) as other:
        stage.work.watchers.append(told.set)
        answered = other.submit(stage.do, LONG)
        assert told.wait(PATIENCE)

        async def wait_in_vain(socket: Any) -> None:
            await socket.send(line("add box late"))
            await asyncio.sleep(0.2)

        talk(studio, wait_in_vain)
        until(lambda: not studio._server.pages, "the page has gone")
        assert not answered.done() and not stage.work.stopping
        stage.work.stop()
        assert "stopped after" in answered.result(PATIENCE).text
        with stage.lock:
            assert "late" not in stage.document.names


def test_a_studio_that_closes_drops_lines_that_wait(stage: Stage, tmp_path: Path) -> None:
    told, ended = threading.Event(), threading.Event()
    stage.work.watchers.append(told.set)
    studio = open_studio(stage, port=0, session=tmp_path / "session")

    async def begin(socket: Any) -> None:
        for number in range(10):
            await socket.send(line(LONG, number))
        await asyncio.to_thread(ended.wait, PATIENCE)

    with ThreadPoolExecutor(1) as other:
        page = other.submit(talk, studio, begin)
        assert told.wait(PATIENCE)
        closes(studio.close)
        ended.set()
        page.exception(PATIENCE)
    assert 0 < stage.steps < 10_000_000


def test_a_new_page_is_heard_while_a_line_lasts(stage: Stage) -> None:
    told = threading.Event()
    with served(stage) as studio, ThreadPoolExecutor(1) as other:
        stage.work.watchers.append(told.set)
        answered = other.submit(stage.do, LONG)
        assert told.wait(PATIENCE)
        assert talk(studio, lambda socket: _asked(socket, "pause"))["ok"]
        assert "stopped after" in answered.result(PATIENCE).text


def test_a_page_that_never_reads_keeps_nobody_waiting(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guarded_server, "MOST_UNSENT", 100_000)
    with served(stage) as studio:
        silent = raw(studio)
        until(lambda: len(studio._server.pages) == 1, "the page is there")
        unsent = 0
        for _ in range(3000):  # what is echoed to all pages fills the buffers of the system first
            stage.do("help")
            pages = list(studio._server.pages)
            if not pages:
                break
            unsent = max(unsent, *(page.transport.get_write_buffer_size() for page in pages))
        until(lambda: not studio._server.pages, "the page is disconnected")
        assert unsent < 10_000_000
        assert talk(studio, lambda socket: _asked(socket, "rtime"))["ok"]
        silent.close()


def test_a_page_that_asks_and_never_reads_is_disconnected(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "STALLED_S", 0.5)
    with served(stage) as studio:
        silent = raw(studio)
        until(lambda: len(studio._server.pages) == 1, "the page is there")
        (page,) = studio._server.pages
        studio._server.call(studio._server.send_to, [page], ["x" * 20_000_000])
        text = line("help").encode()
        silent.sendall(bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text)
        until(lambda: not studio._server.pages, "the page is disconnected")
        silent.close()


def test_a_studio_closes_though_pages_never_read(stage: Stage) -> None:
    studio = open_studio(stage, port=0)
    silent = raw(studio)
    until(lambda: len(studio._server.pages) == 1, "the page is there")
    studio._server.call(studio._server.send, "x" * 20_000_000)
    closes(studio.close)
    silent.close()


def test_a_studio_closes_though_handshakes_are_half_open(stage: Stage) -> None:
    studio = open_studio(stage, port=0)
    silent = [raw(studio, upgrade=False) for _ in range(3)]
    silent[0].sendall(b"GET / HTTP/1.1\r\n")
    until(lambda: len(studio._server._transports) == 3, "they are connected")
    assert talk(studio, lambda socket: _asked(socket, "rtime"))["ok"]
    closes(studio.close)
    for each in silent:
        each.close()


def test_connections_are_bounded(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded_server, "MOST_CONNECTIONS", 5)
    with served(stage) as studio:
        many = [raw(studio, upgrade=False) for _ in range(5)]
        until(lambda: len(studio._server._transports) == 5, "they are connected")
        refused = raw(studio, upgrade=False)
        with suppress(ConnectionResetError):
            assert refused.recv(1) == b""
        for each in (*many, refused):
            each.close()
        until(lambda: not studio._server._transports, "they have gone")
        assert talk(studio, lambda socket: _asked(socket, "rtime"))["ok"]


def test_a_flood_of_large_messages_is_bounded(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = 0
    put = PageLines.put

    async def watched(self: PageLines, message: str | bytes) -> None:
        nonlocal most
        await put(self, message)
        most = max(most, self._bytes)

    monkeypatch.setattr(PageLines, "put", watched)
    told = threading.Event()
    stage.work.watchers.append(told.set)
    large = json.dumps({"line": "; " + "x" * 900_000})

    async def flood(socket: Any) -> None:
        await socket.send(line(LONG))
        await asyncio.to_thread(told.wait, PATIENCE)
        for _ in range(30):
            try:
                await asyncio.wait_for(socket.send(large), 0.2)
            except TimeoutError:
                return  # the studio reads no more: that is the bound

    with served(stage) as studio:
        talk(studio, flood)
        assert 0 < most <= page_lines.MOST_BYTES


def test_a_page_of_the_viewer_that_never_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded_server, "MOST_UNSENT", 100_000)
    viewer = PageServer(
        0, page=lambda: "", data=lambda: "{}", greet=list, hear=lambda message: None
    )
    silent = [raw(viewer), raw(viewer, upgrade=False)]
    until(lambda: len(viewer.pages) == 1, "the page is there")
    for _ in range(2):
        viewer.send({"text": "x" * 20_000_000})
    until(lambda: not viewer.pages, "the page is disconnected")
    silent.append(raw(viewer))
    until(lambda: len(viewer.pages) == 1, "another page is there")
    viewer.send({"text": "x" * 20_000_000})
    closes(viewer.close)
    for each in silent:
        each.close()
