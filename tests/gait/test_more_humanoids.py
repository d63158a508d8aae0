"""(slow) Walks of humanoids that are small, weak or without arms: iCub, Romeo, Alexander."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from tarsus_lab.reproduce.lola_5_4 import arms_and_legs, limb_volumes
from walking_machines import machine

import tarsus as ts
from tarsus.geometry import Distances

SPEED = {"icub": 0.2, "romeo": 0.2, "alexander": 0.3}
"""Usual speeds [m/s]: legs are 0.44, 0.61 and 0.91 m long."""
WALKS: dict[str, dict[str, Any]] = {
    "straight": {"speed": 1.0, "steps": 50},
    "turning": {"speed": 0.0, "turn": 0.3, "steps": 10},
    "sideways": {"sideways": 0.2, "speed": 0.0, "steps": 10},
    "an arc": {"speed": 0.8, "turn": 0.2, "steps": 12},
    "uphill": {"speed": 0.6, "steps": 10, "ground": ts.Ground(slope=-0.14)},
    "downhill": {"speed": 0.6, "steps": 10, "ground": ts.Ground(slope=0.14)},
    "slippery": {"speed": 0.5, "steps": 10, "friction": 0.3},
}
"""Speeds are in shares of the usual ones."""
FALLS = {
    ("romeo", "turning"): r"the torque of '.Hip(Roll|Yaw)' is at its limit",
}
"""What is too much for a machine, and what gives way first."""


@pytest.mark.slow
@pytest.mark.parametrize("robot", SPEED)
@pytest.mark.parametrize("name", WALKS)
def test_walks(robot: str, name: str) -> None:
    options = dict(WALKS[name])
    for what in ("speed", "sideways"):
        options[what] = SPEED[robot] * options.get(what, 0.0)
    walked = ts.walking.walk(machine(robot), **options)
    report = walked.report
    print(f"{robot} {name}\n{report}")
    if (robot, name) in FALLS:
        assert report.fell
        assert re.match(FALLS[robot, name], report.gave_way[0][1])
        return
    assert not report.fell
    end = walked.plan.position[-2:].mean(axis=0)
    com = walked.run.model.center_of_mass(walked.run.q[-1])
    way = float(np.linalg.norm(end[:2]))
    assert np.linalg.norm(com[:2] - end[:2]) < 0.1 + 0.05 * way
    assert report.turned == pytest.approx(walked.plan.yaw[-1] - walked.plan.yaw[0], abs=0.2)
    assert report.pressure_margin > -0.005


@pytest.mark.slow
@pytest.mark.parametrize("robot", ["g1", "talos_reduced", "lola"])
def test_arms_stay_off_legs_sideways(robot: str) -> None:
    """Volumes around arms and thighs never touch; arms that hang straight down would."""
    body = ts.gait.Anatomy.from_model(machine(robot))
    walked = ts.walking.walk(body, speed=0.0, sideways=0.06, steps=8)
    assert not walked.fell
    volumes = limb_volumes(body)
    distances = Distances(body.model, volumes, arms_and_legs(body, volumes), activation=2.0)
    nearest = float(distances.nearest(walked.run.q[::10]).distance.min())
    hanging = float(distances.nearest(ts.walking.stance(body)).distance.min())
    print(f"{robot}: arms {1e3 * nearest:.0f} mm off the legs, {1e3 * hanging:.0f} if they hang")
    assert nearest > 0.015
    assert hanging < nearest


@pytest.mark.slow
def test_feet_that_users_know_better() -> None:
    """The file of iCub has its feet turned by a quarter; told where they are, it walks as well."""
    m = machine("icub")
    corners = [[x, y, 0.0] for x in (-0.03, 0.127) for y in (-0.03, 0.03)]
    touching = ts.Collision.from_model(m, {"l_sole": corners, "r_sole": corners})
    body = ts.gait.Anatomy.from_model(m, collision=touching)
    assert body.legs[0].sole.size == pytest.approx([0.157, 0.06], abs=1e-3)
    assert not ts.walking.walk(body, speed=0.2, steps=20).fell
