"""`tarsus.Rooted`: the same machine on another root, and states of one as states of the other.

Joints that are not on the path to the new root keep their coordinates to the bit, and so do most of
those that are turned round (`reversed_joints.py`). What is found from poses and velocities are the
coordinates of the two roots: the joint on which the machine stands, and that by which it floated.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.kit.kept_independent import with_independent
from tarsus.kit.rerooted import path_to, rerooted
from tarsus.kit.root_reaction import RootReaction, root_reaction
from tarsus.kit.root_states import RootedState, RootStates
from tarsus.kit.states import checked_state
from tarsus.model import WORLD, Builder, Joint, Model
from tarsus.model.checks import expect, reals, suggestion
from tarsus.model.checks import pose as checked_pose
from tarsus.model.kinds import COORDINATE_FIELDS, KINDS
from tarsus.model.stating import placement_of
from tarsus.spatial import inverse

OF_ROOTS = (
    *("axis", "second_axis", "pitch", "radius", "track", "surface", "ground"),
    *COORDINATE_FIELDS,
)
"""What can be stated about the joint at the root, as for `Builder.joint`."""


class Rooted(Model):
    """A model that stands on one of its bodies; `Model.rooted_at` returns it.

    `original` is the model that it was made from, `root_frame` the frame that stands, by the joint
    `root_joint` (a fixed one has no coordinates), and `at` (4, 4) where in the world that joint is.
    `machine` are the names of the bodies that stand on it.
    """

    original: Model
    root_frame: str
    root_joint: str
    at: Array
    machine: frozenset[str]
    _states: RootStates
    _asked: tuple[str, dict[str, Any]]

    def __init__(
        self,
        model: Model,
        body: str,
        joint: str = "fixed",
        *,
        position: ArrayLike | None = None,
        rotation: ArrayLike | None = None,
        placement: ArrayLike | None = None,
        at: ArrayLike | None = None,
        release: str | None = None,
        **parameters: Any,
    ) -> None:
        expect(model, Model, "model")
        stated = model.description
        inside = placement_of("rooted_at", position, rotation, placement)
        inside = checked_pose(inside, "rooted_at")
        path = path_to(stated, body, inside, release)
        root, neutral = _root(joint, parameters)
        if at is None:
            at = model.frame_pose(model.neutral(), body) @ inside @ inverse(neutral)
        at = checked_pose(at, "rooted_at, at")
        stated = with_independent(model, [each.name for each in path.base])
        new = rerooted(stated, path, body, root, at)
        super().__init__(new.description, strict=model._strict)
        asked = {"joint": joint, "placement": inside, "at": at, "release": release, **parameters}
        self.__dict__.update(
            original=model,
            root_frame=new.frame,
            root_joint=new.joint,
            machine=new.machine,
            at=at,
            _states=RootStates(self, model, path, new, at),
            _asked=(body, asked),
        )

    def from_original(
        self, q: ArrayLike, v: ArrayLike | None = None, *, at: ArrayLike | None = None
    ) -> RootedState:
        """Return a state q (…, nq), v (…, nv) of the original as one of this model.

        `at` (…, 4, 4) is where the root's joint is in the original's world, by default where this
        model has it: a foot that was set down elsewhere is so without a `shift`.
        Angles of the root are within ±π.
        """
        return self._states.onto_root(*checked_state(self.original, q, v), self._place(at))

    def to_original(
        self, q: ArrayLike, v: ArrayLike | None = None, *, at: ArrayLike | None = None
    ) -> RootedState:
        """Return a state q (…, nq), v (…, nv) of this model as one of the original.

        `at` as for `from_original`. Angles of the base are within ±π.
        """
        return self._states.onto_base(*checked_state(self, q, v), self._place(at))

    def original_jacobian(self, q: ArrayLike) -> Array:
        """Return J (…, original.nv, nv): velocities of the original are J v."""
        q, _ = checked_state(self, q, None)
        rows = self.to_original(q[..., None, :], np.eye(self.nv)).v
        return np.swapaxes(rows, -1, -2)

    def reaction(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        external: ArrayLike | None = None,
        *,
        normal: ArrayLike | None = None,
    ) -> RootReaction:
        """Return what the ground does to the body at the root: force, friction, pressure, torsion.

        Accelerations a (…, nv), external wrenches (…, n_bodies, 6) on bodies. `normal` (3,) points
        out of the ground, by default along z of `at`; the ground's plane goes through there.
        """
        return root_reaction(self, q, v, a, external, normal)

    def rooted_at(self, body: str, joint: str = "fixed", **parameters: Any) -> Rooted:
        """Return the original on another root, with the arguments of `Model.rooted_at`."""
        return Rooted(self.original, body, joint, **parameters)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.original, *self._asked)

    def _place(self, at: ArrayLike | None) -> Array:
        if at is None:
            return self.at
        place = reals(at, "at")
        if place.shape[-2:] != (4, 4):
            raise ValueError(f"at has shape {place.shape}, must be (…, 4, 4)")
        return place


def _rebuild(model: Model, body: str, asked: dict[str, Any]) -> Rooted:
    return Rooted(model, body, **asked)


def _root(kind: str, parameters: dict[str, Any]) -> tuple[Joint, Array]:
    """Return the checked joint at the root, and where its child is (4, 4) when it is neutral."""
    if kind not in KINDS:
        raise ValueError(f"joint is {kind!r}{suggestion(kind, KINDS)}")
    for key in parameters:
        if key not in OF_ROOTS:
            raise TypeError(f"rooted_at: no parameter {key!r}{suggestion(key, OF_ROOTS)}")
    builder = Builder("root").body("root", 1.0, inertia=(1.0, 1.0, 1.0))
    alone = builder.joint("root", kind, WORLD, "root", **parameters).build()
    return alone.description.joints[0], np.asarray(alone.frame_pose(alone.neutral(), "root"))
