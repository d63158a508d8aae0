"""`tarsus gait`: gaits of a walker."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import tarsus as ts
from tarsus.cli.common import FILMS, JsonOption, open_model
from tarsus.gait.walkers import SHIPPED

# `tarsus gait`: gaits of a walker, their stability, their branches and their basins.


def _option(help_text: str) -> Any:
    return typer.Option(help=help_text, show_default=False)


def gait(
    walker: Annotated[
        str,
        typer.Argument(
            metavar="WALKER",
            help=f"{', '.join(SHIPPED)}, or a model that floats, with its feet.",
            show_default=False,
        ),
    ],
    number: Annotated[
        list[str] | None, _option("A number of the walker, as in slope=0.05; repeatable.")
    ] = None,
    foot: Annotated[
        list[str] | None, _option("A frame on a foot of a model; two, left and right.")
    ] = None,
    stance: Annotated[
        str, typer.Option(help="How feet of a model stand: flat, line, point or round.")
    ] = "flat",
    start: Annotated[
        str | None, _option("A state after a strike, as in 0.3,-0.6:-1.1,0.7 (q and v).")
    ] = None,
    steps: Annotated[int, typer.Option(min=1, help="After how many steps it repeats.")] = 1,
    follow: Annotated[
        str | None, _option("Follow the gait along a number to a value, as in slope=0.1.")
    ] = None,
    doubled: Annotated[
        int, typer.Option(min=0, help="With --follow: how many doublings of the period.")
    ] = 0,
    speed: Annotated[
        float | None, _option("Find the gait of least efforts at this speed, in m/s.")
    ] = None,
    design: Annotated[
        list[str] | None,
        _option("With --speed: a number that may change, as in stiffness=0:50; repeatable."),
    ] = None,
    basin: Annotated[
        list[str] | None,
        _option("Map who walks over a number of the section, as in lean=0.1:0.5:100; twice."),
    ] = None,
    threads: Annotated[int, typer.Option(min=1, help="Threads for basins.")] = 1,
    plot: Annotated[
        Path | None, _option("Draw what was found to a file (.png, .pdf, .svg).")
    ] = None,
    animate: Annotated[Path | None, _option(FILMS)] = None,
    view: Annotated[bool, typer.Option("--view", help="Show the gait in the browser.")] = False,
    save: Annotated[Path | None, _option("Write the gait to a file (.npz).")] = None,
    as_json: JsonOption = False,
) -> None:
    """Find periodic gaits of a walker and their stability; exits with 1 if none is found."""
    from tarsus.cli.app import FAILED, Output

    for file in (plot, animate, save):
        if file is not None and not file.parent.is_dir():
            raise FileNotFoundError(f"there is no folder {file.parent} to write {file.name} to")
    if doubled and follow is None:
        raise ValueError("--doubled needs --follow: along which number periods double")
    made = _walker(walker, number or (), foot or (), stance, start)
    if speed is not None:
        raise typer.Exit(_optimised(made, speed, design or (), plot, as_json))
    try:
        found = _gaits(made, steps, None if start is None else _state(start))
    except ts.gait.NoGaitError as error:
        Output().print(str(error), highlight=False, markup=False)
        raise typer.Exit(FAILED) from None
    shown = _studied(found[0], follow, doubled, basin or (), threads)
    if as_json:
        print(json.dumps(gait_data(found, shown[1:]), ensure_ascii=False))
    else:
        console = Output()
        for each in [*made.notes, *found, *shown[1:]]:
            console.print(_words(each), highlight=False, markup=False)
    if plot is not None:
        _draw(shown, plot)
    if save is not None:
        found[0].save(save)
    if animate is not None:
        found[0].run(6, every=1 / 60).animate(animate)
    if view:
        ts.view(found[0].run(12, every=1 / 60)).wait()


def _walker(text: str, numbers: Any, feet: Any, stance: str, start: str | None) -> ts.gait.Walker:
    """Return a shipped walker or one from a model, with the numbers that are stated."""
    values = dict(_number(each, "--number") for each in numbers)
    if text in SHIPPED:
        if feet:
            raise ValueError(f"{text} has feet of its own: leave out --foot")
        made = SHIPPED[text]()
        return made.but(**values) if values else made
    model = open_model(text, "free" if Path(text).exists() else None)
    if start is None:
        raise ValueError(f"{text} needs a --start: where its gait is looked for")
    state = _state(start)
    return ts.gait.Walker.from_model(model, feet, stance=stance, start=state, **values)  # type: ignore[arg-type]


def _state(text: str) -> tuple[list[float], list[float]]:
    q, _, v = text.partition(":")
    try:
        return [float(x) for x in q.split(",")], [float(x) for x in v.split(",")]
    except ValueError:
        raise ValueError(f"--start {text!r} must be as in 0.3,-0.6:-1.1,0.7") from None


def _optimised(
    walker: ts.gait.Walker, speed: float, design: Any, plot: Path | None, as_json: bool
) -> int:
    """Find the gait of least efforts, print it, and return the exit code."""
    from tarsus.cli.app import FAILED, Output

    gait = ts.gait.optimize(walker, speed, design=dict(_bounds(each) for each in design))
    words = optimised_data(gait)
    if as_json:
        print(json.dumps({"walker": walker.name, **words}, ensure_ascii=False))
    else:
        for name, value in words.items():
            Output().print(f"{name.replace('_', ' '):18} {_told(value)}", highlight=False)
    if plot is not None:
        gait.plot(plot)
    return 0 if gait.success else FAILED


def _told(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {x:.5g}" for name, x in value.items()) or "none"
    return value if isinstance(value, str) else f"{value:.6g}"


def _gaits(
    walker: ts.gait.Walker, steps: int, start: tuple[list[float], list[float]] | None
) -> list[ts.gait.LimitCycle]:
    """Return the gait that a start leads to, or those around the walker's own."""
    if start is not None:
        return [ts.gait.limit_cycle(walker, start, steps=steps)]
    first = ts.gait.limit_cycle(walker, steps=steps)  # or says why there is none
    return [first, *ts.gait.limit_cycles(walker, steps=steps)[1:]]


