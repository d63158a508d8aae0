"""Legs, soles and arms of a machine, found in its model.

What is not stated is looked for, as `limb_search.py` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

from tarsus._lib.checks import expect
from tarsus._lib.errors import WORLD, ModelError
from tarsus._lib.files import Array
from tarsus.gait.limb_search import Leg, Limb, LimbSearch
from tarsus.geometry.collision import Collision
from tarsus.model import Model


@dataclass(frozen=True, eq=False)
class Anatomy:
    """What a machine walks with; the left limb of a pair comes first."""

    model: Model
    trunk: str
    """The body that floats."""
    torso: str
    """The body that carries the arms; the trunk if there are none."""
    ahead: Array
    """Where the machine looks to (3,), in axes of the trunk."""
    legs: tuple[Leg, ...]
    arms: tuple[Limb, ...]
    notes: tuple[str, ...] = field(default=())
    """What was assumed."""

    @classmethod
    def from_model(
        cls,
        model: Model,
        *,
        feet: Sequence[str] | None = None,
        arms: Sequence[str] | None = None,
        collision: Collision | None = None,
    ) -> Self:
        """Return the legs, soles and arms of a machine with a free base.

        `feet` and `arms` name frames on the feet and on the hands (none for a machine without arms)
        if what is found is not what is meant. `collision` tells what touches, all collision shapes
        of the model if not given.
        """
        expect(model, Model, "model")
        if model.base is None or model.base.kind != "free":
            message = f"{model.name!r} has no free base to walk with: load it with base='free'"
            raise ModelError(message)
        search = LimbSearch(model, Collision.from_model(model) if collision is None else collision)
        ends = search.feet() if feet is None else _named(model, feet, "feet")
        hands = search.hands(ends) if arms is None else _named(model, arms, "arms")
        search.check_apart(ends, "feet")
        search.check_apart(hands, "arms")
        ahead = search.ahead(ends)
        legs = [search.leg(limb, ahead) for limb in search.limbs(ends, ahead, "leg")]
        trunk = model.base.child
        torso = model.body_names[search.tree.fork(hands)] if len(hands) > 1 else trunk
        found = tuple(search.limbs(hands, ahead, "arm"))
        return cls(model, trunk, torso, ahead, tuple(legs), found, tuple(search.notes))

    def contact_points(self) -> dict[str, Array]:
        """Return the corners of the soles (k, 3) by body, as `Collision.from_model` takes them."""
        return {leg.end: leg.sole.points for leg in self.legs}

    def collision(self) -> Collision:
        """Return what touches the ground: the corners of the soles."""
        return Collision.from_model(self.model, self.contact_points())

    def __repr__(self) -> str:
        legs = ", ".join(
            f"{leg.name} to {leg.end!r} ({leg.freedom} joints, sole "
            f"{' × '.join(f'{1e3 * side:.0f}' for side in leg.sole.size)} mm)"
            for leg in self.legs
        )
        arms = ", ".join(f"{arm.name} to {arm.end!r}" for arm in self.arms) or "no arms"
        return f"<tarsus.gait.Anatomy of {self.model.name!r}: {legs}; {arms}>"


def _named(model: Model, names: Sequence[str], what: str) -> list[int]:
    """Return the numbers of the bodies that carry named frames."""
    if isinstance(names, str):
        raise TypeError(f"{what} is the name {names!r} alone, must be a list of names")
    found = []
    for name in names:
        body = model.frame(name).body
        if body == WORLD:
            raise ModelError(f"{what}: frame {name!r} does not move")
        if model.base is not None and body == model.base.child:
            raise ModelError(f"{what}: frame {name!r} is on the trunk {body!r}, not on a limb")
        found.append(model.body(body).index)
    if what == "feet" and len(set(found)) < 2:
        raise ModelError(f"feet is {list(names)}, must name frames on two bodies or more")
    return found
