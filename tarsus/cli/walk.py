"""`tarsus walk`: a robot on two legs walks."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.table import Table

import tarsus as ts
from tarsus.cli.common import (
    FILMS,
    BaseOption,
    CompleteOption,
    JsonOption,
    MimicOption,
    PackageDirs,
    open_model,
)
from tarsus.cli.run_report import pushes
from tarsus.geometry.grounds import Terrain
from tarsus.walking.body_tasks import ArmStyle
from tarsus.walking.settings import PlanStyle

# `tarsus walk`: a machine on two legs walks in simulation, and what it took.


WALKERS = ("lola", "talos_reduced", "g1", "icub", "romeo")
"""Robots by name that walk."""
WalkerText = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help=f"A file (.urdf, .sdf, .xml, .xacro, .yaml, .json), or {', '.join(WALKERS)}, …",
        show_default=False,
    ),
]


def _option(help_text: str) -> Any:
    return typer.Option(help=help_text, show_default=False)


def walk(
    model: WalkerText,
    base: BaseOption = None,
    package_dir: PackageDirs = None,
    mimic: MimicOption = None,
    complete: CompleteOption = None,
    speed: Annotated[float, typer.Option(help="Ahead, in m/s.")] = 0.3,
    sideways: Annotated[float, typer.Option(help="To the left, in m/s.")] = 0.0,
    turn: Annotated[float, typer.Option(help="To the left, in rad/s.")] = 0.0,
    steps: Annotated[int, typer.Option(min=1, help="How many.")] = 10,
    slope: Annotated[float, typer.Option(help="Of the ground, downhill along x, in rad.")] = 0.0,
    stairs: Annotated[
        float | None, _option("Height of steps in m, 0.4 m deep, four of them; below 0 down.")
    ] = None,
    friction: Annotated[float, typer.Option(help="Coulomb's coefficient of the ground.")] = 0.7,
    push: Annotated[
        list[str] | None,
        _option("Push a body in N, as in torso:200,0,0@3+0.1, from 3 s on for 0.1 s; repeatable."),
    ] = None,
    foot: Annotated[
        list[str] | None, _option("A frame on a foot, if feet are not found; one for each.")
    ] = None,
    arms: Annotated[
        ArmStyle, typer.Option(help="Keep their posture, swing with legs, or take away momentum.")
    ] = "still",
    plan: Annotated[
        PlanStyle, typer.Option(help="Lead the centre of mass by what diverges, or by preview.")
    ] = "divergent",
    noise: Annotated[
        float | None,
        _option("Walk by sensors and an estimate: they err so many times as much as good ones."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the noise of sensors.")] = 0,
    adapt: Annotated[bool, typer.Option(help="Adapt steps to the measured state.")] = True,
    robustness: Annotated[
        bool,
        typer.Option("--robustness", help="Map who stays up, over pushes, friction and masses."),
    ] = False,
    plot: Annotated[Path | None, _option("Draw the walk to a file (.png, .pdf, .svg).")] = None,
    save: Annotated[
        Path | None, _option("Write the run to a file (.npz, .parquet, .csv, .mcap).")
    ] = None,
    animate: Annotated[Path | None, _option(FILMS)] = None,
    view: Annotated[bool, typer.Option("--view", help="Show the walk in the browser.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Simulate a walking humanoid; prints speed and torques, and exits with 1 if it falls."""
    from tarsus.cli.app import FAILED, Output

    for file in (plot, save, animate):
        if file is not None and not file.parent.is_dir():
            raise FileNotFoundError(f"there is no folder {file.parent} to write {file.name} to")
    # files say nothing of their root, and what walks has none
    root = "free" if base is None and Path(model).exists() else base
    opened = open_model(model, root, package_dirs=package_dir or (), mimic=mimic, complete=complete)
    body = _legs(opened, foot)
    style = ts.walking.Style(plan=plan, adapt=adapt, arms=arms)
    if robustness:
        print_map(walk_map(body, speed=speed, steps=steps, style=style), as_json, plot)
        return
    with warnings.catch_warnings():
        # they are part of the report
        warnings.simplefilter("ignore")
        walked = ts.walking.walk(
            body,
            speed=speed,
            sideways=sideways,
            turn=turn,
            steps=steps,
            ground=_ground(slope, stairs, friction),
            push=pushes(push or ()) or None,
            sensors=None if noise is None else _sensors(body, noise),
            seed=seed,
            style=style,
        )
    if as_json:
        print(json.dumps({"model": opened.name, **walked.report.as_data()}, ensure_ascii=False))
    else:
        console = Output()
        console.print(repr(body), style="bold", highlight=False, markup=False)
        for note in body.notes:
            console.print(note, highlight=False, markup=False)
        console.print(str(walked.report), highlight=False, markup=False)
    if plot is not None:
        walked.plot(plot)
    if save is not None:
        walked.run.save(save)
    if animate is not None:
        walked.run.animate(animate)
    if view:
        ts.view(walked.run).wait()
    if walked.fell:
        raise typer.Exit(FAILED)


