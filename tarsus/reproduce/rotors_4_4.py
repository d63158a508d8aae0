"""Table 4.4 of S. F. Echeandia: mechanisms with a branching factor of 2, at rest."""

from __future__ import annotations

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
    "MABA and ABA": ("28.16", "79.64", "179.38"),
    "MABA and MCRBA": ("0.037", "0.070", "0.11"),
    "MCRBA and ABA": ("28.19", "79.69", "179.47"),
    "as printed and exact": ("", "", ""),
}
REASONS = dict.fromkeys(("MABA and ABA", "MABA and MCRBA", "as printed and exact"), WRONG_ALGORITHM)


def run() -> Result:
    """Compare accelerations without rotors, with n² J on the diagonal, and exact ones."""
    found: list[Row] = []
    for column, n in enumerate(SIZES):
        printed = {pair: numbers[column] for pair, numbers in PRINTED.items()}
        found += rows(n, accelerations(mechanism(n, branching=2.0), n), printed, REASONS)
    title = "Accelerations of branching mechanisms with rotors, at rest [rad/s²]"
    return Result("rotors-4.4", title, f"{SOURCE} 4.4", tuple(found))
