"""Kits: put parts together, take mechanisms apart, and take states over from model to model."""

from tarsus.kit.assemble import assemble, cuts_of
from tarsus.kit.assembled import Assembled, Cut
from tarsus.kit.carried import Carried
from tarsus.kit.carry import carry
from tarsus.kit.combine import attach, combine, detach, join_states
from tarsus.kit.reduced import locked, without
from tarsus.kit.root_reaction import RootReaction
from tarsus.kit.root_states import RootedState
from tarsus.kit.rooted import Rooted
from tarsus.kit.snap import AssemblyError, Snapped, snap
from tarsus.kit.take_apart import TakenApart, take_apart

__all__ = [
    "Assembled",
    "AssemblyError",
    "Carried",
    "Cut",
    "RootReaction",
    "Rooted",
    "RootedState",
    "Snapped",
    "TakenApart",
    "assemble",
    "attach",
    "carry",
    "combine",
    "cuts_of",
    "detach",
    "join_states",
    "locked",
    "snap",
    "take_apart",
    "without",
]
