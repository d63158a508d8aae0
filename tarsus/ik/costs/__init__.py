"""Costs, a kind a file: what velocities make smaller where tasks leave them free."""

from tarsus.ik.costs.comfort import Comfort
from tarsus.ik.costs.cost import Cost
from tarsus.ik.costs.manipulability import Manipulability
from tarsus.ik.costs.momentum_tracking import MomentumTracking

__all__ = ["Comfort", "Cost", "Manipulability", "MomentumTracking"]
