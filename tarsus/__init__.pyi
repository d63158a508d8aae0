"""Rigid-body dynamics, contact simulation and control of robots.

    import tarsus as ts

    m = ts.load("robot.urdf", base="free")
    q = ts.stand(m, m.neutral())
    run = ts.Simulation(m, ground=ts.Ground(friction=0.7)).run(q, duration=1.0)

SI units and radians, z up. Every function takes leading batch dimensions.
"""

from tarsus import _core as _core
from tarsus.estimation import calibration as calibration
from tarsus.parts import constraints as constraint
from tarsus.simulation import contact as contact
from tarsus import control as control
from tarsus.formats import convert as convert
from tarsus import environments as environments
from tarsus import estimation as estimation
from tarsus.parts import forces as forces
from tarsus import gait as gait
from tarsus import geometry as geometry
from tarsus.events import guards as guards
from tarsus.estimation import identification as identification
from tarsus import ik as ik
from tarsus.simulation import integrators as integrators
from tarsus.events import parameters as parameters
from tarsus import ports as ports
from tarsus.events import resets as resets
from tarsus import robots as robots
from tarsus import scenes as scenes
from tarsus import sensors as sensors
from tarsus import spatial as spatial
from tarsus import studio as studio
from tarsus.geometry import surfaces as surfaces
from tarsus.simulation import until as until
from tarsus import walking as walking
from tarsus._lib.errors import TarsusError as TarsusError
from tarsus.check.check import Report as Report
from tarsus.check.check import check as check
from tarsus.events import Exit as Exit
from tarsus.events import Flowed as Flowed
from tarsus.events import FlowError as FlowError
from tarsus.events import FlowEvent as FlowEvent
from tarsus.events import Phase as Phase
from tarsus.events import Planted as Planted
from tarsus.events import flow as flow
from tarsus.events import held as held
from tarsus.formats.readers import ExportWarning as ExportWarning
from tarsus.formats.readers import LeftOut as LeftOut
from tarsus.formats.readers import save as save
from tarsus.geometry import Collision as Collision
from tarsus.geometry import Ground as Ground
from tarsus.geometry import HeightField as HeightField
from tarsus.geometry import Profile as Profile
from tarsus.geometry import SmoothGround as SmoothGround
from tarsus.geometry import Space as Space
from tarsus.geometry import Steps as Steps
from tarsus.geometry import clear_posture as clear_posture
from tarsus.geometry import height_over_ground as height_over_ground
from tarsus.geometry import stand as stand
from tarsus.estimation.identification import identify as identify
from tarsus.model.assembly import Assembled as Assembled
from tarsus.model.assembly import AssemblyError as AssemblyError
from tarsus.model.assembly import Carried as Carried
from tarsus.model.assembly import Rooted as Rooted
from tarsus.model.assembly import RootedState as RootedState
from tarsus.model.assembly import RootReaction as RootReaction
from tarsus.model.assembly import Snapped as Snapped
from tarsus.model.assembly import TakenApart as TakenApart
from tarsus.model.assembly import assemble as assemble
from tarsus.model.assembly import attach as attach
from tarsus.model.assembly import carry as carry
from tarsus.model.assembly import combine as combine
from tarsus.model.assembly import detach as detach
from tarsus.model.assembly import join_states as join_states
from tarsus.model.assembly import snap as snap
from tarsus.model.assembly import take_apart as take_apart
from tarsus.model import Actuator as Actuator
from tarsus.model import Body as Body
from tarsus.model import Builder as Builder
from tarsus.model import Cluster as Cluster
from tarsus.model import Constraint as Constraint
from tarsus.model import Coupling as Coupling
from tarsus.model import Description as Description
from tarsus.model import Diagnosis as Diagnosis
from tarsus.model import Editor as Editor
from tarsus.model import Frame as Frame
from tarsus.model import Joint as Joint
from tarsus.model import Keyframe as Keyframe
from tarsus.model import Loop as Loop
from tarsus.model import Model as Model
from tarsus.model import ModelError as ModelError
from tarsus.model import Shape as Shape
from tarsus.model import Source as Source
from tarsus.model import UnknownNameError as UnknownNameError
from tarsus.model import diagnose as diagnose
from tarsus.robots.load import load as load
from tarsus.simulation import ConvergenceWarning as ConvergenceWarning
from tarsus.simulation import EnergyError as EnergyError
from tarsus.simulation import EnergyLedger as EnergyLedger
from tarsus.simulation import Push as Push
from tarsus.simulation import RunFileError as RunFileError
from tarsus.simulation import Simulation as Simulation
from tarsus.simulation import SimulationError as SimulationError
from tarsus.simulation import Snapshot as Snapshot
from tarsus.simulation import StartError as StartError
from tarsus.simulation import Take as Take
from tarsus.simulation import Trajectory as Trajectory
from tarsus.simulation import load_run as load_run
from tarsus.simulation import load_take as load_take
from tarsus.simulation import rollout as rollout
from tarsus.sweep import JournalError as JournalError
from tarsus.sweep import SweepError as SweepError
from tarsus.sweep import Swept as Swept
from tarsus.sweep import sweep as sweep
from tarsus.view import edit_volumes as edit_volumes
from tarsus.view import view as view

__version__: str

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
    "TarsusError",
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
    "walking",
]
