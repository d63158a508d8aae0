"""Poses that were stated with a mechanism: where it starts, and keyframes by name.

A description keeps them by the names of joints and actuators, in its metadata, so that they follow
what is renamed, joined and left out:

    initial_configuration: {hip: [0.1]}
    keyframes: {home: {q: {hip: [0.1]}, v: {hip: [0.0]}, u: {hip_motor: 2.0}}}

Joints that are not named are as in `neutral()`, and at rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from tarsus._lib.checks import number, numbers
from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.model.description import KINDS, QUATERNION, Joint
from tarsus.model.views import JointView

INITIAL = "initial_configuration"
KEYFRAMES = "keyframes"
PARTS = ("q", "v", "u")


class Keyframe(NamedTuple):
    """A state with a name: q (nq,), v (nv,) and u (nu,), None for what it does not state."""

    q: Array
    v: Array | None = None
    u: Array | None = None


def check_poses(metadata: Mapping[str, Any], joints: Mapping[str, Joint]) -> None:
    """Raise unless the poses have as many numbers as their joints; others are passed over."""
    _check_joints(metadata.get(INITIAL, {}), joints, INITIAL, 0)
    for name, key in _mapping(metadata.get(KEYFRAMES, {}), KEYFRAMES).items():
        what = f"keyframe {name!r}"
        for part, values in _mapping(key, what).items():
            if part not in PARTS:
                raise ModelError(f"{what} has {part!r}, must be one of {', '.join(PARTS)}")
            if part == "u":
                for actuator, value in _mapping(values, f"{what}: u").items():
                    number(value, f"{what}: u of {actuator!r}", None)
            else:
                _check_joints(values, joints, f"{what}: {part}", PARTS.index(part))


def _check_joints(values: Any, joints: Mapping[str, Joint], what: str, which: int) -> None:
    for name, value in _mapping(values, what).items():
        if name in joints and joints[name].kind != "fixed":
            size = KINDS[joints[name].kind][which]
            found = numbers(value, (size,), f"{what} of joint {name!r}", None)
            if which == 0 and joints[name].kind in QUATERNION:
                part = QUATERNION[joints[name].kind]
                if not np.linalg.norm(found[part]) > 0.0:
                    raise ModelError(f"{what} of joint {name!r}: its quaternion is zero")


def _mapping(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ModelError(f"{what} must be a mapping by names, not {value!r}")
    return value


def positions(values: Mapping[str, Any], joints: Iterable[JointView], neutral: Array) -> Array:
    """Return the configuration (nq,) of joints at stated positions; loops are not closed."""
    q = np.array(neutral)
    for joint in joints:
        if joint.name in values and joint.q_slice.stop > joint.q_slice.start:
            own = np.array(values[joint.name], float)
            if joint.kind in QUATERNION:
                part = QUATERNION[joint.kind]
                own[part] /= np.linalg.norm(own[part])
            q[joint.q_slice] = own
    return q


def velocities(values: Mapping[str, Any], joints: Iterable[JointView], nv: int) -> Array:
    """Return the velocity (nv,) of joints that move as stated."""
    v = np.zeros(nv)
    for joint in joints:
        if joint.name in values:
            v[joint.v_slice] = np.array(values[joint.name], float)[list(joint.own_velocities)]
    return v


Name = Callable[[str], str]


def renamed_poses(
    metadata: Mapping[str, Any],
    *,
    joint: Name = str,
    actuator: Name = str,
    keyframe: Name = str,
) -> dict[str, Any]:
    """Return the metadata with poses of joints, actuators and keyframes that have new names."""
    names = {"q": joint, "v": joint, "u": actuator}
    found = dict(metadata)
    if INITIAL in found:
        found[INITIAL] = {joint(name): value for name, value in found[INITIAL].items()}
    if KEYFRAMES in found:
        found[KEYFRAMES] = {
            keyframe(title): {
                part: {names[part](name): value for name, value in values.items()}
                for part, values in key.items()
            }
            for title, key in found[KEYFRAMES].items()
        }
    return found


def poses_of(metadata: Mapping[str, Any], joints: set[str], actuators: set[str]) -> dict[str, Any]:
    """Return the metadata with poses of these joints and actuators only."""
    here = {"q": joints, "v": joints, "u": actuators}

    def left(values: Mapping[str, Any], names: set[str]) -> dict[str, Any]:
        return {name: value for name, value in values.items() if name in names}

    found = dict(metadata)
    if INITIAL in found:
        found[INITIAL] = left(found[INITIAL], joints)
    if KEYFRAMES in found:
        found[KEYFRAMES] = {
            title: {part: left(values, here[part]) for part, values in key.items()}
            for title, key in found[KEYFRAMES].items()
        }
    return found


def joined_poses(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the poses of several mechanisms as those of one."""
    found: dict[str, Any] = {}
    for metadata in parts:
        for key in (INITIAL, KEYFRAMES):
            if key in metadata:
                found[key] = {**found.get(key, {}), **metadata[key]}
    return found
