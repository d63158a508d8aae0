"""What a command is: a verb, how it is used, what it does, and whether it uses files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tarsus.studio.language import Line, LineError, parse

if TYPE_CHECKING:
    from tarsus.studio.session import Stage

Do = Callable[["Stage", Line], str | None]
Files = bool | Callable[[Line], bool]


@dataclass(frozen=True)
class Command:
    """A verb with its usage, a summary in a line, and the function that does it."""

    verb: str
    usage: str
    summary: str
    do: Do
    noted: bool
    """Whether it changes what happens, so that a take needs it."""
    files: Files = False
    """Whether it reads or writes files, or which of its lines do."""

    def uses_files(self, line: Line) -> bool:
        """Return whether a line of this command reads or writes files."""
        return self.files(line) if callable(self.files) else self.files


COMMANDS: dict[str, Command] = {}
"""All commands by their verbs."""


def uses_files(text: str) -> bool:
    """Return whether a line reads or writes files; a line that cannot be read might."""
    try:
        line = parse(text)
    except LineError:
        return True
    if line is None:
        return False
    return line.verb not in COMMANDS or COMMANDS[line.verb].uses_files(line)


def command(usage: str, *, noted: bool = True, files: Files = False) -> Callable[[Do], Do]:
    """Register a function as the command that its usage begins with.

    `files` is whether it reads or writes files, or a function that tells which of its lines do.
    Such lines of a session are never done again without the user's confirmation.
    """

    def register(do: Do) -> Do:
        verb = usage.split()[0]
        assert verb not in COMMANDS, f"two commands are called {verb}"
        summary = (do.__doc__ or "").partition("\n")[0]
        COMMANDS[verb] = Command(verb, usage, summary, do, noted, files)
        return do

    return register
