"""`tarsus fit`, `tarsus convert` and `tarsus ik`."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import typer
from rich.console import Console
from rich.text import Text

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.cli.common import (
    BaseOption,
    CompleteOption,
    JsonOption,
    MimicOption,
    ModelText,
    PackageDirs,
    open_model,
    print_table,
)
from tarsus.formats.export.losses import ExportWarning
from tarsus.formats.readers import WRITABLE
from tarsus.geometry.fitting.fit import Fitted
from tarsus.ik.pose import Search
from tarsus.ik.results import Solution
from tarsus.ik.solver import Solver
from tarsus.ik.tasks.frames import FrameTask
from tarsus.ik.tasks.points import PositionTask
from tarsus.ik.tasks.task import Task
from tarsus.model.model import Model
from tarsus.spatial import pose, rotation_from_rpy

# `tarsus fit`: a few swept spheres around each link of a model, and how tight they are.


Shapes = Literal["collision", "primitives", "visual"]


def fit(
    model: ModelText,
    package_dir: PackageDirs = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the volumes to a file (.yaml, .json)."),
    ] = None,
    parts: Annotated[int, typer.Option(min=1, max=64, help="Volumes of a link at most.")] = 4,
    tightness: Annotated[
        float,
        typer.Option(min=1.0, help="Volumes of a link may take this times its own volume."),
    ] = 1.2,
    links: Annotated[
        list[str] | None,
        typer.Option("--links", help="A link to enclose, again for more.", show_default=False),
    ] = None,
    shapes: Annotated[Shapes, typer.Option(help="What is enclosed.")] = "collision",
    mirror: Annotated[
        bool, typer.Option(help="Give links that look like mirror images the same volumes.")
    ] = True,
    as_json: JsonOption = False,
) -> None:
    """Enclose each link in a few swept spheres: balls, lines and triangles with a radius."""
    from tarsus.cli.app import Output, progress_bar
    from tarsus.geometry.fitting.fit import fit as fit_volumes

    if output is not None and not output.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {output.parent} to write {output.name} to")
    opened = open_model(model, package_dirs=package_dir or ())
    with progress_bar() as progress:
        task = progress.add_task("fit", total=1.0)
        found = fit_volumes(
            opened,
            links=links,
            parts=parts,
            tightness=tightness,
            shapes=shapes,
            mirror=mirror,
            progress=lambda text, share: progress.update(task, description=text, completed=share),
        )
    if output is not None:
        found.save(output)
    if as_json:
        print(json.dumps(found.report.to_dict(), indent=1, ensure_ascii=False))
    else:
        _show(found, output, Output(highlight=False))


def _show(found: Fitted, output: Path | None, console: Console) -> None:
    report, count = found.report, sum(map(len, found.values()))
    console.print(f"{report.model}: {count} volumes on {len(found)} links", style="bold")
    print_table(console, report.TITLES, report.rows())
    for note in report.notes:
        console.print(Text(note, "yellow"))
    if output is not None:
        console.print(f"\nwritten to {output}")


# `tarsus convert`: a model in another format, and what that format cannot say.


OutFile = Annotated[
    Path,
    typer.Argument(
        metavar="OUT",
        help=f"The file to write; its ending chooses the format: {', '.join(WRITABLE)}.",
        show_default=False,
    ),
]


def convert(
    model: ModelText,
    out: OutFile,
    base: BaseOption = None,
    package_dir: PackageDirs = None,
    mimic: MimicOption = None,
    complete: CompleteOption = None,
    copy_meshes: Annotated[
        bool, typer.Option("--copy-meshes", help="Put copies of meshes beside the file.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Write nothing if the format cannot say all of it.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Write a model in another format; prints what that format cannot express."""
    from tarsus.cli.app import Output

    opened = open_model(model, base, package_dirs=package_dir or (), mimic=mimic, complete=complete)
    if not out.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {out.parent} to write {out.name} to")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExportWarning)  # they are in the table
        left_out = ts.save(opened, out, meshes="copy" if copy_meshes else "refer", strict=strict)
    if as_json:
        found = {"file": str(out), "left_out": [asdict(thing) for thing in left_out]}
        print(json.dumps(found, ensure_ascii=False))
        return
    console = Output()
    said = f"{len(left_out)} things are not said, or otherwise" if left_out else "all of it is said"
    console.print(f"{opened.name} is written to {out}: {said}", highlight=False, markup=False)
    rows = [(thing.what, thing.name, thing.reason) for thing in left_out]
    print_table(console, ("what", "name", "why"), rows)


# `tarsus ik`: a configuration in which frames are where they shall be, or how near they come.


def _option(help_text: str) -> Any:
    return typer.Option(help=help_text, show_default=False)


