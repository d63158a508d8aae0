"""What the ground does to each foot that stands, phase by phase of a gait."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from tarsus.arrays import Array
from tarsus.events.planted import Planted
from tarsus.events.report import Flowed
from tarsus.gait.cycles.footing import Footing, footing_of
from tarsus.gait.cycles.pieces import Piece, pieces
from tarsus.gait.walkers.feet import Foot
from tarsus.gait.walkers.ground_forces import ground_forces
from tarsus.gait.walkers.support import Support
from tarsus.gait.walkers.walker import Walker


def footings(walker: Walker, flowed: Flowed) -> list[Footing]:
    """Return footings of each phase of a flow with samples; none without a machine."""
    machine = walker.stance
    listed = list(pieces(walker, flowed)) if machine is not None else []
    if isinstance(machine, Support):
        # what was before the first phase of a gait is as before any other like it
        around = pairwise([listed[-1], *listed])
        first = walker.phases[0].name
        impulses = [_impulses(machine, a, b, b.phase.name == first) for a, b in around]
        given = zip(listed, impulses, strict=True)
        return [each for piece, pushed in given for each in _on_feet(machine, piece, pushed)]
    if machine is None or len(walker.phases) > 1:
        return []
    return [footing_of(machine, piece) for piece in listed]


def _on_feet(support: Support, piece: Piece, impulses: Array) -> list[Footing]:
    """Return the footing of each foot that stands in a phase, the root's first."""
    m, name = piece.phase.model, piece.phase.name
    if not isinstance(m, Planted):
        return [footing_of(support.stance, piece)]
    forces = ground_forces(m, piece.q, piece.v, piece.tau)
    feet = [support.stance.feet[0], *support.standing(name)]
    heights = [_height(support, piece.q, foot) for foot in support.swinging(name)]
    found = []
    for k, (foot, _) in enumerate(feet):
        push = forces[:, k, 2]
        along = np.linalg.norm(forces[:, k, :2], axis=1)
        friction = np.where(push > 0.0, along / np.where(push > 0.0, push, 1.0), np.inf)
        # scuffs are told once, with the root
        clear = np.min(heights, axis=0) if heights and k == 0 else np.full(len(push), np.inf)
        impulse = float(impulses[k])
        found.append(Footing(piece.step + 1, piece.t, push, friction, clear, 0.0, foot, impulse))
    return found


def _height(support: Support, q: Array, foot: Foot) -> Array:
    """Return how high a foot is over the ground (T,) [m]."""
    m, (name, at) = support.stance.standing, foot
    place = np.asarray(m.frame_pose(q[..., : m.nq], name)) @ at
    return np.asarray(place[..., :3, 3] @ support.stance.at[:3, 2])


def _impulses(support: Support, before: Piece, after: Piece, strike: bool) -> Array:
    """Return what pushes feet up as a phase begins, the root's first (1 + feet,) [N s]."""
    m = after.phase.model
    if not isinstance(m, Planted):
        return np.zeros(1)
    q, v = before.q[-1], before.v[-1]
    spots = support.struck(q, v)[2] if strike else m.strike(*support.tree(q, v))[2]
    up = support.stance.at[:3, 2]  # mirrored it is the same
    momenta = [
        np.asarray(model.centroidal_momentum(x, w))[:3] @ up
        for model, x, w in (
            (before.phase.model, q, v),
            (m, after.q[0], after.v[0]),
        )
    ]
    return np.array([momenta[1] - momenta[0] - spots[:, 2].sum(), *spots[:, 2]])
