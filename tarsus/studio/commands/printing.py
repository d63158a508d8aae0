"""To read: `help`, `?`, `pb`, `pf`, `explain`, `script`, and the numbers of the clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tarsus.spatial import quaternion_from_rotation
from tarsus.studio.commands.command import COMMANDS, command
from tarsus.studio.language import Line, one_of

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage


@command("help VERB", noted=False)
def help_(stage: Stage, line: Line) -> str:
    """Say how commands are used."""
    line.expect([], more=True)
    chosen = [one_of(word, COMMANDS, "command") for word in line.words] or sorted(COMMANDS)
    return "\n".join(f"{COMMANDS[verb].usage}: {COMMANDS[verb].summary}" for verb in chosen)


COMMANDS["?"] = COMMANDS["help"]


@command("pb BODY", noted=False)
def print_bodies(stage: Stage, line: Line) -> str:
    """Print bodies as sb sets them: mass, inertia, where they are, velocities in their own axes."""
    line.expect([], more=True)
    machine = stage.machine
    names = [body.name for body in machine.bodies()]
    chosen = [one_of(word, names, "body") for word in line.words] or names
    return "\n".join(_body(stage, name) for name in chosen)


@command("explain", noted=False)
def explain(stage: Stage, line: Line) -> str:
    """Say what the machine is: its clusters, its loops and their ranks."""
    line.expect([])
    model = stage.machine.model
    lines = [f"{model.n_bodies} bodies, {model.nv} velocities, {len(model.clusters)} clusters"]
    lines += [str(cluster) for cluster in model.clusters if len(cluster.bodies) > 1]
    lines += [
        f"constraint {each.name}: {each.rows} rows; {each.reason}" for each in model.constraints
    ]
    if stage.document.parts or model.constraints:
        lines.append(str(stage.machine.simulation.diagnose(machine_q(stage))))
    return "\n".join(lines)


@command("script", noted=False)
def script(stage: Stage, line: Line) -> str:
    """Return all that was done as a script, with the steps between."""
    line.expect([])
    return stage.take.script()


def machine_q(stage: Stage) -> np.ndarray:
    """Return the configuration as it is now."""
    return stage.machine.q


def _body(stage: Stage, name: str) -> str:
    machine = stage.machine
    pose = machine.pose(name)
    twist = machine.model.frame_velocity(machine.q, machine.v, name, reference="local")
    body = next(each for each in stage.document.description.bodies if each.name == name)
    x, y, z, w = quaternion_from_rotation(pose[:3, :3])
    told: dict[str, list[float]] = {
        "m": [body.mass],
        "in": np.diag(body.inertia).tolist(),
        "t": pose[:3, 3].tolist(),
        "E": [w, x, y, z],
        "vl": twist[:3].tolist(),
        "vr": twist[3:].tolist(),
    }
    return f"{name} " + " ".join(
        f"-{option} {' '.join(f'{number:.6g}' for number in numbers)}"
        for option, numbers in told.items()
    )
