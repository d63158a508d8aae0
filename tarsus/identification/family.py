"""Machines by their numbers: which are looked for, and the phases that each choice of them has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from tarsus._lib.checks import find, number
from tarsus._lib.files import Array
from tarsus.events.parameters import Parameter
from tarsus.events.phase import Phase, changed_model, changed_phases
from tarsus.gait.walkers.walker import Walker
from tarsus.model import Model

Machine: TypeAlias = Model | Phase | Sequence[Phase] | Walker | Callable[..., Any]
"""A model, phases, a walker, or a function of numbers that makes one of these."""
SHARE = 1e-4
"""Differences are taken over this share of a natural size: errors are near 1e-8 of it."""


@dataclass(frozen=True, eq=False)
class Family:
    """Machines that differ in numbers: their names and where the search begins (p,).

    `known` are their parameters in flows; None for one of which flows have no derivative.
    """

    names: tuple[str, ...]
    stated: Array
    known: tuple[Parameter | None, ...]
    make: Callable[[Array], Any]

    @property
    def scales(self) -> Array:
        """Natural sizes (p,): that where the search begins, one for what begins at zero."""
        return np.where(self.stated == 0.0, 1.0, np.abs(self.stated))

    @property
    def by_flows(self) -> list[int]:
        """Numbers that flows know derivatives of."""
        return [k for k, each in enumerate(self.known) if each is not None]

    @property
    def by_differences(self) -> list[int]:
        """All others."""
        return [k for k, each in enumerate(self.known) if each is None]

    def phases(self, values: Array) -> tuple[Phase, ...]:
        """Return the phases of the machine with these numbers."""
        return phases_of(self.make(values))

    def beside(self, values: Array, k: int) -> tuple[float, list[tuple[Phase, ...]]]:
        """Return a step of number k, and the phases with a number that is larger and smaller."""
        step = SHARE * float(self.scales[k])
        both = [values + sign * step * np.eye(len(values))[k] for sign in (1.0, -1.0)]
        return step, [self.phases(each) for each in both]


def family(machine: Machine, wanted: Any) -> Family:
    """Return the machines among which the one that was recorded is looked for."""
    if isinstance(machine, Walker):
        return _walkers(machine, wanted)
    if isinstance(machine, Model | Phase) or not callable(machine):
        return _changed(machine, wanted)
    return _made(machine, wanted)


def phases_of(machine: Any) -> tuple[Phase, ...]:
    """Return the phases of a machine."""
    if isinstance(machine, Walker):
        return machine.phases
    if isinstance(machine, Model):
        return (Phase(machine),)
    listed = (machine,) if isinstance(machine, Phase) else machine
    if not isinstance(listed, Sequence) or not listed:
        raise TypeError(f"machine is {machine!r}, must be a Model, phases or a Walker")
    for phase in listed:
        if not isinstance(phase, Phase):
            raise TypeError(f"machine has {phase!r}, must be of ts.Phase")
    return tuple(listed)


def _changed(machine: Model | Phase | Sequence[Phase], wanted: Any) -> Family:
    """Return machines with other parameters, those of `ts.parameters`."""
    if not isinstance(wanted, Mapping) or not wanted:
        raise TypeError(f"parameters is {wanted!r}, must be ts.parameters by names of yours")
    for name, each in wanted.items():
        if not isinstance(each, Parameter):
            raise TypeError(f"parameters[{name!r}] is {each!r}, must be one of ts.parameters")
    phases, known = phases_of(machine), tuple(wanted.values())
    stated = np.array([each.value(phases[0].model) for each in known])

    def make(values: Array) -> Model | tuple[Phase, ...]:
        more = (values - stated).tolist()
        by = [(each, float(x)) for each, x in zip(known, more, strict=True)]
        if isinstance(machine, Model):
            return changed_model(machine, by)
        return changed_phases(phases, by)

    return Family(tuple(wanted), stated, known, make)


def _walkers(walker: Walker, wanted: Any) -> Family:
    """Return walkers with other numbers, by their names or by names and first guesses."""
    listed = (wanted,) if isinstance(wanted, str) else tuple(wanted)
    if not listed:
        raise ValueError(f"parameters is empty, must name numbers of {walker!r}")
    for name in listed:
        find(walker.numbers, name, "number of the walker")
    guesses = dict(wanted) if isinstance(wanted, Mapping) else walker.numbers
    stated = np.array([number(guesses[name], f"parameters[{name!r}]") for name in listed])
    known = tuple(walker.parameters.get(name) if walker.exact else None for name in listed)
    return Family(listed, stated, known, lambda values: walker.but(**_named(listed, values)))


def _made(function: Callable[..., Any], wanted: Any) -> Family:
    """Return machines that a function makes from numbers; nothing knows derivatives of these."""
    if not isinstance(wanted, Mapping) or not wanted:
        raise TypeError(f"parameters is {wanted!r}, must be first guesses by names of arguments")
    stated = np.array([number(x, f"parameters[{name!r}]") for name, x in wanted.items()])
    names = tuple(wanted)
    return Family(names, stated, (None,) * len(names), lambda x: function(**_named(names, x)))


def _named(names: Sequence[str], values: Array) -> dict[str, float]:
    return dict(zip(names, values.tolist(), strict=True))
