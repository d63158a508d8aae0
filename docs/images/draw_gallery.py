"""Draw a picture of each example, and write the page that shows them: `docs/gallery.md`.

An example runs as it stands. Its picture is what it draws itself with `--plot`, or what
`gallery_sketches.py` makes of what it leaves behind; else its longest run, or its largest model.
A few have one of their subject in docs/images, as they take long.
`python docs/images/draw_gallery.py [NUMBER …]` draws some of them; without numbers all.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
import runpy
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from gallery_sketches import SKETCHES
from PIL import Image

import tarsus as ts
from tarsus.view.frame_sequence import Stage
from tarsus.view.renderer import Renderer

DOCS = Path(__file__).parents[1]
EXAMPLES = sorted((DOCS.parent / "examples").glob("[0-9]*.py"))
FOLDER = Path(__file__).parent / "gallery"
SUBJECTS = {
    "21": "walk.gif",
    "22": "ports_motor.png",
    "23": "events.png",
    "24": "calibration.png",
    "29": "robustness.png",
    "32": "learning.png",
}
"""Pictures of subjects that a machine in a pose would not show."""
PLOTTED = ("05", "09", "11", "12", "13", "14", "18", "20")
"""Examples whose own plot says more than the machine."""
SIZE = (480, 300)
FIGURE = {"figure.figsize": (4.8, 3.0), "figure.dpi": 100, "figure.constrained_layout.use": True}
PER_ROW = 3


def title(example: Path) -> str:
    """Return the heading of an example on its page, such as "Load a robot"."""
    words = example.stem.split("_", 1)[1].replace("_", " ")
    return words[0].upper() + words[1:]


def caption(example: Path) -> str:
    """Return the first sentence of an example."""
    text = ast.get_docstring(ast.parse(example.read_text("utf-8"))) or ""
    return re.split(r"(?<=[.!?])\s", " ".join(text.split("\n\n")[0].split()))[0]


def drawn(example: Path) -> Image.Image:
    """Run an example and return its picture."""
    number = example.name[:2]
    if number in SUBJECTS:
        return framed(Image.open(FOLDER.parent / SUBJECTS[number]).convert("RGB"))
    if number in PLOTTED:
        return framed(plotted(example))
    sys.argv, seen, run = [str(example)], [], ts.Simulation.run

    def noted(*arguments: Any, **options: Any) -> Any:
        seen.append(run(*arguments, **options))
        return seen[-1]

    with contextlib.redirect_stdout(io.StringIO()), mock.patch.object(ts.Simulation, "run", noted):
        names = runpy.run_path(str(example), run_name="__main__")
    if number in SKETCHES:
        return sketched(number, names)
    made = [*names.values(), *seen]  # also what functions of the example keep for themselves
    made += [getattr(each, "run", None) for each in made]  # walks and gaits have theirs
    runs = [each for each in made if isinstance(each, ts.Trajectory)]
    runs = [run if run.batch is None else run[0] for run in runs]
    models = [each for each in made if isinstance(each, ts.Model)]
    if runs:
        stage = Stage(max(runs, key=lambda run: run.duration), fps=25)
        return Image.fromarray(pixels(stage, len(stage.times) // 2))
    model = max(models, key=lambda each: each.n_bodies)
    return still(Stage(model, q=pose(model)))


def framed(picture: Image.Image) -> Image.Image:
    """Return a picture in the middle of one of the usual size."""
    picture.thumbnail(SIZE, Image.Resampling.LANCZOS)
    whole = Image.new("RGB", SIZE, "white")
    whole.paste(picture, tuple((a - b) // 2 for a, b in zip(SIZE, picture.size, strict=True)))
    return whole


def plotted(example: Path) -> Image.Image:
    """Return what an example draws with --plot."""
    sys.argv = [str(example), "--plot"]
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        with contextlib.redirect_stdout(io.StringIO()), plt.rc_context(FIGURE):
            runpy.run_path(str(example), run_name="__main__")
        plt.close("all")
        return Image.open(next(Path(folder).glob("*.png"))).convert("RGB")


def sketched(number: str, names: dict[str, Any]) -> Image.Image:
    """Return what a sketch makes of an example."""
    with plt.rc_context(FIGURE):
        figure = plt.figure(layout="constrained")
        stage = SKETCHES[number](names)
        for axis in figure.axes:
            axis.spines[["top", "right"]].set_visible(False)
        figure.canvas.draw()
        picture = Image.fromarray(np.asarray(figure.canvas.buffer_rgba())[..., :3])
        plt.close(figure)
    return picture.resize(SIZE) if stage is None else still(stage)


def still(stage: Stage) -> Image.Image:
    """Return a picture of a machine that stands still."""
    if stage.shells is None:
        corners = np.concatenate([each.vertices for each in stage.surfaces])
        # a body may be much larger than the distances between joints
        stage.size = max(stage.size, 1.6 * float(np.ptp(corners, axis=0).max()))
    return Image.fromarray(pixels(stage, 0))


def pose(model: ts.Model) -> np.ndarray:
    """Return a pose in which a machine can be seen: a little away from neutral, loops closed."""
    step = 0.3 * np.cos(np.arange(model.nv)) * model.driven
    return np.asarray(model.integrate(model.neutral(), step))


def pixels(stage: Stage, picture: int) -> np.ndarray:
    """Return a picture of a stage (height, width, 3)."""
    return np.asarray(Renderer(stage, width=SIZE[0], height=SIZE[1]).picture(picture))[..., :3]


def page() -> str:
    """Return the page with all pictures."""
    cells = []
    for example in EXAMPLES:
        anchor = headings()[example.name]
        picture = f"![{title(example)}](images/gallery/{example.name[:2]}.webp)"
        cells.append(
            f"{picture}<br>**[{title(example)}](examples.md#{anchor})**<br>{caption(example)}"
        )
    rows = [cells[k : k + PER_ROW] for k in range(0, len(cells), PER_ROW)]
    rows[-1] += [""] * (PER_ROW - len(rows[-1]))
    lines = [
        "# Gallery",
        "",
        "Each picture is of an example that runs as it stands; "
        "`docs/images/draw_gallery.py` draws them.",
        "",
        "|" + "   |" * PER_ROW,
        "|" + "---|" * PER_ROW,
        *("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows),
    ]
    return "\n".join(lines) + "\n"


def headings() -> dict[str, str]:
    """Return the anchors of examples on their page."""
    text = (DOCS / "examples.md").read_text("utf-8")
    found = re.findall(r"^## (.+?)$.*?examples/([\w.]+)$", text, re.MULTILINE | re.DOTALL)
    return {
        file: re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading, file in found
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    chosen = [each for each in EXAMPLES if not sys.argv[1:] or each.name[:2] in sys.argv[1:]]
    for example in chosen:
        drawn(example).save(FOLDER / f"{example.name[:2]}.webp", quality=80)
        print(example.name, flush=True)
    (DOCS / "gallery.md").write_text(page(), "utf-8")
