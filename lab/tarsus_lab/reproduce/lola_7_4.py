"""Section 7.5 and Figure 7.4 of M. Schwienbacher: angular momentum that costs as velocities do."""

from __future__ import annotations

from dataclasses import replace

from tarsus.gait.anatomy import Anatomy
from tarsus.model.model import Model
from tarsus.walking.arms import Free, Minimising
from tarsus_lab.reproduce.humanoid_walks import HumanoidWalks, change, peak, rms
from tarsus_lab.reproduce.lola_7_1 import SOURCE, upright
from tarsus_lab.reproduce.result import Result, judged

DELTA = 0.5
"""What velocities cost beside momentum, as in the thesis [kg² m⁴]."""
DELTAS = (2.0, 0.1, 0.02)
HEAVIER = 1.6
"""Arms of so many times the mass, for what masses decide."""
ABOUT = (-30.0, -10.0)
"""Peaks of L_z and of the torque must be lower by this to be called about as low as printed [%]."""


def run(robot: str = "lola") -> Result:
    """Walk with arms that cost as all joints do, and with momentum that costs, too."""
    walks = HumanoidWalks(robot)
    free, least = walks.walked(Free()), walks.walked(Minimising(DELTA))
    lower = change(peak(least.momentum), peak(free.momentum))
    torque = change(peak(least.torque), peak(free.torque))
    right = change(rms(least.torque[:, 1]), rms(free.torque[:, 1]))
    reason = _trend(robot, walks)
    fewer = "about 15 % at the sole of the robot, of which the thesis prints a plot"
    rows = (
        upright((free, least)),
        judged(
            f"δ = {DELTA}: peak of L_z [%]",
            "≈ −40",
            lower,
            lower <= ABOUT[0],
            reason,
            "unsupported",
        ),
        judged(
            f"δ = {DELTA}: peak torque of a foot [%]",
            "≈ −15",
            torque,
            torque <= ABOUT[1],
            fewer if robot == "lola" else reason,
            "unsupported",
        ),
        judged(
            f"δ = {DELTA}: torque of the right foot, rms [%]",
            "lower",
            right,
            right < 0.0,
        ),
    )
    return Result(
        "lola-7.4",
        f"Angular momentum that costs, beside arms of which nothing is asked: {robot}",
        f"{SOURCE}, section 7.5, Figure 7.4; in simulation with contact",
        rows,
        (free.curve("W = 1"), least.curve(f"W = {DELTA} + aᵀa")),
        ("time [s]", "angular momentum about the vertical [N·m·s]"),
    )


def heavier(model: Model, body: Anatomy, factor: float) -> Model:
    """Return a model whose arms have `factor` times the mass and inertia."""
    arms = {name for arm in body.arms for name in arm.bodies}
    text = model.description
    bodies = [
        replace(each, mass=factor * each.mass, inertia=factor * each.inertia)
        if each.name in arms
        else each
        for each in text.bodies
    ]
    return Model(replace(text, bodies=bodies), strict=False)


def _trend(robot: str, walks: HumanoidWalks) -> str:
    """Return what δ and the mass of arms do to the peak of L_z, in kinematics."""

    def lower(own: HumanoidWalks, delta: float) -> float:
        return -change(own.planned_peak(Minimising(delta)), own.planned_peak(Free()))

    body = walks.body
    strong = Anatomy.from_model(heavier(body.model, body, HEAVIER))
    heavy = HumanoidWalks(robot, body=strong, rounds=0)
    deltas = ", ".join(f"{lower(walks, delta):.0f} % with δ = {delta:g}" for delta in DELTAS)
    return (
        "the thesis prints no masses of arms, and δ has units: how much it is depends on them. The "
        f"peak of L_z is lower by {deltas}, and by {lower(heavy, DELTA):.0f} % with δ = {DELTA:g} "
        f"and arms of {HEAVIER:g} times the mass"
    )
