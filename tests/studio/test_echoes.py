"""Two pages that speak at once: each hears the other's line, and its own only as an answer."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from tarsus.studio import Stage
from tarsus.studio.server import open_studio

sockets = pytest.importorskip("websockets.sync.client")


END = "show names on"


def connected(studio: Any) -> Any:
    """Return a page without a picture."""
    address = studio.url.replace("http", "ws").rstrip("/") + "/socket"
    origin = "/".join(studio.url.split("/", 3)[:3])
    return sockets.connect(address, origin=origin, max_size=None)


def echoes(page: Any) -> list[str]:
    """Return the lines of all echoes before that of END."""
    found: list[str] = []
    while found[-1:] != [END]:
        message = page.recv(timeout=60)
        told = json.loads(message) if isinstance(message, str) else {}
        found += [told["line"]] if told.get("kind") == "echo" else []
    return found[:-1]


def test_pages_that_speak_at_once_hear_each_other_and_not_themselves() -> None:
    both, told = threading.Barrier(2, timeout=60), threading.Semaphore(0)

    def wait(line: str, answer: Any) -> None:
        """Let both lines be done before either is echoed."""
        if line != END:
            both.wait()

    with open_studio(Stage(), port=0) as studio:
        studio.stage.listeners.insert(0, wait)
        studio.stage.listeners.append(lambda line, answer: told.release())
        with connected(studio) as one, connected(studio) as two:
            for page, line in ((one, "add box mine"), (two, "add box yours")):
                page.send(json.dumps({"id": 1, "line": line}))
            assert all(told.acquire(timeout=60) for _ in range(2))
            studio.stage.do(END)  # no page says it: all hear it
            heard = echoes(one), echoes(two)
    assert heard == (["add box yours"], ["add box mine"])
