"""Springs of joints."""

from __future__ import annotations

from dataclasses import dataclass

from tarsus.events.parameters.parameter import STIFFNESS, Parameter, Term, along_joint
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
