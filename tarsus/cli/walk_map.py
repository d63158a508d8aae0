"""`tarsus walk --robustness`: which walkers stay up, over pushes, friction and masses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from rich.table import Table

import tarsus as ts

PUSHES = np.linspace(0.0, 0.5, 6)
"""To the left, in weights of the machine."""
FRICTIONS = (0.3, 0.5, 0.7)
MASSES = (0.9, 1.0, 1.1)


def walk_map(
    body: ts.gait.Anatomy, *, speed: float, steps: int, style: ts.gait.Style
) -> ts.gait.Robustness:
    """Return the map of a machine that counts on the least friction, with pushes that suit it."""
    weight = body.model.total_mass * float(np.linalg.norm(body.model.gravity))
    return ts.gait.robustness(
        body,
        push=np.round(PUSHES * weight, 1),
        friction=FRICTIONS,
        mass=MASSES,
        speed=speed,
        steps=steps,
        style=style,
        threads=2,
    )


def print_map(found: ts.gait.Robustness, as_json: bool, plot: Path | None) -> None:
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
