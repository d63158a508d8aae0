"""What the ground does to the soles of a machine in a run: forces, friction, centre of pressure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import Array
from tarsus.gait.anatomy import Anatomy
from tarsus.gait.ground_wrenches import sole_position
from tarsus.gait.plans.support import support_margin
from tarsus.simulation import Trajectory

CARRIES = 0.2
"""A sole with less than this share of the weight does not count for friction."""


@dataclass(frozen=True, eq=False)
class Soles:
    """What the ground does to the soles, sample by sample: forces, friction, centre of pressure."""

    force: Array
    """(T, feet, 3) [N]."""
    friction: Array
    """(T, feet): what a foot needs of friction, NaN where it does not carry."""
    margin: Array
    """(T,): how far inside the soles that carry the centre of pressure is [m], NaN in the air."""
    pressure: Array
    """(T, 2)."""


def sole_forces(run: Trajectory, body: Anatomy) -> Soles:
    """Return the forces of the ground on the soles, as a run measured them."""
    contacts, count = run.contacts, len(run.t)
    weight = body.model.total_mass * float(np.linalg.norm(body.model.gravity))
    names = contacts.bodies
    push = (contacts.force * contacts.normal).sum(axis=1)
    along = contacts.force - push[:, None] * contacts.normal
    force = np.zeros((count, len(body.legs), 3))
    normal, shear = np.zeros((count, len(body.legs))), np.zeros((count, len(body.legs), 3))
    for k, leg in enumerate(body.legs):
        mine = names == leg.end
        np.add.at(force[:, k], contacts.sample[mine], contacts.force[mine])
        np.add.at(normal[:, k], contacts.sample[mine], push[mine])
        np.add.at(shear[:, k], contacts.sample[mine], along[mine])
    carries = normal > CARRIES * weight
    with np.errstate(divide="ignore", invalid="ignore"):
        friction = np.where(carries, np.linalg.norm(shear, axis=-1) / normal, np.nan)
    pressure = np.zeros((count, 2))
    np.add.at(pressure, contacts.sample, push[:, None] * contacts.point[:, :2])
    total = normal.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        pressure = np.where(total[:, None] > CARRIES * weight, pressure / total[:, None], np.nan)
    corners = [
        np.einsum("tij,kj->tki", pose[:, :3, :3], leg.sole.points) + pose[:, None, :3, 3]
        for leg in body.legs
        for pose in [body.model.frame_pose(run.q, leg.end)]
    ]
    margin = np.full(count, np.nan)
    for t in np.flatnonzero(np.isfinite(pressure[:, 0])):
        points = [c[t] for c, load in zip(corners, normal[t], strict=True) if load > 0.0]
        margin[t] = support_margin(np.concatenate(points), pressure[t])
    return Soles(force, friction, margin, pressure)


def vertical_torques(run: Trajectory, body: Anatomy) -> Array:
    """Return the torque (T, legs) [N·m] of the ground about the vertical through each sole."""
    contacts = run.contacts
    found = np.zeros((len(run.t), len(body.legs)))
    for k, leg in enumerate(body.legs):
        own = contacts.links == leg.end
        sample = contacts.sample[own]
        arm = contacts.point[own] - sole_position(body.model, leg, run.q)[sample]
        np.add.at(found[:, k], sample, np.cross(arm, contacts.force[own])[:, 2])
    return found
