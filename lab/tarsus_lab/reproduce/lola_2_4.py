"""Table 2.4 of M. Schwienbacher: how sparse the mass matrices of the models of Lola are."""

from __future__ import annotations

from tarsus import robots
from tarsus_lab.reproduce.result import Result, Row, compared
from tarsus_lab.reproduce.sparsity import n_dense, n_non_zeros

# type, number of DoFs, elements of the triangle, non-zeros, sparsity α, possible speed-up 1/α²
TABLE = (
    (2, "30", "465", "267", "0.57419", "3.0331"),
    (3, "46", "1081", "420", "0.38853", "6.6245"),
)


def run() -> Result:
    """Count the non-zeros of the mass matrices of Lola, types 2 and 3."""
    rows: list[Row] = []
    for type_, n_q, triangle, nonzero, alpha, gain in TABLE:
        model = robots.lola(type_)
        filled, all_ = n_non_zeros(model), n_dense(model.nv)
        rows += [
            compared(f"type {type_} degrees of freedom", n_q, model.nv),
            compared(f"type {type_} elements of the triangle", triangle, all_),
            compared(f"type {type_} non-zeros", nonzero, filled),
            compared(f"type {type_} sparsity α", alpha, filled / all_),
            compared(f"type {type_} possible speed-up 1/α²", gain, (all_ / filled) ** 2),
        ]
    return Result(
        "lola-2.4",
        "Sparsity of the mass matrices of Lola, types 2 and 3",
        "M. Schwienbacher, TU München 2013, Table 2.4",
        tuple(rows),
    )
