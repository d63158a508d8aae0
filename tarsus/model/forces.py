"""Forces that a description states: what is checked of them, whatever their laws.

The laws are in `tarsus.forces`, above the model that they act on. Here a force is something with a
name which can state itself for a model. It is kept as plain values that cannot change: numbers,
words, tuples of these, and ratios by names.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from tarsus.model.description import ModelError, Source


class Force(Protocol):
    """A force of `tarsus.forces`, as far as a model knows it."""

    kind: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]

    @property
    def name(self) -> str:
        """Its name, empty if it has none."""

    @property
    def source(self) -> Source | None:
        """Where it was stated."""

    def statement(self, model: Any) -> Any:
        """Return it by numbers; an error if the model lacks a place or a joint of it."""


Stated = TypeVar("Stated", bound=Force)


def checked_force(force: Stated) -> Stated:
    """Return a copy of `force` that nobody else can change."""
    is_one = dataclasses.is_dataclass(force) and hasattr(force, "statement")
    if isinstance(force, type) or not is_one:
        kind = type(force).__name__
        raise TypeError(f"a force is of type {kind}, must be an element of tarsus.forces")
    stated = [field.name for field in dataclasses.fields(force) if field.init]
    values = {name: plain(getattr(force, name)) for name in stated}
    return dataclasses.replace(force, **values)


def check_unique(forces: Iterable[Force]) -> None:
    """Raise if two forces have the same name; those without one may be many."""
    first: dict[str, Force] = {}
    for force in forces:
        other = first.setdefault(force.name, force)
        if force.name and other is not force:
            also = f" (first at {other.source})" if other.source else ""
            raise ModelError(f"the force name {force.name!r} is used twice{also}", force.source)


def check_stated(forces: Iterable[Force], model: Any) -> None:
    """Raise unless the model has all places and joints of the forces."""
    for number, force in enumerate(forces, 1):
        try:
            force.statement(model)
        except (TypeError, ValueError) as error:
            what = label(force.name, force.kind, number)
            raise ModelError(f"{what}: {error}", force.source) from None


def copied(force: Stated) -> Stated:
    """Return a checked force for others: a copy, if it has mappings, which they could change."""
    mappings = {name: dict(value) for name, value in vars(force).items() if isinstance(value, dict)}
    return dataclasses.replace(force, **mappings) if mappings else force


def label(name: str, kind: str, number: int) -> str:
    """Return how messages call a force: by its name, else by its number in the list."""
    return f"force {name!r}" if name else f"force {number} (a {kind})"


def plain(value: Any) -> Any:
    """Return `value` with arrays and lists as tuples and its numbers as floats."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return tuple(plain(part) for part in value)
    if isinstance(value, Mapping):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:  # the checks say what is wrong with it
            return value
    return value
