"""A stage in a notebook: the studio if it is served, else a page that plays what was recorded."""

from __future__ import annotations

import html
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tarsus.studio.exporting import write_player
from tarsus.studio.filming import films_of

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage

HEIGHT = 560
"""Of the frame in the notebook [pixels]."""
FRAME = f'style="width:100%;height:{HEIGHT}px;border:0" title="tarsus studio"'


def frame_of(stage: Stage) -> str:
    """Return the HTML that shows a stage: a frame on its server, or on a page in itself."""
    if stage.url:
        return f'<iframe src="{html.escape(stage.url)}" {FRAME}></iframe>'
    if not stage.document.description.bodies:
        return '<p>an empty stage: <code>stage.do("add box plank")</code></p>'
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        write_player(films_of(stage)[-1], page)
        text = page.read_text("utf-8")
    # scripts of the page are ours, and see nothing of the notebook
    return f'<iframe sandbox="allow-scripts" srcdoc="{html.escape(text)}" {FRAME}></iframe>'


class Shown:
    """What `stage.show()` returns: notebooks draw it."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    def _repr_html_(self) -> str:
        return frame_of(self._stage)
