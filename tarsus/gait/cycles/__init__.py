"""Gaits as cycles: return maps, Newton's method, multipliers, branches, basins."""

from tarsus.gait.cycles.attractor import attractor
from tarsus.gait.cycles.basin import Basin, basin
from tarsus.gait.cycles.bifurcations import Bifurcation
from tarsus.gait.cycles.branch import Branch
from tarsus.gait.cycles.continuation import continuation
from tarsus.gait.cycles.cycle import LimitCycle
from tarsus.gait.cycles.doublings import Doublings, doublings
from tarsus.gait.cycles.limit_cycle import NoGaitError, limit_cycle, limit_cycles
from tarsus.gait.cycles.survival import Survival, survival

__all__ = [
    "Basin",
    "Bifurcation",
    "Branch",
    "Doublings",
    "LimitCycle",
    "NoGaitError",
    "Survival",
    "attractor",
    "basin",
    "continuation",
    "doublings",
    "limit_cycle",
    "limit_cycles",
    "survival",
]
