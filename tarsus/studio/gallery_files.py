"""The gallery: guided scenes, each a script of lines that begins with what it invites to.

; title: A pendulum
; text: …
; try: Pull it aside and let go.
; measure: q:hinge
; question: …
; answer: …
add rod …
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from tarsus.studio.document import Guide
from tarsus.studio.language import LineError, one_of
from tarsus.studio.scene_file import World

ENDING = ".txt"
SEVERAL = {"try": "to_try", "measure": "to_measure"}
ONCE = ("title", "text", "question", "answer")


def gallery_folder() -> Traversable:
    """Return where the scripts are."""
    return resources.files("tarsus.studio").joinpath("gallery")


def gallery_names() -> list[str]:
    """Return the names of the guided scenes."""
    folder = gallery_folder()
    if not folder.is_dir():
        return []
    return sorted(
        each.name.removesuffix(ENDING) for each in folder.iterdir() if each.name.endswith(ENDING)
    )


def gallery_guide(name: str) -> Guide:
    """Return what a guided scene invites to."""
    return guide_of(gallery_script(name).splitlines(), name)


def gallery_script(name: str) -> str:
    """Return the script of a guided scene."""
    one_of(name, gallery_names(), "scene")
    return gallery_folder().joinpath(name + ENDING).read_text("utf-8")


def gallery_world(name: str) -> World:
    """Return a guided scene as a world, with its guide."""
    return world_of_script(gallery_script(name), name)


def world_of_script(script: str, name: str) -> World:
    """Return the world that a script builds, with the guide that it begins with."""
    from tarsus.studio.stage import Stage

    stage = Stage(root=Path())
    try:
        stage.run(script)
    except LineError as error:
        raise LineError(f"{name}: {error}", "SCENE") from None
    machine = stage.machine
    document = machine.document.but(guide=guide_of(script.splitlines(), name), scene=name)
    off = tuple(part for part in document.parts if not machine.simulation.parts[part].on)
    return World(document, machine.model, machine.q, machine.v, stage.t, off)


def guide_of(lines: Iterable[str], name: str) -> Guide:
    """Return the guide that the first comments of a script state."""
    once: dict[str, Any] = {"title": name}
    several: dict[str, list[str]] = {field: [] for field in SEVERAL.values()}
    for line in lines:
        if not line.startswith(";"):
            break
        key, _, words = line[1:].partition(":")
        if key.strip() in ONCE:
            once[key.strip()] = words.strip()
        elif key.strip() in SEVERAL:
            several[SEVERAL[key.strip()]].append(words.strip())
    once |= {field: tuple(each) for field, each in several.items()}
    return Guide(**once)
