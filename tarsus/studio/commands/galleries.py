"""The gallery: `open` a scene, or list them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tarsus.studio.commands.command import command
from tarsus.studio.gallery import ENTRIES
from tarsus.studio.language import Line, one_of
from tarsus.studio.opening import opened

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage


@command("open SCENE", files=True)
def open_scene(stage: Stage, line: Line) -> str:
    """Open a scene of the gallery; without a name, say which there are."""
    line.expect([], more=True)
    if not line.words:
        return "\n".join(f"{name}: {entry.invite}" for name, entry in ENTRIES.items())
    entry = ENTRIES[one_of(line.words[0], ENTRIES, "scene")]
    document, model, start = opened(entry.make())
    document = document.but(
        guide=entry.guide, charts=entry.charts, sliders=entry.bound(), scene=entry.name
    )
    stage.begin(document, f"open {entry.name}", model=model, start=start)
    told = [stage.answered(each) for each in entry.lines]
    return "\n".join([entry.invite, *told])
