"""What an MJCF file states and a description does not hold: counted, and not made by MuJoCo.

A texture, a sensor or a number of the user may ask for any amount of memory, which MuJoCo would
take when it compiles the model.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

LISTS = {
    "cameras": "cameras",
    "lights": "lights",
    "flexible bodies": "flexes",
    "skins": "skins",
    "plugins": "plugins",
}
"""What is not taken over, and where a specification has it."""

REMOVED = ("tuples", "keys", "sensors", "numerics", "texts")
"""What nothing that is taken over refers to; those that refer to others come first."""

SIZES = (
    *("nuser_body", "nuser_jnt", "nuser_geom", "nuser_site", "nuser_cam", "nuser_tendon"),
    *("nuser_actuator", "nuser_sensor", "memory", "nstack", "njmax", "nconmax"),
)
"""Sizes that MuJoCo finds by itself."""


def leave_out(mujoco: Any, spec: Any) -> Counter[str]:
    """Remove from a specification, or make small, what is not taken over; return how many."""
    found = Counter({what: len(getattr(spec, name, ())) for what, name in LISTS.items()})
    for name in REMOVED:
        for element in list(getattr(spec, name)):
            spec.delete(element)
    unstated = mujoco.MjSpec()
    for name in SIZES:
        setattr(spec, name, getattr(unstated, name))
    spec.nuserdata, spec.nkey = 0, 0
    for index, texture in enumerate(spec.textures):
        texture.name = texture.name or f"texture {index}"
        texture.file, texture.cubefiles, texture.content_type, texture.data = "", [""] * 6, "", b""
        texture.type = mujoco.mjtTexture.mjTEXTURE_2D
        texture.builtin = int(mujoco.mjtBuiltin.mjBUILTIN_FLAT)
        texture.width, texture.height, texture.nchannel, texture.gridsize = 1, 1, 3, [1, 1]
    for index, field in enumerate(spec.hfields):
        field.name = field.name or f"height field {index}"
        field.file, field.content_type = "", ""
        field.nrow, field.ncol, field.userdata = 2, 2, [0.0] * 4
    return found
