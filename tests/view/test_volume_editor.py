"""Volumes edited by hand: what drafts do, and that the page of the editor does it."""

from __future__ import annotations

import base64
import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from browser import LAPTOP, PHONE, opened, until
from made_up_runs import hopper
from waiting import wait_for

import tarsus as ts
from tarsus._lib.checks import UnknownNameError
from tarsus.geometry import SweptSphere, Volumes
from tarsus.geometry.volume_draft import VolumeDraft
from tarsus.view import VolumeEditor
from tarsus.view.volume_editor import MAX_WAITING


def test_a_draft_adds_moves_and_removes() -> None:
    draft = VolumeDraft(hopper())
    assert draft.link == "trunk" and draft.outside() == np.inf
    for kind in ("ball", "line", "triangle"):
        draft.add(kind)
    assert [each.kind for each in draft.here] == ["ball", "line", "triangle"] and draft.chosen == 2
    draft.choose("trunk", 1)
    draft.change(points=[[0, 0, 0], [0.1, 0, 0]], radius=0.05, name="belly")
    draft.move_point(1, (0.2, 0.0, 0.0))
    draft.move((0.0, 0.0, 0.1))
    assert draft.here[1].points.tolist() == [[0, 0, 0.1], [0.2, 0, 0.1]]
    assert draft.here[1].name == "belly" and draft.here[1].radius == 0.05
    draft.copy()
    assert len(draft.here) == 4 and draft.chosen == 3
    draft.remove()
    assert len(draft.here) == 3 and draft.chosen == 2


def test_a_draft_holds_its_link_when_it_is_told_to() -> None:
    draft = VolumeDraft(hopper())
    draft.add("ball")
    assert draft.outside() > 0.0
    draft.grow()
    assert draft.outside() <= 1e-12
    # a box of 0.3 × 0.2 × 0.1 m: its corners are on the sphere
    assert draft.here[0].radius == pytest.approx(np.linalg.norm([0.15, 0.1, 0.05]))
    draft.fit(1)
    assert draft.outside() <= 0.0 and len(draft.here) == 1


def test_what_a_draft_says_to_be_inside_is_inside() -> None:
    """Two balls meet in a circle: what is between points of either may be outside of both."""
    rng = np.random.default_rng(0)
    box = rng.uniform(-0.5, 0.5, (100_000, 3))
    side = rng.integers(0, 3, len(box))
    box[np.arange(len(box)), side] = np.sign(box[np.arange(len(box)), side]) / 2
    box *= [0.3, 0.2, 0.1]  # the trunk
    for apart in (0.06, 0.08, 0.10, 0.13, 0.16):
        left, right = (SweptSphere([[x, 0, 0]], 0.1) for x in (-apart, apart))
        draft = VolumeDraft(hopper(), Volumes({"trunk": [left, right]}))
        sampled = np.min([v.distance_to_points(box) for v in draft.here], axis=0).max()
        assert draft.outside() >= sampled
        draft.grow()
        after = np.min([v.distance_to_points(box) for v in draft.here], axis=0).max()
        print(
            f"apart {apart}: radius {draft.here[0].radius:.4f}, told {draft.outside():.1e}, {after}"
        )
        assert draft.here[1] == right
        assert draft.outside() <= 0.0 and after <= 0.0


def test_obstacles_of_the_world_are_edited() -> None:
    ball = SweptSphere([[0, 0, 0]], 0.1)
    draft = VolumeDraft(hopper(), Volumes({"world": [ball], "trunk": [ball]}))
    assert draft.link == "world" and draft.links == ("trunk", "shin", "world")
    draft.choose("world")
    draft.change(radius=0.2)
    draft.grow()  # the world has no shapes here
    assert draft.outside() == 0.0
    assert draft.volumes["world"][0].radius == 0.2


