"""What `export` writes, by the ending of the file: models, tables, pictures, films, pages."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.files import replacing
from tarsus.forces import FORCES
from tarsus.formats import WRITABLE, save
from tarsus.formats.export import ExportWarning
from tarsus.model import Model
from tarsus.studio.files import shown
from tarsus.studio.filming import Film, films_of, picture_of
from tarsus.studio.language import Line, LineError, one_of
from tarsus.studio.tables import write_table
from tarsus.view.animation import animate
from tarsus.view.gltf import write_glb
from tarsus.view.renderer import Renderer
from tarsus.view.stage import Stage as Pictures

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage

FILMS, TABLES = (".gif", ".mp4"), (".csv", ".parquet")
MODELS = tuple(WRITABLE)
KINDS = (*MODELS, *TABLES, ".glb", ".html", ".png", *FILMS)
MOST_PICTURES, MOST_PIXELS = 5000, 4096 * 4096
"""Of films and of each picture, so that nobody waits for hours."""


def export(stage: Stage, path: Path, line: Line) -> str:
    """Write a file, and return what was written and what was left out."""
    kind = path.suffix.lower()
    if kind in MODELS:
        return _model(stage, path)
    fps, speed = _positive(line, "-fps", 25.0), _positive(line, "-speed", 1.0)
    one = kind == ".png" and "-fps" not in line.options
    films = [picture_of(stage)] if one else films_of(stage)
    whole = one_of(" ".join(line.options.get("-whole", ["off"])), ("on", "off"), "-whole") == "on"
    files = _files(path, len(films) if whole else 1)
    pictures = max(1 + round(film.run.duration * fps / speed) for film in films[-len(files) :])
    if kind not in TABLES and pictures > MOST_PICTURES:
        raise LineError(f"-fps: these are {pictures} pictures, at most {MOST_PICTURES}", "-fps")
    told = []
    for film, file in zip(films[-len(files) :], files, strict=True):
        said = WRITERS[kind](film, file, fps, speed, _size(line))
        told.append(f"{said} written to {shown(stage, file)}" + ("" if one else f", {film.span}"))
    if len(files) < len(films):
        before = f"t = {films[0].run.t[0]:.4g} … {films[-2].run.t[-1]:.4g} s"
        told.append(f"{before} is left out, another machine: -whole on writes it to other files")
    return "; ".join(told)


def _files(path: Path, count: int) -> list[Path]:
    """Return files of machines one after the other: run-before2, run-before1, run."""
    earlier = [
        path.with_name(f"{path.stem}-before{k}{path.suffix}") for k in range(count - 1, 0, -1)
    ]
    return [*earlier, path]


def _model(stage: Stage, path: Path) -> str:
    """Write the model with its forces; constraints and the ground are of studio scenes only."""
    document = stage.document
    forces = [part for part in document.parts.values() if part.kind in FORCES]
    model = Model(dataclasses.replace(document.description, forces=forces), strict=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExportWarning)  # what it says is in the answer
        left_out = [str(each) for each in save(model, path)]
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


def _pictures(film: Film, path: Path, fps: float, speed: float, size: Mapping[str, Any]) -> str:
    """Write a picture, or numbered ones of a film: name-0001.png, …"""
    pictures = Pictures(film.run, fps=fps, speed=speed, lines=film.lines)
    renderer, count = Renderer(pictures, **size), len(pictures.times)
    for k in range(count):
        numbered = path if count == 1 else path.with_name(f"{path.stem}-{k + 1:04d}{path.suffix}")
        _write_picture(renderer.picture(k), numbered)
    return "picture" if count == 1 else f"{count} pictures, {path.stem}-0001 and so on,"


def _write_picture(pixels: Any, path: Path) -> None:
    try:
        from PIL import Image
    except ModuleNotFoundError:
        message = "pictures need pillow: pip install 'tarsus[view]'"
        raise ModuleNotFoundError(message, name="PIL") from None
    with replacing(path) as part:
        Image.fromarray(pixels).save(part)


Writer = Callable[[Film, Path, float, float, Mapping[str, Any]], str]
WRITERS: Mapping[str, Writer] = {
    **dict.fromkeys(TABLES, _table),
    **dict.fromkeys(FILMS, _film),
    ".glb": _glb,
    ".html": _page,
    ".png": _pictures,
}
"""How a recording is written, by ending."""


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
