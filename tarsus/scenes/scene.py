"""A scene: a mechanism, a ground, a start and a controller, ready to be simulated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from tarsus.arrays import Array
from tarsus.geometry import Collision, Ground, Terrain
from tarsus.model import Model
from tarsus.parts import Part
from tarsus.simulation import Simulation, Trajectory
from tarsus.simulation.contact import ContactLaw


@dataclass(frozen=True, eq=False)
class Scene:
    """What examples, tests and benchmarks simulate alike.

    `collision` says what touches the ground, all collision shapes of the model if it is None.
    `settings` has further arguments of `tarsus.Simulation`.
    """

    name: str
    model: Model
    q0: Array
    """Configuration at the start (nq,)."""
    v0: Array
    """Velocity at the start (nv,)."""
    controller: Any = None
    """A function (t, q, v) → tau, or one of `tarsus.control`; None for no efforts."""
    ground: Terrain | None = field(default_factory=Ground)
    collision: Collision | None = None
    duration: float = 2.0
    """[s]."""
    dt: float = 1e-3
    """Step [s]."""
    contact: str | ContactLaw = "exact"
    integrator: str = "semi_implicit"
    forces: Sequence[Part] = ()
    """Forces and constraints beside the model, of `tarsus.forces` and `tarsus.constraint`."""
    settings: Mapping[str, Any] = field(default_factory=dict)

    def but(self, **changes: Any) -> Self:
        """Return the scene with changes, such as `scene.but(contact="penalty", dt=1e-4)`.

        What is no field of a scene is added to its settings.
        """
        own = {key: value for key, value in changes.items() if key in self.__dataclass_fields__}
        more = {key: value for key, value in changes.items() if key not in own}
        if more:
            own["settings"] = {**own.get("settings", self.settings), **more}
        return replace(self, **own)

    def simulation(self) -> Simulation:
        """Return a simulation of the scene; `reset(scene.q0, scene.v0)` starts it."""
        return Simulation(
            self.model,
            ground=self.ground,
            collision=self.collision,
            contact=self.contact,
            dt=self.dt,
            integrator=self.integrator,
            forces=self.forces,
            **self.settings,
        )

    def run(self, **options: Any) -> Trajectory:
        """Simulate the scene to its end; options are those of `Simulation.run`."""
        options = {"duration": self.duration, "controller": self.controller, **options}
        return self.simulation().run(self.q0, self.v0, **options)


def at_rest(model: Model) -> Array:
    """Return velocities of zero (nv,)."""
    return np.zeros(model.nv)
