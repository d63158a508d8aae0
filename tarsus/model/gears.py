"""Gears: a rotor turns with a joint, on a joint of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tarsus.arrays import Array
from tarsus.model.checks import number, read_only
from tarsus.model.couplings import check_coupled
from tarsus.model.defaults import filled
from tarsus.model.description import Body, Coupling, Joint, ModelError, Source
from tarsus.model.inertia import moment

APPROXIMATIONS = (None, "exact", "reflected")


def gear(
    joints: Mapping[str, Joint],
    joint: str,
    ratio: float,
    rotor: Body,
    *,
    name: str | None = None,
    mount: str | None = None,
    placement: Array | None = None,
    axis: Array | None = None,
    approximate: str | None = None,
    motor: bool = True,
    source: Source | None = None,
    **parameters: Any,
) -> tuple[Joint, Coupling | None, Array | None]:
    """Return the rotor's joint, its coupling to `joint`, and the armature that `joint` has now.

    The parameters are those of `tarsus.Builder.gear`. With `approximate="reflected"` the rotor's
    joint is fixed, there is no coupling, and the armature of `joint` has grown.
    """
    name = f"{rotor.name}_joint" if name is None else name
    what = f"gear {name!r}"
    driven = filled(check_coupled(joint, joints, what, source))
    factor = number(ratio, f"{what}: ratio", source)
    if approximate not in APPROXIMATIONS:
        reason = f"approximate is {approximate!r}, must be 'exact' or 'reflected'"
        raise ModelError(f"{what}: {reason}", source)
    mount = driven.parent if mount is None else mount
    if placement is None and axis is None and mount == driven.parent:
        placement, axis = driven.placement, driven.axis
    if placement is None or axis is None:
        raise ModelError(
            f"{what}: a rotor that is not coaxial with joint {joint!r} on body "
            f"{driven.parent!r} needs a place on its mount {mount!r} and an axis",
            source,
        )
    armature = joints[joint].armature
    if approximate == "reflected":
        if parameters:
            raise ModelError(f"{what}: {next(iter(parameters))} is for exact rotors only", source)
        reflected = factor**2 * moment(rotor, axis)
        total = np.array([reflected]) if armature is None else armature + reflected
        fixed = Joint(name, "fixed", mount, rotor.name, placement, source=source)
        return fixed, None, read_only(total)
    turning = Joint(
        name, "revolute", mount, rotor.name, placement, axis, source=source, **parameters
    )
    ratios = np.array([[factor]])
    coupling = Coupling(name, "linear", (joint,), (name,), ratios, motor=motor, source=source)
    return turning, coupling, armature
