"""`Scene`: a model, a ground, a start and a controller, ready to run; scenes by name."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from tarsus import scenes
from tarsus._lib.files import Array
from tarsus.geometry.collision import Collision
from tarsus.geometry.grounds import Ground, Terrain
from tarsus.model.builder import Builder
from tarsus.model.model import Model
from tarsus.parts.part import Part
from tarsus.robots.building import Triple
from tarsus.simulation.contact.law import ContactLaw
from tarsus.simulation.simulation import Simulation
from tarsus.simulation.trajectory import Trajectory

# A scene: a mechanism, a ground, a start and a controller, ready to be simulated.


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


# Scenes by a text such as `trot` or `drop(1.5)`; nothing in it is evaluated.


CALL = re.compile(r"(?P<name>[a-z_0-9]+)(\((?P<arguments>.*)\))?")


def scene_named(text: str, *, quotes: bool = True) -> Scene | None:
    """Return the scene that a text stands for, None for no scene; words may need `quotes`."""
    call = CALL.fullmatch(text.strip())
    if call is None or call["name"] not in scenes.names():
        return None
    values, named = _arguments(text, call["arguments"] or "", quotes)
    try:
        scene = getattr(scenes, call["name"])(*values, **named)
    except TypeError as error:
        raise ValueError(f"{text}: {error}") from None
    assert isinstance(scene, Scene)
    return scene


def _arguments(text: str, arguments: str, quotes: bool) -> tuple[list[Any], dict[str, Any]]:
    """Return the literal arguments of a call."""
    try:
        node = ast.parse(f"f({arguments})", mode="eval").body
        assert isinstance(node, ast.Call)
        values = [_literal(value, quotes) for value in node.args]
        return values, {str(word.arg): _literal(word.value, quotes) for word in node.keywords}
    except (SyntaxError, ValueError, AssertionError):
        words = "words in quotes" if quotes else "words"
        raise ValueError(f"{text}: the arguments must be numbers or {words}") from None


def _literal(node: ast.expr, quotes: bool) -> Any:
    """Return a number or a word."""
    if isinstance(node, ast.Name) and not quotes:
        return node.id
    return ast.literal_eval(node)


# How scenes look: a few colours, and shapes that are only there to be seen.


Color = tuple[float, float, float, float]

BLUE: Color = (0.35, 0.51, 0.68, 1.0)
ORANGE: Color = (0.87, 0.56, 0.29, 1.0)
GREEN: Color = (0.47, 0.64, 0.43, 1.0)
RED: Color = (0.71, 0.35, 0.38, 1.0)
VIOLET: Color = (0.55, 0.47, 0.65, 1.0)
DARK: Color = (0.16, 0.2, 0.28, 1.0)
GREY: Color = (0.55, 0.58, 0.62, 1.0)
WHITE: Color = (0.96, 0.95, 0.93, 1.0)

COLORS = (BLUE, ORANGE, GREEN, RED, VIOLET)
"""For bodies that are alike."""

LYING, ACROSS = (0.0, 1.5707963267948966, 0.0), (1.5707963267948966, 0.0, 0.0)
"""Roll, pitch and yaw of cylinders and capsules along x and along y."""


def show(
    builder: Builder,
    body: str,
    kind: str,
    size: tuple[float, ...],
    color: Color,
    position: Triple = (0.0, 0.0, 0.0),
    rotation: Triple = (0.0, 0.0, 0.0),
) -> None:
    """Add a shape to look at."""
    builder.shape(body, kind, size, color=color, position=position, rotation=rotation)
