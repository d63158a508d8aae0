"""Robots on two legs: Talos, G1, Bolt, iCub and Romeo, with soles of four points."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from robot import Robot

from tarsus.walking.plans import Footfalls, Walk

LEFT_RIGHT = ("left", "right")
TURNS = Footfalls("in place", {"left": 0.0, "right": 0.5}, 0.45)
"""A biped lifts one foot after the other."""
IN_PLACE = Walk(TURNS, speed=(0.0, 0.0), period=0.5, lift=0.04)


def sole(x: tuple[float, float], y: float, z: float) -> tuple[tuple[float, float, float], ...]:
    """Return the corners of a sole from x[0] to x[1] and from −y to y, at the height z [m]."""
    return tuple((along, across, z) for along, across in itertools.product(x, (-y, y)))


def both_sides(
    pattern: str, angles: Mapping[str, float], sides: tuple[str, str]
) -> dict[str, float]:
    """Return angles of both sides by the names of joints; a name that starts with ± is mirrored."""
    found = {}
    for side, sign in zip(sides, (1.0, -1.0), strict=True):
        for name, angle in angles.items():
            mirrored = name.startswith("±")
            joint = pattern.format(side=side, joint=name.lstrip("±"))
            found[joint] = sign * angle if mirrored else angle
    return found


def _talos() -> Robot:
    legs = {"3": -0.411354, "4": 0.859395, "5": -0.448041}
    angles = both_sides("leg_{side}_{joint}_joint", legs, LEFT_RIGHT)
    arms = {"±1": 0.25847, "±2": 0.173046, "±3": -0.0002, "4": -0.525366}
    angles |= both_sides("arm_{side}_{joint}_joint", arms, LEFT_RIGHT)
    # grippers are away from their limits
    angles |= both_sides("gripper_{side}_joint", {"": -0.3}, LEFT_RIGHT)
    return Robot(
        "talos_data/robots/talos_reduced.urdf",
        {side: f"{side}_sole_link" for side in LEFT_RIGHT},
        angles,
        kp=3000.0,
        kd=60.0,
        points=sole((-0.1, 0.1), 0.06, 0.005),
        radius=0.005,
        level=True,
        walk=IN_PLACE,
    )


def _g1() -> Robot:
    legs = {"hip_pitch": -0.3, "knee": 0.6, "ankle_pitch": -0.3}
    arms = {"shoulder_pitch": 0.2, "±shoulder_roll": 0.25, "elbow": 0.9}
    return Robot(
        "g1_description/urdf/g1_29dof_rev_1_0.urdf",
        {side: f"{side}_ankle_roll_link" for side in LEFT_RIGHT},
        both_sides("{side}_{joint}_joint", legs | arms, LEFT_RIGHT),
        kp=300.0,
        kd=8.0,
        points=sole((-0.05, 0.12), 0.03, -0.03),
        radius=0.005,
        level=True,
        walk=IN_PLACE,
    )


def _bolt() -> Robot:
    """Bolt has no ankles: its soles are fixed to its shanks."""
    legs = {"±HAA": -0.1, "HFE": 0.6, "KFE": -1.2}
    return Robot(
        "bolt_description/robots/bolt.urdf",
        {"left": "FL_FOOT", "right": "FR_FOOT"},
        both_sides("{side}_{joint}", legs, ("FL", "FR")),
        kp=10.0,
        kd=0.2,
        points=sole((-0.05, 0.05), 0.02, 0.0),
        radius=0.01,
        level=True,
        walk=Walk(TURNS, speed=(0.0, 0.0), period=0.4, lift=0.03),
    )


def _icub() -> Robot:
    """The iCub looks along −x."""
    legs = {
        "hip_pitch": 0.20944,
        "hip_roll": 0.08727,
        "knee": -0.1745,
        "ankle_pitch": -0.0279,
        "ankle_roll": -0.08726,
    }
    arms = {"shoulder_pitch": -0.1, "shoulder_roll": 0.35, "shoulder_yaw": 0.5, "elbow": 0.5}
    return Robot(
        "icub_description/robots/icub_reduced.urdf",
        {"left": "l_sole", "right": "r_sole"},
        both_sides("{side}_{joint}", legs | arms, ("l", "r")),
        kp=200.0,
        kd=5.0,
        points=sole((-0.1, 0.06), 0.035, 0.005),
        radius=0.005,
        level=True,
        walk=Walk(TURNS, speed=(0.0, 0.0), period=0.5, lift=0.02),
        mended=True,
    )


def _romeo() -> Robot:
    legs = {"HipPitch": -0.3490658, "KneePitch": 0.6981317, "AnklePitch": -0.3490658}
    arms = {
        "ShoulderPitch": 1.5,
        "±ShoulderYaw": 0.6,
        "±ElbowRoll": -0.5,
        "±ElbowYaw": -1.05,
        "±WristRoll": -0.4,
        "WristYaw": -0.3,
        "WristPitch": -0.2,
    }
    return Robot(
        "romeo_description/urdf/romeo_small.urdf",
        {"left": "l_sole", "right": "r_sole"},
        both_sides("{side}{joint}", legs | arms, ("L", "R")),
        kp=500.0,
        kd=10.0,
        points=sole((-0.08, 0.12), 0.045, 0.005),
        radius=0.005,
        level=True,
        walk=IN_PLACE,
        mended=True,
    )


BIPEDS: dict[str, Robot] = {
    "talos_reduced": _talos(),
    "g1": _g1(),
    "bolt": _bolt(),
    "icub_reduced": _icub(),
    "romeo_small": _romeo(),
}