def _legs(model: ts.Model, feet: list[str] | None) -> ts.gait.Anatomy:
    """Return the machine with its two legs; say who has some where there are none."""
    try:
        body = ts.gait.Anatomy.from_model(model, feet=feet or None)
        if len(body.legs) != 2:
            raise ts.ModelError(f"{model.name!r} has {len(body.legs)} legs, walks take two")
    except ts.ModelError as error:
        if feet:
            raise
        raise ts.ModelError(f"{error}; by name these walk: {', '.join(WALKERS)}") from None
    return body


def _sensors(body: ts.gait.Anatomy, noise: float) -> ts.estimation.Sensors:
    """Return sensors of a machine, whose unit is in its trunk."""
    return ts.estimation.Sensors(body.model, body.trunk, ts.estimation.Noise().scaled(noise))


def _ground(slope: float, stairs: float | None, friction: float) -> Terrain:
    if stairs is None:
        return ts.Ground(slope=slope, friction=friction)
    if not np.isclose(slope, 0.0):
        raise ValueError(f"--slope {slope} and --stairs {stairs}: choose one of them")
    return ts.Steps(rise=stairs, depth=0.4, count=4, start=0.4, friction=friction)


# `tarsus walk --robustness`: which walkers stay up, over pushes, friction and masses.


PUSHES = np.linspace(0.0, 0.5, 6)
"""To the left, in weights of the machine."""
FRICTIONS = (0.3, 0.5, 0.7)
MASSES = (0.9, 1.0, 1.1)


def walk_map(
    body: ts.gait.Anatomy, *, speed: float, steps: int, style: ts.walking.Style
) -> ts.walking.Robustness:
    """Return the map of a machine that counts on the least friction, with pushes that suit it."""
    weight = body.model.total_mass * float(np.linalg.norm(body.model.gravity))
    return ts.walking.robustness(
        body,
        push=np.round(PUSHES * weight, 1),
        friction=FRICTIONS,
        mass=MASSES,
        speed=speed,
        steps=steps,
        style=style,
        threads=2,
    )


def print_map(found: ts.walking.Robustness, as_json: bool, plot: Path | None) -> None:
    """Print the largest push that is survived on each ground with each mass, and draw the map."""
    from tarsus.cli.app import Output

    if plot is not None:
        found.plot(plot)
    if as_json:
        told = {
            "model": found.name,
            "push": found.push.tolist(),
            "friction": found.friction.tolist(),
            "mass": found.mass.tolist(),
            "survived": found.survived.tolist(),
        }
        print(json.dumps(told, ensure_ascii=False))
        return
    title = f"{found.name}: largest push to the left for {found.lasting:g} s that is survived [N]"
    table = Table(title=title, title_justify="left", box=None, header_style="dim", pad_edge=False)
    table.add_column("friction")
    for mass in found.mass:
        table.add_column(f"masses × {mass:g}", justify="right")
    for friction, row in zip(found.friction, found.most, strict=True):
        cells = ("falls by itself" if np.isnan(most) else f"{most:.0f}" for most in row)
        table.add_row(f"{friction:g}", *cells)
    Output().print(table)
