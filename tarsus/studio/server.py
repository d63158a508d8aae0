"""The server of the studio, and the messages of its pages."""

from __future__ import annotations

import asyncio
import json
import mimetypes
import threading
from collections import deque
from collections.abc import Iterable
from http import HTTPStatus
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import Any

from tarsus.model.model import Model
from tarsus.scenes.scene import Scene
from tarsus.studio import messages
from tarsus.studio.autosave import Autosave
from tarsus.studio.client_updates import Message as MessageServer
from tarsus.studio.client_updates import News, scene
from tarsus.studio.clock import Clock
from tarsus.studio.commands.command import COMMANDS
from tarsus.studio.gallery import ENTRIES
from tarsus.studio.session import Answer, Stage, is_pause
from tarsus.view.server import HOST, GuardedServer, served

# The studio's server: pages of this machine that know its token, and their lines.
#
# It stands behind the same gate as the viewer: loopback, a token in the address, Host and Origin
# checked. Pages say lines and get answers; they see nothing of the files but what lines let them.


LARGEST = 1_000_000
"""Bytes of a message from a page."""
BACKLOG = 500_000
"""Bytes that wait for a page, beyond which it is sent no frames."""
STALLED_S = 60.0
"""How long a page may take to read an answer before its connection ends [s]."""
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
    replay: bool = False,
) -> Studio:
    """Show a stage, a model or a scene in a browser: `.url` is the address, `.close()` ends it.

    If the port is taken, the next free one is. Only this machine can connect unless `host` says
    otherwise, and only with the token that is in the address. `session` is a folder in which the
    stage is kept as it changes, and from which an empty one is restored; with `replay` also the
    lines of it are done again that use files.
    """
    stage = what if isinstance(what, Stage) else Stage(what)
    return Studio(stage, port=port, host=host, session=session, replay=replay)


