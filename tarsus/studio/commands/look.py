"""Commands that show, print, reach and walk."""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING

import numpy as np

from tarsus.ik.solver import Solver
from tarsus.ik.tasks.frames import FrameTask
from tarsus.ik.tasks.points import PositionTask
from tarsus.spatial import quaternion_from_rotation
from tarsus.studio.bindings import plan_of, targets_of, ways
from tarsus.studio.clock import find_gait
from tarsus.studio.commands.command import COMMANDS, command
from tarsus.studio.commands.time import count
from tarsus.studio.document import Slider
from tarsus.studio.editing import following, number_at, split_target
from tarsus.studio.force_readout import nearness
from tarsus.studio.language import Line, LineError, numbers, one_of
from tarsus.studio.live_model import bindable, has_number, target_size
from tarsus.studio.quantities import checked

if TYPE_CHECKING:
    from tarsus.studio.session import Stage


# To look: `chart`, `unchart`, `show`, `slider`, `bind`.


SHOWN = (
    *("forces", "contacts", "cones", "joints", "velocities", "reactions", "names"),
    *("powers", "distances"),
)


@command("chart QUANTITY…")
def chart(stage: Stage, line: Line) -> str:
    """Draw numbers over time."""
    line.expect(["QUANTITY"], more=True)
    names = checked(stage.machine, line.words)
    charts = tuple(dict.fromkeys([*stage.document.charts, *names]))
    stage.look_different(stage.document.but(charts=charts))
    stage.recording.chart(stage.machine, charts)
    return ", ".join(charts)


@command("unchart QUANTITY…")
def unchart(stage: Stage, line: Line) -> str:
    """Draw numbers no more; without any, all of them."""
    line.expect([], more=True)
    kept = tuple(name for name in stage.document.charts if line.words and name not in line.words)
    stage.look_different(stage.document.but(charts=kept))
    return ", ".join(kept)


@command("show WHAT on|off")
def show(stage: Stage, line: Line) -> str:
    """Show forces, contacts, cones, reactions, powers, distances and the like, or hide them."""
    line.expect(["WHAT"], more=True)
    what = one_of(line.words[0], SHOWN, "what")
    on = one_of(line.words[1] if len(line.words) > 1 else "on", ("on", "off"), "on|off") == "on"
    shown = stage.document.shown | {what} if on else stage.document.shown - {what}
    stage.look_different(stage.document.but(shown=shown))
    return ""


@command("slider NAME TARGET LOW HIGH")
def slider(stage: Stage, line: Line) -> str:
    """Make a slider for a number, such as spring1.stiffness."""
    line.expect(["NAME", "TARGET", "LOW", "HIGH"])
    name, target = line.words[:2]
    low, high = numbers(line.words[2:], "LOW HIGH", 2)
    if not low < high:
        raise LineError(f"LOW is {low:g}, must be below HIGH, {high:g}", "LOW")
    _check_target(stage, split_target(target)[0], target)
    if number_at(stage, target) is None:
        raise LineError(
            f"TARGET: {target} is no number; a slider moves one, such as spring1.stiffness, "
            "nail1.target.x, elbow.damping or world.gravity.z",
            "TARGET",
        )
    document = stage.document
    stage.look_different(
        document.but(sliders={**document.sliders, name: Slider(target, low, high)})
    )
    return ""


@command("bind TARGET EXPRESSION")
def bind(stage: Stage, line: Line) -> str:
    """Let a target or a number of a part follow an expression of t, a curve, a path; or nothing."""
    line.expect(["TARGET"], more=True)
    target, *words = line.words
    part, _, number = target.rpartition(".")
    _check_target(stage, part, target)
    document, bindings = stage.document, dict(stage.document.bindings)
    if not words:
        bindings.pop(target, None)
        stage.become(document.but(bindings=bindings), f"bind {target}")
        return ""
    machine, expression = stage.machine, " ".join(words)
    bindings[target] = expression
    if number == "target" and target_size(machine, part):
        known = ways(machine.model, document.parts)
        targets_of(expression, target_size(machine, part), known)(stage.t)
        document = document.with_part(following(document.parts[part]))
    elif has_number(machine, part, number):
        plan_of(expression)(stage.t)
    else:
        valid = [f"{part}.{each}" for each in bindable(machine, part)]
        others = ", ".join(valid) or "targets and numbers of parts, as spring1.stiffness,"
        raise LineError(f"TARGET: {target} cannot be bound, {others} can", "TARGET")
    stage.become(document.but(bindings=bindings), f"bind {target}")
    return ""


def _check_target(stage: Stage, name: str, target: str) -> None:
    """Raise unless a target begins with the name of something; patterns such as string* are."""
    parts = stage.document.parts
    if any(fnmatch.fnmatchcase(each, name) for each in parts):
        return
    if not name:
        raise LineError(
            f"TARGET is {target!r}, must be a name, a dot and a number, as spring1.stiffness",
            "TARGET",
        )
    one_of(name, [*stage.document.names, "ground", "world"], "target")


# To read: `help`, `?`, `pb`, `pf`, `explain`, `script`, and the numbers of the clock.


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


# Inverse kinematics by hand: `reach` leads a frame to a place, the clock stopped.


@command("reach FRAME X Y Z")
def reach(stage: Stage, line: Line) -> str:
    """Lead a frame to a place of the world by inverse kinematics, at rest."""
    line.expect(["FRAME", "X", "Y", "Z"])
    model = stage.machine.model
    frame = one_of(line.words[0], stage.machine.frame_names, "frame")
    target = numbers(line.words[1:], "X Y Z", 3)
    if stage.playing:
        raise LineError("pause first: what moves is led by drag")
    # what floats stays where it is, unless it is led itself
    floating = [joint.child for joint in model.joints if joint.kind == "free"]
    held = [
        FrameTask(body, stage.machine.pose(body), level=1)
        for body in floating
        if model.frame(frame).body != body
    ]
    solver = Solver(model, [*held, PositionTask(frame, target, level=2)])
    found = solver.solve(stage.machine.q)
    stage.begin_at(np.asarray(found.q), np.zeros(model.nv), stage.t)
    left = float(np.linalg.norm(model.frame_pose(found.q, frame)[:3, 3] - target))
    near = f"{frame} is there" if left < 1e-6 else f"{frame} is {left:.4g} m away: out of reach"
    return f"{near}; {nearness(stage.machine)}"


# Walking: `gait` finds how the machine walks, and shows it.


MOST_STEPS = 200


@command("gait -slope RAD -steps N -push SHARE")
def gait(stage: Stage, line: Line) -> str:
    """Find a gait, and show it from a start that is a share too fast."""
    line.expect([], ["-slope", "-steps", "-push"])
    slope = line.number("-slope") if "-slope" in line.options else None
    push = line.number("-push") if "-push" in line.options else 0.0
    steps = count(line.options["-steps"][0], "-steps") if line.options.get("-steps") else 12
    if not 1 <= steps <= MOST_STEPS:
        raise LineError(f"-steps is {steps}, must be from 1 to {MOST_STEPS}", "-steps")
    return find_gait(stage, slope=slope, steps=steps, push=push)
