"""Hands that do anything: clicks, drags, keys, wheels and words at random, on a page that lives.

No error of the page, no traceback of the server, an answer to every line, and what was built is
there again after the server was closed. Rounds: one in the suite, TARSUS_FUZZ_FACTOR in long
runs, which begin elsewhere each time, at TARSUS_FUZZ_SEED if it is set.
"""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pages import visit

from tarsus.studio import Stage, messages
from tarsus.studio.document_files import document_data
from tarsus.studio.server import open_studio

WIDTH, HEIGHT = 1366, 768
ACTIONS = 30
"""Things done in a round."""
KEYS = (
    *("Escape", "Enter", "Tab", "Shift+Tab", "Delete", "Space", "ArrowLeft", "ArrowRight"),
    *("Control+z", "Control+y", "Control+d", "Control+s", "f", "g", "?", "1", "w", "Home", "."),
)
WORDS = (
    *("play", "pause", "undo", "redo", "restart", "step 5", "rewind 0", "look .1", "explain"),
    *("add box -t 0 0 1", "add rod -t .3 0 1", "add wheel -t 0 .4 .5", "add sphere", "new"),
    *("open tensegrity", "open four_bar", "open pendulum_wave", "load four_bar", "show forces on"),
    *("set ground -friction nan", "set world -dt -1", "chart energy:kinetic", "delete ground"),
    *("add box -size 0 0 0", "", "<img src=x onerror=alert(1)>", "-1", "1e400", "½", "x" * 500),
)
SHOWN = """(() => {
  const open = (e) => e.getClientRects().length && !e.disabled
  return [...document.querySelectorAll("button, input, select, textarea, summary, [tabindex]")]
    .filter(open).length
})()"""
PRESSED = """(k) => {
  const open = (e) => e.getClientRects().length && !e.disabled
  const all = [...document.querySelectorAll("button, input, select, textarea, summary, [tabindex]")]
    .filter(open)
  if (!all.length) return
  const one = all[k % all.length]
  one.focus()
  if (!(one.type === "file")) one.click()
}"""


def act(rng: np.random.Generator, page: Any) -> str:
    """Do one thing, and return what it was."""
    x, y = rng.uniform(0, WIDTH), rng.uniform(0, HEIGHT)
    to = rng.uniform(0, WIDTH), rng.uniform(0, HEIGHT)
    word, key = str(rng.choice(WORDS)), str(rng.choice(KEYS))
    match rng.integers(8):
        case 0:
            page.mouse.click(x, y, button=str(rng.choice(["left", "left", "right", "middle"])))
            return f"click {x:.0f} {y:.0f}"
        case 1:
            page.mouse.move(x, y)
            page.mouse.down()
            page.mouse.move(*to, steps=3)
            page.mouse.up()
            return f"drag {x:.0f} {y:.0f} to {to[0]:.0f} {to[1]:.0f}"
        case 2:
            page.keyboard.press(key)
            return f"press {key}"
        case 3:
            page.mouse.move(x, y)
            page.mouse.wheel(0, float(rng.uniform(-500, 500)))
            return "wheel"
        case 4:
            page.keyboard.type(word[:40])
            page.keyboard.press("Enter")
            return f"type {word[:40]}"
        case 5 | 6:
            k = int(rng.integers(10_000))
            page.evaluate(PRESSED, k)
            return f"press element {k} of {page.evaluate(SHOWN)}"
        case _:
            page.evaluate("(line) => { studio.run(line) }", word)
            return f"say {word[:40]}"


def seeds() -> range:
    """Return the seeds of the rounds."""
    many = int(os.environ.get("TARSUS_FUZZ_FACTOR", 0))
    first = np.random.default_rng().integers(2**40) if many else 0
    first = int(os.environ.get("TARSUS_FUZZ_SEED", first))
    return range(first, first + (many or 1))


def saved(stage: Stage) -> str:
    """Return all that is built, as text."""
    with stage.lock:
        return json.dumps(messages.clean(document_data(stage.document)[0]), sort_keys=True)


def test_a_page_stands_anything(
    chromium: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    for seed in seeds():
        rng = np.random.default_rng(seed)
        folder = tmp_path / str(seed)
        did = []
        try:
            with open_studio(Stage(root=tmp_path), port=0, session=folder) as studio:
                page = visit(chromium, studio.url, WIDTH, HEIGHT)
                page.on("dialog", lambda dialog: dialog.dismiss())
                for _ in range(ACTIONS):
                    did.append(act(rng, page))
                    assert not page.errors
                answer = page.evaluate("studio.run('rtime')")
                assert answer["ok"], answer
                page.context.close()
                studio.stage.do("pause")
                before = saved(studio.stage)
            with open_studio(Stage(root=tmp_path), port=0, session=folder) as studio:
                assert saved(studio.stage) == before
            assert not [each for each in caplog.records if each.exc_info], caplog.text
        except BaseException as error:
            error.add_note(f"seed {seed}:\n" + "\n".join(did))
            raise
