"""Parts of SDF files, for tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from poses import about, transform
from scipy.spatial.transform import Rotation

from tarsus._lib.files import Array
from tarsus.model.description import Description

Write = Callable[..., Path]


def pose(*numbers: float) -> Array:
    """x, y, z, roll, pitch, yaw as a pose (4, 4)."""
    return transform(Rotation.from_euler("xyz", numbers[3:]).as_matrix(), numbers[:3])


WORLD_POSE = pose(1, 2, 3, 0.1, 0.2, 0.3)
UNIT = np.eye(3)


def turned(angle: float, direction: Array, point: Array, pitch: float = 0.0) -> Array:
    """The motion (4, 4) about a line, and along it."""
    there, back = transform(np.eye(3), point), transform(np.eye(3), -point)
    return there @ transform(np.eye(3), pitch * angle * direction) @ about(direction, angle) @ back


def model(*parts: str, version: str = "1.9", attributes: str = "") -> str:
    """A model, its parts on lines 2, 3 …"""
    lines = "\n".join(parts)
    return f'<sdf version="{version}"><model name="m" {attributes}>\n{lines}</model></sdf>'


def link(name: str, inner: str = "") -> str:
    return f'<link name="{name}"><inertial><mass>1</mass></inertial>{inner}</link>'


def joint(name: str, kind: str, parent: str, child: str, inner: str = "") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>'
        f"{inner}</joint>"
    )


def kinds(description: Description) -> list[tuple[str, str, str, str]]:
    return [(j.name, j.kind, j.parent, j.child) for j in description.joints]


def gearbox(parent: str, child: str, ratio: float = 2.0, reference: str = "r") -> str:
    inner = (
        f"<gearbox_ratio>{ratio}</gearbox_ratio>"
        f"<gearbox_reference_body>{reference}</gearbox_reference_body>"
    )
    return joint(f"{parent}{child}", "gearbox", parent, child, inner)


WHEELS = [link("r"), *(link(name) for name in "abc")]


AXLES = [joint(f"j{name}", "revolute", "r", name) for name in "abc"]
