"""What Tables 4.1 to 4.5 of S. F. Echeandia have in common: mechanisms, states, comparisons.

"Rigid-Body Dynamics Algorithms for Physically Interactive Robots", University of Notre Dame
2020, section 4.4: links of 1 kg and 1 m, rotors of 0.5 kg, ratio 5, no gravity; the torque and
the angle of joint i are i N m and i rad. Skew and the rotors' inertia are not stated: with all
axes parallel and 1 kg m², every figure that compares "ABA" with "MCRBA" comes out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from tarsus import robots
from tarsus._lib.files import Array
from tarsus_lab.reproduce.result import Result, Row, compared
from tarsus_lab.reproduce.rotor_models import RotorModels, solve
from tarsus_lab.reproduce.rotors_printed import printed_forward_dynamics

SOURCE = "S. F. Echeandia, University of Notre Dame 2020, Table"
SIZES = (5, 10, 15)
RATIO = 5.0

NOT_PRINTED = ("", "", "")
WRONG_ALGORITHM = (
    "the figures of MABA are not those of exact rotors; Algorithm 6, as printed, counts the torque "
    "twice, on the body (4.2) and on the rotor (4.3), and lacks cross terms in (4.24) and (4.25)"
)


def mechanism(n: int, branching: float = 1.0, inertia: float = 1.0) -> RotorModels:
    """Return the thesis' mechanism with `n` links, without gravity."""
    mass, moments = (0.5, (inertia,) * 3) if inertia else (0.0, (0.0,) * 3)
    return RotorModels.make(
        lambda rotors: robots.rotor_tree(
            n, branching, ratio=RATIO, mass=mass, inertia=moments, rotors=rotors
        ),
        gravity=False,
    )


def state(n: int, rate: float = 0.0) -> tuple[Array, Array, Array]:
    """Return angles, rates and torques: i rad, the same rate for all, i N m."""
    numbers = np.arange(1.0, n + 1.0)
    return numbers, np.full(n, rate), numbers


def accelerations(models: RotorModels, n: int, rate: float = 0.0) -> dict[str, Array]:
    """Return the accelerations by the thesis' names, and of the algorithm as it is printed."""
    q, v, tau = state(n, rate)
    found = models.accelerations(q, v, tau)
    without_coriolis = models.without.mass_matrix(q) + np.diag(models.armature)
    return {
        "ABA": found["A0"],
        "MCRBA": found["A1"],
        "MCRBA without Coriolis terms": solve(without_coriolis, tau),
        "MABA": found["A4"],
        "as printed": printed_forward_dynamics(models.exact, RATIO, q, v, tau),
        "exact": found["A4"],
    }


class Comparison(NamedTuple):
    """A pair "X and Y" of methods: the largest difference of their accelerations [rad/s²].

    `printed` are the thesis' figures for each size. Where they are wrong, for a `reason`, or
    missing, `right` are those of vector mechanics without recursion (`tests/projection.py`).
    """

    pair: str
    printed: tuple[str, ...]
    right: tuple[str, ...] = NOT_PRINTED
    reason: str = ""

    def row(self, column: int, found: Mapping[str, Array]) -> Row:
        """Return the row for the size in a column of the table."""
        first, second = self.pair.split(" and ")
        return compared(
            f"N = {SIZES[column]}: {self.pair}",
            self.printed[column],
            float(np.abs(found[first] - found[second]).max()),
            right=self.right[column],
            reason=self.reason,
        )


def chain_table(
    number: str,
    title: str,
    comparisons: Sequence[Comparison],
    *,
    branching: float = 1.0,
    rate: float = 0.0,
) -> Result:
    """Return a table that compares methods on mechanisms of all sizes, joints turning at a rate."""
    rows: list[Row] = []
    for column, n in enumerate(SIZES):
        found = accelerations(mechanism(n, branching), n, rate)
        rows += [comparison.row(column, found) for comparison in comparisons]
    return Result(f"rotors-{number}", f"{title} [rad/s²]", f"{SOURCE} {number}", tuple(rows))
