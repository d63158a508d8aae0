"""Time in the Virtual Erector Set: `step`, `rtime`, `stime`, frames, accuracy, `rlsode`, `draw`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tarsus.studio import frames
from tarsus.studio.commands.command import command
from tarsus.studio.commands.timing import count
from tarsus.studio.drawing import HEADER, Drawing
from tarsus.studio.files import shown, to_write
from tarsus.studio.language import Line, LineError, numbers, one_of

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage

SHORTEST, LONGEST = 1e-6, 3600.0
"""Of frames [s]."""
MOST_FRAMES = 1_000_000
ACCURACIES = (1e-13, 0.1)
CORPUS = (".csv", ".txt", ".corpus")
USUAL = (1e-6, 1e-7)
"""Relative and absolute accuracy of the thesis."""


@command("step N")
def step(stage: Stage, line: Line) -> str:
    """Go on by N frames of the time that sstepsize set, and draw each."""
    line.expect(["N"])
    wanted = count(line.words[0], "N")
    if wanted > MOST_FRAMES:
        raise LineError(f"N is {wanted}, at most {MOST_FRAMES} frames are made at once", "N")
    told = frames.go_on(stage, wanted)
    return "; ".join([f"t = {stage.t:.9g} s", *([told] if told else [])])


@command("rtime", noted=False)
def read_time(stage: Stage, line: Line) -> str:
    """Read the clock [s]."""
    line.expect([])
    return f"{stage.t:.9g}"


@command("stime T")
def set_time(stage: Stage, line: Line) -> str:
    """Set the clock [s]; the machine stays as it is."""
    line.expect(["T"])
    t = float(numbers(line.words, "T", 1)[0])
    stage.begin_at(stage.machine.q, stage.machine.v, t)
    return f"t = {stage.t:.9g} s"


@command("rstepsize", noted=False)
def read_frame(stage: Stage, line: Line) -> str:
    """Read the time from one frame to the next [s]."""
    line.expect([])
    return f"{stage.document.frame:.9g}"


@command("sstepsize T")
def set_frame(stage: Stage, line: Line) -> str:
    """Set the time from one frame to the next [s]; steps of the world become a part of it."""
    line.expect(["T"])
    frame = float(numbers(line.words, "T", 1)[0])
    if not SHORTEST <= frame <= LONGEST:
        raise LineError(f"T is {frame:g} s, must be from {SHORTEST:g} to {LONGEST:g} s", "T")
    stage.look_different(stage.document.but(frame=frame))
    return frames.fit(stage) if stage.document.accuracy is None else ""


@command("sacc -r X -a X")
def set_accuracy(stage: Stage, line: Line) -> str:
    """Let step integrate with Adams' method to an accuracy; without any, by fixed steps again."""
    line.expect([], ["-r", "-a"])
    if not line.options:
        stage.look_different(stage.document.but(accuracy=None))
        return "step makes fixed steps"
    relative, absolute = stage.document.accuracy or USUAL
    relative = line.number("-r") if "-r" in line.options else relative
    absolute = line.number("-a") if "-a" in line.options else absolute
    for option, value in (("-r", relative), ("-a", absolute)):
        if not ACCURACIES[0] <= value <= ACCURACIES[1]:
            low, high = ACCURACIES
            raise LineError(f"{option} is {value:g}, must be from {low:g} to {high:g}", option)
    frames.check_smooth(stage)
    stage.look_different(stage.document.but(accuracy=(relative, absolute)))
    return (
        f"step integrates with Adams' method: relative {relative:g}, absolute {absolute:g}; "
        "play and advance make fixed steps"
    )


@command("rlsode", noted=False)
def read_integrator(stage: Stage, line: Line) -> str:
    """Read what the integrator did: steps, calls, order, accuracy."""
    line.expect([])
    return frames.report(stage)


@command("draw bolio|corpus FILE N|null", files=True)
def draw(stage: Stage, line: Line) -> str:
    """Draw frames of step for pages (bolio), each N-th to a file of poses (corpus), or not."""
    line.expect(["CONVENTION"], more=True)
    kind, *words = line.words
    one_of(kind, ("bolio", "corpus", "null"), "convention")
    if kind != "corpus":
        line.expect(["CONVENTION"])
        stage.drawing = Drawing(kind)
        return ""
    line.expect(["CONVENTION", "FILE"], more=True)
    if len(words) > 2:
        raise LineError(f"draw: {words[2]!r} is one word too many", words[2])
    every = count(words[1], "N") if len(words) == 2 else 1
    if every < 1:
        raise LineError("N must be at least 1", "N")
    (path,) = to_write(stage, [words[0]], CORPUS, HEADER)
    stage.drawing = Drawing(kind, path, every)
    stage.drawing.begin(stage)
    return f"each {every}. frame goes to {shown(stage, path)}"
