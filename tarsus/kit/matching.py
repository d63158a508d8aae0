"""What is the same in two models, by names: bodies, and the joints that carry them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import Array
from tarsus.model import WORLD, JointView, Model
from tarsus.spatial import inverse


@dataclass(frozen=True)
class Source:
    """Where a moving body was: on `frame` of the old model, at `placement` (4, 4)."""

    frame: str
    placement: Array


@dataclass(frozen=True)
class Match:
    """For each joint of the new model what gives its coordinates.

    `kept` maps joints to those of the old model whose coordinates they take over, `found` to where
    their bodies were; `fresh` start at their neutral position. `welded` maps bodies that are newly
    welded to the frames that they were. `gone` are bodies of the old model that the new one does
    not have.
    """

    kept: dict[str, JointView]
    found: dict[str, Source]
    fresh: tuple[str, ...]
    welded: dict[str, str]
    gone: tuple[str, ...]


def match(old: Model, new: Model) -> Match:
    """Return what the joints of the new model take over from the old one.

    A joint is the same if it carries the same body on the same body by the same kind. A body that
    has a new name is known by its joint, if that has kept its own.
    """
    before = _same_bodies(old, new)
    carried = {joint.child: joint for joint in old.joints}
    on: dict[str, list[str]] = {}
    for body in new.description.bodies:
        on.setdefault(new.frame(body.name).body, []).append(body.name)
    kept: dict[str, JointView] = {}
    found: dict[str, Source] = {}
    fresh = []
    for joint in new.joints:
        same = carried.get(before.get(joint.child, ""))
        if same is not None and _is_same(same, joint, before):
            kept[joint.name] = same
            continue
        known = [name for name in on[joint.child] if name in before]
        if known:
            first = joint.child if joint.child in before else known[0]
            back = inverse(new.frame(first).placement)
            found[joint.name] = Source(before[first], back)
        else:
            fresh.append(joint.name)
    gone = {body.name for body in old.description.bodies} - set(before.values())
    names = [body.name for body in old.description.bodies if body.name in gone]
    return Match(kept, found, tuple(fresh), _newly_welded(old, new, before), tuple(names))


def _newly_welded(old: Model, new: Model, before: dict[str, str]) -> dict[str, str]:
    """Return bodies on fixed joints that hung on something else, with the names that they had."""
    on = {joint.child: (joint.kind, joint.parent) for joint in old.description.joints}
    fixed = [joint for joint in new.description.joints if joint.kind == "fixed"]
    return {
        joint.child: before[joint.child]
        for joint in fixed
        if joint.child in before
        if on[before[joint.child]] != ("fixed", before.get(joint.parent))
        if new.frame(joint.child).body in before
    }


def _is_same(old: JointView, new: JointView, before: dict[str, str]) -> bool:
    return old.kind == new.kind and before.get(new.parent) == old.parent


def _same_bodies(old: Model, new: Model) -> dict[str, str]:
    """Return the old name of each stated body of the new model that was there, and the world's."""
    stated = {body.name for body in old.description.bodies}
    before = {name: name for name in (body.name for body in new.description.bodies)}
    before = {new_name: name for new_name, name in before.items() if name in stated}
    names = set(new.frame_names)
    by_joint = {joint.name: joint for joint in old.description.joints}
    for joint in new.description.joints:
        other = by_joint.get(joint.name)
        renamed = other is not None and other.kind == joint.kind and other.child not in names
        if joint.child not in before and renamed and other is not None:
            before[joint.child] = other.child
    return {WORLD: WORLD, **before}


def twist_across(poses: Array, twists: Array) -> Array:
    """Return twists (…, 6) of a frame at another one, whose poses (…, 4, 4) it sees; own axes."""
    back = np.swapaxes(poses[..., :3, :3], -1, -2)
    moving = twists[..., :3] + np.cross(twists[..., 3:], poses[..., :3, 3])
    parts = [(back @ part[..., None])[..., 0] for part in (moving, twists[..., 3:])]
    return np.concatenate(parts, axis=-1)
