"""Bodies of mesh files: mass, centre and inertia from the volume that a mesh encloses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tarsus.formats.mesh_files import KINDS, read_mesh
from tarsus.geometry.mesh_volume import enclosed
from tarsus.model import WORLD
from tarsus.model.editor import Editor
from tarsus.studio import setting
from tarsus.studio.adding import PLACED, mass_of, placement_of
from tarsus.studio.files import to_read
from tarsus.studio.language import Line, LineError

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage

MOST_BYTES, MOST_TRIANGLES = 32 * 1024 * 1024, 200_000
"""Of a mesh that is read."""


def add_mesh(stage: Stage, name: str, line: Line, said: str) -> str:
    """Add a free body with the shape of a mesh: `-file bunny.stl -scale .001 -density 700`.

    The file's unit is the metre unless `-scale` says otherwise.
    """
    line.expect(["KIND", "NAME"], [*PLACED, "-file", "-scale"])
    words = line.options.get("-file", [])
    if len(words) != 1:
        raise LineError("add mesh: -file needs the name of a file", "-file")
    path = to_read(stage, words[0], KINDS, most=MOST_BYTES)
    scale = line.number("-scale") if "-scale" in line.options else 1.0
    if not scale > 0.0:
        raise LineError(f"-scale is {scale:g}, must be positive", "-scale")
    try:
        vertices, triangles = read_mesh(path, merge=True)
        if len(triangles) > MOST_TRIANGLES:
            raise ValueError(f"it has {len(triangles)} triangles, at most {MOST_TRIANGLES}")
        found = enclosed(scale * vertices, triangles)
    except ValueError as error:
        raise LineError(f"-file {words[0]}: {error}", "-file") from None
    mass = mass_of(line, found.volume)
    inertia = mass / found.volume * found.inertia
    color = (*line.numbers("-color", 3), 1.0) if "-color" in line.options else None
    editor = Editor(stage.machine.model)
    editor.body(name, mass, found.center, inertia)
    editor.joint(name, "free", WORLD, name, placement=placement_of(line, (0, 0, 0.5)))
    for role in ("visual", "collision"):
        if role == "visual" or line.options.get("-touches", ["on"]) == ["on"]:
            editor.shape(name, "mesh", (scale,) * 3, role=role, file=str(path), color=color)
    setting.rebuilt(stage, stage.document, editor.build(), said)
    center = " ".join(f"{x:.4g}" for x in np.asarray(found.center))
    return f"{name}: {mass:.4g} kg, {found.volume:.4g} m³, centre at {center}"
