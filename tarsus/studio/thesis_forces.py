"""Forces of the Virtual Erector Set by their own letters (P. Schröder, MIT 1990, section 6.6).

    gravity  -g          motor    -f 6 -t 3 -E 4     damping  -d
    support  -d -k -s 3  brake    -d -t 3            rubber   -k -l -e -lone 3 -ltwo 3

A force belongs to a body, so that those of two bodies may have one name: in the document the force
`damping` of `stick0` is the part `stick0.damping`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarsus.forces import Brake, Damping, Rubber, Support, Weight, Wrench
from tarsus.parts import Part
from tarsus.parts.place import placement_of, split
from tarsus.spatial import pose, quaternion_from_rotation, rotation_from_quaternion
from tarsus.studio.language import Line, LineError

Values = dict[str, tuple[float, ...]]
SMOOTHING = 0.2
"""Speeds over which rubber changes from pulling to returning [m/s]; the thesis leaves them open."""


@dataclass(frozen=True)
class Law:
    """A force by its options with their usual values, how a part is made of them, and back."""

    usual: Values
    part: Callable[[str, Values, str], Part]
    values: Callable[[Any], Values]
    kind: type[Part]


def _point(where: Any) -> tuple[float, ...]:
    return tuple(placement_of(split(where)[1], "where")[:3, 3].tolist())


def _motor(body: str, values: Values, name: str) -> Part:
    w, x, y, z = unit(values["-E"])
    at = pose(np.array(values["-t"]), rotation_from_quaternion(np.array([x, y, z, w])))
    force, torque = values["-f"][:3], values["-f"][3:]
    return Wrench((body, at), force, torque, axes="local", name=name)


def _of_motor(part: Wrench) -> Values:
    at = placement_of(split(part.where)[1], "where")
    x, y, z, w = quaternion_from_rotation(at[:3, :3]).tolist()
    numbers = (*np.ravel(part.force).tolist(), *np.ravel(part.torque).tolist())
    return {"-f": numbers, "-t": _point(part.where), "-E": (w, x, y, z)}


ORIGIN, UPRIGHT = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
LAWS: Mapping[str, Law] = {
    "gravity": Law(
        {"-g": (9.81,)},
        lambda body, x, name: Weight(body, *x["-g"], name=name),
        lambda part: {"-g": (part.acceleration,)},
        Weight,
    ),
    "motor": Law({"-f": (0.0,) * 6, "-t": ORIGIN, "-E": UPRIGHT}, _motor, _of_motor, Wrench),
    "damping": Law(
        {"-d": (0.0,)},
        lambda body, x, name: Damping((body, ORIGIN), *x["-d"], name=name),
        lambda part: {"-d": (part.linear,)},
        Damping,
    ),
    "support": Law(
        {"-d": (0.0,), "-k": (0.0,), "-s": ORIGIN},
        lambda body, x, name: Support((body, x["-s"]), *x["-k"], *x["-d"], name=name),
        lambda part: {"-d": (part.damping,), "-k": (part.stiffness,), "-s": _point(part.where)},
        Support,
    ),
    "brake": Law(
        {"-d": (0.0,), "-t": ORIGIN},
        lambda body, x, name: Brake((body, x["-t"]), *x["-d"], name=name),
        lambda part: {"-d": (part.damping,), "-t": _point(part.where)},
        Brake,
    ),
}
"""What `sb BODY -if KIND NAME` makes."""

STRING: Values = {"-k": (1.0,), "-l": (1.0,), "-e": (0.1,), "-lone": ORIGIN, "-ltwo": ORIGIN}
"""The usual numbers of a rubber string, which is between two bodies."""


def rubber(one: str, two: str, values: Values, name: str, smoothing: float = SMOOTHING) -> Rubber:
    """Return a rubber string between two bodies."""
    (stiffness,), (length,), (ratio,) = values["-k"], values["-l"], values["-e"]
    ends = (one, values["-lone"]), (two, values["-ltwo"])
    return Rubber(*ends, stiffness, length, ratio, smoothing, name=name)


def values_of_rubber(part: Rubber) -> Values:
    """Return the numbers of a string by their letters."""
    return {
        "-k": (part.stiffness,),
        "-l": (float(part.rest_length or 0.0),),
        "-e": (part.return_ratio,),
        "-lone": _point(part.a),
        "-ltwo": _point(part.b),
    }


def law_of(part: Part) -> str:
    """Return which force of the thesis a part is, empty if none."""
    if isinstance(part, Wrench) and part.axes != "local":
        return ""
    return next((name for name, law in LAWS.items() if type(part) is law.kind), "")


def stated(line: Line, values: Values) -> Values:
    """Return values with those that a line states in their places."""
    found = dict(values)
    for option in line.options:
        found[option] = tuple(line.numbers(option, len(values[option])).tolist())
    return found


def unit(quaternion: tuple[float, ...]) -> tuple[float, ...]:
    """Return w x y z with a length of one."""
    length = float(np.linalg.norm(quaternion))
    if not length > 0.0:
        raise LineError("-E must not be zero", "-E")
    return tuple((np.array(quaternion) / length).tolist())


def text_of(values: Values) -> str:
    """Return values as options of a line."""
    return " ".join(f"{option} {' '.join(f'{x:g}' for x in own)}" for option, own in values.items())
