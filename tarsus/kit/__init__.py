"""Kits: put parts together, take mechanisms apart, and take states over from model to model."""

from tarsus.kit.assemble import assemble, cuts_of
from tarsus.kit.assembled import Assembled, Cut
from tarsus.kit.carried import Carried
from tarsus.kit.carry import carry
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
    "carry",
    "cuts_of",
    "snap",
    "take_apart",
]
