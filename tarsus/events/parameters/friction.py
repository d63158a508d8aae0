"""Dry friction of joints."""

from __future__ import annotations

from dataclasses import dataclass

from tarsus.events.parameters.parameter import FRICTION, Parameter, Term, along_joint
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
