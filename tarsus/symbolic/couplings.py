"""Positions of joints that follow others, in symbols: the same formulas as in core/couplings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from sympy import atan2, sqrt

from tarsus.model.couplings import DIRECTIONS
from tarsus.model.description import Coupling, ModelError
from tarsus.symbolic.exact import exact, exact_array
from tarsus.symbolic.joints import turn
from tarsus.symbolic.recursions import Values, skew


def closed_form(coupling: Coupling, y: Values) -> list[Any]:
    """Return the positions of the followers for the positions y of the leaders."""
    if coupling.kind not in FORMS:
        raise ModelError(
            f"coupling {coupling.name!r}: a function has no symbolic form; state it as one of "
            f"linear, {', '.join(FORMS)}",
            coupling.source,
        )
    numbers = {key: _number(key, value) for key, value in coupling.parameters.items()}
    turns = exact(2.0 * math.pi / float(coupling.parameters["lead"]))
    return FORMS[coupling.kind](numbers, turns, y)


def spindle(p: Mapping[str, Values], turns: Any, y: Values) -> list[Any]:
    """Schwienbacher 2013, equations 3.3 and 3.4."""
    r = p["pivot"] + turn(p["axis"], y[0]) @ p["nut"]
    return [turns * sqrt(r @ r)]


def tilting_spindle(p: Mapping[str, Values], turns: Any, y: Values) -> list[Any]:
    """Schwienbacher 2013, equations 3.15 to 3.21."""
    r, reference = p["pivot"] + turn(p["axis"], y[0]) @ p["nut"], p["reference"]
    tilt = atan2(p["axis"] @ (skew(reference) @ r), reference @ r)
    return [tilt, turns * sqrt(r @ r)]


def parallel_ankle(p: Mapping[str, Values], turns: Any, y: Values) -> list[Any]:
    """Schwienbacher 2013, equation 3.25."""
    foot = turn(p["first_axis"], y[0]) @ turn(p["second_axis"], y[1])
    found = []
    for top, bottom in zip(p["tops"], p["bottoms"], strict=True):
        r = p["ankle"] + foot @ bottom - top
        along = p["screw_axis"] @ r
        found.append(turns * (along - sqrt(p["coupler"] ** 2 - r @ r + along**2)))
    return found


FORMS = {"spindle": spindle, "tilting_spindle": tilting_spindle, "parallel_ankle": parallel_ankle}


def _number(key: str, value: Any) -> Any:
    array = np.asarray(value, dtype=np.float64)
    if key in DIRECTIONS:
        array = array / np.linalg.norm(array)
    return exact_array(array)[()]
