"""The compiled worlds of a simulation: one for each way in which efforts come about."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus import _core
from tarsus._lib.checks import count, number, numbers
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.geometry.collision import Collision
from tarsus.geometry.contact_material import blended
from tarsus.geometry.grounds import Terrain
from tarsus.model import Model
from tarsus.simulation.contact import Compliant, ContactLaw, IgnoredNumbersWarning, Penalty
from tarsus.simulation.contact_record import GROUND, Place
from tarsus.simulation.drives import Drive
from tarsus.simulation.state import farthest, is_solid, near_limits

MOST_CONTACTS = 512
"""Contacts at once that there is room for, unless more are asked for."""


class Worlds:
    """Makes `_core.World` objects and keeps them."""

    def __init__(
        self,
        model: Model,
        surface: Terrain,
        collision: Collision | None,
        law: ContactLaw,
        *,
        dt: float,
        explicit: bool,
        joint_friction: bool,
        joint_limits: bool,
        stiction: ArrayLike | None,
        max_contacts: int | None,
        limit_restitution: float,
        strict: bool,
    ) -> None:
        self.model = model
        shapes = {} if collision is None else collision.arguments
        rubbing = _candidate_numbers(collision, surface, law) if collision else {}
        self.places = candidate_places(collision, surface)
        """The body and what it may touch, of each candidate."""
        if max_contacts is None:
            max_contacts = min(max(len(self.places), 1), MOST_CONTACTS)
        count(max_contacts, "max_contacts")
        options: dict[str, float] = {
            "joint_friction": joint_friction,
            "joint_limits": joint_limits,
            "max_contacts": min(int(max_contacts), max(len(self.places), 1)),
            "strict": strict,
        }
        if not 0.0 <= number(limit_restitution, "limit_restitution") <= 1.0:
            raise ValueError(f"limit_restitution is {limit_restitution}, must be from 0 to 1")
        options["limit_restitution"] = float(limit_restitution)
        rest = _stiction(stiction, model.nv)
        self.options = {**options, "stiction": rest.tolist(), "candidates": len(self.places)}
        """What else the worlds were made with, as plain values."""
        self._arguments: dict[str, Any] = {
            **shapes,
            **rubbing,
            **options,
            "stiction": rest,
            "dt": dt,
            "law": getattr(law, "in_core", law.name),
            "law_numbers": {} if hasattr(law, "in_core") else dict(law.numbers),
            "explicit": explicit,
            "ground_kind": surface.kind,
            "ground_numbers": surface.numbers,
            "torsional_friction": surface.torsion,
            "rolling_friction": surface.rolling,
        }
        self._worlds: dict[tuple[str, int, bytes], _core.World] = {}
        # what the start of a run asks about, and what is the same for all of them
        springs = rubbing.get("candidate_springs")
        softest = None if springs is None else float(springs[:, 0].min())
        self.start_depth = law.start_depth(model, softest)
        """How deep shapes may be in each other at the start [m]."""
        most = self.start_depth if hasattr(law, "in_core") else None
        self.far = farthest(model, most) if joint_limits else None
        """How far beyond their limits joints may be at the start (nq,), if they have any."""
        self.near = near_limits(model, self.far)
        """And how far without being told."""
        self.has_loops = model.loop_gaps(model.neutral()).size > 0
        self.solid = is_solid(model)
        """Whether there is inertia in all directions in all positions."""

    def get(self, drive: Drive) -> _core.World:
        """Return the world whose efforts come about as `drive` says."""
        key = drive.name, drive.steps, drive.effort.tobytes()
        if key not in self._worlds:
            self._worlds[key] = _core.World(
                self.model,
                controller=drive.name,
                control_steps=drive.steps,
                effort=drive.effort,
                **self._arguments,
            )
        return self._worlds[key]


def candidate_places(collision: Collision | None, ground: Terrain) -> tuple[Place, ...]:
    """Return the body and what it may touch, for each candidate in the core's order."""
    found = () if collision is None else collision.numbered(ground)
    places = (Place(each.body or WORLD, each.other_body or GROUND, each.link) for each in found)
    return tuple(places)


def with_ignored(collision: Collision, law: ContactLaw) -> Collision:
    """Return what can touch, with a note of numbers of files that a law has no use for."""
    quiet = [name for name in collision.by_files if name in collision.blends]
    if not (ignored := [name for name in quiet if name in law.ignores]):
        return collision
    return replace(collision, warnings=(*collision.warnings, _ignored(collision, law, ignored)))


def _ignored(collision: Collision, law: ContactLaw, names: list[str]) -> str:
    return (
        f"contact={law.name!r} has no use for {' and '.join(names)} of shapes, which "
        f"{collision.model} states"
    )


def _candidate_numbers(collision: Collision, surface: Terrain, law: ContactLaw) -> dict[str, Array]:
    """Return what candidates have of their own: rows of blends, moments of friction, springs."""
    stated = collision.blends_on(surface)
    ignored = [name for name in stated if name in law.ignores]
    if loud := [name for name in ignored if name not in collision.by_files]:
        warnings.warn(_ignored(collision, law, loud), IgnoredNumbersWarning, stacklevel=4)
    rows = {name: each for name, each in stated.items() if name not in ignored}
    size = len(collision.numbered(surface))
    found = {
        f"candidate_{name}": rows[name] for name in ("friction", "restitution") if name in rows
    }
    if "torsion" in rows or "rolling" in rows:
        of_ground = {"torsion": surface.torsion, "rolling": surface.rolling}
        columns = [
            blended(rows[name], x) if name in rows else np.full(size, x)
            for name, x in of_ground.items()
        ]
        found["candidate_extras"] = np.stack(columns, axis=1)
    if isinstance(law, Penalty | Compliant) and ("stiffness" in rows or "damping" in rows):
        own = [
            blended(rows[name], law.numbers[name])
            if name in rows
            else np.full(size, law.numbers[name])
            for name in ("stiffness", "damping")
        ]
        found["candidate_springs"] = law.springs(*own)
    return found


def _stiction(value: ArrayLike | None, nv: int) -> Array:
    if value is None:
        return np.zeros(nv)
    found = np.array(numbers(value, (nv,), "stiction"))
    if (found < 0.0).any():
        raise ValueError(f"stiction is {found.tolist()}, must not be negative")
    return found
