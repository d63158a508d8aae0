"""Table 2.1 of M. Schwienbacher: how sparse the mass matrix of Dill(n) is."""

from __future__ import annotations

from collections.abc import Iterator

from tarsus import robots
from tarsus_lab.reproduce.result import Curve, Result, Row, compared
from tarsus_lab.reproduce.sparsity import n_dense, n_non_zeros

# level, number of DoFs, non-zeros, elements of the triangle, sparsity α, possible speed-up 1/α²
TABLE = """
1     2    3      3 1.000000    1.00
2     4    8     10 0.800000    1.56
3     8   20     36 0.555556    3.24
4    16   48    136 0.352941    8.02
5    32  112    528 0.212121   22.22
6    64  256   2080 0.123077   66.01
7   128  576   8256 0.069767  205.44
8   256 1280  32896 0.038911  660.49
9   512 2816 131328 0.021442 2174.95
10 1024 6144 524800 0.011707 7296.01
"""
CUT_OFF = "cut off after two decimals in the thesis, instead of rounded"


def run() -> Result:
    """Count the non-zeros of the mass matrices of Dill(1) to Dill(10)."""
    rows = [row for line in TABLE.split("\n") if line for row in _rows(*line.split())]
    return Result(
        "lola-2.1",
        "Sparsity of the mass matrix of Dill(n)",
        "M. Schwienbacher, TU München 2013, Table 2.1",
        tuple(rows),
        (_curve(rows, "elements of the triangle"), _curve(rows, "non-zeros")),
        ("degrees of freedom", "elements of the mass matrix"),
    )


def _curve(rows: list[Row], what: str) -> Curve:
    y = tuple(float(row.ours) for row in rows if row.label.endswith(what))
    return Curve(what, tuple(2.0 ** (i + 1) for i in range(len(y))), y)


def _rows(
    level: str, n_q: str, nonzero: str, triangle: str, alpha: str, gain: str
) -> Iterator[Row]:
    model = robots.dill(int(level))
    filled, all_ = n_non_zeros(model), n_dense(model.nv)
    dill = f"Dill({level})"
    yield compared(f"{dill} degrees of freedom", n_q, model.nv)
    yield compared(f"{dill} non-zeros", nonzero, filled)
    yield compared(f"{dill} elements of the triangle", triangle, all_)
    yield compared(f"{dill} sparsity α", alpha, filled / all_)
    right = f"{(int(triangle) / int(nonzero)) ** 2:.2f}"  # from the thesis' own counts
    label, ours = f"{dill} possible speed-up 1/α²", (all_ / filled) ** 2
    yield compared(label, gain, ours, right=right, reason=CUT_OFF)
