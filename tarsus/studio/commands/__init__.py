"""The commands of the studio, a theme a file; `COMMANDS` has all of them by their verbs."""

from tarsus.studio.commands import (
    building,
    galleries,
    handling,
    looking,
    printing,
    reaching,
    timing,
    verbatim,
    walking,
)
from tarsus.studio.commands.command import COMMANDS, Command

THEMES = (building, galleries, handling, looking, printing, reaching, timing, verbatim, walking)

__all__ = ["COMMANDS", "THEMES", "Command"]
