"""Stages in notebooks: a frame on the studio if it is served, a page in itself if not."""

from __future__ import annotations

import html
import re

import tarsus as ts
from tarsus.studio import Stage


def test_a_stage_draws_itself() -> None:
    stage = Stage()
    assert "empty" in stage._repr_html_()
    stage.run("add box plank\nchart z:plank\nadvance 100")
    for drawn in (stage._repr_html_(), stage.show()._repr_html_()):
        page = re.fullmatch(
            r'<iframe sandbox="allow-scripts" srcdoc="([^"]*)" [^>]*></iframe>', drawn
        )
        assert page is not None
        text = html.unescape(page[1])
        assert (
            "<html" in text and "z:plank" in text and "//" not in re.findall(r'src="([^"]*)"', text)
        )


def test_a_served_stage_shows_the_studio() -> None:
    with ts.studio.open(port=0) as studio:
        assert f'<iframe src="{studio.url}"' in studio.stage._repr_html_()
    assert "iframe src" not in studio.stage._repr_html_()


def test_show_is_a_verb_as_well() -> None:
    stage = Stage()
    stage.show("names", "on")
    assert "names" in stage.document.shown
