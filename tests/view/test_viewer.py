"""The viewer: what its pages are told, that it plays, that it stays on this machine."""

from __future__ import annotations

import builtins
import contextlib
import json
import urllib.request
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from made_up_runs import hopper, made_up_run
from waiting import wait_for

from tarsus.view import Viewer, view
from tarsus.view.viewer import Handle

sockets = pytest.importorskip("websockets.sync.client")


@pytest.fixture
def viewer() -> Iterator[Viewer]:
    with view(made_up_run(), port=18640) as shown:
        yield shown


@contextlib.contextmanager
def page_of(viewer: Viewer) -> Iterator[Any]:
    """Open the socket of a page."""
    address = urlsplit(viewer.url)
    origin = f"http://{address.netloc}"
    with sockets.connect(
        viewer.url.replace("http:", "ws:"), origin=origin, open_timeout=120, proxy=None
    ) as page:
        yield page


def heard(page: Any, key: str) -> Any:
    """Return the next message that has a key."""
    while True:
        message = json.loads(page.recv(timeout=60))
        if key in message:
            return message[key]


def data(viewer: Viewer) -> Any:
    with urllib.request.urlopen(f"{viewer.url}data.json", timeout=120) as answer:
        return json.load(answer)


def test_the_data_have_bodies_surfaces_ground_forces_and_charts(viewer: Viewer) -> None:
    found = data(viewer)
    bodies = found["machine"]["bodies"]
    assert [(body["name"], len(body["surfaces"])) for body in bodies] == [("trunk", 1), ("shin", 2)]
    assert found["machine"]["ground"]["normal"] == [0.0, 0.0, 1.0]
    assert found["arrows"][3]["newtons"] == [pytest.approx(np.hypot(30, 6), abs=1e-3)]
    titles = [chart["title"] for chart in found["charts"]]
    assert titles[:1] == ["energy since the start"] and "contact forces, sum" in titles
    assert found["sliders"] == []


def test_a_page_is_told_where_the_run_is(viewer: Viewer) -> None:
    viewer.show(12)
    with page_of(viewer) as page:
        assert heard(page, "state") == {"picture": 12, "playing": False, "speed": 1.0}
        viewer.show(1000)
        assert heard(page, "state")["picture"] == 30
        page.send(json.dumps({"picture": 7}))
        assert heard(page, "state")["picture"] == 7
        assert wait_for(lambda: viewer.picture == 7)


def test_what_makes_no_sense_is_left_alone(viewer: Viewer) -> None:
    """Pages may send anything: the viewer stays as it was and goes on to listen."""
    wrong = [
        *("", "{", "[1]", "7", "null", "[" * 5000),
        *({"picture": x} for x in ("3", None, [1], {}, True, 1e999)),
        *({"speed": x} for x in (0, -1, 1e9, "fast")),
        *({"joint": x, "value": 1.0} for x in (0, -1, 10**9)),
        *({"handle": x, "position": [1, 2, 3]} for x in ("none", None, 3)),
        *({"playing": x} for x in (1, "yes", None)),
    ]
    with page_of(viewer) as page:
        for each in wrong:
            page.send(each if isinstance(each, str) else json.dumps(each))
        page.send(b"\xff\x00")
        page.send(json.dumps({"picture": 9}))
        assert wait_for(lambda: viewer.picture == 9)
    assert (viewer.speed, viewer.playing) == (1.0, False)


def test_only_this_machine_can_connect(viewer: Viewer) -> None:
    assert viewer.url.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(viewer.url, timeout=120) as page:
        assert b"<html" in page.read()


def test_it_plays_and_pauses(viewer: Viewer) -> None:
    viewer.play()
    assert viewer.playing
    assert wait_for(lambda: viewer.picture > 3)
    viewer.play(False)
    assert not viewer.playing


def test_it_begins_again_at_the_end(viewer: Viewer) -> None:
    viewer.speed = 20.0
    viewer.play()
    seen = {viewer.picture}

    def again() -> bool:
        seen.add(viewer.picture)
        return viewer.picture < max(seen)

    assert wait_for(again)


def test_nothing_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with view(made_up_run(), port=18660) as shown:
        assert "hopper" in repr(shown)
    assert capsys.readouterr().out == ""


def test_a_port_that_is_taken_is_left_to_others(viewer: Viewer) -> None:
    with view(hopper(), port=viewer.server.port) as other:
        assert other.server.port == viewer.server.port + 1


def test_a_model_has_a_slider_for_each_joint() -> None:
    with view(hopper(), port=18680) as shown:
        (slider,) = data(shown)["sliders"]
        assert slider["name"] == "leg" and slider["low"] < 0.0 < slider["high"]
        with page_of(shown) as page:
            first = heard(page, "joints")
            page.send(json.dumps({"joint": 0, "value": 0.1}))
            assert heard(page, "joints") == [0.1] != first
        shown.pose(shown.stage.model.neutral())
        assert shown.q == pytest.approx(shown.stage.model.neutral())


def test_handles_call_back_and_can_be_placed() -> None:
    moves: list[Handle] = []
    with view(hopper(), port=18690) as shown:
        handle = shown.handle("hand", (1, 2, 3), (1, 0, 0, 0), moved=moves.append)
        with page_of(shown) as page:
            assert heard(page, "handles")[0]["position"] == [1, 2, 3]
            handle.place((4, 5, 6))
            assert heard(page, "handles")[0]["position"] == [4, 5, 6]
            half = [np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]
            page.send(json.dumps({"handle": "hand", "position": [7, 8, 9], "wxyz": half}))
            assert wait_for(lambda: bool(moves))
            page.send(json.dumps({"handle": "hand", "position": [1, "x", 9], "wxyz": [0, 0, 0, 0]}))
            assert wait_for(lambda: len(moves) == 2)
    assert handle.position == pytest.approx([7, 8, 9])
    assert handle.wxyz == pytest.approx(half)


def test_without_websockets_an_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.startswith("websockets"):
            raise ModuleNotFoundError("No module named 'websockets'", name="websockets")
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'tarsus\[view\]'"):
        view(made_up_run())
