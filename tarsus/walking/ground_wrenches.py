"""Wrenches of the ground on the feet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.gait.anatomy import Anatomy
from tarsus.gait.limb_search import Leg
from tarsus.gait.soles import support_margin
from tarsus.model.model import Model
from tarsus.sensors.touches import GROUND
from tarsus.simulation.contact_record import Contacts
from tarsus.simulation.trajectory import Trajectory

# What the ground must do for a motion: forces and moments on the soles, torques in the joints.
#
# The base of a machine that walks is driven by nothing, so its rows of the inverse dynamics are
# what the ground does to the whole, F and M. Where one sole stands it has all of it. Where two
# stand, how they share is up to the machine; here each takes a share of the force, and of the
# moment that is left about the soles' middles, by how near to it the zero moment point is.


class GroundWrenches(NamedTuple):
    """Forces and moments of the ground on soles, and what joints do with them."""

    force: Array
    """On each sole (…, legs, 3) [N], in world axes."""
    moment: Array
    """About the middle of each sole (…, legs, 3) [N·m]; z is the vertical torque of a foot."""
    tau: Array
    """Torques of all joints (…, nv), zero at the base."""
    zmp: Array
    """Where the whole force acts on the ground, without a moment about x or y (…, 2) [m]."""


def whole_wrench(model: Model, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> tuple[Array, Array]:
    """Return force and moment about the origin (…, 3) that a motion needs from the ground."""
    base = model.base
    if base is None or base.kind != "free":
        raise ModelError(f"{model.name!r} has no free base")
    rows = np.asarray(model.inverse_dynamics(q, v, a))[..., base.v_slice]
    place = np.asarray(model.frame_pose(q, base.child))
    turned = place[..., :3, :3]
    force = (turned @ rows[..., :3, None])[..., 0]
    moment = (turned @ rows[..., 3:, None])[..., 0]
    return force, moment + np.cross(place[..., :3, 3], force)


def ground_wrenches(
    body: Anatomy, q: ArrayLike, v: ArrayLike, a: ArrayLike, standing: ArrayLike
) -> GroundWrenches:
    """Return what the soles that stand (…, legs) do in states with accelerations a (…, nv).

    The ground is level, z = 0.
    """
    model = body.model
    force, moment = whole_wrench(model, q, v, a)
    zmp = np.stack([-moment[..., 1], moment[..., 0]], axis=-1) / force[..., 2:]
    soles = np.stack([sole_position(model, leg, q) for leg in body.legs], axis=-2)
    share = _shares(soles[..., :2], zmp, np.asarray(standing, bool))
    forces = share[..., None] * force[..., None, :]
    left = moment - np.cross(soles, forces).sum(axis=-2)
    moments = share[..., None] * left[..., None, :]
    tau = np.asarray(model.inverse_dynamics(q, v, a)).copy()
    for k, leg in enumerate(body.legs):
        jacobian = np.asarray(model.frame_jacobian(q, leg.end, reference="local_world_aligned"))
        # from the middle of the sole to the origin of its body
        arm = soles[..., k, :] - np.asarray(model.frame_pose(q, leg.end))[..., :3, 3]
        about = moments[..., k, :] + np.cross(arm, forces[..., k, :])
        wrench = np.concatenate([forces[..., k, :], about], axis=-1)
        tau -= (np.swapaxes(jacobian, -1, -2) @ wrench[..., None])[..., 0]
    tau[..., ~model.driven] = 0.0
    return GroundWrenches(forces, moments, tau, zmp)


def sole_position(model: Model, leg: Leg, q: ArrayLike) -> Array:
    """Return the middle (…, 3) [m] of a sole."""
    place = np.asarray(model.frame_pose(q, leg.end)) @ leg.sole.placement
    return np.asarray(place[..., :3, 3])


def _shares(soles: Array, zmp: Array, standing: Array) -> Array:
    """Return the share (…, legs) of each sole, zero for those that do not stand."""
    way = soles[..., 1, :] - soles[..., 0, :]
    along = ((zmp - soles[..., 0, :]) * way).sum(axis=-1) / np.maximum((way**2).sum(axis=-1), 1e-12)
    second = np.clip(along, 0.0, 1.0)
    second = np.where(standing[..., 0], second, 1.0)
    second = np.where(standing[..., 1], second, 0.0)
    return np.stack([1.0 - second, second], axis=-1)


# What the ground does to the soles of a machine in a run: forces, friction, centre of pressure.


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
