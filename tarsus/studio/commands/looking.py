"""To look: `chart`, `unchart`, `show`, `slider`, `bind`."""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING

from tarsus.studio.bindings import plan_of, targets_of
from tarsus.studio.commands.command import command
from tarsus.studio.document import Slider
from tarsus.studio.followers import bindable, has_number, target_size
from tarsus.studio.knobs import number_at, split_target
from tarsus.studio.language import Line, LineError, numbers, one_of
from tarsus.studio.quantities import checked
from tarsus.studio.setting import following
from tarsus.studio.ways import ways

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage

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
