"""The studio's server: pages of this machine that know its token, and their lines.

It stands behind the same gate as the viewer: loopback, a token in the address, Host and Origin
checked. Pages say lines and get answers; they see nothing of the files but what lines let them.
"""

from __future__ import annotations

import asyncio
import json
import mimetypes
import threading
from http import HTTPStatus
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import Any

from tarsus.model import Model
from tarsus.scenes import Scene
from tarsus.studio import messages
from tarsus.studio.autosave import Autosave
from tarsus.studio.clock import Clock
from tarsus.studio.commands import COMMANDS
from tarsus.studio.gallery import ENTRIES
from tarsus.studio.news import Message, News
from tarsus.studio.scene_message import scene
from tarsus.studio.stage import Answer, Stage
from tarsus.view.gate import HOST, Gate

LARGEST = 1_000_000
"""Bytes of a message from a page."""
BACKLOG = 500_000
"""Bytes that wait for a page, beyond which it is sent no frames."""
FOLDERS = {"page": "tarsus.studio", "view": "tarsus.view"}
"""Where files of the page lie: /page/x.js is tarsus/studio/page/x.js, /view/x.js of the viewer."""
POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self' ws:"
)


def open_studio(
    what: Stage | Model | Scene | None = None,
    *,
    port: int = 8090,
    host: str = HOST,
    session: str | Path | None = None,
) -> Studio:
    """Show a stage, a model or a scene in a browser: `.url` is the address, `.close()` ends it.

    If the port is taken, the next free one is. Only this machine can connect unless `host` says
    otherwise, and only with the token that is in the address. `session` is a folder in which the
    stage is kept as it changes, and from which an empty one is restored.
    """
    stage = what if isinstance(what, Stage) else Stage(what)
    return Studio(stage, port=port, host=host, session=session)


