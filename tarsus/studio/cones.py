"""Friction cones: how far a contact force may lean from the normal before the contact slips."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import Array
from tarsus.geometry.rubbing import blended
from tarsus.simulation.contact_record import Contact
from tarsus.studio.machine import Machine


@dataclass(frozen=True, eq=False)
class Cone:
    """A contact with its coefficient of friction; its force leans by a share of what it may."""

    contact: Contact
    coefficient: float

    @property
    def axis(self) -> Array:
        """The part of the force along the normal (3,) [N]: as high as the cone is drawn."""
        return self.contact.normal_force * self.contact.normal

    @property
    def share(self) -> float:
        """The force across the normal, divided by the largest that there can be; 1 if it slips."""
        most = self.coefficient * self.contact.normal_force
        across = float(np.linalg.norm(self.contact.force - self.axis))
        return across / most if most > 0.0 else 0.0


def cones(machine: Machine) -> list[Cone]:
    """Return the contacts of the last step, each with its coefficient of friction."""
    simulation = machine.simulation
    ground = float(np.ravel(simulation.surface.friction)[0])
    rows = (
        {} if simulation.collision is None else simulation.collision.blends_on(simulation.surface)
    )
    contacts = simulation.contacts_now()
    coefficients = np.full(len(contacts), ground)
    if "friction" in rows and contacts:
        coefficients = blended(rows["friction"][[each.candidate for each in contacts]], ground)
    return [Cone(*each) for each in zip(contacts, coefficients.tolist(), strict=True)]
