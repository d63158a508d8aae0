"""A direct-current motor behind a gear: voltage in, torque out, with what is lost on the way.

    L di/dt = u − R i − k N q̇,   τ = N k i − b q̇ − friction,   |friction| ≤ c₀ + c₁ |N k i|

The inertia of its rotor is the model's: a rotor with a gear, or the armature of the joint.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarsus._lib.checks import number
from tarsus.model.model import Model
from tarsus.parts.part import Part, Statement, one_coordinate

OWN = ("current", "rise", "supplied", "heat")
"""What a motor keeps, in the order of the core."""


@dataclass(frozen=True, eq=False, repr=False)
class Motor(Part):
    """A motor on `joint` through a gear of `ratio` N: the rotor turns N times as fast as the joint.

    `constant` k is torque for current [N m/A] and voltage for speed [V s/rad]; `resistance` R [Ω]
    and `inductance` L [H] are of the winding, L may be 0. `voltage` [V] is what is asked of it at
    the start; the handle's `target` changes it, and `follow` plans it. A voltage beyond
    `voltage_limit` is cut off, a current that would exceed `current_limit` [A] is held there.

    The gear rubs, at the joint: `viscous` b [N m s/rad], `coulomb` c₀ [N m], and `load` c₁, the
    share of the motor's torque that is lost. With a `thermal_capacity` [J/K] and a
    `thermal_resistance` [K/W] the winding warms above its surroundings, and its resistance grows by
    `warming` [1/K].
    """

    kind: ClassVar[str] = "motor"
    keeps: ClassVar[tuple[str, ...]] = OWN

    joint: str
    constant: float
    resistance: float
    inductance: float = 0.0
    ratio: float = 1.0
    voltage: float = 0.0
    voltage_limit: float = float("inf")
    current_limit: float = float("inf")
    viscous: float = 0.0
    coulomb: float = 0.0
    load: float = 0.0
    thermal_resistance: float = 1.0
    thermal_capacity: float = 0.0
    warming: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        least = {"resistance": 1e-12, "thermal_resistance": 1e-12}
        zero = ("inductance", "voltage_limit", "current_limit", "viscous", "coulomb", "load")
        self._check(**least, **dict.fromkeys((*zero, "thermal_capacity", "warming"), 0.0))
        for name in ("constant", "ratio", "voltage"):
            number(getattr(self, name), name)
        if self.load >= 1.0:
            raise ValueError(f"load is {self.load:g}, must be below 1: a share of the torque")

    def statement(self, model: Model) -> Statement:
        """Return the joint's coordinate with the law of a motor."""
        one_coordinate(model, self.joint)
        names = (
            *("resistance", "inductance", "constant", "ratio", "voltage_limit", "current_limit"),
            *("viscous", "coulomb", "load"),
            *("thermal_resistance", "thermal_capacity", "warming"),
        )
        return Statement(
            "joint",
            "motor",
            joints=((self.joint, 1.0),),
            target=self.voltage,
            numbers={name: getattr(self, name) for name in names},
        )
