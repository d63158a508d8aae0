"""Contact by the deformation of surfaces: a spatial spring and damper between the bodies.

V. Duindam, "Port-based modeling and control for efficient bipedal walking robots", University of
Twente, 2006, section 3.2. Penetrating, sliding and twisting deform the surfaces, rolling does not.
The deformation is a state of its own, it stores energy, and the wrench on the bodies follows from
it by a matrix that takes power through as it is: what bodies lose is stored or told to be lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

import numpy as np

from tarsus import _core
from tarsus._lib.checks import positive, suggestion
from tarsus._lib.files import Array
from tarsus.geometry.grounds import Terrain
from tarsus.model import Model
from tarsus.simulation.contact.bristle import Bristle
from tarsus.simulation.contact.hertz import Hertz
from tarsus.simulation.contact.hunt_crossley import HuntCrossley
from tarsus.simulation.contact.saturation import Saturation
from tarsus.simulation.contact.spring import Spring
from tarsus.simulation.contact.stick import Stick

NormalLaw: TypeAlias = Spring | Hertz | HuntCrossley
SlipLaw: TypeAlias = Stick | Saturation | Bristle

NORMAL_LAWS: Mapping[str, type[Any]] = {law.name: law for law in (Spring, Hertz, HuntCrossley)}
"""How surfaces push each other apart, by name."""
SLIP_LAWS: Mapping[str, type[Any]] = {law.name: law for law in (Stick, Saturation, Bristle)}
"""How surfaces slip, by name."""


@dataclass(frozen=True)
class Compliant:
    """Surfaces with a `stiffness` [N/m] and a `damping` [N·s/m] in all directions.

    `law` says how they push apart: "spring" (k δ with the same stiffness), or `ts.contact.Hertz(…)`
    or `ts.contact.HuntCrossley(…)` with their own numbers. `slip` says how they slide: "bristle"
    (dry friction of the ground), "stick", or `ts.contact.Saturation(…)`. With a `twist_stiffness`
    [N·m/rad] they resist twisting, too; else it is free, as rolling always is. `ratio` is the
    stiffness of what is touched, the ground or the other body, in parts of that of the body: the
    contact lies nearer to the stiffer one, and on it for zero and infinity. While bodies roll on
    each other, sliding deformations relax by `roll` [1/rad].

    Motions are integrated with errors of `rtol` relative and `atol` absolute.
    """

    name: ClassVar[str] = "compliant"
    in_core: ClassVar[str] = "exact"
    """The law of the core's world, of which the geometry is used."""

    stiffness: float = 1e5
    damping: float = 300.0
    twist_stiffness: float = 0.0
    twist_damping: float = 0.0
    ratio: float = 1.0
    roll: float = 0.0
    law: str | NormalLaw = field(default_factory=Spring)
    slip: str | SlipLaw = field(default_factory=Bristle)
    rtol: float = 1e-9
    atol: float = 1e-10

    def __post_init__(self) -> None:
        positive(self.stiffness, "stiffness")
        for name in ("damping", "twist_stiffness", "twist_damping", "roll"):
            positive(getattr(self, name), name, zero=True)
        positive(self.ratio, "ratio", zero=True, infinite=True)
        if self.twist_damping > 0.0 and self.twist_stiffness == 0.0:
            raise ValueError("twist_damping needs a twist_stiffness: without, twisting is free")
        positive(self.rtol, "rtol")
        positive(self.atol, "atol")
        object.__setattr__(self, "law", chosen(self.law, NORMAL_LAWS, "law"))
        object.__setattr__(self, "slip", chosen(self.slip, SLIP_LAWS, "slip"))

    @property
    def laws(self) -> tuple[NormalLaw, SlipLaw]:
        """How surfaces push apart and how they slip."""
        assert not isinstance(self.law, str) and not isinstance(self.slip, str)
        return self.law, self.slip

    @property
    def ignores(self) -> tuple[str, ...]:
        """Numbers of shapes that it has no use for: springs, if its own has other units."""
        always = "restitution", "torsion", "rolling"
        return always if self.laws[0] == Spring() else (*always, "stiffness", "damping")

    @property
    def numbers(self) -> Mapping[str, float]:
        """What the core needs to know, by name."""
        normal, slip = self.laws
        return {
            "normal_stiffness": self.stiffness,
            "stiffness": self.stiffness,
            "twist_stiffness": self.twist_stiffness,
            "damping": self.damping,
            "twist_damping": self.twist_damping,
            "share": 1.0 / (1.0 + self.ratio),
            "roll": self.roll,
            **normal.numbers,
            **slip.numbers,
        }

    def start_depth(self, model: Model, softest: float | None = None) -> float:
        """Return how deep shapes may be when a run starts: what the weight asks for, and more."""
        weight = model.total_mass * float(np.linalg.norm(model.gravity))
        stiffness = self.stiffness if softest is None else softest
        return 1e-3 + 3.0 * self.laws[0].depth(weight, stiffness)

    def springs(self, stiffness: Array, damping: Array) -> Array:
        """Return numbers (n, 4) of candidates: the same along all directions."""
        return np.column_stack([stiffness, damping, stiffness, damping])

    def check(self, world: _core.World, q: Array, dt: float) -> tuple[str, ...]:
        """Return warnings about a run: none, steps are as short as they must be."""
        return ()

    def fit(self, ground: Terrain) -> None:
        """Raise ValueError if a ground has numbers that this law has no use for."""
        if np.any(np.asarray(ground.restitution) > 0.0):
            raise ValueError(
                f"restitution is {ground.restitution}, must be 0 with compliant contact: surfaces "
                "bounce as their springs and dampers let them"
            )
        if ground.rolling > 0.0:
            raise ValueError(
                f"rolling is {ground.rolling}, must be 0 with compliant contact: rolling deforms "
                "nothing"
            )
        slips = isinstance(self.slip, Bristle)
        if slips and (ground.torsion > 0.0) != (self.twist_stiffness > 0.0):
            raise ValueError(
                f"torsion of the ground is {ground.torsion} and twist_stiffness is "
                f"{self.twist_stiffness}: bristles twist with both or with neither"
            )
        if not slips and ground.torsion > 0.0:
            raise ValueError(
                f"torsion is {ground.torsion}, must be 0 with slip law {self.laws[1].name!r}"
            )

    def element(self, world: _core.World, ground: Terrain) -> _core.Compliant:
        """Return the contacts of a world as the core computes them."""
        normal, slip = self.laws
        numbers = {**self.numbers, "torsion": ground.torsion}
        return _core.Compliant(world, normal.name, slip.name, numbers)


def chosen(value: Any, known: Mapping[str, type[Any]], name: str) -> Any:
    """Return the law of that name with its usual numbers, or the law itself."""
    if isinstance(value, str):
        if value not in known:
            raise ValueError(f"unknown {name} {value!r}{suggestion(value, known)}")
        return known[value]()
    if not isinstance(value, tuple(known.values())):
        kinds = ", ".join(f"{law.__name__}(…)" for law in known.values())
        raise TypeError(
            f"{name} is of type {type(value).__name__}, must be a name ({', '.join(known)}) or one "
            f"of ts.contact.{kinds}"
        )
    return value
