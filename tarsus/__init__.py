"""Rigid-body dynamics, contact simulation and control of robots.

    import tarsus as ts

    m = ts.load("robot.urdf", base="free")
    q = ts.stand(m, m.neutral())
    run = ts.Simulation(m, ground=ts.Ground(friction=0.7)).run(q, duration=1.0)

SI units and radians, z up. Every function takes leading batch dimensions.
"""

from __future__ import annotations

import importlib
import sys
import threading
from types import ModuleType
from typing import Any

__version__ = "0.2.0"

_NAMES = {
    "tarsus._lib.errors": ("TarsusError",),
    "tarsus.check.check": ("Report", "check"),
    "tarsus.events": (
        "Exit",
        "Flowed",
        "FlowError",
        "FlowEvent",
        "Phase",
        "Planted",
        "flow",
        "held",
    ),
    "tarsus.formats.readers": ("ExportWarning", "LeftOut", "save"),
    "tarsus.geometry": (
        "Collision",
        "Ground",
        "HeightField",
        "Profile",
        "SmoothGround",
        "Space",
        "Steps",
        "clear_posture",
        "height_over_ground",
        "stand",
    ),
    "tarsus.estimation.identification": ("identify",),
    "tarsus.model.assembly": (
        "Assembled",
        "AssemblyError",
        "Carried",
        "Rooted",
        "RootedState",
        "RootReaction",
        "Snapped",
        "TakenApart",
        "assemble",
        "attach",
        "carry",
        "combine",
        "detach",
        "join_states",
        "snap",
        "take_apart",
    ),
    "tarsus.model": (
        "Actuator",
        "Body",
        "Builder",
        "Cluster",
        "Constraint",
        "Coupling",
        "Description",
        "Diagnosis",
        "Editor",
        "Frame",
        "Joint",
        "Keyframe",
        "Loop",
        "Model",
        "ModelError",
        "Shape",
        "Source",
        "UnknownNameError",
        "diagnose",
    ),
    "tarsus.robots.load": ("load",),
    "tarsus.simulation": (
        "ConvergenceWarning",
        "EnergyError",
        "EnergyLedger",
        "Push",
        "RunFileError",
        "Simulation",
        "SimulationError",
        "Snapshot",
        "StartError",
        "Take",
        "Trajectory",
        "load_run",
        "load_take",
        "rollout",
    ),
    "tarsus.sweep": ("JournalError", "SweepError", "Swept", "sweep"),
    "tarsus.view": ("edit_volumes", "view"),
}
"""Public functions and classes by their modules; `tools/make_package_stub.py` lists them in
`__init__.pyi` for type checkers."""
_NAMESPACES = {
    "calibration": "tarsus.estimation.calibration",
    "constraint": "tarsus.parts.constraints",
    "contact": "tarsus.simulation.contact",
    "control": "tarsus.control",
    "convert": "tarsus.formats.convert",
    "environments": "tarsus.environments",
    "estimation": "tarsus.estimation",
    "forces": "tarsus.parts.forces",
    "gait": "tarsus.gait",
    "geometry": "tarsus.geometry",
    "guards": "tarsus.events.guards",
    "identification": "tarsus.estimation.identification",
    "ik": "tarsus.ik",
    "integrators": "tarsus.simulation.integrators",
    "parameters": "tarsus.events.parameters",
    "ports": "tarsus.ports",
    "resets": "tarsus.events.resets",
    "robots": "tarsus.robots",
    "scenes": "tarsus.scenes",
    "sensors": "tarsus.sensors",
    "spatial": "tarsus.spatial",
    "studio": "tarsus.studio",
    "surfaces": "tarsus.geometry.surfaces",
    "until": "tarsus.simulation.until",
    "walking": "tarsus.walking",
}
"""Public modules by name."""
_OPTIONAL = ("environments",)
"""Namespaces that need more than NumPy and SciPy, which `from tarsus import *` leaves out."""
_HOMES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = sorted([*_HOMES, *_NAMESPACES.keys() - {*_OPTIONAL}, "__version__"])


_IMPORTING = threading.RLock()
"""One thread imports at a time. Of two threads that import a package and a module of it, Python
otherwise gives one a module that is not complete."""


def __getattr__(name: str) -> Any:
    """Import what is asked for, once: `import tarsus` alone takes a few milliseconds."""
    with _IMPORTING:
        if name in _HOMES:
            value = getattr(importlib.import_module(_HOMES[name]), name)
        else:
            module = _NAMESPACES.get(name, f"tarsus.{name}")
            try:
                value = importlib.import_module(module)
            except ModuleNotFoundError as error:
                if error.name != module:
                    raise
                raise AttributeError(f"module 'tarsus' has no attribute {name!r}") from None
        globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_OPTIONAL})


class _Package(ModuleType):
    """The package, in which `check`, `sweep` and `view` are functions.

    Python sets a package as an attribute of its parent when it is imported. That would replace the
    functions by the packages of their names.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if not (isinstance(value, ModuleType) and name in _HOMES):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
