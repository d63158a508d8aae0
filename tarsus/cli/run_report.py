"""What `tarsus simulate` tells about a run: speed, way, ledger, and what each foot did."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tarsus.cli import event_table
from tarsus.simulation import Trajectory

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
        console.print(event_table.table(data["events"]))
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
        data["events"] = event_table.as_data(run.events)
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
