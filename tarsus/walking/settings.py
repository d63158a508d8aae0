"""Settings of a walk, and when a robot counts as fallen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

import numpy as np

from tarsus._lib.checks import expect, flag, number, suggestion
from tarsus._lib.files import Array
from tarsus.model.model import Model
from tarsus.simulation.contact_record import Place
from tarsus.simulation.until.condition import Condition, Mask, Samples
from tarsus.walking.body_tasks import ArmStyle, BodyGains

# How a machine walks: phases, feet, stance, arms and gains.


PlanStyle: TypeAlias = Literal["divergent", "preview"]
"""What leads the centre of mass: closed forms of its divergent component, or preview control."""

FITTED = ("single", "double", "width", "lift")
"""What fits a machine's size unless it is given."""


@dataclass(frozen=True)
class Style:
    """How a machine walks; what is None fits its size and its strength.

    `single` and `double` [s] are the phases, `lift` [m] how high feet swing over the ground,
    `crouch` by which share legs are shorter than stretched, `width` [m] how far soles are apart.
    `arms` are "still", "swing" with the opposite legs, or take away "momentum" about the vertical.
    `plan` leads the centre of mass by its "divergent" component, or by "preview" control.
    `adapt` lets steps be adapted to the measured state. `gain` [1/s] is that of the plan
    "divergent", `period` [s] that of control.
    """

    single: float | None = None
    double: float | None = None
    lift: float | None = None
    crouch: float | None = None
    width: float | None = None
    plan: PlanStyle = "divergent"
    adapt: bool = True
    gain: float = 3.0
    period: float = 0.004
    arms: ArmStyle = "still"
    gains: BodyGains = field(default_factory=BodyGains)

    def __post_init__(self) -> None:
        for name in ("single", "double", "width", "lift", "gain", "period"):
            value = getattr(self, name)
            if value is None and name in FITTED:
                continue
            if not number(value, name) > 0.0:
                raise ValueError(f"{name} is {value}, must be above zero")
        if self.crouch is not None and not 0.0 <= number(self.crouch, "crouch") < 1.0:
            raise ValueError(f"crouch is {self.crouch}, must be from 0 to less than 1")
        if self.plan not in get_args(PlanStyle):
            raise ValueError(f"plan is {self.plan!r}{suggestion(self.plan, get_args(PlanStyle))}")
        flag(self.adapt, "adapt")
        expect(self.gains, BodyGains, "gains")


# When a walk is over: the machine has fallen.


TILTED = float(np.cos(np.radians(50.0)))
"""The trunk of a machine that has not fallen is less tilted."""


@dataclass(frozen=True, eq=False)
class Fallen(Condition):
    """The `trunk` is less than `height` [m] above the lowest sole, or far from upright."""

    trunk: str
    feet: tuple[str, ...]
    soles: Array
    """Where the middles of the soles are on the feet (feet, 3) [m]."""
    height: float

    def holds(self, samples: Samples, model: Model, places: Sequence[Place]) -> Mask:
        """Return whether it holds (B, K)."""
        return self.of(model, samples.recorded["q"])

    def of(self, model: Model, q: Array) -> Mask:
        """Return whether machines have fallen in configurations (…, nq)."""
        pose = model.frame_pose(q, self.trunk)
        feet = (model.frame_pose(q, foot)[..., 2, :] for foot in self.feet)
        heights = [
            row[..., :3] @ sole + row[..., 3] for row, sole in zip(feet, self.soles, strict=True)
        ]
        low = pose[..., 2, 3] - np.min(heights, axis=0) < self.height
        return np.asarray(low | (pose[..., 2, 2] < TILTED))

    def __str__(self) -> str:
        return f"{self.trunk!r} has fallen"
