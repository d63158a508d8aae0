"""Export of runs, and import of models."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus import robots, scenes
from tarsus._lib.checks import suggestion
from tarsus.formats import text
from tarsus.formats.export.losses import ExportWarning
from tarsus.formats.native import from_data
from tarsus.formats.readers import READABLE, WRITABLE, load, save
from tarsus.model.model import Model
from tarsus.parts.forces import FORCES
from tarsus.robots.load import EXAMPLES, example_folder, robot_named
from tarsus.scenes.scene import scene_named
from tarsus.studio.document_files import World, is_scene, read_scene
from tarsus.studio.language import Line, LineError, below, one_of, shown, to_read, to_write
from tarsus.studio.opening import differences, of_model, of_scene, standing
from tarsus.studio.recording import Film, films_of, picture_of, write_table
from tarsus.studio.sizing import check_call
from tarsus.view.films import animate
from tarsus.view.frame_sequence import Stage as Pictures
from tarsus.view.gltf import write_glb
from tarsus.view.renderer import Renderer

if TYPE_CHECKING:
    from tarsus.studio.session import Stage


# What `export` writes, by the ending of the file: models, tables, pictures, films, pages.


FILMS, TABLES = (".gif", ".mp4"), (".npz", ".csv", ".parquet")
MODELS = tuple(WRITABLE)
KINDS = (*MODELS, *TABLES, ".glb", ".html", ".png", *FILMS)
MOST_PICTURES, MOST_PIXELS = 5000, 4096 * 4096
"""Of films and of each picture, so that nobody waits for hours."""


def export(stage: Stage, word: str, line: Line) -> str:
    """Write the file that a word names, and return what was written and what was left out."""
    kind = below(stage, word, KINDS).suffix.lower()
    if kind in MODELS:
        return _model(stage, word)
    fps, speed = _positive(line, "-fps", 25.0), _positive(line, "-speed", 1.0)
    one = kind == ".png" and "-fps" not in line.options
    films = [picture_of(stage)] if one else films_of(stage)
    whole = one_of(" ".join(line.options.get("-whole", ["off"])), ("on", "off"), "-whole") == "on"
    names = _names(word, len(films) if whole else 1)
    chosen = films[-len(names) :]
    counts = [1 + round(film.run.duration * fps / speed) for film in chosen]
    if kind not in TABLES and max(counts) > MOST_PICTURES:
        raise LineError(f"-fps: these are {max(counts)} pictures, at most {MOST_PICTURES}", "-fps")
    numbered = [
        _numbered(name, count) if kind == ".png" else [name]
        for name, count in zip(names, counts, strict=True)
    ]
    # all names are checked before the first file is written
    paths = iter(to_write(stage, [each for group in numbered for each in group], KINDS))
    told = []
    for film, name, group in zip(chosen, names, numbered, strict=True):
        files = [next(paths) for _ in group]
        said = _write(stage, film, files, fps, speed, _size(line))
        where = shown(stage, below(stage, name, KINDS))
        told.append(f"{said} written to {where}" + ("" if one else f", {film.span}"))
    if len(names) < len(films):
        before = f"t = {films[0].run.t[0]:.4g} … {films[-2].run.t[-1]:.4g} s"
        told.append(f"{before} is left out, another machine: -whole on writes it to other files")
    return "; ".join(told)


def _names(word: str, count: int) -> list[str]:
    """Return names for machines one after the other: run-before2, run-before1, run."""
    path = Path(word)
    earlier = [
        str(path.with_name(f"{path.stem}-before{k}{path.suffix}")) for k in range(count - 1, 0, -1)
    ]
    return [*earlier, word]


def _numbered(name: str, count: int) -> list[str]:
    """Return the name of a picture, or the names of those of a film: name-0001.png, …"""
    path = Path(name)
    if count == 1:
        return [name]
    return [str(path.with_name(f"{path.stem}-{k:04d}{path.suffix}")) for k in range(1, count + 1)]


def _model(stage: Stage, word: str) -> str:
    """Write the model with its forces; constraints and the ground are of studio scenes only."""
    (path,) = to_write(stage, [word], MODELS)
    document = stage.document
    forces = [part for part in document.parts.values() if part.kind in FORCES]
    model = Model(dataclasses.replace(document.description, forces=forces), strict=False)
    with warnings.catch_warnings(), stage.guard.writing(path) as part:
        warnings.simplefilter("ignore", ExportWarning)  # what it says is in the answer
        left_out = [str(each) for each in save(model, part)]
    left_out += [
        f"{part.kind} {part.name}: a constraint, which scenes keep"
        for part in document.parts.values()
        if part.kind not in FORCES
    ]
    return "\n".join([f"model written to {shown(stage, path)}", *left_out])


def _table(film: Film, path: Path, fps: float, speed: float, size: Mapping[str, Any]) -> str:
    if path.suffix.lower() == ".csv":
        write_table(film, path)
    else:
        film.run.save(path)
    return f"{len(film.run)} moments"


def _glb(film: Film, path: Path, fps: float, speed: float, size: Mapping[str, Any]) -> str:
    pictures = Pictures(film.run, fps=fps, speed=speed)
    write_glb(pictures, path, speed=speed)
    return f"{len(pictures.times)} key frames"


def write_player(film: Film, path: Path, fps: float = 25.0, speed: float = 1.0) -> None:
    """Write a page that plays a film with its charts, without a server."""
    charts = {f"{name} [{film.units[name]}]": _whole(x) for name, x in film.charts.items()}
    animate(film.run, path, fps=fps, speed=speed, lines=film.lines, quantities=charts)


def _page(film: Film, path: Path, fps: float, speed: float, size: Mapping[str, Any]) -> str:
    write_player(film, path, fps, speed)
    return f"{film.run.duration:.4g} s"


def _film(film: Film, path: Path, fps: float, speed: float, size: Mapping[str, Any]) -> str:
    animate(film.run, path, fps=fps, speed=speed, lines=film.lines, **size)
    return f"{film.run.duration:.4g} s"


def _write(
    stage: Stage,
    film: Film,
    files: list[Path],
    fps: float,
    speed: float,
    size: Mapping[str, Any],
) -> str:
    """Write a recording to its file, pictures to one file each; return what was written."""
    kind = files[0].suffix.lower()
    if kind == ".png":
        return _pictures(stage, film, files, fps, speed, size)
    with stage.guard.writing(files[0]) as part:
        return WRITERS[kind](film, part, fps, speed, size)


def _pictures(
    stage: Stage,
    film: Film,
    files: list[Path],
    fps: float,
    speed: float,
    size: Mapping[str, Any],
) -> str:
    try:
        from PIL import Image
    except ModuleNotFoundError:
        message = "pictures need pillow: pip install 'tarsus[view]'"
        raise ModuleNotFoundError(message, name="PIL") from None
    renderer = Renderer(Pictures(film.run, fps=fps, speed=speed, lines=film.lines), **size)
    for k, file in enumerate(files):
        with stage.guard.writing(file) as part:
            Image.fromarray(renderer.picture(k)).save(part)
    return "picture" if len(files) == 1 else f"{len(files)} pictures, {files[0].stem} and so on,"


Writer = Callable[[Film, Path, float, float, Mapping[str, Any]], str]
WRITERS: Mapping[str, Writer] = {
    **dict.fromkeys(TABLES, _table),
    **dict.fromkeys(FILMS, _film),
    ".glb": _glb,
    ".html": _page,
}
"""How a recording is written to one file, by ending."""


def _whole(values: Any) -> Any:
    """Return numbers of which those before it was charted are as the first that there is."""
    known = np.isfinite(values)
    return np.where(known, values, values[known][0] if known.any() else 0.0)


def _positive(line: Line, option: str, default: float) -> float:
    value = line.number(option) if option in line.options else default
    if not 1e-3 <= value <= 1e3:
        raise LineError(f"{option} is {value:g}, must be from 0.001 to 1000", option)
    return value


def _size(line: Line) -> dict[str, int]:
    """Return the width and the height of pictures [pixels], if they are stated."""
    if "-size" not in line.options:
        return {}
    width, height = (int(x) for x in line.numbers("-size", 2))
    if min(width, height) < 16 or width * height > MOST_PIXELS:
        raise LineError(
            f"-size is {width} {height}, must be from 16 on, at most {MOST_PIXELS} in all", "-size"
        )
    return {"width": width, "height": height}


# What `load` opens: files of models, studio scenes, robots and scenes by name.


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
