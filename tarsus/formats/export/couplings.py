"""Couplings as formats have them: one joint that follows one other, linearly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.formats.export.left_out import LeftOuts
from tarsus.model.description import Coupling, Description


@dataclass(frozen=True)
class Mimic:
    """follower = factor · leader + offset."""

    name: str
    follower: str
    leader: str
    factor: float
    offset: float


def mimics(stated: Description, left_out: LeftOuts, format_name: str) -> list[Mimic]:
    """Return the couplings that are of this kind, and tell of the others."""
    found = []
    for coupling in stated.couplings:
        if coupling.motor:
            left_out.add("motor", coupling.name, f"{format_name} does not mark rotors of motors")
        rows = _rows(coupling)
        if rows is None:
            reason = f"is {_form(coupling)}, but joints of {format_name} follow one other, linearly"
            left_out.add("coupling", coupling.name, reason)
        else:
            found += rows
    return found


def _form(coupling: Coupling) -> str:
    return "of several leaders" if coupling.kind == "linear" else coupling.kind


def _rows(coupling: Coupling) -> list[Mimic] | None:
    """A line for each follower, None if one follows several leaders, or none."""
    if coupling.kind != "linear":
        return None
    assert coupling.matrix is not None
    if (np.count_nonzero(coupling.matrix, axis=1) != 1).any():
        return None
    offsets = np.zeros(len(coupling.followers)) if coupling.offset is None else coupling.offset
    several = len(coupling.followers) > 1
    return [
        Mimic(
            f"{coupling.name}_{follower}" if several else coupling.name,
            follower,
            coupling.leaders[leader := int(np.flatnonzero(row)[0])],
            float(row[leader]),
            float(offset),
        )
        for follower, row, offset in zip(coupling.followers, coupling.matrix, offsets, strict=True)
    ]