def ik(
    model: ModelText,
    frame: Annotated[list[str], _option("A frame that shall be somewhere; may be repeated.")],
    target: Annotated[
        list[str],
        _option("Where, for each frame: x,y,z in m, or x,y,z,roll,pitch,yaw in m and rad."),
    ],
    base: BaseOption = None,
    package_dir: PackageDirs = None,
    mimic: MimicOption = None,
    complete: CompleteOption = None,
    hold: Annotated[
        list[str] | None, _option("A frame whose origin stays where it starts; may be repeated.")
    ] = None,
    joint: Annotated[
        list[str] | None, _option("Start with a joint moved, as in knee=0.5; may be repeated.")
    ] = None,
    limits: Annotated[bool, typer.Option(help="Keep the joints within their ranges.")] = True,
    tolerance: Annotated[float, typer.Option(help="Of errors, in m and rad.")] = 1e-8,
    starts: Annotated[int, typer.Option(min=1, help="From how many starts it is tried.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Of random starts.")] = 0,
    drag: Annotated[
        bool, typer.Option("--drag", help="Then drag the targets in the browser, until Ctrl-C.")
    ] = False,
    port: Annotated[int, typer.Option(help="Of the page.")] = 8080,
    as_json: JsonOption = False,
) -> None:
    """Find joint positions for given poses of frames; exits with 1 if there is no solution."""
    from tarsus.cli.app import FAILED, Output

    opened = open_model(model, base, package_dirs=package_dir or (), mimic=mimic, complete=complete)
    q = _start(opened, joint or ())
    tasks = _tasks(opened, q, frame, target, hold or ())
    search = Search(tolerance=tolerance, starts=starts, seed=seed)
    solver = Solver(opened, tasks, limits=limits)
    found = solver.solve(q, search=search)
    if as_json:
        print(json.dumps(as_data(opened, found), indent=1, ensure_ascii=False))
    else:
        show(opened, found, Output())
    if drag:
        ts.ik.drag(solver, found.q, port=port).wait()
    elif not found.success:
        raise typer.Exit(FAILED)


def as_data(model: Model, found: Solution) -> dict[str, Any]:
    """Return what was found as data."""
    return {
        "model": model.name,
        "status": str(found.status),
        "error": float(found.error),
        "iterations": int(found.iterations),
        "starts": int(found.starts),
        "q": found.q.tolist(),
        "joints": {view.name: found.q[view.q_slice].tolist() for view in model.joints},
        "errors": {name: value.tolist() for name, value in found.errors.items()},
    }


def show(model: Model, found: Solution, console: Console) -> None:
    """Print the joints, the errors of the frames and how the search ended."""
    style = "green" if found.success else "red"
    console.print(f"{model.name}: {found.status}", style=f"bold {style}", highlight=False)
    if not found.success:
        console.print(found.reason, highlight=False)
    rows = []
    for view in model.joints:
        own = found.q[view.q_slice]
        if own.size:
            limits = [
                f"{low:g} … {high:g}" for low, high in zip(view.lower, view.upper, strict=True)
            ]
            shown = ", ".join(limits) if np.isfinite([view.lower, view.upper]).all() else ""
            rows.append((view.name, " ".join(f"{x: .6f}" for x in own), shown))
    print_table(console, ("joint", "position", "range"), rows)
    errors = [(name, *_sizes(value)) for name, value in found.errors.items()]
    print_table(console, ("frame", "m", "rad"), errors)
    console.print()
    where = "start" if int(found.starts) == 1 else "starts"
    console.print(f"{found.iterations} steps from {found.starts} {where}", highlight=False)


def _sizes(error: Array) -> tuple[str, str]:
    angular = f"{np.linalg.norm(error[3:]):.1e}" if len(error) > 3 else ""
    return f"{np.linalg.norm(error[:3]):.1e}", angular


def _start(model: Model, moved: Sequence[str]) -> Array:
    """Return the middle of the joints' ranges, with some joints elsewhere."""
    q = ts.ik.middle(model)
    for text in moved:
        name, stated, value = text.partition("=")
        if not stated:
            raise ValueError(f"--joint {text} must be a joint and its position, as in knee=0.5")
        view = model.joint(name)
        numbers = _numbers(value, f"--joint {text}")
        if len(numbers) != view.q_slice.stop - view.q_slice.start:
            size = view.q_slice.stop - view.q_slice.start
            raise ValueError(f"--joint {text}: joint {name!r} has {size} positions")
        q[view.q_slice] = numbers
    return np.asarray(model.close(q))


def _tasks(
    model: Model, q: Array, frames: Sequence[str], targets: Sequence[str], held: Sequence[str]
) -> list[Task]:
    if len(frames) != len(targets):
        raise ValueError(f"there are {len(frames)} frames and {len(targets)} targets, one for each")
    tasks: list[Task] = []
    for name, text in zip(frames, targets, strict=True):
        numbers = _numbers(text, f"--target {text}")
        if len(numbers) == 3:
            tasks.append(PositionTask(name, numbers, name=name))
        elif len(numbers) == 6:
            tasks.append(FrameTask(name, pose(numbers[:3], rotation_from_rpy(numbers[3:]))))
        else:
            raise ValueError(f"--target {text} has {len(numbers)} numbers, must have 3 or 6")
    for name in held:
        place = model.frame_pose(q, name)[:3, 3]
        tasks.append(PositionTask(name, place, name=f"{name} stays"))
    return tasks


def _numbers(text: str, what: str) -> Array:
    try:
        found = np.array([float(part) for part in text.split(",")])
    except ValueError:
        raise ValueError(f"{what} must be numbers with commas between them") from None
    if not np.isfinite(found).all():
        raise ValueError(f"{what} must be finite numbers")
    return found
