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
from tarsus.kit import (
    Assembled,
    AssemblyError,
    Carried,
    Snapped,
    TakenApart,
    assemble,
    carry,
    snap,
    take_apart,
)
from tarsus.model import (
    Body,
    Builder,
    Cluster,
    Constraint,
    Coupling,
    Description,
    Diagnosis,
    Editor,
    Frame,
    Joint,
    Loop,
    Model,
    ModelError,
    Shape,
    Source,
    UnknownNameError,
    diagnose,
)
from tarsus.simulation import (
    ConvergenceWarning,
    EnergyError,
    EnergyLedger,
    Push,
    RunFileError,
    Simulation,
    SimulationError,
    Snapshot,
    StartError,
    Take,
    Trajectory,
    contact,
    integrators,
    load_run,
    load_take,
    rollout,
    until,
)
from tarsus.studies import compare_contact
from tarsus.view import view

__version__ = "0.1.0"

__all__ = [
    "Assembled",
    "AssemblyError",
    "Body",
    "Builder",
    "Carried",
    "Cluster",
    "Collision",
    "Constraint",
    "ConvergenceWarning",
    "Coupling",
    "Description",
    "Diagnosis",
    "Editor",
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
    "Push",
    "Report",
    "RunFileError",
    "Shape",
    "Simulation",
    "SimulationError",
    "Snapped",
    "Snapshot",
    "Source",
    "Space",
    "StartError",
    "Steps",
    "Take",
    "TakenApart",
    "Trajectory",
    "UnknownNameError",
    "__version__",
    "assemble",
    "carry",
    "check",
    "compare_contact",
    "constraint",
    "contact",
    "control",
    "convert",
    "diagnose",
    "forces",
    "gait",
    "height_over_ground",
    "integrators",
    "load",
    "load_run",
    "load_take",
    "robots",
    "rollout",
    "save",
    "scenes",
    "snap",
    "spatial",
    "stand",
    "take_apart",
    "until",
    "view",
]
