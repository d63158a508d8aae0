"""A force and a torque at a point of a body, constant or as a plan or a script says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.typing import ArrayLike

from tarsus.model import Model
from tarsus.model.checks import numbers, suggestion
from tarsus.parts import Part, Statement, Where, place_of

AXES = ("world", "local")


@dataclass(frozen=True, eq=False, repr=False)
class Wrench(Part):
    """A `force` (3,) [N] and `torque` (3,) [N m] at `where`, in `axes` of "world" or "local".

    Its handle's `force` and `torque` may be changed at any time, for each state of a batch.
    """

    kind: ClassVar[str] = "wrench"

    where: Where
    force: ArrayLike = (0.0, 0.0, 0.0)
    torque: ArrayLike = (0.0, 0.0, 0.0)
    axes: str = "world"

    def __post_init__(self) -> None:
        super().__post_init__()
        numbers(self.force, (3,), "force")
        numbers(self.torque, (3,), "torque")
        if self.axes not in AXES:
            raise ValueError(f"unknown axes {self.axes!r}{suggestion(self.axes, AXES)}")

    def statement(self, model: Model) -> Statement:
        """Return a wrench on the body."""
        return Statement(
            "body",
            "wrench" if self.axes == "world" else "local_wrench",
            b=place_of(model, self.where, "where"),
            numbers={
                "force": numbers(self.force, (3,), "force"),
                "torque": numbers(self.torque, (3,), "torque"),
            },
        )
