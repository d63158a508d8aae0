"""To look: `chart`, `unchart`, `show`, `slider`, `bind`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tarsus.studio.bindings import targets_of
from tarsus.studio.commands.command import command
from tarsus.studio.document import Slider
from tarsus.studio.language import Line, LineError, numbers, one_of
from tarsus.studio.quantities import checked

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage

SHOWN = ("forces", "contacts", "joints", "velocities", "reactions", "names")


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
    """Show forces, contacts, joints, velocities, reactions or names, or hide them."""
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
    _check_target(stage, target)
    document = stage.document
    stage.look_different(
        document.but(sliders={**document.sliders, name: Slider(target, low, high)})
    )
    return ""


@command("bind TARGET EXPRESSION")
def bind(stage: Stage, line: Line) -> str:
    """Let the target of a part follow an expression of t, for a point three with commas between."""
    line.expect(["TARGET"], more=True)
    target, *words = line.words
    part = _check_target(stage, target)
    bindings = dict(stage.document.bindings)
    if not words:
        bindings.pop(target, None)
    else:
        count = stage.machine.target_size(part)
        if not target.endswith(".target") or not count:
            raise LineError(f"TARGET: {target} cannot be bound, targets of parts can", "TARGET")
        bindings[target] = " ".join(words)
        targets_of(bindings[target], count)(stage.t)
    stage.become(stage.document.but(bindings=bindings), f"bind {target}")
    return ""


def _check_target(stage: Stage, target: str) -> str:
    name, _, number = target.rpartition(".")
    names = stage.document.names
    one_of(name, [*names, "ground", "world"], "target")
    if not number:
        raise LineError("TARGET must be a name, a dot and a number, as spring1.stiffness", "TARGET")
    return name
