"""The commands of the studio, a theme a file; `COMMANDS` has all of them by their verbs."""

from importlib import import_module

from tarsus.studio.commands.command import COMMANDS, Command

__all__ = ["COMMANDS", "Command"]

THEMES = (
    *("building", "copying", "filing", "galleries", "handling", "looking", "moving", "printing"),
    *("reaching", "scripting", "timing", "verbatim", "verbatim_forces", "verbatim_time"),
    "walking",
)
for theme in THEMES:
    import_module(f"tarsus.studio.commands.{theme}")
