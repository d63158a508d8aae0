"""What `load` opens: files of models, studio scenes, robots and scenes by name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tarsus import robots, scenes
from tarsus.formats import READABLE, load, text
from tarsus.formats.native import from_data
from tarsus.model import Model
from tarsus.model.checks import suggestion
from tarsus.robots.examples import EXAMPLES, example_folder
from tarsus.robots.named import robot_named
from tarsus.scenes.named import scene_named
from tarsus.studio.files import to_read
from tarsus.studio.language import LineError
from tarsus.studio.limits import check_call
from tarsus.studio.opening import differences, of_model, of_scene, standing
from tarsus.studio.scene_file import World, is_scene, read_scene

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage


def loaded(stage: Stage, word: str) -> World:
    """Return the world that a word stands for: a file below the stage's folder, or a name."""
    if Path(word).suffix.lower() in READABLE:
        return _of_file(stage, word)
    return _of_name(word)


def world_of(model: Model) -> World:
    """Return a model that stands on level ground."""
    document = of_model(model)
    return World(document, model, *standing(document, model))


def _of_file(stage: Stage, word: str) -> World:
    path = to_read(stage, word, READABLE)
    if path.suffix.lower() != ".json":
        return world_of(load(path, package_dirs=[stage.root]))
    data = text.read(path)
    if is_scene(data):
        return read_scene(data, path, mesh_folders(stage))
    return world_of(Model(from_data(data, str(path), [stage.root]), strict=False))


def mesh_folders(stage: Stage) -> list[Path]:
    """Return folders below which scenes may have their meshes: the stage's, those of robots."""
    robots_folder = example_folder()
    return [stage.root.resolve(), *([] if robots_folder is None else [robots_folder])]


def _of_name(word: str) -> World:
    check_call(word)
    scene = scene_named(word, quotes=False)
    if scene is not None:
        document = of_scene(scene).but(scene=word.strip())
        notes = tuple(differences(scene, document))
        return World(document, scene.model, scene.q0, scene.v0, notes=notes)
    model = robot_named(f"{word}()" if word in robots.names() else word)
    if model is None:
        names = [*scenes.names(), *robots.names(), *EXAMPLES]
        kinds = ", ".join(READABLE)
        raise LineError(
            f"there is no {word!r}: it must be a file ({kinds}) or a name{suggestion(word, names)}",
            "FILE",
        )
    return world_of(model)