class Studio:
    """A stage with its clock, served to pages."""

    def __init__(
        self,
        stage: Stage,
        *,
        port: int,
        host: str = HOST,
        session: str | Path | None = None,
    ) -> None:
        try:
            from websockets.asyncio.server import serve
        except ModuleNotFoundError:
            message = "the studio needs websockets: pip install 'tarsus[studio]'"
            raise ModuleNotFoundError(message, name="websockets") from None
        self.stage, self._serve = stage, serve
        self._gate = Gate(host)
        self._pages: set[Any] = set()
        self._news = News(stage)
        self._sending = False
        self._loop = asyncio.new_event_loop()
        self._done = threading.Event()
        self._ready = threading.Event()
        self._failed: BaseException | None = None
        self.port = 0
        threading.Thread(target=self._run, args=(port,), daemon=True, name="tarsus studio").start()
        self._ready.wait()
        if self._failed is not None:
            raise self._failed
        self.autosave = None if session is None else Autosave(stage, session)
        """What keeps the stage on the disk."""
        stage.listeners.append(self._echo)
        self._clock = Clock(stage, self._show)
        stage.url = self.url

    @property
    def url(self) -> str:
        """The address for a browser on this machine; whoever knows it can build and move."""
        return self._gate.url(self.port)

    def wait(self) -> None:
        """Print the address and wait until Ctrl-C, or until `close` is called."""
        print(f"the studio is at {self.url} (Ctrl-C ends)", flush=True)
        try:
            while not self._done.wait(0.2):
                pass
        except KeyboardInterrupt:
            self.close()

    def close(self) -> None:
        """End the server and its clock."""
        if self._done.is_set():
            return
        self._done.set()
        self._clock.close()
        self.stage.url = ""
        if self.autosave is not None:
            self.autosave.close()
        self.stage.listeners.remove(self._echo)
        self._loop.call_soon_threadsafe(self._stop.set)

    def __enter__(self) -> Studio:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- the server -----------------------------------------------------------------------------

    def _run(self, port: int) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._main(port))
        self._loop.close()

    async def _main(self, port: int) -> None:
        self._stop = asyncio.Event()
        for attempt in range(100):
            try:
                server = await self._serve(
                    self._page,
                    self._gate.host,
                    port + attempt if port else 0,
                    process_request=self._gate.before(_file),
                    max_size=LARGEST,
                    compression=None,
                )
                break
            except OSError as error:
                if attempt == 99 or port == 0:
                    self._failed = error
                    self._ready.set()
                    return
        self.port = next(iter(server.sockets)).getsockname()[1]
        self._ready.set()
        async with server:
            await self._stop.wait()

    async def _page(self, connection: Any) -> None:
        """Talk with one page until it goes."""
        self._pages.add(connection)
        try:
            with self.stage.lock:
                first = self._news.first()
            for message in first:
                await connection.send(message)
            async for text in connection:
                answer = await asyncio.to_thread(self._answer, text, connection)
                await connection.send(json.dumps(messages.clean(answer)))
        except Exception as error:  # a page that goes in the midst of a message is no fault of ours
            from websockets.exceptions import ConnectionClosed

            if not isinstance(error, ConnectionClosed):
                raise
        finally:
            self._pages.discard(connection)

    def _answer(self, text: Any, connection: Any) -> dict[str, Any]:
        """Return the answer to a message; what is no message gets one, too."""
        try:
            message = json.loads(text)
            line, ask = message.get("line"), message.get("ask")
            if not isinstance(line, str) and not isinstance(ask, str):
                raise ValueError("a message has a line, or asks for something")
        except (ValueError, AttributeError, RecursionError) as error:
            return {
                "kind": "answer",
                "id": None,
                "line": "",
                "text": str(error),
                "ok": False,
                "field": "",
            }
        number = message.get("id")
        if isinstance(line, str):
            self._speaker = connection
            answer = self.stage.do(line)
            return {"kind": "answer", "id": number, "line": line, **vars(answer)}
        with self.stage.lock:
            return {"id": number, **self._read(ask)}

    def _read(self, ask: str) -> dict[str, Any]:
        if ask == "quantities":
            return {"kind": "quantities", "units": messages.all_quantities(self.stage)}
        if ask == "history":
            return messages.history(self.stage)
        if ask == "gallery":
            scenes = [
                {"name": x.name, "title": x.title, "invite": x.invite} for x in ENTRIES.values()
            ]
            return {"kind": "gallery", "scenes": scenes}
        if ask == "scene":
            return scene(self.stage)
        if ask == "help":
            verbs = {verb: [each.usage, each.summary] for verb, each in COMMANDS.items()}
            return {"kind": "help", "commands": verbs}
        return {
            "kind": "answer",
            "line": "",
            "text": f"nobody asks for {ask!r}",
            "ok": False,
            "field": "",
        }

    # --- what all pages get -----------------------------------------------------------------------

    _speaker: Any = None

    def _echo(self, line: str, answer: Answer) -> None:
        text = json.dumps({"kind": "echo", "line": line, **vars(answer)})
        speaker, self._speaker = self._speaker, None
        self._loop.call_soon_threadsafe(self._send_all, text, speaker)

    def _show(self) -> None:
        """Send the scene if it has changed, and a frame if something has moved."""
        if not self._pages or self._sending:
            return
        with self.stage.lock:
            out = self._news.since(self._clock.rate)
        if not out:
            return
        self._sending = True
        self._loop.call_soon_threadsafe(self._publish, out)

    def _publish(self, out: list[Message]) -> None:
        for each in out:
            self._send_all(each, None)
        self._sending = False

    def _send_all(self, message: Message, but: Any) -> None:
        """Send a message to all pages but one; frames only to those that keep up."""
        from websockets.asyncio.server import broadcast

        pages = [page for page in self._pages if page is not but]
        if isinstance(message, bytes):
            pages = [page for page in pages if page.transport.get_write_buffer_size() < BACKLOG]
        broadcast(pages, message)


def _file(connection: Any, request: Any) -> Any:
    """Answer a request with a file of the page, or let a socket be opened."""
    path = request.path.partition("?")[0]
    if path == "/socket":
        return None
    parts = PurePosixPath(path.lstrip("/") or "page/index.html").parts
    if len(parts) != 2 or parts[0] not in FOLDERS or parts[1].startswith("."):
        return connection.respond(HTTPStatus.NOT_FOUND, "there is no such file\n")
    file = resources.files(FOLDERS[parts[0]]).joinpath("page", parts[1])
    if not file.is_file():
        return connection.respond(HTTPStatus.NOT_FOUND, "there is no such file\n")
    response = connection.respond(HTTPStatus.OK, "")
    response.body = file.read_bytes()
    kind = mimetypes.guess_type(parts[1])[0] or "application/octet-stream"
    del response.headers["Content-Type"], response.headers["Content-Length"]
    response.headers["Content-Type"] = "text/javascript" if parts[1].endswith(".js") else kind
    response.headers["Content-Length"] = str(len(response.body))
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "no-store"
    return response
