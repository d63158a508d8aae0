"""Dampers of joints."""

from __future__ import annotations

from dataclasses import dataclass

from tarsus.events.parameters.parameter import DAMPING, Parameter, Term, along_joint
from tarsus.model import Model


@dataclass(frozen=True)
class Damping(Parameter):
    """The damping of a joint [N m s/rad or N s/m], of all its coordinates."""

    joint: str

    def terms(self, model: Model, stated: Model) -> list[Term]:
        """Return a term for each velocity."""
        return along_joint(model, self.joint, DAMPING)