def _studied(
    gait: ts.gait.LimitCycle, follow: str | None, doubled: int, basin: Any, threads: int
) -> list[Any]:
    """Return the gait, and the branches and the basin that are asked for."""
    found: list[Any] = [gait]
    if follow is not None:
        name, to = _number(follow, "--follow")
        if doubled:
            found.append(ts.gait.doublings(gait.walker, name, gait, to=to, doubled=doubled))
        else:
            found.append(ts.gait.continuation(gait.walker, name, gait, to=to))
    if basin:
        over = dict(_range(each) for each in basin)
        found.append(ts.gait.basin(gait, over, workers=threads))
    return found


def _draw(shown: list[Any], path: Path) -> None:
    """Draw the last thing that was found."""
    shown[-1].plot(path)


def _number(text: str, option: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise ValueError(
            f"{option} {text!r} must be a name and a number, as in slope=0.05"
        ) from None


def _bounds(text: str) -> tuple[str, tuple[float, float]]:
    name, _, span = text.partition("=")
    try:
        low, high = map(float, span.split(":"))
    except ValueError:
        raise ValueError(f"--design {text!r} must be as in stiffness=0:50") from None
    return name.strip(), (low, high)


def _range(text: str) -> tuple[str, Any]:
    name, _, span = text.partition("=")
    try:
        low, high, count = span.split(":")
        return name.strip(), np.linspace(float(low), float(high), int(count))
    except ValueError:
        raise ValueError(
            f"--basin {text!r} must be a name, two ends and how many, as in lean=0.1:0.5:100"
        ) from None


def _words(each: Any) -> str:
    """Return what is printed about something."""
    if isinstance(each, ts.gait.LimitCycle):
        listed = ", ".join(f"{x:.5g}" for x in each.multipliers)
        lines = [
            repr(each).strip("<>"),
            f"  step {each.step_length:.5f} m, multipliers {listed}",
            f"  cost of transport {each.cost_of_transport:.5f}, strikes take "
            f"{each.energy.impacts:.5f} J, ledger closes to {each.energy.closure:.1e} J",
            *(f"  {line}" for line in each.violations),
        ]
        return "\n".join(lines)
    return str(each).strip("<>")


# Gaits as plain data, for `tarsus gait --json` and its tables.


def optimised_data(gait: ts.gait.OptimizedGait) -> dict[str, Any]:
    """Return a gait of least efforts."""
    return {
        "cost": gait.cost,
        "speed": gait.speed,
        "duration": gait.duration,
        "step_length": gait.step_length,
        "cost_of_transport": gait.cost_of_transport,
        "peak_efforts": dict(gait.peak_efforts),
        "design": dict(gait.design),
        "violations": dict(gait.violations),
        "status": gait.status,
    }


def gait_data(gaits: list[ts.gait.LimitCycle], studies: list[Any]) -> dict[str, Any]:
    """Return gaits as plain data, with the branches and the basin that were asked for."""
    told: dict[str, Any] = {"gaits": [_cycle_data(each) for each in gaits]}
    for each in studies:
        if isinstance(each, ts.gait.Basin):
            axes = {name: values.tolist() for name, values in each.over.items()}
            told["basin"] = {"over": axes, "steps": each.steps.tolist(), "volume": each.volume}
        else:
            branches = each.branches if isinstance(each, ts.gait.Doublings) else [each]
            told["branches"] = [_branch_data(branch) for branch in branches]
    return told


def _branch_data(branch: ts.gait.Branch) -> dict[str, Any]:
    return {
        "number": branch.name,
        "steps": branch.steps,
        "values": branch.values.tolist(),
        "q": branch.q.tolist(),
        "v": branch.v.tolist(),
        "stable": branch.stable.tolist(),
        "bifurcations": [{"kind": x.kind, "value": x.value} for x in branch.bifurcations],
        "ended": branch.ended,
        "notes": branch.notes,
    }


def _cycle_data(gait: ts.gait.LimitCycle) -> dict[str, Any]:
    return {
        "walker": gait.walker.name,
        "numbers": dict(gait.walker.numbers),
        "steps": gait.steps,
        "q": gait.q.tolist(),
        "v": gait.v.tolist(),
        "period": gait.period,
        "speed": gait.speed,
        "step_length": gait.step_length,
        "multipliers": [[x.real, x.imag] for x in gait.multipliers.astype(complex)],
        "stable": gait.stable,
        "cost_of_transport": gait.cost_of_transport,
        "violations": list(gait.violations),
    }
