"""Mechanisms: stating them (`Builder`, `Description`) and computing with them (`Model`)."""

from tarsus.model.builder import Builder
from tarsus.model.checks import UnknownNameError
from tarsus.model.description import (
    WORLD,
    Body,
    Description,
    Frame,
    Joint,
    ModelError,
    Shape,
    Source,
)
from tarsus.model.model import Model
from tarsus.model.views import BodyView, Cluster, FrameView, JointView

__all__ = [
    "WORLD",
    "Body",
    "BodyView",
    "Builder",
    "Cluster",
    "Description",
    "Frame",
    "FrameView",
    "Joint",
    "JointView",
    "Model",
    "ModelError",
    "Shape",
    "Source",
    "UnknownNameError",
]
