"""Kits: put parts together, take mechanisms apart, and take states over from model to model."""

from tarsus.model.assembly.assemble import Assembled, Cut, assemble, cuts_of
from tarsus.model.assembly.close_loops import AssemblyError, Snapped, snap
from tarsus.model.assembly.combine import attach, combine, detach, join_states, locked, without
from tarsus.model.assembly.free_bodies import TakenApart, take_apart
from tarsus.model.assembly.state_transfer import Carried, carry
from tarsus.model.reroot_map import RootedState
from tarsus.model.rerooted_model import Rooted, RootReaction

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
