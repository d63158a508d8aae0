"""The page asks before files are replaced, and before pending lines of a session are done."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pages import eventually, until, visit
from worlds import append_rows

from tarsus.studio import Stage
from tarsus.studio.autosave import Autosave
from tarsus.studio.server import open_studio

MINE = "a file of the user"


def say(page: Any, line: str) -> None:
    """Type a line into the console."""
    page.keyboard.press("/")
    page.fill(".prompt", line)
    page.keyboard.press("Enter")


def test_the_page_asks_before_it_replaces_files(chromium: Any, tmp_path: Path) -> None:
    stage = Stage(root=tmp_path)
    stage.run("add box plank -t 0 0 1")
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(MINE)
    (tmp_path / "both.ves").write_text("save a.json\nsave b.json\n")
    with open_studio(stage, port=0) as studio:
        page = visit(chromium, studio.url)
        say(page, "save a.json")
        page.wait_for_selector("dialog.ask")
        assert str(tmp_path / "a.json") in page.inner_text("dialog.ask")
        page.click("dialog.ask >> text=Keep it")
        until(page, "!document.querySelector('dialog.ask')")
        until(page, "Boolean(document.querySelector('.entry.failed'))")
        assert (tmp_path / "a.json").read_text() == MINE
        # a script is asked for each file that it comes to
        say(page, "run both.ves")
        for name in ("a.json", "b.json"):
            page.wait_for_selector(f"dialog.ask:has-text('{name}')")
            assert (tmp_path / "b.json").read_text() == MINE
            page.click("dialog.ask >> css=button.primary")
        eventually(page, lambda: (tmp_path / "b.json").read_text() != MINE, "b.json is replaced")
        assert json.loads((tmp_path / "a.json").read_text())["format"] == "tarsus studio"
        # what this session wrote is replaced without a question
        say(page, "export c.yaml")
        say(page, "export c.yaml")
        until(page, "document.querySelectorAll('.log .entry:not(.failed)').length >= 3")
        assert not page.query_selector("dialog.ask")
        assert not page.errors
        page.context.close()


def test_the_page_asks_before_lines_of_a_session_are_done(chromium: Any, tmp_path: Path) -> None:
    stage = Stage(root=tmp_path)
    stage.run("add box plank -t 0 0 1")
    Autosave(stage, tmp_path / "session").close()
    append_rows(tmp_path / "session", "save copy.json", "add box late")
    for button, done in (("Close", False), ("Do again", True)):
        with open_studio(Stage(root=tmp_path), port=0, session=tmp_path / "session") as studio:
            pages = [visit(chromium, studio.url) for _ in range(2)]
            for page in pages:
                page.wait_for_selector("dialog.ask:has-text('save copy.json')")
            assert not (tmp_path / "copy.json").exists()
            close = "dialog.ask >> css=button[aria-label=Close]"
            pages[0].click(close if button == "Close" else f"dialog.ask >> text={button}")
            if done:
                until(pages[0], "Boolean(studio.world.find('late'))")
                until(pages[1], "!document.querySelector('dialog.ask')")
                assert (tmp_path / "copy.json").exists()
            for page in pages:
                assert not page.errors
                page.context.close()
    kept = Autosave(Stage(root=tmp_path), tmp_path / "session")
    assert not kept.pending
    kept.close()
