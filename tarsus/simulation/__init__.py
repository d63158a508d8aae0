"""Simulation: contact laws, integrators, runs and what they return."""

from tarsus.simulation import contact, integrators
from tarsus.simulation.checkpoint import CheckpointWarning
from tarsus.simulation.contact_record import Contact, Contacts
from tarsus.simulation.convergence import ConvergenceWarning, Unsolved
from tarsus.simulation.energy import EnergyLedger
from tarsus.simulation.errors import EnergyError, RunFileError, SimulationError, StartError
from tarsus.simulation.files import load_run
from tarsus.simulation.integrators import RK4, DormandPrince, ExplicitEuler, SemiImplicit
from tarsus.simulation.rollout import rollout
from tarsus.simulation.simulation import Simulation
from tarsus.simulation.trajectory import Failure, Statistics, Trajectory

__all__ = [
    "RK4",
    "CheckpointWarning",
    "Contact",
    "Contacts",
    "ConvergenceWarning",
    "DormandPrince",
    "EnergyError",
    "EnergyLedger",
    "ExplicitEuler",
    "Failure",
    "RunFileError",
    "SemiImplicit",
    "Simulation",
    "SimulationError",
    "StartError",
    "Statistics",
    "Trajectory",
    "Unsolved",
    "contact",
    "integrators",
    "load_run",
    "rollout",
]
