"""The gallery: machines to play with, each with what to try, what to measure, and a question."""

from tarsus.studio.gallery.entry import Entry
from tarsus.studio.gallery.linkages import LINKAGES
from tarsus.studio.gallery.toys import TOYS
from tarsus.studio.gallery.walkers import WALKERS

ENTRIES: dict[str, Entry] = {entry.name: entry for entry in (*TOYS, *LINKAGES, *WALKERS)}
"""All scenes of the gallery by name, in the order in which they are shown."""

__all__ = ["ENTRIES", "Entry"]
