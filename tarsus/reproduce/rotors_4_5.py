"""Table 4.5 of S. F. Echeandia: serial chains in motion."""

from __future__ import annotations

import math

from tarsus.reproduce.result import Result, Row
from tarsus.reproduce.rotor_tables import (
    SIZES,
    SOURCE,
    WRONG_ALGORITHM,
    accelerations,
    mechanism,
    rows,
)

PRINTED = {
    "MABA and ABA": ("83.41", "171.97", "776.78"),
    "MABA and MCRBA": ("1.51", "23.47", "102.61"),
    "MCRBA and ABA": ("84.06", "179.53", "836.16"),
    "MCRBA without Coriolis terms and ABA": ("84.06", "179.53", "836.16"),
    "as printed and exact": ("", "", ""),
}
NO_CORIOLIS = (
    "the figures of MCRBA are H⁻¹ τ, without the Coriolis terms of (4.26), not even those of the "
    "links; and with parallel axes rotors have none beyond those of their masses"
)
REASONS = {
    "MABA and ABA": WRONG_ALGORITHM,
    "MABA and MCRBA": NO_CORIOLIS,
    "MCRBA and ABA": NO_CORIOLIS,
    "as printed and exact": WRONG_ALGORITHM,
}


def run() -> Result:
    """Compare accelerations of chains whose joints all turn at π/2 rad/s."""
    found: list[Row] = []
    for column, n in enumerate(SIZES):
        printed = {pair: numbers[column] for pair, numbers in PRINTED.items()}
        found += rows(n, accelerations(mechanism(n), n, math.pi / 2), printed, REASONS)
    title = "Accelerations of chains with rotors, in motion [rad/s²]"
    return Result("rotors-4.5", title, f"{SOURCE} 4.5", tuple(found))
