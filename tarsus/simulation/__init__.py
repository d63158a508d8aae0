"""Simulation: contact laws, integrators, runs and what they return."""

from tarsus.simulation import contact, integrators, until
from tarsus.simulation.checkpoint import CheckpointWarning
from tarsus.simulation.contact_record import Contact, Contacts
from tarsus.simulation.convergence import ConvergenceWarning, Unsolved
from tarsus.simulation.ended import Ended
from tarsus.simulation.energy import EnergyLedger
from tarsus.simulation.errors import EnergyError, RunFileError, SimulationError, StartError
from tarsus.simulation.files import load_run
from tarsus.simulation.integrators import RK4, DormandPrince, ExplicitEuler, SemiImplicit
from tarsus.simulation.push import Push
from tarsus.simulation.rollout import rollout
from tarsus.simulation.simulation import Simulation
from tarsus.simulation.snapshot import Snapshot
from tarsus.simulation.take import Take
from tarsus.simulation.take_file import load_take
from tarsus.simulation.trajectory import Failure, Statistics, Trajectory

__all__ = [
    "RK4",
    "CheckpointWarning",
    "Contact",
    "Contacts",
    "ConvergenceWarning",
    "DormandPrince",
    "Ended",
    "EnergyError",
    "EnergyLedger",
    "ExplicitEuler",
    "Failure",
    "Push",
    "RunFileError",
    "SemiImplicit",
    "Simulation",
    "SimulationError",
    "Snapshot",
    "StartError",
    "Statistics",
    "Take",
    "Trajectory",
    "Unsolved",
    "contact",
    "integrators",
    "load_run",
    "load_take",
    "rollout",
    "until",
]
