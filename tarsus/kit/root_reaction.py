"""What the ground does to the body on which a machine stands.

The wrench on it is what its joint transmits; if it is welded to the world, what it passes on to the
joints that it carries, and its own weight. With the force f and the moment m about a
point that is h above the ground with the normal n, the pressure on the ground has its centre at

    r = (n × m − h f) / (n · f)

from that point, where only a torsion about n is left of the moment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus.arrays import Array
from tarsus.kit.opened import spanning
from tarsus.model import WORLD, Body, Model
from tarsus.model.checks import numbers

if TYPE_CHECKING:
    from tarsus.kit.rooted import Rooted


@dataclass(frozen=True, eq=False)
class RootReaction:
    """Forces of the ground on the body at the root, in world axes, for states (…)."""

    force: Array
    """(…, 3) [N]."""
    moment: Array
    """About the origin of the root's frame (…, 3) [N m]."""
    normal_force: Array
    """What presses on the ground (…) [N]; below zero the ground would have to pull."""
    friction: Array
    """Friction that is needed (…): tangential over normal force, infinite where nothing presses."""
    pressure: Array
    """Centre of pressure (…, 3) [m] in the root's frame, NaN where nothing presses."""
    torsion: Array
    """Moment about the normal at the centre of pressure (…) [N m], NaN where nothing presses."""

    @property
    def lifts(self) -> NDArray[np.bool_]:
        """Whether the body would leave the ground (…)."""
        return np.asarray(self.normal_force <= 0.0)


def root_reaction(
    model: Rooted,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    external: ArrayLike | None,
    normal: ArrayLike | None,
) -> RootReaction:
    """Return the reaction; the arguments are those of `Rooted.reaction`."""
    up = model.at[:3, 2] if normal is None else numbers(normal, (3,), "normal")
    if not up.any():
        raise ValueError("normal is zero: it has no direction")
    up = up / np.linalg.norm(up)
    _check_alone(model, external)
    frame = np.asarray(model.frame_pose(q, model.root_frame))
    origin = frame[..., :3, 3]
    force, moment = _wrench(model, q, v, a, external, origin)
    push = (force * up).sum(axis=-1)
    along = force - push[..., None] * up
    height = ((origin - model.at[:3, 3]) * up).sum(axis=-1)
    pressed = np.where(push > 0.0, push, np.nan)
    arm = (np.cross(up, moment) - height[..., None] * force) / pressed[..., None]
    needed = np.linalg.norm(along, axis=-1) / pressed
    return RootReaction(
        force=force,
        moment=moment,
        normal_force=push,
        friction=np.where(push > 0.0, needed, np.inf),
        pressure=(np.swapaxes(frame[..., :3, :3], -1, -2) @ arm[..., None])[..., 0],
        torsion=((moment - np.cross(arm, force)) * up).sum(axis=-1),
    )


def _wrench(
    model: Rooted,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    external: ArrayLike | None,
    origin: Array,
) -> tuple[Array, Array]:
    """Return force and moment about `origin` (…, 3) of the ground on the machine, world axes.

    Forces within the machine cancel, those of its loops too, so that the open tree tells them.
    """
    tree, own = spanning(model), model.machine
    x, w = model.joint_positions(q), model.joint_velocities(q, v)
    rates = model.joint_accelerations(q, v, a)
    positions, velocities = _in_order_of(tree, model)
    if external is not None:
        external = np.asarray(external)[..., [model.body(n).index for n in tree.body_names], :]
    x = np.asarray(x)[..., positions]
    w, rates = (np.asarray(part)[..., velocities] for part in (w, rates))
    wrenches = np.asarray(tree.reaction_wrenches(x, w, rates, external))
    carried = [body.index for body in tree.bodies if body.parent < 0 and body.name in own]
    poses = np.asarray(tree.forward_kinematics(x))[..., carried, :, :]
    forces, moments = (
        (poses[..., :3, :3] @ part[..., None])[..., 0]
        for part in (wrenches[..., carried, :3], wrenches[..., carried, 3:])
    )
    arms = poses[..., :3, 3] - origin[..., None, :]
    force = forces.sum(axis=-2)
    moment = (moments + np.cross(arms, forces)).sum(axis=-2)
    for body in _welded(model):
        at = model.frame(body.name).placement
        weight = -body.mass * model.gravity
        centre = at[:3, :3] @ body.com + at[:3, 3]
        force = force + weight
        moment = moment + np.cross(centre - origin, weight)
    return force, moment


def _in_order_of(tree: Model, model: Model) -> tuple[list[int], list[int]]:
    """Return where the model has positions and velocities of the joints of its open tree."""
    joints = [model.joint(name) for name in tree.joint_names]
    slices = [[j.position_slice for j in joints], [j.velocity_slice for j in joints]]
    positions, velocities = (
        [k for part in parts for k in range(part.start, part.stop)] for parts in slices
    )
    return positions, velocities


def _welded(model: Rooted) -> list[Body]:
    """Return bodies of the machine that are part of the world."""
    own = [body for body in model.description.bodies if body.name in model.machine]
    return [body for body in own if model.frame(body.name).body == WORLD]


def _check_alone(model: Rooted, external: ArrayLike | None) -> None:
    """Raise if something else holds the machine, unless its forces are given."""
    for loop in model.description.loops:
        if WORLD in (loop.body_a, loop.body_b) and external is None:
            raise ValueError(
                f"loop {loop.name!r} holds the machine, too: state what it does, as external"
            )
