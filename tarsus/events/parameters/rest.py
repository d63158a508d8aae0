"""Where the springs of joints are relaxed."""

from __future__ import annotations

from dataclasses import dataclass

from tarsus.events.parameters.parameter import (
    REST,
    Parameter,
    Term,
    along_joint,
    joint_changed,
    of_joint,
)
from tarsus.model import Model


@dataclass(frozen=True)
class Rest(Parameter):
    """Where the spring of a joint with one coordinate is relaxed [rad or m]."""

    joint: str

    def terms(self, model: Model, stated: Model) -> list[Term]:
        """Return one term."""
        joint = model.joint(self.joint)
        if (joint.nq, joint.nv) != (1, 1):
            raise ValueError(f"joint {self.joint!r} is {joint.kind}, must have one coordinate")
        return along_joint(model, self.joint, REST)

    def value(self, model: Model) -> float:
        """Return that of its first coordinate."""
        return float(of_joint(model, self.joint, "rest")[0])

    def changed(self, model: Model, by: float) -> Model:
        """Return the model with more of it, in all coordinates of the joint."""
        return joint_changed(model, self.joint, "rest", by)
