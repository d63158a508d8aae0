"""Mechanisms: stating them (`Builder`, `Description`) and computing with them (`Model`)."""

from tarsus._lib.checks import UnknownNameError
from tarsus._lib.errors import WORLD, ModelError, Source
from tarsus.model.builder import Builder
from tarsus.model.description import (
    Actuator,
    Body,
    Coupling,
    Description,
    Frame,
    Joint,
    Loop,
    Shape,
)
from tarsus.model.diagnosis import Diagnosis, diagnose
from tarsus.model.editor import Editor
from tarsus.model.keyframes import Keyframe
from tarsus.model.model import Model
from tarsus.model.results import (
    ForwardDynamicsDerivatives,
    HybridDynamics,
    InverseDynamicsDerivatives,
    InverseDynamicsSecondDerivatives,
)
from tarsus.model.views import BodyView, Cluster, Constraint, FrameView, JointView

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
    "ForwardDynamicsDerivatives",
    "Frame",
    "FrameView",
    "HybridDynamics",
    "InverseDynamicsDerivatives",
    "InverseDynamicsSecondDerivatives",
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
