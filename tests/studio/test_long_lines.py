"""Lines that last: they tell how far they are, others can stop them, and the state stays whole."""

from __future__ import annotations

import asyncio
import json
import signal
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tarsus.studio import Stage
from tarsus.studio.server import open_studio

LONG = "advance 10000000"
PATIENCE = 60.0
"""How long a busy machine may take for a moment [s]."""


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """A box that slides on the ground."""
    made = Stage(root=tmp_path)
    made.do("add box brick -t 0 0 1 -size .2 .1 .1")
    return made


def begun(stage: Stage, line: str) -> Future[Any]:
    """Let somebody else say a line, and return when it has told how far it is."""
    told = threading.Event()
    stage.work.watchers.append(told.set)
    with ThreadPoolExecutor(1) as other:
        answer = other.submit(stage.do, line)
        assert told.wait(PATIENCE)
        stage.work.watchers.remove(told.set)
        assert " of 10000000 steps" in stage.work.text
        return _stopped(stage, answer)


def _stopped(stage: Stage, answer: Future[Any]) -> Future[Any]:
    assert stage.do("pause").ok
    answer.result(PATIENCE)
    return answer


def test_who_pauses_stops_what_another_one_asked_for(stage: Stage) -> None:
    answer = begun(stage, LONG).result()
    assert answer.ok
    assert f"stopped after {stage.steps} of 10000000 steps" in answer.text
    assert 0 < stage.steps < 10_000_000
    assert stage.t == pytest.approx(stage.steps * stage.document.dt, rel=1e-12)
    assert stage.work.text == ""
    # what was done is in the take, to the bit
    again = Stage()
    again.run(stage.take.script())
    np.testing.assert_array_equal(again.machine.q, stage.machine.q)
    # and whoever works next is not stopped
    assert stage.do("advance 100").text == f"t = {stage.t:.9g} s"


def test_scripts_that_are_stopped_are_taken_back(stage: Stage) -> None:
    (stage.root / "long.ves").write_text(f"add sphere ball -t 2 0 1\n{LONG}\nadd box last\n")
    before = stage.machine.q.copy()
    answer = begun(stage, "run long.ves").result()
    assert not answer.ok
    assert "line 2" in answer.text and "stopped" in answer.text
    assert stage.t == 0.0
    np.testing.assert_array_equal(stage.machine.q, before)
    assert "ball" not in stage.document.names


def test_ctrl_c_takes_a_line_back(stage: Stage) -> None:
    before, script = stage.machine.q.copy(), stage.take.script()
    stage.work.watchers.append(lambda: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        stage.do(LONG)
    assert stage.t == 0.0 and stage.steps == 0 and stage.take.script() == script
    np.testing.assert_array_equal(stage.machine.q, before)


def test_ctrl_c_leaves_python_where_it_got_to(stage: Stage) -> None:
    stage.work.watchers.append(lambda: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        stage.advance(10_000_000)
    assert 0 < stage.steps < 10_000_000
    assert stage.take.script().endswith(f"advance {stage.steps}\n")
    assert stage.t == pytest.approx(stage.steps * stage.document.dt, rel=1e-12)


def test_a_page_stops_its_own_line(stage: Stage) -> None:
    pytest.importorskip("websockets")
    with open_studio(stage, port=0) as studio:
        answers, told = asyncio.run(asyncio.wait_for(_talk(studio.url), PATIENCE))
    assert [each["id"] for each in answers] == [1, 2]  # in their order
    assert "stopped after" in answers[0]["text"] and answers[1]["ok"]
    assert " of 10000000 steps" in told


async def _talk(url: str) -> tuple[list[dict[str, Any]], str]:
    """Ask for much, wait for a frame that tells how far it is, say pause; return the answers."""
    from websockets.asyncio.client import connect

    address, _, query = url.replace("http", "ws", 1).partition("?")
    answers: list[dict[str, Any]] = []
    told = ""
    async with connect(f"{address}socket?{query}", origin=url[: url.index("/", 8)]) as socket:  # type: ignore[arg-type]
        await socket.send(json.dumps({"id": 1, "line": LONG}))
        while len(answers) < 2:
            message = await socket.recv()
            if isinstance(message, bytes):
                size = int.from_bytes(message[:4], "little")
                working = json.loads(message[4 : 4 + size])["working"]
                if working and not told:
                    told = working
                    await socket.send(json.dumps({"id": 2, "line": "pause"}))
            elif json.loads(message)["kind"] == "answer":
                answers.append(json.loads(message))
    return answers, told


def test_a_studio_that_is_closed_stops_what_is_being_done(stage: Stage) -> None:
    pytest.importorskip("websockets")
    told = threading.Event()
    with ThreadPoolExecutor(1) as other:
        with open_studio(stage, port=0):
            stage.work.watchers.append(told.set)
            answer = other.submit(stage.do, LONG)
            assert told.wait(PATIENCE)
        assert "stopped after" in answer.result(PATIENCE).text