def test_groups_are_assigned_and_saved(tmp_path: Path) -> None:
    ball = SweptSphere([[0, 0, 0]], 0.1)
    draft = VolumeDraft(hopper(), Volumes({"trunk": [ball, ball], "shin": [ball]}))
    assert draft.groups == {}
    draft.assign("inner")
    draft.assign(" outer ")
    draft.choose("shin")
    draft.change(groups=["inner"])
    assert draft.groups == {"inner": 2, "outer": 1}
    draft.choose("trunk")
    assert draft.here[0].groups == ("inner", "outer")
    draft.assign("inner")  # out again
    assert draft.here[0].groups == ("outer",) and draft.groups == {"inner": 1, "outer": 1}
    draft.save(tmp_path / "volumes.yaml")
    again = Volumes.load(tmp_path / "volumes.yaml")
    assert [each.groups for each in again["trunk"]] == [("outer",), ()]
    assert len(again.of_group("trunk", "outer")) == 2  # one without groups belongs to all
    with pytest.raises(ValueError, match="group is ' '"):
        draft.assign(" ")


class Page:
    """The socket of a page: `say` sends a command and reads until its answer."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self.shapes: dict[str, Any] = {}
        self.state: dict[str, Any] = {}
        self.status = ""
        self.read()

    def read(self) -> dict[str, Any]:
        """Return the next state."""
        while True:
            message = json.loads(self.socket.recv(timeout=60))
            self.shapes = message.get("shapes", self.shapes)
            self.status = message.get("status", self.status)
            if "state" in message:
                self.state = message["state"]
                return self.state

    def say(self, message: Any) -> None:
        self.socket.send(json.dumps(message))
        self.read()


@contextlib.contextmanager
def edited(*what: Any, **options: Any) -> Iterator[tuple[VolumeEditor, Page]]:
    """Open the editor and the socket of a page."""
    sockets = pytest.importorskip("websockets.sync.client")
    with ts.edit_volumes(*what, **options) as editor:
        address = urlsplit(editor.url)
        with sockets.connect(
            f"ws://{address.netloc}{address.path}",
            origin=f"http://{address.netloc}",
            open_timeout=120,
            proxy=None,
        ) as socket:
            yield editor, Page(socket)


def test_the_page_shows_and_assigns_groups() -> None:
    ball = SweptSphere([[0, 0, 0]], 0.1, groups=["inner"])
    volumes = Volumes({"trunk": [ball, SweptSphere([[0, 0, 1]], 0.1, groups=["outer"]), ball]})
    with edited(hopper(), volumes, port=18770) as (editor, page):
        assert page.state["groups"] == ["inner", "outer"]
        plain = [volume["color"] for volume in page.state["volumes"]]
        assert plain[1] == plain[2] != plain[0]  # the chosen one is red
        page.say({"do": "group", "value": "inner"})
        colors = [volume["color"] for volume in page.state["volumes"]]
        assert colors[2] != plain[2] and colors[:2] == plain[:2]
        page.say({"do": "groups", "value": "outer, third,outer,"})
        assert editor.draft.here[0].groups == ("outer", "third")
        assert page.state["groups"] == ["inner", "outer", "third"]
        page.say({"do": "volume", "value": 1})
        page.say({"do": "assign"})
        assert editor.volumes["trunk"][1].groups == ("outer", "inner")
        page.say({"do": "volume", "value": 2})
        page.say({"do": "assign"})  # out again
        page.say({"do": "volume", "value": 1})
        page.say({"do": "groups", "value": ""})
        assert page.state["groups"] == ["outer", "third"] and page.state["group"] == ""
        page.say({"do": "group", "value": "inner"})
        assert page.status == "there is no group 'inner'" and page.state["group"] == ""


def test_mirrors_within_a_link_and_to_another() -> None:
    one = SweptSphere([[0.1, 0.2, 0.3]], 0.05, "knob")
    draft = VolumeDraft(hopper(), Volumes({"trunk": [one]}))
    draft.mirror("y")
    assert draft.here[1].points.tolist() == [[0.1, -0.2, 0.3]]
    draft.mirror("x", "shin")
    assert [v.points[0].tolist() for v in draft.lists["shin"]] == [
        [-0.1, 0.2, 0.3],
        [-0.1, -0.2, 0.3],
    ]
    with pytest.raises(UnknownNameError, match=r"no link 'shim'.*'shin'"):
        draft.mirror("x", "shim")


def test_wrong_changes_are_refused_and_change_nothing() -> None:
    draft = VolumeDraft(hopper(), Volumes({"trunk": [SweptSphere([[0, 0, 0]], 0.1)]}))
    for wrong in ({"radius": -1.0}, {"radius": np.nan}, {"points": [[0, 0, 0], [1, 0, 0]]}):
        with pytest.raises(ValueError):
            draft.change(**wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="kind is 'cube'"):
        draft.add("cube")
    with pytest.raises(ValueError, match="corner is 1"):
        draft.move_point(1, (0, 0, 0))
    assert draft.here[0].radius == 0.1 and len(draft.here) == 1


def test_the_page_changes_and_saves(tmp_path: Path) -> None:
    file = tmp_path / "volumes.yaml"
    start = Volumes({"trunk": [SweptSphere([[0, 0, 0], [0.1, 0, 0]], 0.1, "belly")]})
    with edited(hopper(), start, path=file, port=18740) as (editor, page):
        page.say({"do": "radius", "value": 0.25})
        assert editor.draft.here[0].radius == 0.25 and page.state["outside"] == "nothing"
        page.say({"do": "point", "corner": 1, "axis": 0, "value": 0.2})
        assert editor.draft.here[0].points.tolist() == [[0, 0, 0], [0.2, 0, 0]]
        assert [each["name"] for each in page.state["handles"]] == ["point 1", "point 2", "radius"]
        assert page.state["handles"][1]["position"] == pytest.approx([0.2, 0, 0])
        page.say({"do": "name", "value": "middle"})
        page.say({"do": "copy"})
        page.say({"do": "remove"})
        assert [each["name"] for each in page.state["volumes"]] == ["middle"]
        page.say({"do": "link", "value": "shin"})
        assert page.shapes["name"] == "shin" and page.state["outside"] == "everything"
        page.say({"do": "add", "value": "ball"})
        page.say({"do": "radius", "value": 0.001})
        outside = editor.draft.outside()
        assert page.state["outside"] == f"{1e3 * outside:.2f} mm" and outside > 0.05
        page.say({"do": "grow"})
        assert page.state["outside"] == "nothing" and editor.draft.here[0].radius > 0.05
        page.say({"do": "fit", "parts": 1})
        assert [volume.kind for volume in editor.draft.here] == ["line"]
        page.say({"do": "mirror", "axis": "x", "other": ""})
        assert len(editor.draft.here) == 2
        page.say({"do": "save"})
        assert page.status == f"saved to {file}"
        page.say({"do": "link", "value": "world"})
        page.say({"do": "mirror", "axis": "x", "other": "shin"})
        assert editor.draft.lists["shin"] == []
        page.say({"do": "add", "value": "line"})
        page.say({"do": "save"})
    found = Volumes.load(file)
    assert found["world"][0].kind == "line"
    assert found["trunk"][0].radius == 0.25 and found["trunk"][0].name == "middle"


def test_handles_move_corners_and_the_radius() -> None:
    line = SweptSphere([[0, 0, 0], [0.3, 0, 0]], 0.1)
    with edited(hopper(), Volumes({"trunk": [line]}), port=18742) as (editor, page):
        page.say({"handle": "point 2", "position": [0.3, 0.1, 0.2], "wxyz": None})
        assert editor.draft.here[0].points.tolist() == [[0, 0, 0], [0.3, 0.1, 0.2]]
        # the surface goes through the handle, wherever it is
        for place in ([0.0, 0.0, 0.5], [-0.2, 0.1, 0.0], [0.6, 0.2, 0.4]):
            page.say({"handle": "radius", "position": place, "wxyz": None})
            (volume,) = editor.draft.here
            assert volume.distance_to_points(place) == pytest.approx(0.0, abs=1e-12)
            shown = page.state["handles"][-1]
            assert shown["plain"] and page.state["volumes"][0]["radius"] == volume.radius
            assert volume.distance_to_points(shown["position"]) == pytest.approx(0.0, abs=1e-12)


def test_surfaces_are_sent_once_and_again_to_a_new_page() -> None:
    one, other = (SweptSphere([[x, 0, 0]], 0.1) for x in (0.0, 1.0))
    with edited(hopper(), Volumes({"trunk": [one, other, one]}), port=18744) as (editor, page):
        first, second, third = (volume["key"] for volume in page.state["volumes"])
        assert first == third != second and set(page.state["surfaces"]) == {first, second}
        page.say({"do": "volume", "value": 2})
        assert page.state["surfaces"] == {}
        page.say({"do": "radius", "value": 0.2})
        assert set(page.state["surfaces"]) == {page.state["volumes"][2]["key"]}
        vertices = page.state["surfaces"][page.state["volumes"][2]["key"]]["vertices"]
        points = np.frombuffer(base64.b64decode(vertices), "<f4").reshape(-1, 3)
        assert np.linalg.norm(points, axis=1) == pytest.approx(0.2, rel=0.01)
        again = next(iter(editor._greet()))["state"]
        assert set(again["surfaces"]) == {volume["key"] for volume in page.state["volumes"]}


def test_what_a_program_does_to_the_draft_is_shown() -> None:
    with edited(hopper(), port=18745) as (editor, page):
        editor.draft.add("ball")
        assert [volume["name"] for volume in page.read()["volumes"]] == ["ball"]


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"do": "radius", "value": -1}, "radius is -1"),
        ({"do": "radius", "value": None}, "radius is empty, must be a number"),
        ({"do": "radius", "value": 1e300}, "radius is 1e+300, must be a number of size less than"),
        ({"do": "radius", "value": True}, "radius is True"),
        ({"do": "point", "corner": 1, "axis": 0, "value": 0.1}, "corner is 1, must be at most 0"),
        (
            {"do": "point", "corner": 0, "axis": "x", "value": 0.1},
            "axis is 'x', must be an integer",
        ),
        ({"do": "point", "corner": 0, "axis": 2, "value": None}, "z of point 1 is empty"),
        ({"do": "volume", "value": "first"}, "volume is 'first', must be an integer"),
        ({"do": "volume", "value": 0.5}, "volume is 0.5, must be an integer"),
        ({"do": "volume", "value": True}, "volume is True, must be an integer"),
        ({"do": "link", "value": "shim"}, "there is no link 'shim'"),
        ({"do": "link", "value": ["shin"]}, "there is no link ['shin']"),
        ({"do": "name", "value": 3}, "the name of a swept sphere is 3"),
        ({"do": "add", "value": "cube"}, "kind is 'cube'"),
        ({"do": "mirror", "axis": "w", "other": ""}, "axis is 'w'"),
        ({"do": "fit", "parts": 1000}, "parts is 1000, must be at most 64"),
        ({"do": "fit", "parts": None}, "parts is None, must be an integer"),
        ({"do": ["save"]}, "unhashable type"),
        ({"handle": "point 1", "position": [0, 0]}, "position"),
        ({"handle": "point 1", "position": [0, 0, "far"]}, "position is 'far'"),
        ({"handle": "radius", "position": [0, 0, 1e9]}, "position is 1000000000.0"),
        ({"handle": "radius", "position": [0, 0, 0]}, ""),
        ({"handle": "point 9", "position": [0, 0, 0]}, ""),
        ({"do": "explode"}, ""),
        ({}, ""),
    ],
)
def test_wrong_commands_are_told_and_change_nothing(message: Any, words: str) -> None:
    ball = SweptSphere([[0, 0, 0]], 0.1)
    with edited(hopper(), Volumes({"trunk": [ball]}), port=18746) as (editor, page):
        page.say(message)
        assert words in page.status if words else page.status == ""
        assert editor.draft.here[0].points.tolist() == [[0, 0, 0]]
        page.say({"do": "add", "value": "ball"})  # it goes on
        assert page.status == "" and len(editor.draft.here) == 2


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with edited(hopper(), path=tmp_path / "nowhere" / "x.yaml", port=18748) as (_, page):
        page.say({"do": "save"})
        assert "nowhere" in page.status


def test_commands_beyond_the_queue_are_refused() -> None:
    with edited(hopper(), port=18749) as (editor, _):
        with editor._lock:
            for _ in range(MAX_WAITING + 2):
                editor._hear({"do": "copy"})
            assert editor.status == "the editor is busy: the last command was ignored"
        assert wait_for(editor._commands.empty)


# --- in a browser -----------------------------------------------------------------------------


def drag(shown: Any, handle: str, dx: float, dy: float) -> None:
    """Take a handle with the mouse and move it by pixels."""
    place = f"editor.scene.place(editor.handles.list.find(h => h.name == '{handle}').position)"
    x, y = shown.evaluate(place)
    shown.mouse.move(x, y)
    until(shown, f"document.querySelector('.hint').textContent == '{handle}'")
    shown.mouse.down()
    shown.mouse.move(x + dx, y + dy, steps=6)
    shown.mouse.up()


@pytest.mark.parametrize("size", [LAPTOP, PHONE])
def test_the_editor_in_a_browser(chromium: Any, tmp_path: Path, size: tuple[int, int]) -> None:
    file = tmp_path / "volumes.yaml"
    start = Volumes({"trunk": [SweptSphere([[-0.05, 0, 0]], 0.1), SweptSphere([[0.4, 0, 0]], 0.1)]})
    with ts.edit_volumes(hopper(), start, path=file, port=18780) as editor:
        draft = editor.draft
        with opened(chromium, editor.url, size) as shown:
            until(shown, "window.editor && editor.state && editor.scene.before > 0")
            assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")
            # a click on a volume chooses it
            x, y = shown.evaluate("editor.scene.place([0.45, 0, 0])")
            shown.mouse.click(x, y)
            assert wait_for(lambda: draft.chosen == 1)
            until(shown, "editor.state.chosen == 1 && editor.handles.list.length == 2")
            before = draft.here[1]
            drag(shown, "point 1", 30, -20)
            until(shown, "!editor.waiting")
            assert wait_for(lambda: np.linalg.norm(draft.here[1].points - before.points) > 0.01)
            drag(shown, "radius", -25, 0)
            assert wait_for(lambda: draft.here[1].radius > 0.1)
            until(shown, "!editor.waiting")
            if size == PHONE:
                shown.click(".editor summary")
            shown.fill("#radius", "0.3")
            shown.keyboard.press("Enter")
            assert wait_for(lambda: draft.here[1].radius == 0.3)
            shown.fill("#radius", "-1")
            shown.keyboard.press("Enter")
            until(shown, "document.querySelector('#status').textContent.includes('radius is -1')")
            until(shown, "document.querySelector('#radius').value == '0.3'")
            shown.fill("[aria-label='z of point 1']", "0.125")
            shown.keyboard.press("Enter")
            assert wait_for(lambda: draft.here[1].points[0, 2] == 0.125)
            shown.click("text=Triangle")
            assert wait_for(lambda: len(draft.here) == 3 and draft.here[2].kind == "triangle")
            until(shown, "editor.scene.parts.shells.length == 3")
            shown.click("[data-do=mirror]")
            assert wait_for(lambda: len(draft.here) == 4)
            shown.click("[data-do=remove]")
            assert wait_for(lambda: len(draft.here) == 3)
            shown.select_option("#link", "shin")
            assert wait_for(lambda: draft.link == "shin")
            until(shown, "document.querySelector('#outside').textContent == 'everything'")
            assert shown.is_disabled("#name")
            shown.fill("#parts", "1")
            shown.click("[data-do=fit]")
            until(shown, "document.querySelector('#outside').textContent == 'nothing'")
            shown.fill("#groups", "legs")
            shown.keyboard.press("Enter")
            until(shown, "editor.state.groups.length == 1")
            shown.select_option("#group", "legs")
            until(
                shown, "editor.state.group == 'legs' && !document.querySelector('#assign').disabled"
            )
            shown.click("#save")
            until(shown, "document.querySelector('#status').textContent.startsWith('saved to')")
        found = Volumes.load(file)
        assert [len(found[link]) for link in ("trunk", "shin")] == [3, 1]
        assert found["shin"][0].groups == ("legs",)


def test_all_of_the_editor_is_within_reach(chromium: Any) -> None:
    """What can be pressed has a name, is inside of the panel, and can be scrolled to."""
    with ts.edit_volumes(hopper(), port=18785) as editor:
        editor.draft.add("triangle")
        for size in (LAPTOP, PHONE):
            with opened(chromium, editor.url, size, dark=size == PHONE) as shown:
                until(shown, "window.editor && editor.state")
                if size == PHONE:
                    shown.click(".editor summary")
                panel = shown.locator(".editor").bounding_box()
                for each in shown.locator("button, .editor input, .editor select").all():
                    each.scroll_into_view_if_needed()
                    box, label = each.bounding_box(), each.evaluate("e => e.labels?.[0]?.innerText")
                    name = each.get_attribute("aria-label") or each.inner_text() or label
                    assert name and box is not None
                    assert min(box["width"], box["height"]) >= (40 if size == PHONE else 28), name
                    assert box["x"] >= 0 and box["x"] + box["width"] <= size[0]
                    if box["y"] > panel["y"]:
                        assert box["x"] + box["width"] <= panel["x"] + panel["width"], name
