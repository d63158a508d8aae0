"""What a page is told beside the scene: shapes whenever they change, frames of the motion, charts.

A frame is binary: the length of a JSON header (four bytes, little-endian), the
header, padded with spaces to a multiple of four, then numbers (float32): poses of bodies (rows of
3×4), arrows (point, vector), lines (from, to).
"""

from __future__ import annotations

import json
import math
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus._lib.files import Array
from tarsus.studio.appearance import arrows, lines, surfaces_of
from tarsus.studio.force_readout import plain_nearness
from tarsus.studio.live_model import Machine
from tarsus.studio.quantities import quantities, residual, seen_now

if TYPE_CHECKING:
    from tarsus.studio.session import Stage

PENDING_LINES = 50
"""Lines of a session that a page lists before it asks."""


def replay(lines: list[str]) -> str:
    """Return the question whether pending lines of the session shall be done again."""
    return json.dumps({"kind": "replay", "lines": lines[:PENDING_LINES], "count": len(lines)})


def shapes(machine: Machine, number: int) -> dict[str, Any]:
    """Return what the bodies look like, by name, and the ground; scenes refer to the number."""
    surfaces, size, ground = surfaces_of(machine)
    named = {body.name: surfaces[k] for k, body in enumerate(machine.bodies())}
    return {"kind": "shapes", "number": number, "size": size, "bodies": named, "ground": ground}


def frame(stage: Stage, rate: float) -> bytes:
    """Return the machine as it is looked at now."""
    machine, looking = stage.machine, stage.looking
    q = None if looking is None or looking.model is not machine.model else looking.q
    poses = machine.poses(q)
    live = looking is None
    named, forces = arrows(stage) if live else ([], np.zeros((0, 6)))
    strings, ends = lines(stage, poses)
    header = {
        "kind": "frame",
        "revision": stage.revision,
        "t": stage.t if looking is None else looking.t,
        "end": stage.recording.span[1],
        "begin": stage.recording.span[0],
        "playing": stage.playing,
        "working": stage.work.text,
        "rate": rate,
        "bodies": len(poses),
        "arrows": named,
        "lines": strings,
        "values": stage.recording.moments[-1].values if live else looking.values,  # type: ignore[union-attr]
        "residual": residual(stage.machine),
    }
    if live and "powers" in stage.document.shown:
        header["powers"] = powers(machine)
    if "distances" in stage.document.shown:
        header["distances"] = plain_nearness(machine, q)
    data = np.concatenate([poses[:, :3].ravel(), forces.ravel(), ends.ravel()]).astype("<f4")
    return packed(header, data)


def powers(machine: Machine) -> dict[str, Any]:
    """Return who gives power to the motion, of which kind they are, and which bodies take it."""
    flow = machine.meter.flow()
    ports = {name: [watts, flow.kinds[name]] for name, watts in flow.ports.items()}
    return {"ports": ports, "bodies": dict(flow.bodies)}


def packed(header: dict[str, Any], data: Array) -> bytes:
    """Return a header and numbers as one binary message."""
    try:
        text = json.dumps(header, allow_nan=False).encode()  # as it is, mostly: frames are many
    except (TypeError, ValueError):
        text = json.dumps(clean(header)).encode()
    text += b" " * (-len(text) % 4)
    return struct.pack("<I", len(text)) + text + data.tobytes()


def history(stage: Stage) -> dict[str, Any]:
    """Return what was charted since the beginning."""
    moments = stage.recording.moments
    names = stage.document.charts
    values = {name: [moment.values.get(name) for moment in moments] for name in names}
    return {"kind": "history", "t": [moment.t for moment in moments], "values": values}


def all_quantities(stage: Stage) -> dict[str, str]:
    """Return the names of all numbers that can be charted, and their units."""
    return {name: each.unit for name, each in quantities(stage.machine).items()}


def told_of(stage: Stage, name: Any) -> str:
    """Return in words what something bears now: a joint, a loop, a spring; nothing of others."""
    known = quantities(stage.machine)
    kinds = {"reaction": "bears", "torque": "", "tension": "tension", "force": "force"}
    keys = [f"{kind}:{name}" for kind in kinds if f"{kind}:{name}" in known]
    if f"tension:{name}" in keys:
        keys = [f"tension:{name}"]
    seen = seen_now(stage.machine)
    told = []
    for key in keys:
        value = known[key].value(seen)
        if math.isfinite(value):
            told.append(f"{kinds[key.partition(':')[0]]} {value:.3g} {known[key].unit}".strip())
    return f"{name}: {', '.join(told)}" if told else ""


def clean(value: Any) -> Any:
    """Return plain data that JSON has: no infinities, no arrays."""
    if isinstance(value, dict):
        return {str(key): clean(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean(each) for each in value]
    if isinstance(value, np.ndarray):
        return clean(value.tolist())
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, np.integer):
        return int(value)
    return value
