"""Table 4.4 of S. F. Echeandia: mechanisms with a branching factor of 2, at rest."""

from __future__ import annotations

from tarsus_lab.reproduce.result import Result
from tarsus_lab.reproduce.rotor_tables import NOT_PRINTED, WRONG_ALGORITHM, Comparison, chain_table

COMPARISONS = (
    Comparison(
        "MABA and ABA",
        ("28.16", "79.64", "179.38"),
        ("28.1838", "79.6648", "179.407"),
        WRONG_ALGORITHM,
    ),
    Comparison(
        "MABA and MCRBA",
        ("0.037", "0.070", "0.11"),
        ("0.0713427", "0.151843", "0.252925"),
        WRONG_ALGORITHM,
    ),
    Comparison("MCRBA and ABA", ("28.19", "79.69", "179.47")),
    Comparison(
        "as printed and exact",
        NOT_PRINTED,
        ("0.178319", "0.352707", "0.537582"),
        WRONG_ALGORITHM,
    ),
)


def run() -> Result:
    """Compare accelerations without rotors, with n² J on the diagonal, and exact ones."""
    return chain_table(
        "4.4",
        "Accelerations of branching mechanisms with rotors, at rest",
        COMPARISONS,
        branching=2.0,
    )
