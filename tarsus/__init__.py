"""Tarsus computes how machines that walk move: dynamics, contact and simulation of mechanisms.

    import tarsus as ts

    m = ts.load("robot.urdf", base="free")
    q = ts.stand(m, m.neutral())
    run = ts.Simulation(m, ground=ts.Ground(friction=0.7)).run(q, duration=1.0)

SI units and radians, z up. Every function takes leading batch dimensions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tarsus import (
    calibration,
    constraint,
    control,
    convert,
    estimation,
    forces,
    gait,
    geometry,
    identification,
    ik,
    ports,
    robots,
    scenes,
    sensors,
    spatial,
    surfaces,
)
from tarsus.check import Report, check
from tarsus.events import (
    Exit,
    Flowed,
    FlowError,
    FlowEvent,
    Phase,
    Planted,
    flow,
    guards,
    held,
    parameters,
    resets,
)
from tarsus.formats import ExportWarning, LeftOut, save
from tarsus.geometry import (
    Collision,
    Ground,
    HeightField,
    Profile,
    SmoothGround,
    Space,
    Steps,
    clear_posture,
    height_over_ground,
    stand,
)
from tarsus.identification import identify
from tarsus.kit import (
    Assembled,
    AssemblyError,
    Carried,
    Rooted,
    RootedState,
    RootReaction,
    Snapped,
    TakenApart,
    assemble,
    attach,
    carry,
    combine,
    detach,
    join_states,
    snap,
    take_apart,
)
from tarsus.model import (
    Actuator,
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
    Keyframe,
    Loop,
    Model,
    ModelError,
    Shape,
    Source,
    UnknownNameError,
    diagnose,
)
from tarsus.robots.load import load
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
from tarsus.sweep import JournalError, SweepError, Swept, sweep
from tarsus.view import edit_volumes, view

if TYPE_CHECKING:
    from tarsus import studio

__version__ = "0.2.0"

__all__ = [
    "Actuator",
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
    "Exit",
    "ExportWarning",
    "FlowError",
    "FlowEvent",
    "Flowed",
    "Frame",
    "Ground",
    "HeightField",
    "Joint",
    "JournalError",
    "Keyframe",
    "LeftOut",
    "Loop",
    "Model",
    "ModelError",
    "Phase",
    "Planted",
    "Profile",
    "Push",
    "Report",
    "RootReaction",
    "Rooted",
    "RootedState",
    "RunFileError",
    "Shape",
    "Simulation",
    "SimulationError",
    "SmoothGround",
    "Snapped",
    "Snapshot",
    "Source",
    "Space",
    "StartError",
    "Steps",
    "SweepError",
    "Swept",
    "Take",
    "TakenApart",
    "Trajectory",
    "UnknownNameError",
    "__version__",
    "assemble",
    "attach",
    "calibration",
    "carry",
    "check",
    "clear_posture",
    "combine",
    "compare_contact",
    "constraint",
    "contact",
    "control",
    "convert",
    "detach",
    "diagnose",
    "edit_volumes",
    "estimation",
    "flow",
    "forces",
    "gait",
    "geometry",
    "guards",
    "height_over_ground",
    "held",
    "identification",
    "identify",
    "ik",
    "integrators",
    "join_states",
    "load",
    "load_run",
    "load_take",
    "parameters",
    "ports",
    "resets",
    "robots",
    "rollout",
    "save",
    "scenes",
    "sensors",
    "snap",
    "spatial",
    "stand",
    "studio",
    "surfaces",
    "sweep",
    "take_apart",
    "until",
    "view",
]


def __getattr__(name: str) -> Any:
    """Open rooms when somebody asks for them: the studio takes its time, environments Gymnasium."""
    if name in ("environments", "studio"):
        import importlib

        return importlib.import_module(f"tarsus.{name}")
    raise AttributeError(f"module 'tarsus' has no attribute {name!r}")
