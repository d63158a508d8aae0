"""Section 5.4 of O. Ayit: the quadruped crouches and jumps (Figures 5.26 to 5.31)."""

from __future__ import annotations

import numpy as np

from tarsus.scenes.robots import jump
from tarsus_lab.reproduce.contact_5_1 import SOURCE
from tarsus_lab.reproduce.contact_runs import PENALTIES, RunSummary, summary
from tarsus_lab.reproduce.result import Result, judged

CEILING = 2.0 * 2.2
"""Twice as high as the thesis jumps [m]."""
FITTED = (
    "the thesis prints neither heights nor times; here the legs stretch from 0.40 to 0.74 m within "
    "0.09 s, which was chosen for this height"
)
FLIGHT = "needs no fit: the centre of mass rises by v²/2g from where it leaves the ground"
MODELS = (
    "the thesis prints no stiffness and damping; here soft and firm springs jump as exact contact "
    "does; those that break the bound on the step have forces of more than 1e5 N"
)


def run() -> Result:
    """Jump with exact contact and with springs."""
    scene = jump()
    exact = summary(scene, CEILING)
    apex, take_off = exact.apex, _take_off(exact)
    reached, predicted = _flight(exact)
    rows = [
        judged("exact: height of the torso [m]", "2.2", apex, abs(apex - 2.2) < 0.3, FITTED),
        judged("exact: force at take-off [kN]", "realistic", take_off / 1e3, take_off < 15e3),
        judged(
            "exact: centre of mass, reached and ballistic [m]",
            "",
            f"{reached:.3f}, {predicted:.3f}",
            abs(reached / predicted - 1.0) < 0.01,
            FLIGHT,
        ),
    ]
    others = {name: summary(scene.but(contact=law), CEILING) for name, law in PENALTIES.items()}
    rows += [found.row(f"{name} springs", "fails", MODELS) for name, found in others.items()]
    curves = tuple(o.curve(name, 2) for name, o in {"exact": exact, **others}.items())
    source = f"{SOURCE}, section 5.4, Figures 5.26 to 5.31"
    axes = ("time [s]", "height of the torso [m]")
    return Result("contact-jump", "A jump", source, tuple(rows), curves, axes)


def _take_off(found: RunSummary) -> float:
    """Return the largest normal force [N] on a foot until the robot is in the air."""
    touching, flight = found.run.contacts, _lift_off(found)
    return float(touching.force[touching.sample <= flight, 2].max())


def _lift_off(found: RunSummary) -> int:
    """Return the last sample with contact before the torso is highest."""
    highest = int(found.run.q[:, 2].argmax())
    loaded = np.flatnonzero(found.run.contacts.ground_force()[:highest, 2] > 0.0)
    return int(loaded[-1])


def _flight(found: RunSummary) -> tuple[float, float]:
    """Return the height of the centre of mass at the apex, and z + v²/2g at lift-off [m]."""
    run, start = found.run, _lift_off(found) + 1
    z = run.model.center_of_mass(run.q)[:, 2]
    dt = float(run.t[1] - run.t[0])
    speed = (z[start + 1] - z[start - 1]) / (2 * dt)
    return float(z[start:].max()), float(z[start] + speed**2 / (2 * 9.81))
