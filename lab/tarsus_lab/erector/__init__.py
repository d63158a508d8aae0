"""The command language of the Virtual Erector Set (P. Schröder, MIT 1990) in the studio."""

from importlib import resources

from tarsus.studio.commands.copy import FOLDERS
from tarsus_lab.erector import commands, forces

__all__ = ["commands", "forces"]

FOLDERS.append(resources.files(__name__).joinpath("scripts"))
