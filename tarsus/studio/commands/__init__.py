"""The commands of the studio, a theme a file; `COMMANDS` has all of them by their verbs."""

from tarsus.studio.commands import (
    building,
    filing,
    handling,
    looking,
    printing,
    timing,
    verbatim,
    walking,
)
from tarsus.studio.commands.command import COMMANDS, Command

__all__ = [
    "COMMANDS",
    "Command",
    "building",
    "filing",
    "handling",
    "looking",
    "printing",
    "timing",
    "verbatim",
    "walking",
]
