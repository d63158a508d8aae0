"""Where the springs of joints are relaxed."""

from __future__ import annotations

from dataclasses import dataclass

from tarsus.events.parameters.parameter import REST, Parameter, Term, along_joint
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
