"""Springs of joints."""

from __future__ import annotations

from dataclasses import dataclass

from tarsus.events.parameters.parameter import (
    STIFFNESS,
    Parameter,
    Term,
    along_joint,
    joint_changed,
    of_joint,
)
from tarsus.model import Model
from tarsus.model.kinds import WITHOUT_SPRINGS


@dataclass(frozen=True)
class Stiffness(Parameter):
    """The stiffness of the spring in a joint [N m/rad or N/m], of all its coordinates."""

    joint: str

    def terms(self, model: Model, stated: Model) -> list[Term]:
        """Return a term for each velocity."""
        if model.joint(self.joint).kind in WITHOUT_SPRINGS:
            raise ValueError(
                f"joint {self.joint!r} is {model.joint(self.joint).kind}, which has no springs"
            )
        return along_joint(model, self.joint, STIFFNESS)

    def value(self, model: Model) -> float:
        """Return that of its first coordinate."""
        return float(of_joint(model, self.joint, "stiffness")[0])

    def changed(self, model: Model, by: float) -> Model:
        """Return the model with more of it, in all coordinates of the joint."""
        return joint_changed(model, self.joint, "stiffness", by)
