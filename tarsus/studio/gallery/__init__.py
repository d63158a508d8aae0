"""The gallery: machines to play with, each with what to try, what to measure, and a question."""

from tarsus.studio.gallery.machines import LINKAGES, WALKERS
from tarsus.studio.gallery.toys import TOYS, Entry

ENTRIES: dict[str, Entry] = {entry.name: entry for entry in (*TOYS, *LINKAGES, *WALKERS)}
"""All scenes of the gallery by name, in the order in which they are shown."""

__all__ = ["ENTRIES", "Entry"]
