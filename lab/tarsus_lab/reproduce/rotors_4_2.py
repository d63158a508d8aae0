"""Table 4.2 of S. F. Echeandia: with rotors that have no inertia, all methods agree."""

from __future__ import annotations

import numpy as np

from tarsus_lab.reproduce.result import Result, Row, Verdict
from tarsus_lab.reproduce.rotor_tables import SIZES, SOURCE, mechanism, state

PRINTED = {
    ("MABA", "ABA"): ("8.4e-15", "2.9e-14", "1.9e-13"),
    ("MABA", "MCRBA"): ("1.5e-14", "6.1e-14", "2.2e-13"),
    ("MCRBA", "ABA"): ("6.2e-15", "6.7e-14", "2.1e-13"),
}
KEYS = {"ABA": "A0", "MCRBA": "A1", "MABA": "A4"}
ROUNDING = 1e-11
"""Largest difference of accelerations [rad/s²] that counts as rounding."""


def run() -> Result:
    """Compare the methods on chains of 5, 10 and 15 links whose rotors have no inertia."""
    rows = []
    for column, n in enumerate(SIZES):
        found = mechanism(n, inertia=0.0).accelerations(*state(n))
        for (first, second), printed in PRINTED.items():
            error = float(np.abs(found[KEYS[first]] - found[KEYS[second]]).max())
            verdict: Verdict = "reproduced" if error < ROUNDING else "missed"
            label = f"N = {n}: {first} and {second}"
            rows.append(Row(label, printed[column], error, verdict))
    title = "Accelerations of chains whose rotors have no inertia [rad/s²]"
    return Result("rotors-4.2", title, f"{SOURCE} 4.2", tuple(rows))
