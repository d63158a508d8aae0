"""Dry friction of joints."""

from __future__ import annotations

from dataclasses import dataclass

from tarsus.events.parameters.parameter import (
    FRICTION,
    Parameter,
    Term,
    along_joint,
    joint_changed,
    of_joint,
)
from tarsus.model import Model


@dataclass(frozen=True)
class Friction(Parameter):
    """The dry friction of a joint [N m or N]; phases say how it turns, with `rubbing`."""

    joint: str

    @property
    def rubbed(self) -> tuple[str, ...]:
        """The joint: its friction acts against the way in which it turns."""
        return (self.joint,)

    def terms(self, model: Model, stated: Model) -> list[Term]:
        """Return a term for each velocity."""
        return along_joint(model, self.joint, FRICTION)

    def value(self, model: Model) -> float:
        """Return that of its first coordinate."""
        return float(of_joint(model, self.joint, "friction")[0])

    def changed(self, model: Model, by: float) -> Model:
        """Return the model with more of it, in all coordinates of the joint."""
        return joint_changed(model, self.joint, "friction", by)
