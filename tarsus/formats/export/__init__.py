"""Models as texts of other programs' formats, with a list of what these cannot say."""

from tarsus.formats.export.export import Export, Format, Meshes, export, save_export
from tarsus.formats.export.losses import ExportWarning, LeftOut

__all__ = ["Export", "ExportWarning", "Format", "LeftOut", "Meshes", "export", "save_export"]
