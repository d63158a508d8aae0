"""Couplings between joint coordinates: gears, linear maps and functions."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tarsus._lib.checks import check_name, number, numbers, read_only, suggestion
from tarsus._lib.errors import ModelError, Source, TarsusError
from tarsus._lib.files import Array
from tarsus.model.defaults import filled
from tarsus.model.description import KINDS, Body, Coupling, Joint
from tarsus.model.inertia import moment

# Couplings: which kinds there are, their checks, their order, and their numbers for the core.
#
# Closed forms live in the frame of the first leader's joint:
#
# spindle          a screw from `pivot` on the parent to `nut` on the child: it turns by 2π/lead for
#                  each metre of its length |r|, r = pivot + Rot(axis, q) nut
# tilting_spindle  the same, and before it a joint that tilts about `axis`, from the direction
#                  `reference` to r
# parallel_ankle   two screws along `screw_axis` that push a foot on two axes by couplers of length
#                  `coupler`, from `tops` to `bottoms` (Schwienbacher 2013, equation 3.25)


DIRECTIONS = ("axis", "reference", "first_axis", "second_axis", "screw_axis")
"""Parameters that are directions: any length but zero."""


@dataclass(frozen=True)
class Form:
    """A kind of coupling: how many leaders and followers (None: any), and its parameters."""

    leaders: int | None = None
    followers: int | None = None
    parameters: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


FORMS: Mapping[str, Form] = {
    "linear": Form(),
    "spindle": Form(1, 1, {"pivot": (3,), "nut": (3,), "axis": (3,), "lead": ()}),
    "tilting_spindle": Form(
        1, 2, {"pivot": (3,), "nut": (3,), "axis": (3,), "reference": (3,), "lead": ()}
    ),
    "parallel_ankle": Form(
        2,
        2,
        {
            "ankle": (3,),
            "first_axis": (3,),
            "second_axis": (3,),
            "screw_axis": (3,),
            "coupler": (),
            "tops": (2, 3),
            "bottoms": (2, 3),
            "lead": (),
        },
    ),
    "function": Form(),
}
"""Kinds of couplings; the parameters in the order in which the core reads them."""


def checked_coupling(coupling: Coupling, joints: Mapping[str, Joint]) -> Coupling:
    """Return a checked copy of `coupling`, whose joints must be among `joints`."""
    check_name(coupling.name, "a coupling", coupling.source)
    what, source = f"coupling {coupling.name!r}", coupling.source
    if coupling.kind not in FORMS:
        hint = suggestion(coupling.kind, FORMS)
        raise ModelError(f"{what}: unknown kind {coupling.kind!r}{hint}", source)
    names = [*coupling.leaders, *coupling.followers]
    for name in names:
        check_coupled(name, joints, what, source)
        if names.count(name) > 1:
            raise ModelError(f"{what}: joint {name!r} comes twice", source)
    _check_counts(coupling, what)
    linear = coupling.kind == "linear"
    for key in ("matrix", "offset"):
        if not linear and getattr(coupling, key) is not None:
            raise ModelError(f"{what}: {key} is for couplings of kind 'linear' only", source)
    if (coupling.kind == "function") != callable(coupling.function):
        need = "needs" if coupling.kind == "function" else "cannot have"
        raise ModelError(f"{what}: kind {coupling.kind!r} {need} a function", source)
    values: dict[str, Any] = {"parameters": _checked_parameters(coupling, what)}
    if linear:
        shape = (len(coupling.followers), len(coupling.leaders))
        values["matrix"] = numbers(coupling.matrix, shape, f"{what}: matrix", source)
    if coupling.offset is not None:
        count = len(coupling.followers)
        values["offset"] = numbers(coupling.offset, (count,), f"{what}: offset", source)
    return dataclasses.replace(
        coupling,
        leaders=tuple(coupling.leaders),
        followers=tuple(coupling.followers),
        motor=bool(coupling.motor),
        **values,
    )


def check_coupled(
    name: Any, joints: Mapping[str, Joint], what: str, source: Source | None = None
) -> Joint:
    """Return the joint `name`, which must exist and have one coordinate."""
    if not isinstance(name, str) or name not in joints:
        raise ModelError(f"{what}: there is no joint {name!r}{suggestion(name, joints)}", source)
    joint = joints[name]
    if KINDS[joint.kind] != (1, 1):
        count = KINDS[joint.kind][1]
        reason = f"is {joint.kind} and has {count} coordinates, not one"
        raise ModelError(f"{what}: joint {name!r} {reason}", source)
    return joint


def check_follows(coupling: Coupling, follows: Mapping[str, Coupling]) -> None:
    """Raise unless `coupling` can be added to others; `follows` tells what moves which joint."""
    what = f"coupling {coupling.name!r}"
    for name in coupling.followers:
        if name in follows:
            reason = f"joint {name!r} already follows by coupling {follows[name].name!r}"
            raise ModelError(f"{what}: {reason}", coupling.source)
    above = list(coupling.leaders)
    met = set(above)
    while above:
        name = above.pop()
        if name in coupling.followers:
            raise ModelError(f"{what}: joint {name!r} would follow itself", coupling.source)
        new = set(follows[name].leaders) - met if name in follows else set()
        met |= new
        above.extend(new)


def in_order(couplings: Sequence[Coupling]) -> list[Coupling]:
    """Return couplings so that leaders are known before followers; raise if that cannot be."""
    follows: dict[str, Coupling] = {}
    for coupling in couplings:
        check_follows(coupling, follows)
        follows.update(dict.fromkeys(coupling.followers, coupling))
    for coupling in couplings:
        for name in coupling.leaders:
            if coupling.kind == "function" and name in follows:
                reason = f"a function needs a leader with own coordinates, but {name!r} follows"
                raise ModelError(f"coupling {coupling.name!r}: {reason}", coupling.source)
    order: dict[str, Coupling] = {}
    stack = list(reversed(couplings))
    while stack:
        coupling = stack[-1]
        movers = (follows[name] for name in coupling.leaders if name in follows)
        before = [mover for mover in movers if mover.name not in order]
        stack.extend(before)
        if not before:
            order[stack.pop().name] = coupling
    return list(order.values())


def core_numbers(coupling: Coupling) -> list[float]:
    """Return what the core reads about a coupling: its matrix and offset, or its parameters."""
    if coupling.kind == "linear":
        assert coupling.matrix is not None
        zeros = np.zeros(len(coupling.followers))
        offset = zeros if coupling.offset is None else coupling.offset
        return [*coupling.matrix.ravel().tolist(), *offset.tolist()]
    parts = [np.zeros(0)]
    for key in FORMS[coupling.kind].parameters:
        value = coupling.parameters[key]
        parts.append(np.ravel(value / np.linalg.norm(value) if key in DIRECTIONS else value))
    return [float(value) for value in np.concatenate(parts)]


def _check_counts(coupling: Coupling, what: str) -> None:
    form = FORMS[coupling.kind]
    for role, names, count in (
        ("leaders", coupling.leaders, form.leaders),
        ("followers", coupling.followers, form.followers),
    ):
        if not names or len(names) != (count or len(names)):
            need = f"{count}" if count else "at least one"
            reason = f"has {len(names)} {role}, needs {need}"
            raise ModelError(f"{what}: kind {coupling.kind!r} {reason}", coupling.source)


def _checked_parameters(coupling: Coupling, what: str) -> dict[str, Array]:
    shapes, source = FORMS[coupling.kind].parameters, coupling.source
    for key in coupling.parameters:
        if key not in shapes:
            raise ModelError(f"{what}: unknown parameter {key!r}{suggestion(key, shapes)}", source)
    values = {}
    for key, shape in shapes.items():
        if key not in coupling.parameters:
            needs = ", ".join(shapes)
            raise ModelError(f"{what}: parameter {key!r} is missing (needs: {needs})", source)
        value = numbers(coupling.parameters[key], shape, f"{what}: {key}", source)
        if key in (*DIRECTIONS, "lead", "coupler") and not value.any():
            raise ModelError(f"{what}: {key} is zero", source)
        values[key] = value
    if "coupler" in values and values["coupler"] < 0.0:
        raise ModelError(f"{what}: coupler is {values['coupler']}, must not be negative", source)
    return values


# Couplings by the user's own functions: one table of numbers for the core, and its checks.


Table = Callable[[Array, bool], Array]
PARTS = ("value", "first derivative", "second derivative", "third derivative")


class MissingDerivativeError(TarsusError, ValueError):
    """A function coupling without the third derivatives that derivatives of dynamics need."""


def function_table(couplings: Sequence[Coupling], position: Mapping[str, int]) -> Table | None:
    """Return a callable from configurations (states, nq) to a table, None without functions.

    The table has a row for each state: for each coupling with n followers and k leaders its
    value (n), first (n k) and second derivatives (n k k); after those, if they are asked for, the
    third derivatives (n k k k) of each. `position` holds the index in q of each joint that has one.
    """
    own = [coupling for coupling in couplings if coupling.kind == "function"]
    if not own:
        return None
    leaders = [[position[name] for name in coupling.leaders] for coupling in own]

    def row(q: Array, thirds: bool) -> Array:
        parts = [
            evaluate(c, q[where], thirds=thirds) for c, where in zip(own, leaders, strict=True)
        ]
        first = [array for each in parts for array in each[:3]]
        return np.concatenate([*first, *(array for each in parts for array in each[3:])], axis=None)

    def table(configurations: Array, thirds: bool) -> Array:
        rows = [row(q, thirds) for q in np.asarray(configurations)]
        return np.array(rows) if rows else np.zeros((0, 0))

    return table


def evaluate(coupling: Coupling, leaders: Array, *, thirds: bool = False) -> list[Array]:
    """Return value and derivatives of a function coupling, checked: three arrays, or four."""
    what = f"the function of coupling {coupling.name!r}"
    assert coupling.function is not None
    n, k = len(coupling.followers), len(coupling.leaders)
    parts = coupling.function(np.array(leaders))
    if not isinstance(parts, tuple | list) or len(parts) not in (3, 4):
        raise ValueError(
            f"{what} must return value, first and second derivatives, and may return third ones"
        )
    if thirds and len(parts) == 3:
        raise MissingDerivativeError(
            f"derivatives of the dynamics need third derivatives: {what} must return them as a "
            "fourth array"
        )
    found = []
    for order, (name, part) in enumerate(zip(PARTS, parts[: 4 if thirds else 3], strict=False)):
        array, shape = np.asarray(part), (n, *(k,) * order)
        if not np.can_cast(array.dtype, np.float64, "same_kind"):
            raise TypeError(f"{what}: its {name} must be real numbers, not {array.dtype}")
        if array.shape != shape:
            raise ValueError(f"{what}: its {name} has shape {array.shape}, must be {shape}")
        if not np.isfinite(array).all():
            raise ValueError(f"{what}: its {name} is not finite at {np.asarray(leaders).tolist()}")
        found.append(array.astype(np.float64))
    return found


# Gears: a rotor turns with a joint, on a joint of its own.


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
