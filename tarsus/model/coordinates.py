"""What coordinates mean to users: the base, what can have a drive, rates of positions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tarsus.model.kinds import FLOATING, NONHOLONOMIC, QUASI_VELOCITIES
from tarsus.model.views import BodyView, JointView


def base_of(joints: Sequence[JointView], bodies: Sequence[BodyView]) -> JointView | None:
    """Return the joint by which a machine floats: the first free or planar one on the world."""
    roots = (joint for joint, body in zip(joints, bodies, strict=True) if body.parent < 0)
    return next((joint for joint in roots if joint.kind in FLOATING), None)


def driven_velocities(
    joints: Sequence[JointView], base: JointView | None, nv: int
) -> NDArray[np.bool_]:
    """Return which velocities (nv,) can have a drive: all but those of the base and free joints."""
    mask = np.ones(nv, bool)
    for joint in joints:
        if joint is base or joint.kind == "free":
            mask[joint.v_slice] = False
    mask.setflags(write=False)
    return mask


def rate_indices(joints: Sequence[JointView], nq: int) -> NDArray[np.int64]:
    """Return for each position (nq,) which velocity is its rate, −1 where none is.

    None is where a joint is on a group (free, planar, spherical) or rolls, and where a loop
    decides.
    """
    found = np.full(nq, -1)
    for joint in joints:
        if joint.kind not in (*QUASI_VELOCITIES, *NONHOLONOMIC):
            for place, own in enumerate(joint.own_velocities):
                found[joint.q_slice.start + own] = joint.v_slice.start + place
    found.setflags(write=False)
    return found
