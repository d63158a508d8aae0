"""The commands of the studio, a theme a file; `COMMANDS` has all of them by their verbs."""

from tarsus.studio.commands import (
    building,
    copying,
    filing,
    handling,
    looking,
    printing,
    scripting,
    timing,
    verbatim,
    verbatim_forces,
    verbatim_time,
    walking,
)
from tarsus.studio.commands.command import COMMANDS, Command

__all__ = [
    "COMMANDS",
    "Command",
    "building",
    "copying",
    "filing",
    "handling",
    "looking",
    "printing",
    "scripting",
    "timing",
    "verbatim",
    "verbatim_forces",
    "verbatim_time",
    "walking",
]
