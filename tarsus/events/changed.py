"""Phases of other machines: the same motion with other masses, springs, lengths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from tarsus.events.parameters import Parameter
from tarsus.events.phase import Exit, Phase
from tarsus.events.resets import Impact, Reset
from tarsus.model import Model

Changes: TypeAlias = Sequence[tuple[Parameter, float]]
"""Parameters, and by how much they are larger."""


def changed_model(model: Model, by: Changes) -> Model:
    """Return a model whose parameters are larger by some numbers."""
    for parameter, more in by:
        if more:
            model = parameter.changed(model, more)
    return model


def changed_phases(phases: Sequence[Phase], by: Changes) -> tuple[Phase, ...]:
    """Return phases whose models, those of impacts as well, have larger parameters."""
    return tuple(
        replace(
            phase,
            model=changed_model(phase.model, by),
            exits=tuple(_exit(each, by) for each in phase.exits),  # type: ignore[union-attr]
        )
        for phase in phases
    )


def _exit(exit: Exit, by: Changes) -> Exit:
    return replace(exit, reset=tuple(_reset(each, by) for each in exit.reset))  # type: ignore[union-attr]


def _reset(reset: Reset, by: Changes) -> Reset:
    if isinstance(reset, Impact):
        return replace(reset, model=changed_model(reset.model, by))
    return reset
