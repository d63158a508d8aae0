"""Files: `new`, `load`, `save`, `export`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tarsus.studio.commands.command import command
from tarsus.studio.document import Document
from tarsus.studio.exporting import export
from tarsus.studio.files import shown, to_write
from tarsus.studio.language import Line
from tarsus.studio.loading import loaded
from tarsus.studio.scene_file import HEADER, KIND, write_scene

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage


@command("new")
def new(stage: Stage, line: Line) -> str:
    """Begin with nothing; undo brings back what was there."""
    line.expect([])
    stage.begin(Document(), "new")
    return "an empty world"


@command("load FILE_OR_NAME", files=True)
def load(stage: Stage, line: Line) -> str:
    """Open a file (URDF, SDF, MJCF, YAML, JSON, a scene), or a robot or a scene by name."""
    line.expect(["FILE_OR_NAME"])
    word = line.words[0]
    world = loaded(stage, word)
    start = world.q, world.v
    stage.begin(world.document, f"load {word}", model=world.model, start=start, t=world.t)
    for text in (*world.notes, *world.model.warnings):
        stage.tell(text)
    return f"{world.document.description.name}: {world.model.n_bodies} bodies"


@command("save FILE", noted=False, files=True)
def save(stage: Stage, line: Line) -> str:
    """Write the world as it is now to a studio scene (.json)."""
    line.expect(["FILE"])
    (path,) = to_write(stage, [line.words[0]], (KIND,), HEADER)
    with stage.guard.writing(path, HEADER) as part:
        lost = write_scene(stage, part)
    return "; ".join([f"saved to {shown(stage, path)}", *(f"not kept: {each}" for each in lost)])


@command("export FILE -fps n -speed x -size w h -whole on|off", noted=False, files=True)
def export_file(stage: Stage, line: Line) -> str:
    """Write a model, the recording, a picture, a film or a page; the ending chooses."""
    line.expect(["FILE"], ["-fps", "-speed", "-size", "-whole"])
    return export(stage, line.words[0], line)
