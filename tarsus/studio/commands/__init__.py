"""The commands of the studio, a theme a file; `COMMANDS` has all of them by their verbs."""

from tarsus.studio.commands import (
    building,
    copying,
    filing,
    galleries,
    handling,
    looking,
    printing,
    reaching,
    scripting,
    timing,
    verbatim,
    verbatim_forces,
    verbatim_time,
    walking,
)
from tarsus.studio.commands.command import COMMANDS, Command

THEMES = (
    building,
    copying,
    filing,
    galleries,
    handling,
    looking,
    printing,
    reaching,
    scripting,
    timing,
    verbatim,
    verbatim_forces,
    verbatim_time,
    walking,
)

__all__ = ["COMMANDS", "THEMES", "Command"]
