"""Table 4.5 of S. F. Echeandia: serial chains in motion."""

from __future__ import annotations

import math

from tarsus_lab.reproduce.result import Result
from tarsus_lab.reproduce.rotor_tables import NOT_PRINTED, WRONG_ALGORITHM, Comparison, chain_table

NO_CORIOLIS = (
    "the figures of MCRBA are H⁻¹ τ, without the Coriolis terms of (4.26), not even those of the "
    "links; and with parallel axes rotors have none beyond those of their masses"
)
COMPARISONS = (
    Comparison(
        "MABA and ABA",
        ("83.41", "171.97", "776.78"),
        ("83.3741", "171.672", "773.59"),
        WRONG_ALGORITHM,
    ),
    Comparison(
        "MABA and MCRBA",
        ("1.51", "23.47", "102.61"),
        ("0.657727", "8.38307", "27.3369"),
        NO_CORIOLIS,
    ),
    Comparison(
        "MCRBA and ABA",
        ("84.06", "179.53", "836.16"),
        ("83.4546", "172.483", "799.138"),
        NO_CORIOLIS,
    ),
    Comparison("MCRBA without Coriolis terms and ABA", ("84.06", "179.53", "836.16")),
    Comparison(
        "as printed and exact",
        NOT_PRINTED,
        ("0.268587", "3.67287", "14.5079"),
        WRONG_ALGORITHM,
    ),
)


def run() -> Result:
    """Compare accelerations of chains whose joints all turn at π/2 rad/s."""
    return chain_table(
        "4.5", "Accelerations of chains with rotors, in motion", COMPARISONS, rate=math.pi / 2
    )
