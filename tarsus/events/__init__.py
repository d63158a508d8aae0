"""Motions with events: phases of smooth motion, guards that end them, resets in between."""

from tarsus.events import guards, parameters, resets
from tarsus.events.flow import flow
from tarsus.events.held import held
from tarsus.events.phase import Exit, Phase
from tarsus.events.planted import Planted
from tarsus.events.report import Flowed, FlowError, FlowEvent

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
