"""Placement of a model on the ground, and configurations without self-collision."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import count, expect, number, reals, suggestion
from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.geometry.collision import Collision
from tarsus.geometry.contact_candidates import GROUND, world_of
from tarsus.geometry.grounds import Ground, Terrain
from tarsus.model.description_builder import root_hint, warn_of_scalar_first
from tarsus.model.model import Model

# How far a model is above the ground, and putting it down so that it just stands there.


DOUBLINGS, HALVINGS = 20, 70
"""Steps of the search for the height: out to 10⁶ times the first guess, in to rounding errors."""


def height_over_ground(
    model: Model,
    q: ArrayLike,
    ground: Terrain | None = None,
    collision: Collision | None = None,
) -> Array:
    """Return the least distance [m] of any point of the model to the ground, (…,) for q (…, nq).

    It is negative where the model is in the ground. Without a `ground` it is the plane z = 0,
    without `collision` all collision shapes count.
    """
    return _Gaps(model, ground, collision).lowest(_configurations(model, q))


def stand(
    model: Model,
    q: ArrayLike,
    ground: Terrain | None = None,
    collision: Collision | None = None,
    base: str | None = None,
) -> Array:
    """Return q (…, nq), moved up or down so that the model just stands on the ground.

    `base` names the joint that is moved, if there are several trees: a free joint on the world,
    or one that slides up and down. The other arguments are those of `height_over_ground`.
    """
    expect(model, Model, "model")
    joint, up = _lift(model, base)
    start = _configurations(model, q)
    warn_of_scalar_first(model, start, "q")
    gaps = _Gaps(model, ground, collision, model.joint(joint).child)

    def free(rise: Array) -> NDArray[np.bool_]:
        return np.asarray(gaps.lowest(start + rise[..., None] * up) >= 0.0)

    # what is free of the ground stays free higher up: bisect between a free and a sunken place
    high = np.abs(gaps.lowest(start)) + 1e-3
    low = -high
    for _ in range(DOUBLINGS):
        high, low = np.where(free(high), high, 2 * high), np.where(free(low), 2 * low, low)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        above = free(middle)
        high, low = np.where(above, middle, high), np.where(above, low, middle)
    return np.asarray(start + high[..., None] * up)


class _Gaps:
    """Distances between the ground and the bodies that hang on one body, or all bodies."""

    def __init__(
        self, model: Model, ground: Terrain | None, collision: Collision | None, root: str = ""
    ) -> None:
        expect(model, Model, "model")
        if ground is not None:
            expect(ground, Terrain, "ground")
        if collision is not None:
            expect(collision, Collision, "collision")
        surface = Ground() if ground is None else ground
        found = Collision.from_model(model) if collision is None else collision
        self.world = world_of(model, found.arguments, surface)
        carried = _carried(model, root)
        numbered = found.numbered(surface)
        self.mine = np.array(
            [each.other_body == GROUND and each.body in carried for each in numbered], bool
        )
        if not self.mine.any():
            raise ModelError(f"nothing of {model.name!r} can touch the ground; {found.warnings[0]}")

    def lowest(self, q: Array) -> Array:
        """The least distance (…,) for configurations (…, nq)."""
        rows = np.ascontiguousarray(q.reshape(-1, q.shape[-1]))
        gaps = self.world.contacts(rows)[:, self.mine, 0].min(axis=1)
        return np.asarray(gaps.reshape(q.shape[:-1]))


def _configurations(model: Model, q: ArrayLike) -> Array:
    found = reals(q, "q")
    if found.ndim == 0 or found.shape[-1] != model.nq:
        raise ValueError(f"q must have shape (…, {model.nq}), got {found.shape}")
    return found


def _carried(model: Model, root: str) -> set[str]:
    """The body `root` and all that hang on it; all bodies for an empty name."""
    found = {root} if root else set(model.body_names)
    for body in model.bodies:
        if body.parent >= 0 and model.body_names[body.parent] in found:
            found.add(body.name)
    return found


def _lift(model: Model, base: str | None) -> tuple[str, Array]:
    """The joint that lifts the model, and the change of q (nq,) that lifts it by one metre."""
    lifts: dict[str, Array] = {}
    for body in model.bodies:
        if body.parent < 0:
            lifts |= _lifts_from(model, body.index)
    names = list(lifts) if base is None else [base]
    if not lifts:
        raise ModelError(
            f"{model.name!r} has no free joint on the world that could lift it{root_hint(model)}"
        )
    if len(names) > 1 or names[0] not in lifts:
        what = "base is needed" if base is None else f"base is {base!r}"
        raise ModelError(f"{what}: the joint that lifts the model{suggestion(base, lifts)}")
    return names[0], lifts[names[0]]


def _lifts_from(model: Model, index: int) -> dict[str, Array]:
    """The first joint from a root outwards that lifts, over joints that only slide."""
    axes = np.eye(3)
    while True:
        joint = model.joints[index]
        axes = axes @ joint.placement[:3, :3]
        if joint.kind in ("free", "translation"):
            own = slice(joint.q_slice.start, joint.q_slice.start + 3)
            return {joint.name: _change(model, own, axes[2])}
        if joint.kind != "prismatic" or joint.q_slice.start == joint.q_slice.stop:
            return {}
        rise = float(axes[2] @ joint.axis)
        if abs(rise) > 1 - 1e-9:
            return {joint.name: _change(model, joint.q_slice, np.array([rise]))}
        children = [body.index for body in model.bodies if body.parent == index]
        if len(children) != 1:
            return {}
        index = children[0]


def _change(model: Model, own: slice, values: Array) -> Array:
    change = np.zeros(model.nq)
    change[own] = values
    return change


# Postures in which nothing is in the ground or in another body, near one in which something is.


REACHES = np.geomspace(0.02, 3.0, 24)
"""How far joints are moved in each round [rad or m], as a standard deviation."""
TRIES = 64
"""Postures of a round."""


def clear_posture(
    model: Model,
    q: ArrayLike | None = None,
    ground: Terrain | None = None,
    collision: Collision | None = None,
    *,
    clearance: float = 1e-3,
    seed: int = 0,
) -> Array:
    """Return q (nq,), or a posture near it in which nothing touches the ground or another body.

    For arms whose neutral posture is in the ground on which they stand: the root stays, joints
    are within their limits, and all shapes have a `clearance` [m]. Postures are tried farther and
    farther away from q (`model.initial_configuration` unless stated); of those of a round that
    are clear the nearest one is taken. Without a `ground` it is the plane z = 0, without
    `collision` all collision shapes count. Robots that float are put down by `ts.stand`.
    """
    expect(model, Model, "model")
    start = reals(model.initial_configuration if q is None else q, "q")
    if start.shape != (model.nq,):
        raise ValueError(f"q has shape {start.shape}, must be ({model.nq},)")
    least = number(clearance, "clearance")
    count(seed, "seed", 0)
    rng = np.random.default_rng(seed)
    shapes = Collision.from_model(model) if collision is None else collision
    world = world_of(model, shapes.arguments, Ground() if ground is None else ground)

    def clear(postures: Array) -> Array:
        gaps = world.contacts(np.ascontiguousarray(postures))[..., 0].min(axis=1, initial=np.inf)
        inside = ((postures >= model.lower) & (postures <= model.upper)).all(axis=1)
        return np.asarray((gaps >= least) & inside)

    if clear(start[None])[0]:
        return np.array(start)
    for reach in REACHES:
        steps = reach * rng.normal(size=(TRIES, model.nv)) * model.driven
        postures = np.asarray(model.integrate(start, steps))
        found = np.flatnonzero(clear(postures))
        if len(found):
            return np.array(postures[found[np.argmin((steps[found] ** 2).sum(axis=1))]])
    raise ModelError(
        f"{model.name!r} touches something in all of {TRIES * len(REACHES)} postures around q: is "
        "the ground too high (ts.Ground(level=…)), or does its root start in it?"
    )
