"""Inertial units of an SDF file, at frames that are called as they are."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tarsus.formats.context import Context
from tarsus.formats.sdf_frames import Frames
from tarsus.formats.xml import Element
from tarsus.model.checks import unused
from tarsus.model.description import Description, Frame
from tarsus.model.references import SENSORS
from tarsus.spatial import inverse


def read_sensors(
    model: Element, frames: Frames, description: Description, context: Context
) -> None:
    """Append a frame for each `<sensor type="imu">` of a link, and name others in a warning."""
    taken = {body.name for body in description.bodies}
    taken |= {frame.name for frame in description.frames}
    found: dict[str, Any] = {}
    others: Counter[str] = Counter()
    elements = [each for place in ("link", "joint") for each in model.all(place)]
    for place in elements:
        for sensor in place.all("sensor"):
            kind, name = sensor.attributes.get("type", "?"), sensor.attributes.get("name", "imu")
            if kind != "imu" or place.tag == "joint":
                others[kind] += 1
                continue
            called = unused(name, taken)
            body = place.string("name")
            placement = inverse(frames.pose(place)) @ frames.pose(sensor)
            description.frames.append(Frame(called, body, placement, sensor.source))
            found[called] = {"kind": "IMU", "frame": called}
    if found:
        description.metadata[SENSORS] = found
    if others:
        names = ", ".join(f"{count} {kind}" for kind, count in sorted(others.items()))
        context.warnings.append(f"sensors ({others.total()}) are not taken over: {names}")
