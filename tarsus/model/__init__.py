"""Mechanisms: stating them (`Builder`, `Description`) and computing with them (`Model`)."""

from tarsus.model.builder import Builder
from tarsus.model.checks import UnknownNameError
from tarsus.model.cluster_views import Cluster, Constraint
from tarsus.model.description import (
    WORLD,
    Actuator,
    Body,
    Coupling,
    Description,
    Frame,
    Joint,
    Loop,
    ModelError,
    Shape,
    Source,
)
from tarsus.model.diagnosis import Diagnosis, diagnose
from tarsus.model.editor import Editor
from tarsus.model.model import Model
from tarsus.model.poses import Keyframe
from tarsus.model.views import BodyView, FrameView, JointView

__all__ = [
    "WORLD",
    "Actuator",
    "Body",
    "BodyView",
    "Builder",
    "Cluster",
    "Constraint",
    "Coupling",
    "Description",
    "Diagnosis",
    "Editor",
    "Frame",
    "FrameView",
    "Joint",
    "JointView",
    "Keyframe",
    "Loop",
    "Model",
    "ModelError",
    "Shape",
    "Source",
    "UnknownNameError",
    "diagnose",
]
