"""Equations of motion as SymPy expressions, for small models, and source code for them.

Use `tarsus.Model.symbolic`; needs SymPy.
"""

from __future__ import annotations

try:
    import sympy as _sympy  # noqa: F401
except ModuleNotFoundError:
    message = "symbolic equations need SymPy: pip install 'tarsus[symbolic]'"
    raise ModuleNotFoundError(message, name="sympy") from None

from tarsus.model.symbolic.equations import Symbolic

__all__ = ["Symbolic"]
