"""Models with feet or points fixed in the world."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import expect, find, numbers
from tarsus._lib.checks import pose as checked_pose
from tarsus._lib.errors import WORLD, ModelError
from tarsus._lib.files import Array
from tarsus.events.phase import struck, toward
from tarsus.model.editor import Editor
from tarsus.model.model import Model
from tarsus.parts.part import Where, place_of, placement_of, split
from tarsus.spatial import inverse

# `tarsus.Planted`: a model with feet that stand where its state says, and not where it was built.
#
# A foot that has just landed must be held at the place where it did, which is another one for each
# motion. So that place, the *spot*, belongs to the state: slides lead to it along the ground and
# up, and the foot is held on it by a constraint. Slides have an armature that no force moves: their
# rates stay zero, and constraints, variational equations and impacts know how everything depends on
# spots, as on all coordinates. What a spot is pushed with is its armature times its acceleration,
# so that the load of a foot is at hand, too.


STILL = 1e30
"""Armature of spots [kg, kg m²]: they move by less than can be told from standing still."""
LOOPS = {"point": "spherical", "flat": "weld"}
"""How a foot stands on its spot, and what holds it there."""
SLIDES = ("x", "y", "z")
CLOSED, MOST_CLOSING = 1e-13, 8
"""Feet are on their spots that are nearer [m]; and so many of Newton's steps bring them there."""


