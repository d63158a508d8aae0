"""Parts: what acts on a mechanism beside its tree, as coordinates and a law.

`tarsus.forces` and `tarsus.constraint` state parts, a file each; `Simulation.add` hands them to the
core.
"""

from tarsus.parts.part import IN_WORLD, Part, Place, Statement, Where, place_of

__all__ = ["IN_WORLD", "Part", "Place", "Statement", "Where", "place_of"]
