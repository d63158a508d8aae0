"""How far legs are bent when a machine stands ready: as far as its knees can hold its weight."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.gait.anatomy import Anatomy
from tarsus.gait.body_parts import ANKLE, Leg

USUAL = 0.08
"""By which share legs are shorter than stretched if knees are strong."""
LEAST = 0.015
"""… and if they are not: stretched legs lose directions."""
HELD = 0.65
"""The share of a knee's torque that may hold the weight on one leg; the rest is for motions."""


def fitting_crouch(body: Anatomy) -> float:
    """Return by which share legs are shorter than stretched, so that each knee holds the weight.

    The weight is on the line from hip to ankle; the knee is beside it by the height of the
    triangle of all three.
    """
    model = body.model
    weight = model.total_mass * float(np.linalg.norm(model.gravity))
    shares = np.linspace(LEAST, USUAL, 27)
    fits = np.ones(len(shares), bool)
    for leg in body.legs:
        limit = float(np.min(model.joint(leg.bend).effort_limit, initial=np.inf))
        if limit > 0.0:
            fits &= weight * _levers(body, leg, shares) <= HELD * limit
    return float(shares[fits][-1]) if fits.any() else LEAST


def _levers(body: Anatomy, leg: Leg, shares: Array) -> Array:
    """Return how far a knee is beside the line from hip to ankle (n,) [m], by Heron's formula."""
    poses = np.asarray(body.model.forward_kinematics(body.model.neutral()))
    hip, knee = (poses[body.model.body(name).index, :3, 3] for name in (leg.root, _knee(leg)))
    foot = poses[body.model.body(leg.end).index]
    end = leg.sole.placement[:3, 3] if leg.freedom < ANKLE else np.zeros(3)
    ankle = foot[:3, :3] @ end + foot[:3, 3]
    a, b = float(np.linalg.norm(knee - hip)), float(np.linalg.norm(ankle - knee))
    c = (1.0 - shares) * (a + b)
    half = (a + b + c) / 2
    area = np.sqrt(np.maximum(half * (half - a) * (half - b) * (half - c), 0.0))
    return np.asarray(2.0 * area / c)


def _knee(leg: Leg) -> str:
    return leg.bodies[leg.joints.index(leg.bend)]
