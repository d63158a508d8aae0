"""What a command is: a verb, how it is used, what it does, and whether a take notes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tarsus.studio.language import Line

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage

Do = Callable[["Stage", Line], str | None]


@dataclass(frozen=True)
class Command:
    """A verb with its usage, a summary in a line, and the function that does it."""

    verb: str
    usage: str
    summary: str
    do: Do
    noted: bool
    """Whether it changes what happens, so that a take needs it."""


COMMANDS: dict[str, Command] = {}
"""All commands by their verbs."""


def command(usage: str, *, noted: bool = True) -> Callable[[Do], Do]:
    """Register a function as the command that its usage begins with."""

    def register(do: Do) -> Do:
        verb = usage.split()[0]
        assert verb not in COMMANDS, f"two commands are called {verb}"
        summary = (do.__doc__ or "").partition("\n")[0]
        COMMANDS[verb] = Command(verb, usage, summary, do, noted)
        return do

    return register
