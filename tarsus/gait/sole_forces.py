"""What the ground does to the soles of a machine in a run: forces, friction, centre of pressure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.gait.anatomy import Anatomy
from tarsus.gait.body_parts import Leg
from tarsus.gait.ground_wrenches import sole_position
from tarsus.gait.plans.support import support_margin
from tarsus.simulation import Trajectory
from tarsus.simulation.contact_record import GROUND, Contacts

CARRIES = 0.2
"""A sole with less than this share of the weight does not count for friction."""


@dataclass(frozen=True, eq=False)
class Soles:
    """What the ground does to the soles, sample by sample: forces, friction, centre of pressure."""

    force: Array
    """(T, feet, 3) [N]."""
    friction: Array
    """(T, feet): what a foot needs of friction, NaN where it does not carry."""
    slips: NDArray[np.bool_]
    """(T, feet): whether a foot carries and nothing of it sticks."""
    margin: Array
    """(T,): how far inside the soles that carry the centre of pressure is [m], NaN in the air."""
    pressure: Array
    """(T, 2)."""

    def until(self, samples: int) -> Soles:
        """Return the first samples."""
        return Soles(*(each[:samples] for each in vars(self).values()))


def sole_forces(run: Trajectory, body: Anatomy) -> Soles:
    """Return the forces of the ground on the soles, as a run measured them."""
    contacts, count = run.contacts, len(run.t)
    weight = body.model.total_mass * float(np.linalg.norm(body.model.gravity))
    push = (contacts.force * contacts.normal).sum(axis=1)
    along = contacts.force - push[:, None] * contacts.normal
    sticking = push * (contacts.states != "slip")
    moment = push[:, None] * contacts.point[:, :2]
    sums = [
        [_sums(contacts, leg, each, count) for leg in body.legs]
        for each in (contacts.force, along, moment, push, sticking)
    ]
    force, shear, moments, normal, sticks = (np.stack(each, axis=1) for each in sums)
    carries = normal > CARRIES * weight
    total = normal.sum(axis=1)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        friction = np.where(carries, np.linalg.norm(shear, axis=-1) / normal, np.nan)
        pressure = np.where(total > CARRIES * weight, moments.sum(axis=1) / total, np.nan)
    corners = [
        np.einsum("tij,kj->tki", pose[:, :3, :3], leg.sole.points) + pose[:, None, :3, 3]
        for leg in body.legs
        for pose in [body.model.frame_pose(run.q, leg.end)]
    ]
    margin = np.full(count, np.nan)
    for t in np.flatnonzero(np.isfinite(pressure[:, 0])):
        points = [c[t] for c, load in zip(corners, normal[t], strict=True) if load > 0.0]
        margin[t] = support_margin(np.concatenate(points), pressure[t])
    return Soles(force, friction, carries & (sticks <= 0.0), margin, pressure)


def vertical_torques(run: Trajectory, body: Anatomy) -> Array:
    """Return the torque (T, legs) [N·m] of the ground about the vertical through each sole."""
    contacts, found = run.contacts, []
    for leg in body.legs:
        arm = contacts.point - sole_position(body.model, leg, run.q)[contacts.sample]
        torque = np.cross(arm, contacts.force)[:, 2]
        found.append(_sums(contacts, leg, torque, len(run.t)))
    return np.stack(found, axis=1)


def _sums(contacts: Contacts, leg: Leg, values: Array, count: int) -> Array:
    """Return the sums (T, …) of values (N, …) of contacts over those of a sole with the ground."""
    mine = (contacts.bodies == leg.end) & (contacts.others == GROUND)
    found = np.zeros((count, *values.shape[1:]))
    np.add.at(found, contacts.sample[mine], values[mine])
    return found
