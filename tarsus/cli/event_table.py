"""Events of a run as `tarsus simulate` tells them: when, what, which bodies, impulse, energy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.table import Table
from rich.text import Text

from tarsus.simulation.events import Events

MOST = 40
"""Events that are printed; JSON has all."""


def as_data(events: Events) -> list[dict[str, Any]]:
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
