"""Scripts as parts: `run FILE name=value…`."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

from tarsus.studio.commands.command import command
from tarsus.studio.files import to_read
from tarsus.studio.language import Line, LineError
from tarsus.studio.script_lines import DEEPEST, lines_of, values_of

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage

KINDS = (".ves", ".txt")
MOST_BYTES = 4 * 1024 * 1024


@command("run FILE name=value…", noted=False, files=True)
def run(stage: Stage, line: Line) -> str:
    """Do all lines of a script, with values in the places of $name; all of them or none."""
    line.expect(["FILE"], more=True)
    name, *words = line.words
    lines = lines_of(script_text(stage, name), values_of(words))
    if stage.depth >= DEEPEST:
        raise LineError(f"run: scripts run scripts more than {DEEPEST} deep", "FILE")
    stage.depth += 1
    try:
        answers = [
            _said(stage, text, f"{name}, line {number}") for number, text in enumerate(lines, 1)
        ]
    finally:
        stage.depth -= 1
    return "\n".join(answer for answer in answers if answer)


def script_text(stage: Stage, name: str) -> str:
    """Return a script below the stage's folder, or one that comes with the studio."""
    own = resources.files("tarsus.studio").joinpath("scripts", f"{name}.ves")
    if name.isidentifier() and own.is_file():
        return own.read_text("utf-8")
    path = to_read(stage, name, KINDS, most=MOST_BYTES)
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise LineError(f"{name} is no text: {error}", "FILE") from None


def _said(stage: Stage, text: str, where: str) -> str:
    try:
        answer = stage.answered(text, noted=True)
    except LineError as error:
        message = f"{where}, {text.strip()!r}: {error}"
        raise LineError(message, error.field, error.confirm) from None
    if stage.work.stopping:
        raise LineError(f"{where}, {text.strip()!r}: the script was stopped, and is taken back")
    return answer
