"""Reports of runs: energy, contacts, events."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tarsus._lib.checks import numbers, suggestion
from tarsus._lib.files import Array
from tarsus.cli.common import open_model
from tarsus.model.assembly.combine import combine
from tarsus.model.model import Model
from tarsus.simulation import until
from tarsus.simulation.events import Events
from tarsus.simulation.push import Push
from tarsus.simulation.trajectory import Trajectory

# What `tarsus simulate` tells about a run: speed, way, ledger, and what each foot did.


STATES = ("stick", "slip", "impact")


def show(run: Trajectory, seconds: float, dt: float, console: Console) -> None:
    """Print the report of a run that took so many seconds to compute."""
    data = as_data(run, seconds, dt)
    console.print(Text(_speed(data)))
    if data["ended"]:
        console.print(Text(f"ended: {data['ended']}"))
    if "moved" in data:
        x, y, z = data["moved"]
        speed = f"{data['mean_speed']:.3g} m/s on average"
        console.print(Text(f"moved by x {x:+.3f}  y {y:+.3f}  z {z:+.3f} m, {speed}"))
    console.print()
    # the ledger is text in columns already: it must not be wrapped
    console.print(Text(run.energy.table()), soft_wrap=True)
    if data["contacts"]:
        console.print()
        console.print(_contacts(data))
    if "events" in data:
        console.print()
        console.print(table(data["events"]))
    for warning in data["warnings"]:
        console.print(Text(f"warning: {warning}", "yellow"))


def as_data(run: Trajectory, seconds: float, dt: float) -> dict[str, Any]:
    """Return the report as plain data for JSON."""
    located = run.happened is not None
    steps = round(run.duration / dt)
    if located and run.integration is not None:
        steps = int(run.integration.steps)
    ledger = run.energy
    data: dict[str, Any] = {
        "model": run.model.name,
        "duration": run.duration,
        "dt": dt,
        "steps": steps,
        "seconds": seconds,
        "real_time_factor": run.duration / seconds if seconds > 0.0 else 0.0,
        "interrupted": run.interrupted,
        "ended": str(run.ended.why),
        "warnings": list(run.settings.get("warnings", ())),
        "energy": {name: float(getattr(ledger, name)[-1]) for name in ledger.names},
        "residual": float(np.abs(ledger.residual).max()),
        "relative_residual": float(np.abs(ledger.relative_residual).max()),
        "unsolved": run.unsolved.total,
        "worst_residual": float(run.unsolved.worst.max()),
        "contacts": [_of_body(run, body) for body in run.contacts.touching()],
    }
    if located:
        data["events"] = as_data_event_table(run.events)
    # integrators for smooth motions have no contacts to solve
    if "statistics" in run.recorded:
        data["penetration"] = float(run.statistics.penetration.max(initial=0.0))
        data["iterations"] = float(run.statistics.iterations.mean())
    base = run.model.base
    if base is not None and base.kind == "free":
        moved = run.q[-1, base.q_slice][:3] - run.q[0, base.q_slice][:3]
        data["moved"] = moved.tolist()
        data["mean_speed"] = float(np.linalg.norm(moved[:2])) / max(run.duration, dt)
    return data


def _of_body(run: Trajectory, body: str) -> dict[str, Any]:
    contacts = run.contacts
    states = contacts.state_of(body)
    force = np.linalg.norm(contacts.force_on(body), axis=-1)
    loaded = force[(states == "stick") | (states == "slip")]
    hits = int(((states == "impact") & (np.roll(states, 1) != "impact"))[1:].sum())
    if run.happened is not None:
        hits = sum(event.body == body for event in run.events.of("impact"))
    return {
        "body": body,
        **{state: float((states == state).mean()) for state in STATES},
        "impacts": hits,
        "mean_force": float(loaded.mean()) if len(loaded) else 0.0,
        "peak_force": float(force.max()),
    }


def _speed(data: dict[str, Any]) -> str:
    end = ", interrupted" if data["interrupted"] else ""
    step = 1e6 * data["seconds"] / max(data["steps"], 1)
    length = "its own" if "events" in data else f"{1e3 * data['dt']:g} ms"
    return (
        f"{data['duration']:.4g} s in {data['seconds']:.3g} s: "
        f"{data['real_time_factor']:.3g} × real time "
        f"({data['steps']} steps of {length}, {step:.3g} µs each{end})"
    )


def _contacts(data: dict[str, Any]) -> Table:
    note = None
    if "penetration" in data:
        note = f"deepest penetration {1e3 * data['penetration']:.2g} mm"
    table = Table(
        box=None, header_style="dim", pad_edge=False, caption=note, caption_justify="left"
    )
    table.add_column("contact", style="bold")
    for title, style in (("stick", "green"), ("slip", "yellow"), ("open", "dim")):
        table.add_column(title, style=style, justify="right")
    for title in ("impacts", "mean force", "peak force"):
        table.add_column(title, justify="right", no_wrap=True)
    for each in data["contacts"]:
        away = 1.0 - sum(each[state] for state in STATES)
        shares = (each["stick"] + each["impact"], each["slip"], away)
        forces = (each["mean_force"], each["peak_force"])
        cells = [*(f"{100 * share:.1f} %" for share in shares), f"{each['impacts']}"]
        table.add_row(Text(each["body"]), *cells, *(f"{force:.4g} N" for force in forces))
    return table


# Events of a run as `tarsus simulate` tells them: when, what, which bodies, impulse, energy.


MOST = 40
"""Events that are printed; JSON has all."""


def as_data_event_table(events: Events) -> list[dict[str, Any]]:
    """Return events as plain data for JSON."""
    return [
        {
            "t": event.t,
            "kind": event.kind,
            "body": event.body,
            "other": event.other,
            "point": event.point.tolist(),
            "impulse": event.impulse.tolist(),
            "lost": event.lost,
        }
        for event in events
    ]


def table(events: Sequence[dict[str, Any]]) -> Table:
    """Return a row for each event, or for the first of many."""
    note = "no events" if not events else None
    if len(events) > MOST:
        note = f"… and {len(events) - MOST} more: --json has all"
    made = Table(box=None, header_style="dim", pad_edge=False, caption=note, caption_justify="left")
    for title in ("time", "event", "bodies", "impulse", "energy lost"):
        right = title not in ("event", "bodies")
        made.add_column(title, justify="right" if right else "left", no_wrap=right)
    for event in events[:MOST]:
        bodies = " – ".join(name for name in (event["body"], event["other"]) if name)
        struck = event["kind"].endswith("impact")
        # a joint's impulse is of its own kind: N s or N m s
        unit = "N s" if event["other"] else ""
        made.add_row(
            f"{event['t']:.9f} s",
            event["kind"],
            Text(bodies),
            f"{np.linalg.norm(event['impulse']):.4g} {unit}".rstrip() if struck else "",
            f"{event['lost']:.4g} J" if struck else "",
        )
    return made


# What `tarsus simulate` is told about the course of a run: what pushes it, and when it ends.


BOUND = re.compile(r"(?P<name>[^<>]+)(?P<side>[<>])(?P<value>[^<>]+)")
TOUCH = "touch:"
PUSH = re.compile(r"(?P<body>.+):(?P<force>[^:@]+)(@(?P<start>[^@+]+)(\+(?P<duration>[^@+]+))?)?")


def pushes(texts: Sequence[str]) -> list[Push]:
    """Return what pushes a run: `trunk:60,0,0@0.5+0.1` is 60 N along x from 0.5 s on for 0.1 s."""
    return [_push(text) for text in texts]


def _push(text: str) -> Push:
    found = PUSH.fullmatch(text)
    try:
        assert found is not None
        force = [float(each) for each in found["force"].split(",")]
        start, duration = float(found["start"] or 0.0), float(found["duration"] or math.inf)
        return Push(found["body"], force, start=start, duration=duration)
    except (AssertionError, ValueError) as error:
        why = f": {error}" if str(error) else ""
        raise ValueError(f"--push {text} must be such as trunk:60,0,0@0.5+0.1{why}") from None


def conditions(model: Model, texts: Sequence[str]) -> list[until.Condition]:
    """Return what ends a run: `trunk<0.2` (a height), `knee>1.5` (a joint), `touch:trunk`."""
    return [_condition(model, text) for text in texts]


def _condition(model: Model, text: str) -> until.Condition:
    if text.startswith(TOUCH):
        return until.Touch(text.removeprefix(TOUCH))
    found = BOUND.fullmatch(text)
    if found is None:
        raise ValueError(f"--until {text} must be such as 'trunk<0.2', 'knee>1.5' or touch:trunk")
    name = found["name"].strip()
    try:
        value = float(found["value"])
    except ValueError:
        raise ValueError(f"--until {text}: {found['value']!r} is not a number") from None
    kinds = {"frame": name in model.frame_names, "joint": name in model.joint_names}
    if all(kinds.values()):
        raise ValueError(f"--until {text}: {name!r} is a frame and a joint of {model.name}")
    if not any(kinds.values()):
        names = (*model.frame_names, *model.joint_names)
        raise ValueError(f"--until {text}: no such frame or joint{suggestion(name, names)}")
    kind = until.Height if kinds["frame"] else until.Position
    return kind(name, below=value) if found["side"] == "<" else kind(name, above=value)


# `--with`: what else is in the scene of `tarsus simulate`, and where.


FIXED = ":fixed"
SAYING = (".sdf", ".world")
"""Files that say themselves what is fixed to the world."""


def with_companions(model: Model, texts: Sequence[str]) -> Model:
    """Return a model together with others: `box.urdf@0.5,0,0.8`, `table.urdf@1,0,0:fixed`.

    Their roots are free unless they are said to be fixed, here or as <static> in SDF. Names get
    those of their machines in front, as "box/lid"; several of one name are numbered.
    """
    if not texts:
        return model
    found = [_companion(text) for text in texts]
    models = [model, *(each for each, _ in found)]
    return combine(
        *models, names=_names(models), at=[None, *(place for _, place in found)], name=model.name
    )


def _companion(text: str) -> tuple[Model, Array | None]:
    name, at, place = text.removesuffix(FIXED).partition("@")
    base: Literal["free", "fixed"] | None = "fixed" if text.endswith(FIXED) else "free"
    if base == "free" and Path(name).suffix.lower() in SAYING:
        base = None
    if not at:
        return open_model(name, base), None
    try:
        where = numbers([float(x) for x in place.split(",")], (3,), "place")
    except ValueError:
        raise ValueError(
            f"--with {text} must be a model at x,y,z, such as {name}@0.5,0,0.8"
        ) from None
    return open_model(name, base), where


def _names(models: Sequence[Model]) -> list[str]:
    seen: Counter[str] = Counter()
    names = []
    for each in models:
        seen[each.name] += 1
        names.append(each.name if seen[each.name] == 1 else f"{each.name}{seen[each.name]}")
    return names
