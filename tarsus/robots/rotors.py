"""Chains and trees whose joints have geared motors, the test mechanisms of S. F. Echeandia.

S. F. Echeandia, "Rigid-Body Dynamics Algorithms for Physically Interactive Robots", University
of Notre Dame 2020, section 4.4: links as of `tree`, rotors of 0.5 kg and a ratio of 5. The
inertia of the rotors is not stated there; 1 kg m² reproduces every figure of Tables 4.3 to 4.5
that compares the two approximations, with a skew of 0.
"""

from __future__ import annotations

from typing import SupportsIndex

from numpy.typing import ArrayLike

from tarsus.model import Builder, Model
from tarsus.model.checks import number
from tarsus.robots.gears import Rotors, add_gear, checked_rotors
from tarsus.robots.trees import add_tree


def rotor_tree(
    n: SupportsIndex,
    branching: float = 2.0,
    *,
    skew: float = 0.0,
    ratio: float = 5.0,
    mass: float = 0.5,
    inertia: ArrayLike = (1.0, 1.0, 1.0),
    rotors: Rotors = "exact",
) -> Model:
    """Return `tree(n, branching)` with a motor at each joint, whose rotor turns about its axis.

    The rotor has `mass` [kg] and `inertia` (3,) or (3, 3) [kg m²], z is its axis; it hangs on the
    parent of the joint and turns `ratio` times as fast. `rotors` is "exact" (bodies that turn),
    "reflected" (welded, with n² J on the joint) or "none". With a `skew` of 0 all moves in a
    plane, and rotors have no gyroscopic effects.
    """
    checked_rotors(rotors)
    builder = Builder(f"rotor_tree({n}, {number(branching, 'branching'):g})")
    for joint in add_tree(builder, n, branching, skew=skew):
        add_gear(builder, joint, ratio, rotors, mass=mass, inertia=inertia)
    return builder.build()


def rotor_chain(
    n: SupportsIndex,
    *,
    skew: float = 0.0,
    ratio: float = 5.0,
    mass: float = 0.5,
    inertia: ArrayLike = (1.0, 1.0, 1.0),
    rotors: Rotors = "exact",
) -> Model:
    """Return `chain(n)` with a motor at each joint; see `rotor_tree` for the parameters."""
    return rotor_tree(n, 1.0, skew=skew, ratio=ratio, mass=mass, inertia=inertia, rotors=rotors)
