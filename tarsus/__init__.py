"""Tarsus computes how machines that walk move: dynamics of articulated mechanisms.

    import tarsus as ts

    m = ts.load("robot.urdf", base="free")
    q = m.random_configuration()
    H = m.mass_matrix(q)

SI units and radians, z up. Every function takes leading batch dimensions.
"""

from tarsus import control, convert, robots
from tarsus.check import Report, check
from tarsus.formats import load, save
from tarsus.model import (
    Body,
    Builder,
    Cluster,
    Constraint,
    Coupling,
    Description,
    Frame,
    Joint,
    Loop,
    Model,
    ModelError,
    Shape,
    Source,
    UnknownNameError,
)

__version__ = "0.1.0"

__all__ = [
    "Body",
    "Builder",
    "Cluster",
    "Constraint",
    "Coupling",
    "Description",
    "Frame",
    "Joint",
    "Loop",
    "Model",
    "ModelError",
    "Report",
    "Shape",
    "Source",
    "UnknownNameError",
    "__version__",
    "check",
    "control",
    "convert",
    "load",
    "robots",
    "save",
]
