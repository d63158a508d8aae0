"""Table 4.3 of S. F. Echeandia: serial chains at rest."""

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
    "MABA and ABA": ("23.12", "39.14", "57.72"),
    "MABA and MCRBA": ("0.026", "0.037", "0.062"),
    "MCRBA and ABA": ("23.15", "39.18", "57.79"),
    "as printed and exact": ("", "", ""),
}
REASONS = dict.fromkeys(("MABA and ABA", "MABA and MCRBA", "as printed and exact"), WRONG_ALGORITHM)


def run() -> Result:
    """Compare accelerations without rotors, with n² J on the diagonal, and exact ones."""
    found: list[Row] = []
    for column, n in enumerate(SIZES):
        printed = {pair: numbers[column] for pair, numbers in PRINTED.items()}
        found += rows(n, accelerations(mechanism(n), n), printed, REASONS)
    title = "Accelerations of chains with rotors, at rest [rad/s²]"
    return Result("rotors-4.3", title, f"{SOURCE} 4.3", tuple(found))
