"""Numbers of the benchmark tables as text."""

from __future__ import annotations


def significant(value: float, digits: int = 3) -> str:
    """Return a number with so many significant digits, without an exponent below a million."""
    return f"{float(f'{value:.{digits}g}'):g}"
