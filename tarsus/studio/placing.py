"""Bodies put where a person wants them, or made to move: states of free bodies and of linkages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tarsus.model.kinds import QUATERNION
from tarsus.spatial import quaternion_from_rotation
from tarsus.studio.language import Line, LineError

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage


def put(stage: Stage, body: str, line: Line, said: str) -> None:
    """Put a body that is on a free joint to `-t`, turned as `-E` (w x y z), moving by `-vl`, `-vr`.

    Velocities are in axes of the body, linear and angular.
    """
    model = stage.machine.model
    carrier = model.frame(body).body
    joint = next((each for each in model.joints if each.child == carrier), None)
    if joint is None or joint.kind != "free":
        kind = "the world" if joint is None else f"{joint.name} ({joint.kind})"
        raise LineError(
            f"{body} hangs on {kind}: it is free no more; set its joint, or drag it", "-t"
        )
    q, v = stage.machine.q.copy(), stage.machine.v.copy()
    wanted = model.frame_pose(q, body).copy()
    if "-t" in line.options:
        wanted[:3, 3] = line.numbers("-t", 3)
    if "-E" in line.options:
        from tarsus.studio.adding import placement_of

        wanted[:3, :3] = placement_of(line, (0, 0, 0))[:3, :3]
    whole = np.linalg.inv(joint.placement) @ wanted @ np.linalg.inv(model.frame(body).placement)
    coordinates = q[joint.q_slice]
    coordinates[:3] = whole[:3, 3]
    coordinates[QUATERNION["free"]] = quaternion_from_rotation(whole[:3, :3])
    speeds = v[joint.v_slice]
    if "-vl" in line.options:
        speeds[:3] = line.numbers("-vl", 3)
    if "-vr" in line.options:
        speeds[3:] = line.numbers("-vr", 3)
    stage.become(stage.document, said, start=(q, v))
