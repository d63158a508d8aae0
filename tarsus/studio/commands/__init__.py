"""The commands of the studio, a theme a file; `COMMANDS` has all of them by their verbs."""

from importlib import import_module
from importlib.metadata import entry_points

from tarsus.studio.commands.command import COMMANDS, Command

__all__ = ["COMMANDS", "Command"]

THEMES = ("build", "copy", "look", "time")
for theme in THEMES:
    import_module(f"tarsus.studio.commands.{theme}")
for module in entry_points(group="tarsus.studio_commands"):
    module.load()  # commands of other installed packages
