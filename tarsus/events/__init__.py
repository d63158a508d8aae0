"""Motions with events: phases of smooth motion, guards that end them, resets in between."""

from tarsus.events import guards, parameters, resets
from tarsus.events.flow import flow
from tarsus.events.flow_result import Flowed, FlowError, FlowEvent
from tarsus.events.foothold_model import Planted, held
from tarsus.events.phase import Exit, Phase

__all__ = [
    "Exit",
    "FlowError",
    "FlowEvent",
    "Flowed",
    "Phase",
    "Planted",
    "flow",
    "guards",
    "held",
    "parameters",
    "resets",
]
