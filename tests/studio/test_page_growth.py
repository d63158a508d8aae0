"""A page that stays open does not grow: edits, frames, tools and messages leave nothing behind."""

from __future__ import annotations

from typing import Any

from pages import until, visit

from tarsus.studio import Stage
from tarsus.studio.server import open_studio

ROUND = """(async () => {
  for (let k = 0; k < 12; k++) {
    await studio.run(`set plank -m ${1 + k / 100}`)
    await studio.run(`set plank -m -1`, { quiet: k % 10 > 0 })
    studio.select(k % 2 ? "plank" : "")
    await studio.run(k % 2 ? "chart z:plank" : "unchart z:plank")
    document.querySelector(".tile").click()
    studio.drop()
  }
  return studio.world.scene.revision
})()"""

FULL = """(() => {
  for (let k = 0; k < 500; k++) studio.emit("ran", { line: "pause", text: `t = ${k} s`, ok: true })
})()"""
"""Fills the log of the console, which then lets the oldest go."""


def heap(session: Any) -> float:
    """Return what the page keeps after all that is garbage has been taken away [MB]."""
    for _ in range(3):
        session.send("HeapProfiler.collectGarbage")
    return float(session.send("Runtime.getHeapUsage")["usedSize"]) / 1e6


def nodes(session: Any) -> dict[str, float]:
    """Return how many documents, nodes and listeners there are."""
    return session.send("Memory.getDOMCounters")


def test_nothing_piles_up(chromium: Any) -> None:
    stage = Stage()
    assert stage.do("add box plank -t 0 0 1").ok
    with open_studio(stage, port=0) as studio:
        page = visit(chromium, studio.url)
        session = page.context.new_cdp_session(page)
        page.evaluate("studio.run('play')")
        page.evaluate(FULL)
        page.evaluate(ROUND)
        page.evaluate("studio.run('unchart z:plank')")
        before, elements = heap(session), nodes(session)
        for _ in range(2):
            page.evaluate(ROUND)
        page.evaluate("studio.run('unchart z:plank')")
        until(page, "studio.world.scene.charts.length === 0")
        after, later = heap(session), nodes(session)
        assert after - before < 1.5
        assert later["nodes"] - elements["nodes"] < 600
        assert later["jsEventListeners"] - elements["jsEventListeners"] < 200
        assert page.evaluate("document.querySelectorAll('.log > *').length") <= 400
        assert not page.errors
        page.context.close()