class Studio:
    """A stage with its clock, served to pages."""

    def __init__(
        self,
        stage: Stage,
        *,
        port: int,
        host: str = HOST,
        session: str | Path | None = None,
        replay: bool = False,
    ) -> None:
        self.stage = stage
        self._news = News(stage)
        self._pages: set[PageLines] = set()
        self._sending = False
        self._speaking = threading.local()
        """Whose line a thread does: several pages may speak at once."""
        self._done = threading.Event()
        try:
            self._server = GuardedServer(
                port, answer=_file, talk=self._talk, largest=LARGEST, host=host
            )
        except ModuleNotFoundError as error:
            if error.name != "websockets":
                raise
            message = "the studio needs websockets: pip install 'tarsus[studio]'"
            raise ModuleNotFoundError(message, name="websockets") from None
        self.autosave = None if session is None else Autosave(stage, session, replay=replay)
        """What keeps the stage on the disk."""
        stage.listeners.append(self._echo)
        self._clock = Clock(stage, self._show)
        stage.work.watchers.append(self._show)
        stage.url = self.url

    @property
    def url(self) -> str:
        """The address for a browser on this machine; whoever knows it can build and move."""
        return self._server.url

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._server.port

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
        for lines in list(self._pages):
            lines.drop()
        self.stage.work.stop()
        self.stage.work.watchers.remove(self._show)
        self._clock.close()
        self.stage.url = ""
        if self.autosave is not None:
            self.autosave.close()
        self.stage.listeners.remove(self._echo)
        self._server.close()

    def __enter__(self) -> Studio:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- pages ----------------------------------------------------------------------------------

    async def _talk(self, socket: Any) -> None:
        """Tell a page all, then answer what it says, until it goes or the studio closes."""
        lines = PageLines(self.stage)
        self._pages.add(lines)
        tasks = [
            asyncio.create_task(self._hear(lines, socket)),
            asyncio.create_task(self._answer_all(lines, socket)),
        ]
        try:
            if not self._done.is_set():
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._pages.discard(lines)
            lines.drop()
            for task in tasks:
                task.cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
        for error in ended:
            if isinstance(error, Exception):
                raise error

    async def _hear(self, lines: PageLines, socket: Any) -> None:
        """Queue what a page says; `pause` stops the line that is being done at once."""
        async for text in socket:
            if _says_pause(text):
                self.stage.work.stop()
            await lines.put(text)

    async def _answer_all(self, lines: PageLines, socket: Any) -> None:
        """Tell a page all, then answer what it says, one after another."""
        # a line that lasts holds the stage: the server's thread must not wait for it
        await asyncio.to_thread(self._greet, socket)
        while True:
            answer = await asyncio.to_thread(self._answer, await lines.get(), lines, socket)
            await self._send(json.dumps(messages.clean(answer)), socket)

    def _greet(self, socket: Any) -> None:
        """Send all that a new page needs; what changes later is sent after it."""
        with self.stage.lock:
            first = self._news.first()
            if self.autosave is not None and self.autosave.pending:
                first.append(messages.replay(self.autosave.pending))
            self._server.call(self._server.send_to, [socket], first)

    async def _send(self, text: str, socket: Any) -> None:
        """Send an answer; a page that does not read it is disconnected."""
        try:
            async with asyncio.timeout(STALLED_S):
                await socket.send(text)
        except TimeoutError:
            socket.transport.abort()
            raise ConnectionAbortedError(f"a page read nothing for {STALLED_S:g} s") from None

    def _answer(self, text: Any, lines: PageLines, connection: Any) -> dict[str, Any]:
        """Return the answer to a message; what is no message gets one, too."""
        try:
            message = json.loads(text)
            line, ask = message.get("line"), message.get("ask")
            if not isinstance(line, str) and not isinstance(ask, str):
                raise ValueError("a message has a line, or asks for something")
            overwrite = message.get("overwrite", [])
            if not isinstance(overwrite, list) or not all(isinstance(x, str) for x in overwrite):
                raise ValueError("overwrite must be a list of paths")
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
            self._speaking.page = connection
            try:
                answer = lines.do(line, overwrite)
            finally:
                self._speaking.page = None
            told = {"id": number, "line": line, "revision": self.stage.revision}
            return {"kind": "answer", **told, **vars(answer)}
        if ask == "replay":
            return {"kind": "answer", "id": number, "line": "", **vars(self._replay(message))}
        with self.stage.lock:
            return {"id": number, **self._read(ask, message)}

    def _replay(self, message: dict[str, Any]) -> Answer:
        """Do the lines again that the session has left out, or forget them, as the user says."""
        if self.autosave is None or not self.autosave.pending:
            return Answer("the session has no lines that were not done again", False)
        answer = self.autosave.replay() if message.get("do") is True else self.autosave.dismiss()
        text = messages.replay(self.autosave.pending)
        self._server.call(self._server.send, text)
        return answer

    def _read(self, ask: str, message: dict[str, Any]) -> dict[str, Any]:
        if ask == "told":
            return {"kind": "told", "text": messages.told_of(self.stage, message.get("name"))}
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

    def _echo(self, line: str, answer: Answer) -> None:
        text = json.dumps({"kind": "echo", "line": line, **vars(answer)})
        self._server.call(self._server.send, text, getattr(self._speaking, "page", None))

    def _show(self) -> None:
        """Send the scene if it has changed, and a frame if something has moved."""
        if not self._server.pages or self._sending:
            return
        with self.stage.lock:
            out = self._news.since(self._clock.rate)
        if not out:
            return
        self._sending = True
        self._server.call(self._publish, out)

    def _publish(self, out: list[MessageServer]) -> None:
        """Send news to all pages, frames only to those that keep up."""
        try:
            for each in out:
                self._server.send(each, backlog=BACKLOG if isinstance(each, bytes) else None)
        finally:
            self._sending = False


def _says_pause(text: Any) -> bool:
    """Return whether a message is the line `pause`."""
    try:
        return is_pause(json.loads(text)["line"])
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return False


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
    script = parts[1].endswith(".js")
    kind = "text/javascript" if script else mimetypes.guess_type(parts[1])[0]
    return served(file.read_bytes(), kind or "application/octet-stream", POLICY)


# Messages of one page: those that wait for their turn, and the line that is being done.
#
# The queue is bounded in messages and in bytes; a page that sends faster waits, because nothing
# more is read from its socket. When the page has gone or the studio closes, messages that wait are
# dropped, and the line that is being done is asked to stop.


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