class Planted(Model):
    """A model whose feet stand on spots of the ground, which are the last of its coordinates.

    `where` are frames, or points in them, whose z points up if they are flat. `ground` (4, 4) has
    the axes along which spots are counted, z upwards; `axes` are those that are needed, "xz" for a
    machine in the plane. Feet are "point", which turn freely, or "flat", which have a heading, too.
    """

    original: Model
    feet: tuple[tuple[str, Array], ...]
    ground: Array
    axes: str
    kind: str
    spots: Array
    """Indices of the velocities of each foot's spot (feet, axes), those of slides first."""
    _spots_q: Array
    _where: tuple[Where, ...]

    def __init__(
        self,
        model: Model,
        where: Sequence[Where],
        ground: ArrayLike | None = None,
        *,
        axes: str = "xyz",
        kind: str = "point",
    ) -> None:
        expect(model, Model, "model")
        find(LOOPS, kind, "kind of foot")
        if axes not in ("xyz", "xz"):
            raise ValueError(f"axes is {axes!r}, must be 'xyz', or 'xz' in the plane")
        if isinstance(where, str) or not len(where):
            raise ValueError(f"where is {where!r}, must be a list of frames that stand")
        places = tuple(stated_place(model, each) for each in where)
        for each in where:
            if place_of(model, each, "where").body < 0:
                raise ValueError(f"{each!r} is part of the world: it stands still already")
        at = np.eye(4) if ground is None else checked_pose(ground, "Planted, ground")
        turns = [*axes, "yaw"] if kind == "flat" and axes == "xyz" else [*axes]
        editor = Editor(model)
        names = []
        for k, place in enumerate(places):
            name = split(where[k])[0]
            names.append([_named(model, name, k, way) for way in turns])
            _stand(editor, names[-1], turns, at, place, LOOPS[kind])
        built = editor.build()
        super().__init__(built.description, strict=model.strict)
        self.__dict__.update(
            original=model,
            feet=places,
            ground=at,
            axes=axes,
            kind=kind,
            _where=tuple(where),
            spots=np.array([[self.joint(n).v_slice.start for n in own] for own in names]),
            _spots_q=np.array([[self.joint(n).q_slice.start for n in own] for own in names]),
        )
        _check_order(self)

    def plant(self, q: ArrayLike) -> Array:
        """Return configurations (…, nq) from those of the original, with spots where feet are."""
        q = np.asarray(q, float)
        found = np.empty((*q.shape[:-1], self.nq))
        found[..., : self.original.nq] = q
        for k, foot in enumerate(self._poses(q)):
            slides = [foot[..., SLIDES.index(way), 3] for way in self.axes]
            if len(self.spots[k]) > len(slides):
                slides.append(np.arctan2(foot[..., 1, 0], foot[..., 0, 0]))
            found[..., self._spots_q[k]] = np.stack(slides, axis=-1)
        return found

    def strike(self, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array, Array]:
        """Return states after feet of the original struck, q (…, nq), v (…, nv), and impulses.

        Feet stop where they are, and all else moves on as near to v as masses let it. Impulses of
        the ground on them (…, feet, 3) are in the axes of the ground [N s].
        """
        there = self.plant(q)
        after = np.zeros((*there.shape[:-1], self.nv))
        after[..., : self.original.nv] = v
        after = self._allowed(there, after)
        impulses = self._pushes(after)
        after[..., self.spots] = 0.0
        return there, after, impulses

    def settled(self, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
        """Return the nearest states whose feet are on their spots, in the metric of the masses."""
        q = np.array(q, float)
        for _ in range(MOST_CLOSING):
            gap = np.asarray(self.loop_gaps(q))
            if not np.abs(gap).max(initial=0.0) > CLOSED:
                break
            rows, inertia = self.constraint_jacobian(q), self.mass_matrix(q)
            q = np.asarray(self.integrate(q, toward(rows, inertia, -gap)[0]))
        return q, self._allowed(q, np.asarray(v, float))

    def lift(self, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
        """Return states of the original: the same motion, of feet that may go."""
        n, m = self.original.nq, self.original.nv
        return np.asarray(q, float)[..., :n], np.asarray(v, float)[..., :m]

    def loads(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike | None = None) -> Array:
        """Return forces of the ground on its feet (…, feet, 3) [N], in the axes of the ground.

        `tau` (…, nv) are efforts of motors; those of springs and dampers in joints act by
        themselves.
        """
        efforts = np.asarray(self.passive_forces(q, v)) + (0.0 if tau is None else np.asarray(tau))
        return self._pushes(np.asarray(self.forward_dynamics(q, v, efforts)))

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.original, self._where, self.ground, self.axes, self.kind)

    def _poses(self, q: Array) -> list[Array]:
        """Return where feet of the original are (…, 4, 4), seen from the ground."""
        base = inverse(self.ground)
        return [base @ np.asarray(self.original.frame_pose(q, n)) @ at for n, at in self.feet]

    def _allowed(self, q: Array, v: Array) -> Array:
        """Return the nearest rates (…, nv) of feet that stand, as spots take no part."""
        return struck(np.asarray(self.constraint_jacobian(q)), self.mass_matrix(q), v)[0]

    def _pushes(self, moved: Array) -> Array:
        """Return what pushes feet (…, feet, 3) while it moves spots as (…, nv) has it."""
        found = np.zeros((*moved.shape[:-1], len(self.feet), 3))
        for k, way in enumerate(self.axes):
            found[..., SLIDES.index(way)] = -STILL * moved[..., self.spots[:, k]]
        return found


def _rebuild(model: Model, where: Sequence[Where], ground: Array, axes: str, kind: str) -> Planted:
    return Planted(model, where, ground, axes=axes, kind=kind)


def _named(model: Model, foot: str, k: int, way: str) -> str:
    """Return the name of a joint at a spot, which no joint or body of the model has."""
    name = f"{foot} spot {way}"
    taken = {*model.joint_names, *model.body_names, *model.frame_names}
    return name if name not in taken else f"{name} {k}"


def _stand(
    editor: Editor,
    names: Sequence[str],
    ways: Sequence[str],
    ground: Array,
    foot: tuple[str, Array],
    loop: str,
) -> None:
    """Add a spot of the ground, and the constraint that holds a foot on it."""
    parent, placement = WORLD, ground
    for name, way in zip(names, ways, strict=True):
        kind, axis = ("revolute", "z") if way == "yaw" else ("prismatic", way)
        editor.body(name)
        editor.joint(name, kind, parent, name, placement=placement, axis=axis, armature=STILL)
        parent, placement = name, np.eye(4)
    editor.close_loop(loop, parent, np.eye(4), *foot, constraint=True)


def _check_order(model: Planted) -> None:
    """Raise if coordinates of the original are not the first ones, in their order."""
    for name in model.original.joint_names:
        old, new = model.original.joint(name), model.joint(name)
        if (old.q_slice, old.v_slice) != (new.q_slice, new.v_slice):
            raise ModelError(
                f"{model.original.name!r} has joint {name!r} elsewhere among its coordinates when "
                "feet stand on spots: it is within a loop with a foot"
            )


# Models of which something is held.


def held(
    model: Model,
    where: Where | Sequence[Where],
    q: ArrayLike | None = None,
    *,
    kind: str = "spherical",
) -> Model:
    """Return the model with points held where they are at q (nq,), the neutral one unless stated.

    `where` is a frame or a list of frames, or of points in them. `kind` is what holds each, as
    `Builder.close_loop` knows it: "spherical" (the point), "weld" (the pose), "planar" (the height
    above z = 0 of the frame, and its tilt), … The constraints act in all algorithms.
    """
    at = np.asarray(model.neutral() if q is None else numbers(q, (model.nq,), "q"))
    point = isinstance(where, tuple) and len(where) == 2 and not isinstance(where[1], str | tuple)
    listed: list[Any] = [where] if isinstance(where, str) or point else list(where)  # type: ignore[arg-type]
    if not listed:
        raise ValueError("where is empty: name a frame to hold")
    editor = Editor(model)
    poses = np.asarray(model.forward_kinematics(at))
    for each in listed:
        place = place_of(model, each, "where")
        if place.body < 0:
            raise ValueError(f"{each!r} is part of the world: it stands still already")
        body, at = stated_place(model, each)
        editor.close_loop(
            *(kind, WORLD, poses[place.body] @ place.placement, body, at),
            constraint=True,
        )
    return editor.build()


def stated_place(model: Model, where: Where) -> tuple[str, Array]:
    """Return the body that has a place as it was stated, welded to another or not, and where."""
    name, at = split(where)
    point = placement_of(at, "where")
    for frame in model.description.frames:
        if frame.name == name:
            return frame.body, frame.placement @ point
    return name, point
