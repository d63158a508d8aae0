"""Table 4.1 of S. F. Echeandia: inverse dynamics of forward dynamics gives the torques back."""

from __future__ import annotations

import numpy as np

from tarsus_lab.reproduce.result import Result, Row, Verdict
from tarsus_lab.reproduce.rotor_tables import SIZES, SOURCE, mechanism, state

PRINTED = ("4.3e-14", "4.3e-13", "2.4e-13")
ROUNDING = 1e-11
"""Largest error of a torque [N m] that counts as rounding."""


def run() -> Result:
    """Compare the torques of chains of 5, 10 and 15 links, after forward and inverse dynamics."""
    rows = []
    for n, printed in zip(SIZES, PRINTED, strict=True):
        model = mechanism(n).exact
        q, v, tau = state(n)
        again = model.inverse_dynamics(q, v, model.forward_dynamics(q, v, tau))
        error = float(np.abs(again - tau).max())
        verdict: Verdict = "reproduced" if error < ROUNDING else "missed"
        rows.append(Row(f"N = {n}: τ − τ_RNEA [N m]", printed, error, verdict))
    title = "Forward and inverse dynamics of chains with rotors are inverse to each other"
    return Result("rotors-4.1", title, f"{SOURCE} 4.1", tuple(rows))
