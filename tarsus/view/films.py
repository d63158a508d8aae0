"""A run as a film, .gif (with pillow) or .mp4 (with ffmpeg), or as pictures in a folder.

Or as something to turn as it plays: a page (.html), or an animated scene (.glb).
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.files import replacing
from tarsus.model.model import Model
from tarsus.parts.part import Where
from tarsus.view.frame_sequence import ARROW_COLORS, FINE, Stage
from tarsus.view.gltf import write_glb
from tarsus.view.page import write_page
from tarsus.view.renderer import Renderer
from tarsus.view.triangle_meshes import ShownShapes

if TYPE_CHECKING:
    from tarsus.simulation.trajectory import Trajectory


Progress = Callable[[str, float], None]

KINDS = (".gif", ".mp4", ".html", ".glb")
TURNED = (".html", ".glb")
"""Those that the viewer turns."""
FRAME = "frames_{:05d}.png"
OLD_FRAME = re.compile(r"frames_\d{5,}\.png")


def animate(
    what: Trajectory | Model,
    file: str | Path,
    *,
    fps: float = 25.0,
    speed: float = 1.0,
    shapes: ShownShapes | None = None,
    lines: Sequence[tuple[Where, Where]] = (),
    quantities: Mapping[str, ArrayLike] | None = None,
    progress: Progress | None = None,
    **camera: Any,
) -> None:
    """Write a run as a film; its ending chooses the kind: .gif, .mp4, .html or .glb.

    Without an ending it is a folder, for pictures `frames_00000.png`, …; those of a film that was
    there before are replaced. `fps` are pictures a second, `speed` 0.5 is slow motion. `shapes`
    are "visual", "collision" or "skeleton"; `lines` are pairs of places between which strings and
    springs are drawn. Films take `width` and `height` [pixels], `azimuth` and `elevation` [deg] and
    `zoom`; a page and a scene can be turned as they play. A page has charts of the ledger, of
    contact forces, and of `quantities` at the run's times, such as {"height [m]": run.q[:, 2]}.
    `progress` is called with a word and a share.
    """
    path = Path(file)
    check_film(path)
    if path.suffix in TURNED and camera:
        what_turns = "page" if path.suffix == ".html" else "scene"
        raise ValueError(f"a {what_turns} is turned as it plays: leave out {', '.join(camera)}")
    if path.suffix == ".glb" and lines:
        raise ValueError("a scene has bodies only: leave out lines")
    if path.suffix != ".html" and quantities:
        raise ValueError("films have no charts: leave out quantities, or write a .html")
    chosen: dict[str, Any] = {"shapes": shapes, "fps": fps, "speed": speed, "lines": lines}
    if path.suffix == ".html":
        chosen |= {"quantities": quantities, "detail": FINE}
    stage = Stage(what, **chosen)
    if path.suffix == ".html":
        write_page(stage, path, speed=speed)
    elif path.suffix == ".glb":
        write_glb(stage, path, shapes=shapes, speed=speed)
    else:
        writers = {".gif": _write_gif, ".mp4": _write_mp4, "": _write_pictures}
        writers[path.suffix](Renderer(stage, **camera), path, fps, progress)


def check_film(path: Path) -> None:
    """Raise unless a film can be written there: its kind is known, its folder is there."""
    if path.suffix not in (*KINDS, ""):
        kinds = ", ".join(KINDS)
        raise ValueError(f"{path.name} must end with one of {kinds}, or be a folder for pictures")
    if not path.suffix and path.exists() and not path.is_dir():
        raise FileExistsError(f"{path} is a file, must be a folder for pictures")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.parent} to write {path.name} to")


def _pictures(
    renderer: Renderer, progress: Progress | None, drawn: Mapping[int, Any] | None = None
) -> Iterator[Any]:
    """Yield all pictures; those that were `drawn` before are not drawn again."""
    count = len(renderer.stage.times)
    for k in range(count):
        yield drawn[k] if drawn and k in drawn else renderer.picture(k)
        if progress is not None:
            progress("drawing", (k + 1) / count)


def _write_gif(renderer: Renderer, path: Path, fps: float, progress: Progress | None) -> None:
    image = _pillow("GIFs need")
    last = len(renderer.stage.times) - 1
    drawn = {k: renderer.picture(k) for k in sorted({0, last // 3, 2 * last // 3, last})}
    palette = image.fromarray(_samples(drawn)).quantize(256)
    plain = image.Dither.NONE
    frames = [
        image.fromarray(picture).quantize(palette=palette, dither=plain)
        for picture in _pictures(renderer, progress, drawn)
    ]
    # GIFs count time in hundredths of a second, and players slow down what is faster than two
    duration = max(20, round(100 / fps) * 10)
    with replacing(path) as part:
        frames[0].save(part, save_all=True, append_images=frames[1:], duration=duration, loop=0)


def _write_pictures(renderer: Renderer, path: Path, fps: float, progress: Progress | None) -> None:
    """Write each picture to a file, and remove what a longer film has left there."""
    image = _pillow("PNGs need")
    path.mkdir(exist_ok=True)
    old = {file.name for file in path.iterdir() if OLD_FRAME.fullmatch(file.name)}
    for number, picture in enumerate(_pictures(renderer, progress)):
        name = FRAME.format(number)
        with replacing(path / name) as part:
            image.fromarray(picture).save(part)
        old.discard(name)
    for name in old:
        (path / name).unlink()


def _pillow(what_needs: str) -> Any:
    try:
        return importlib.import_module("PIL.Image")
    except ModuleNotFoundError:
        message = f"{what_needs} pillow: pip install 'tarsus[view]'"
        raise ModuleNotFoundError(message, name="PIL") from None


def _samples(drawn: Mapping[int, Any]) -> Any:
    """Return pictures of all parts of the film above each other, and all colours of arrows."""
    pictures = list(drawn.values())
    strips = [np.full((20, pictures[0].shape[1], 3), color) for color in ARROW_COLORS.values()]
    return np.concatenate([*pictures, *(np.uint8(255 * strip) for strip in strips)])


def _write_mp4(renderer: Renderer, path: Path, fps: float, progress: Progress | None) -> None:
    try:
        import imageio_ffmpeg
    except ModuleNotFoundError:
        message = "MP4 needs ffmpeg: pip install 'tarsus[video]', or write a .gif, .html or .glb"
        raise ModuleNotFoundError(message, name="imageio_ffmpeg") from None
    pictures = _pictures(renderer, progress)
    first = next(pictures)
    size = first.shape[1], first.shape[0]
    with replacing(path) as part:
        film = imageio_ffmpeg.write_frames(str(part), size, fps=fps, quality=7, macro_block_size=2)
        with closing(film):
            film.send(None)
            for picture in chain([first], pictures):
                film.send(picture.tobytes())
        # ffmpeg is another program, which may fail without a word
        count = imageio_ffmpeg.count_frames_and_secs(str(part))[0]
        if count != len(renderer.stage.times):
            raise OSError(f"ffmpeg wrote {count} of {len(renderer.stage.times)} pictures to {path}")
