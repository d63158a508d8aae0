"""Tarsus computes how machines that walk move: dynamics, contact and simulation of mechanisms.

    import tarsus as ts

    m = ts.load("robot.urdf", base="free")
    q = ts.stand(m, m.neutral())
    run = ts.Simulation(m, ground=ts.Ground(friction=0.7)).run(q, duration=1.0)

SI units and radians, z up. Every function takes leading batch dimensions.
"""

from tarsus import constraint, control, convert, forces, gait, robots, scenes, spatial
from tarsus.check import Report, check
from tarsus.formats import load, save
from tarsus.geometry import (
    Collision,
    Ground,
    HeightField,
    Profile,
    Space,
    Steps,
    height_over_ground,
    stand,
)
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
from tarsus.simulation import (
    ConvergenceWarning,
    EnergyError,
    EnergyLedger,
    RunFileError,
    Simulation,
    SimulationError,
    StartError,
    Trajectory,
    contact,
    load_run,
    rollout,
)
from tarsus.studies import compare_contact
from tarsus.view import view

__version__ = "0.1.0"

__all__ = [
    "Body",
    "Builder",
    "Cluster",
    "Collision",
    "Constraint",
    "ConvergenceWarning",
    "Coupling",
    "Description",
    "EnergyError",
    "EnergyLedger",
    "Frame",
    "Ground",
    "HeightField",
    "Joint",
    "Loop",
    "Model",
    "ModelError",
    "Profile",
    "Report",
    "RunFileError",
    "Shape",
    "Simulation",
    "SimulationError",
    "Source",
    "Space",
    "StartError",
    "Steps",
    "Trajectory",
    "UnknownNameError",
    "__version__",
    "check",
    "compare_contact",
    "constraint",
    "contact",
    "control",
    "convert",
    "forces",
    "gait",
    "height_over_ground",
    "load",
    "load_run",
    "robots",
    "rollout",
    "save",
    "scenes",
    "spatial",
    "stand",
    "view",
]
