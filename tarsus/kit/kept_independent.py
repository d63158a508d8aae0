"""Loops whose joints stay independent, whatever root the machine stands on.

Which joints of a loop depend on the others is chosen from where the root is. On another root the
choice would be another one, and states of legs that were images of each other would not be any
more: the loops of a machine on a new root are told which joints were independent before.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection

from tarsus.model import Cluster, Model
from tarsus.model.description import Description


def with_independent(model: Model, gone: Collection[str]) -> Description:
    """Return the description of a model whose loops name the joints that are independent.

    A joint of which only some velocities are, such as a rod that spins between two balls, cannot be
    named; and of clusters with joints that are `gone` on the new root none are.
    """
    stated = model.description
    cluster = {body: each for each in model.clusters for body in each.bodies}
    constraints = {each.name for each in model.constraints}
    loops = []
    for loop in stated.loops:
        ends = [model._welded.get(body, body) for body in (loop.body_a, loop.body_b)]
        inside = [cluster[body] for body in ends if body in cluster]
        last = max(inside, key=lambda each: each.index, default=None)
        if last is not None and loop.name not in constraints and not set(last.joints) & set(gone):
            loop = dataclasses.replace(loop, independent=_named(model, last))
        loops.append(loop)
    return dataclasses.replace(stated, loops=loops)


def _named(model: Model, cluster: Cluster) -> tuple[str, ...]:
    """Return the joints of a cluster all of whose velocities are independent."""
    views = [model.joint(name) for name in cluster.independent]
    return tuple(view.name for view in views if len(view.own_velocities) == view.nv)
