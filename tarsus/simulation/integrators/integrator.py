"""How integrators are chosen by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from tarsus._lib.checks import suggestion
from tarsus.simulation.integrators.methods import (
    RK4,
    DormandPrince,
    ExplicitEuler,
    Gauss,
    Radau,
    SemiImplicit,
)
from tarsus.simulation.integrators.multistep import Adams

Stepped: TypeAlias = SemiImplicit | ExplicitEuler
"""Those that run with contacts."""
Paced: TypeAlias = DormandPrince | Radau | Gauss | Adams
"""Those that take each state of a smooth motion at its own pace, by a `solver`."""
Smooth: TypeAlias = RK4 | Paced
Integrator: TypeAlias = Stepped | Smooth

SMOOTH = (RK4, DormandPrince, Radau, Gauss, Adams)
INTEGRATORS: Mapping[str, type[Any]] = {
    each.name: each for each in (SemiImplicit, ExplicitEuler, *SMOOTH)
}
"""Integrators by name."""


def refuse(integrator: Integrator, **given: bool) -> None:
    """Raise if anything was given that an integrator for smooth motions does not know."""
    names = [name for name, is_given in given.items() if is_given]
    if names:
        raise ValueError(
            f"integrator {integrator.name!r} is for smooth motions in free space and takes no "
            f"{' and no '.join(names)}; use 'semi_implicit' for that"
        )


def integrator_of(value: str | Integrator) -> Integrator:
    """Return the integrator of that name, or the integrator itself."""
    if isinstance(value, str):
        if value not in INTEGRATORS:
            raise ValueError(f"unknown integrator {value!r}{suggestion(value, INTEGRATORS)}")
        found: Integrator = INTEGRATORS[value]()
        return found
    if not isinstance(value, tuple(INTEGRATORS.values())):
        names = ", ".join(INTEGRATORS)
        raise TypeError(f"integrator is of type {type(value).__name__}, must be one of {names}")
    return value
