"""Table 3.1 of S. F. Echeandia: errors of the Coriolis matrix and of Christoffel symbols."""

from __future__ import annotations

import math

import numpy as np

from tarsus import robots
from tarsus._lib.differences import rate
from tarsus._lib.files import Array
from tarsus.model.model import Model
from tarsus_lab.reproduce.result import Result, Row, Verdict
from tarsus_lab.reproduce.rotor_models import weightless
from tarsus_lab.reproduce.rotor_tables import SIZES, SOURCE

PRINTED = {
    "C q̇ − τ_RNEA": ("5.7e-14", "7.3e-12", "2.9e-11"),
    "Ḣ − (C + Cᵀ)": ("3.6e-15", "5.7e-14", "2.3e-13"),
    "Σ Γ₁₁ₖ q̇ₖ − C₁₁": ("1.1e-13", "7.3e-12", "1.0e-12"),
}
INDEPENDENT = {
    "dH/dt − (C + Cᵀ), by differences": 1e-9,
    "Σ Γᵢⱼₖ q̇ₖ − Cᵢⱼ, all entries": 1e-14,
}
"""Rows that the thesis does not have, with the largest error relative to the largest term."""

SKEW, RATE, STATES = math.pi / 3, 10.0, 100
ROUNDING = 1e-14
"""Largest error, relative to the largest term, that counts as rounding."""

STATE = (
    "rounding, whose size depends on links, angles and rates, which the thesis does not state; "
    f"here tubes of 1 kg and 1 m with axes π/3 apart, {STATES} states with rates up to "
    f"{RATE:.0f} rad/s, and the largest error of all"
)
SAME_TERMS = (
    "the thesis makes Ḣ from the same terms as C, and shows one entry of Γ; this row does not "
    "depend on what it checks: differences of H, and all entries"
)


def run() -> Result:
    """Compute the errors on chains of 5, 10 and 15 links, without gravity."""
    rows: list[Row] = []
    for column, n in enumerate(SIZES):
        found = errors(weightless(robots.chain(n, skew=SKEW)))
        for label, printed in PRINTED.items():
            rows.append(_row(f"N = {n}: {label}", printed[column], *found[label]))
        for label, limit in INDEPENDENT.items():
            error, scale = found[label]
            verdict: Verdict = "corrected" if error <= limit * scale else "missed"
            rows.append(Row(f"N = {n}: {label}", "", error, verdict, SAME_TERMS))
    title = "Errors of the Coriolis matrix and of Christoffel symbols of chains"
    return Result("coriolis-3.1", title, f"{SOURCE} 3.1", tuple(rows))


def errors(model: Model) -> dict[str, tuple[float, float]]:
    """Return the largest error over random states by row, and the largest term beside it."""
    rng = np.random.default_rng(0)
    q = rng.uniform(0.0, 2 * math.pi, (STATES, model.nq))
    v = rng.uniform(0.0, RATE, (STATES, model.nv))
    matrix = model.coriolis_matrix(q, v)
    both = matrix + matrix.swapaxes(1, 2)
    symbols = model.christoffel_symbols(q) @ v[:, None, :, None]
    difference = symbols[..., 0] - matrix
    slower = rate(model, q, v / RATE, model.mass_matrix)  # in steps that are small for 1 rad/s
    pairs = {
        "C q̇ − τ_RNEA": (
            (matrix @ v[..., None])[..., 0] - model.inverse_dynamics(q, v, np.zeros_like(v)),
            model.bias_forces(q, v),
        ),
        "Ḣ − (C + Cᵀ)": (model.mass_matrix_rate(q, v) - both, both),
        "Σ Γ₁₁ₖ q̇ₖ − C₁₁": (difference[:, 0, 0], matrix),
        "dH/dt − (C + Cᵀ), by differences": (RATE * slower - both, both),
        "Σ Γᵢⱼₖ q̇ₖ − Cᵢⱼ, all entries": (difference, matrix),
    }
    return {label: (largest(error), largest(term)) for label, (error, term) in pairs.items()}


def largest(values: Array) -> float:
    """Return the largest absolute value."""
    return float(np.abs(values).max())


def _row(label: str, printed: str, error: float, scale: float) -> Row:
    verdict: Verdict = "reproduced" if error <= ROUNDING * scale else "missed"
    return Row(label, printed, error, verdict, STATE)
