"""Table 4.3 of S. F. Echeandia: serial chains at rest."""

from __future__ import annotations

from tarsus_lab.reproduce.result import Result
from tarsus_lab.reproduce.rotor_tables import NOT_PRINTED, WRONG_ALGORITHM, Comparison, chain_table

COMPARISONS = (
    Comparison(
        "MABA and ABA",
        ("23.12", "39.14", "57.72"),
        ("23.1692", "39.2691", "57.9383"),
        WRONG_ALGORITHM,
    ),
    Comparison(
        "MABA and MCRBA",
        ("0.026", "0.037", "0.062"),
        ("0.0579832", "0.159239", "0.185506"),
        WRONG_ALGORITHM,
    ),
    Comparison("MCRBA and ABA", ("23.15", "39.18", "57.79")),
    Comparison(
        "as printed and exact",
        NOT_PRINTED,
        ("0.143434", "0.254784", "0.427589"),
        WRONG_ALGORITHM,
    ),
)


def run() -> Result:
    """Compare accelerations without rotors, with n² J on the diagonal, and exact ones."""
    return chain_table("4.3", "Accelerations of chains with rotors, at rest", COMPARISONS)
