"""Dampers of joints."""

from __future__ import annotations

from dataclasses import dataclass

from tarsus.events.parameters.parameter import (
    DAMPING,
    Parameter,
    Term,
    along_joint,
    joint_changed,
    of_joint,
)
from tarsus.model import Model


@dataclass(frozen=True)
class Damping(Parameter):
    """The damping of a joint [N m s/rad or N s/m], of all its coordinates."""

    joint: str

    def terms(self, model: Model, stated: Model) -> list[Term]:
        """Return a term for each velocity."""
        return along_joint(model, self.joint, DAMPING)

    def value(self, model: Model) -> float:
        """Return that of its first coordinate."""
        return float(of_joint(model, self.joint, "damping")[0])

    def changed(self, model: Model, by: float) -> Model:
        """Return the model with more of it, in all coordinates of the joint."""
        return joint_changed(model, self.joint, "damping", by)
