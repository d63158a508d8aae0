"""Section 5.4.1 of O. Ayit: the quadruped trots for 10.6 s (Figures 5.2 to 5.7)."""

from __future__ import annotations

import numpy as np

from tarsus._lib.files import Array
from tarsus.robots.quadrupeds import LEGS
from tarsus.scenes.robots import trot
from tarsus.scenes.scene import Scene
from tarsus.spatial import rpy_from_quaternion
from tarsus_lab.reproduce.contact_5_1 import SOURCE
from tarsus_lab.reproduce.contact_runs import PENALTIES, RunSummary, summary
from tarsus_lab.reproduce.result import Result, Row, judged

PLAN = (
    "the thesis prints no step length, period or height; here the plan is 0.1 m/s after a second, "
    "which is 0.935 m. How much of it the robot walks depends on posture and contact, so that "
    "0.9 m is no strong evidence for anything"
)
MODELS = (
    "the thesis prints no stiffness and damping; here soft and firm springs walk as far as exact "
    "contact does, and those that break the bound on the step diverge or slip"
)
STARTS = 8
WEIGHT = "96.8 kg at 9.81 m/s²: over many steps the ground carries the weight, no more"


def angles(q: Array) -> Array:
    """Return roll, pitch and yaw (…, 3) [°] of a free base."""
    return np.asarray(np.degrees(rpy_from_quaternion(q[..., 3:7])))


def run() -> Result:
    """Trot with exact contact and with springs."""
    scene = trot()
    exact = summary(scene)
    others = {name: summary(scene.but(contact=law)) for name, law in PENALTIES.items()}
    rows = [*_exact_rows(exact), _chance_row(scene), *_penalty_rows(others)]
    title = "A trot along x, with exact contact and with springs"
    source = f"{SOURCE}, section 5.4, Figures 5.2 to 5.7"
    curves = tuple(o.curve(name, 0) for name, o in {"exact": exact, **others}.items())
    axes = ("time [s]", "way along x [m]")
    return Result("contact-trot", title, source, tuple(rows), curves, axes)


def _exact_rows(found: RunSummary) -> list[Row]:
    run = found.run
    x, y = (float(run.q[-1, k] - run.q[0, k]) for k in (0, 1))
    tilt = float(np.abs(angles(run.q)[:, :2]).max())
    sink = float(np.abs(run.q[:, 2] - run.q[0, 2]).max())
    load = run.contacts.ground_force()[2000:, 2].mean()
    feet = np.stack([run.contacts.force_on(f"{leg}_foot")[2000:, 2] for leg in LEGS])
    return [
        judged("exact: way along x [m]", "≈ 0.9", x, 0.6 < x < 1.2, PLAN),
        judged("exact: way along y [m]", "≈ 0.1", y, abs(y) < 0.3, PLAN),
        judged("exact: largest roll or pitch [°]", "small", tilt, tilt < 5.0),
        judged("exact: torso up or down [m]", "small", sink, sink < 0.02),
        judged("exact: mean load [N]", "", float(load), abs(load / 949.608 - 1) < 0.01, WEIGHT),
        judged(
            "exact: share of time a foot is free of load [%]",
            "swing",
            float(100.0 * (feet == 0.0).mean()),
            bool(((feet == 0.0).mean(axis=1) > 0.3).all()),
        ),
    ]


def _chance_row(scene: Scene) -> Row:
    """Return how far robots get that start next to each other."""
    rng = np.random.default_rng(0)
    q = np.tile(scene.q0, (STARTS, 1))
    q[:, 7:] += 1e-9 * rng.normal(size=q[:, 7:].shape)
    many = scene.but(q0=q, v0=np.tile(scene.v0, (STARTS, 1))).run(record=False)
    x = many.q[:, -1, 0]
    label = f"exact: x of {STARTS} starts 1e-9 rad apart [m]"
    return Row(label, "", f"{x.min():.2f} … {x.max():.2f}", "corrected", PLAN)


def _penalty_rows(found: dict[str, RunSummary]) -> list[Row]:
    rows = []
    for name, o in found.items():
        x, y = o.end[:2]
        text = "diverges" if o.failure else f"{x:.2f}, {y:.2f}"
        same = bool(not o.failure and 0.6 < x < 0.8)
        label = f"{name} springs: x, y [m]"
        rows.append(judged(label, "≈ 0.7, 0.18", text, same, MODELS, "unsupported"))
    return rows
