"""Reading and writing models: `load` and `save` choose the format by the file's suffix."""

from tarsus.formats.export.losses import ExportWarning, LeftOut
from tarsus.formats.readers import build, load, read, save

__all__ = ["ExportWarning", "LeftOut", "build", "load", "read", "save"]
