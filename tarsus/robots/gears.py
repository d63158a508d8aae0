"""Rotors of motors in the three ways in which models are made with them."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from numpy.typing import ArrayLike

from tarsus.model import Builder

Rotors: TypeAlias = Literal["exact", "reflected", "none"]
"""Bodies that turn; bodies that are welded, with n² J on the joint; or no rotors at all."""


def checked_rotors(rotors: str) -> None:
    """Raise `ValueError` if there is no such way of modelling rotors."""
    if rotors not in get_args(Rotors):
        choices = ", ".join(map(repr, get_args(Rotors)))
        raise ValueError(f"rotors is {rotors!r}, must be one of {choices}")


def add_gear(
    builder: Builder,
    joint: str,
    ratio: float,
    rotors: Rotors,
    *,
    mass: float,
    inertia: ArrayLike,
    position: ArrayLike | None = None,
    rotation: ArrayLike | None = None,
    axis: str | None = None,
) -> None:
    """Add the rotor `joint`_rotor to a joint, on the joint's parent, unless there are none."""
    if rotors == "none":
        return
    builder.body(f"{joint}_rotor", mass, inertia=inertia)
    builder.gear(
        joint,
        ratio,
        f"{joint}_rotor",
        name=f"{joint}_motor",
        position=position,
        rotation=rotation,
        axis=axis,
        approximate="reflected" if rotors == "reflected" else None,
    )
