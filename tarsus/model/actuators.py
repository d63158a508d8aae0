"""The actuators of a model: what they are checked for, and what they do to its coordinates.

With gears T and the coupling matrix G of all joints, velocities of the drives are M v, M = T G, and
forces f at the drives are the forces Mᵀ f on the coordinates.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.model.checks import LARGEST, check_name, number, numbers, read_only, reals
from tarsus.model.cluster_views import Cluster
from tarsus.model.couplings import check_coupled
from tarsus.model.description import Actuator, Joint, ModelError, Source
from tarsus.model.views import JointView

RANGE_FIELDS = ("control_range", "force_range")
"""What an actuator has two limits of."""


def checked_actuator(actuator: Actuator, joints: Mapping[str, Joint]) -> Actuator:
    """Return a checked copy of an actuator, whose joints must be among `joints`."""
    check_name(actuator.name, "an actuator", actuator.source)
    what, source = f"actuator {actuator.name!r}", actuator.source
    if not isinstance(actuator.joints, Mapping) or not actuator.joints:
        stated = actuator.joints
        raise ModelError(f"{what}: joints is {stated!r}, must have gears by name of joint", source)
    gears = {}
    for name, gear in actuator.joints.items():
        check_coupled(name, joints, what, source)
        gears[name] = number(gear, f"{what}: gear of joint {name!r}", source)
    if not any(gears.values()):
        raise ModelError(f"{what}: all gears are zero, it would move nothing", source)
    ranges: dict[str, Any] = {
        key: _range(getattr(actuator, key), f"{what}: {key}", source) for key in RANGE_FIELDS
    }
    return dataclasses.replace(
        actuator,
        joints=gears,
        gain=numbers(actuator.gain, (3,), f"{what}: gain", source),
        bias=numbers(actuator.bias, (3,), f"{what}: bias", source),
        **ranges,
    )


def _range(value: Any, what: str, source: Source | None) -> Array | None:
    if value is None:
        return None
    found = numbers(value, (2,), what, source, infinite=True)
    if not found[0] <= found[1]:
        raise ModelError(f"{what} is {found.tolist()}, must rise", source)
    return found if np.isfinite(found).any() else None


def with_law(
    name: str,
    kind: str,
    *,
    kp: float | None,
    kd: float | None,
    gain: ArrayLike | None,
    bias: ArrayLike | None,
) -> tuple[Array, Array]:
    """Return gain (3,) and bias (3,) of an actuator that was stated by its kind."""
    what = f"actuator {name!r}"
    given = {"kp": kp, "kd": kd, "gain": gain, "bias": bias}
    allowed = {
        "motor": ("gain",),
        "position": ("kp", "kd"),
        "velocity": ("kd",),
        "general": ("gain", "bias"),
    }
    if kind not in allowed:
        raise ModelError(f"{what}: kind is {kind!r}, must be one of {', '.join(allowed)}")
    for key, value in given.items():
        if value is not None and key not in allowed[kind]:
            takes = ", ".join(allowed[kind])
            raise ModelError(f"{what}: {key} is not for kind {kind!r}, which takes {takes}")
    needed = {"position": ("kp",), "velocity": ("kd",)}.get(kind, ())
    for key in needed:
        if given[key] is None:
            raise ModelError(f"{what}: kind {kind!r} needs {key}")
    if kind == "position":
        stiff, damp = number(kp, f"{what}: kp"), number(0.0 if kd is None else kd, f"{what}: kd")
        return np.array([stiff, 0.0, 0.0]), np.array([0.0, -stiff, -damp])
    if kind == "velocity":
        damp = number(kd, f"{what}: kd")
        return np.array([damp, 0.0, 0.0]), np.array([0.0, 0.0, -damp])
    return _three(gain, 1.0, f"{what}: gain"), _three(bias, 0.0, f"{what}: bias")


def _three(value: ArrayLike | None, usual: float, what: str) -> Array:
    """Return three numbers; one is that which holds everywhere."""
    if value is None or np.ndim(value) == 0:
        return np.array([number(usual if value is None else value, what), 0.0, 0.0])
    return numbers(value, (3,), what, accepted="(), one number, or (3,)")


class Actuators:
    """The laws of all actuators side by side, and how they sit on the joints."""

    def __init__(
        self,
        stated: Sequence[Actuator],
        joints: Mapping[str, JointView],
        clusters: Sequence[Cluster],
    ) -> None:
        self.stated = tuple(stated)
        views = joints.values()
        places = max((view.position_slice.stop for view in views), default=0)
        rates = max((view.velocity_slice.stop for view in views), default=0)
        self.lengths, self.gears = np.zeros((len(stated), places)), np.zeros((len(stated), rates))
        for row, actuator in enumerate(stated):
            for name, gear in actuator.joints.items():
                self.lengths[row, joints[name].position_slice.start] = gear
                self.gears[row, joints[name].velocity_slice.start] = gear
        numbers_of = [np.reshape([getattr(a, key) for a in stated], (-1, 3)).T for key in LAWS]
        self.gain, self.bias = (read_only(np.array(rows, float)) for rows in numbers_of)
        self.control, self.force = (
            np.reshape([_both(getattr(a, key)) for a in stated], (-1, 2)).T for key in RANGE_FIELDS
        )
        driven = {name for actuator in stated for name in actuator.joints}
        self.varies = any(
            c.closure not in ("", "linear") and not driven.isdisjoint(c.joints) for c in clusters
        )
        """Whether M depends on the configuration."""
        self.feels_length, self.feels_rate = (
            bool(self.gain[k].any() or self.bias[k].any()) for k in (1, 2)
        )

    def controls(self, u: ArrayLike) -> Array:
        """Return controls (…, nu), checked."""
        array, count = reals(u, "u"), len(self.stated)
        if array.shape[-1:] != (count,):
            hint = "" if count else ": the model has no actuators, state them with b.actuator(…)"
            raise ValueError(f"u has shape {array.shape}, must be (…, {count}){hint}")
        if not (np.abs(array) <= LARGEST).all():
            raise ValueError("u has entries that are not finite")
        return array


LAWS = ("gain", "bias")


def _both(limits: Array | None) -> Sequence[float]:
    return (-np.inf, np.inf) if limits is None else limits.tolist()
