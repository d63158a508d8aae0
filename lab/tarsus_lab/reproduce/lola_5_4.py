"""Figure 5.4 of M. Schwienbacher: a humanoid walks sideways and keeps its arms off its legs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from tarsus._lib.files import Array
from tarsus.gait.anatomy import Anatomy
from tarsus.gait.soles import box_of
from tarsus.geometry.distances import Distances
from tarsus.geometry.swept_spheres import SweptSphere
from tarsus.geometry.volumes import Volumes
from tarsus.ik.collision_avoidance import Avoid
from tarsus.model.model import Model
from tarsus.walking.arms import Arms, Free, Still, Swinging, length_ratio
from tarsus.walking.kinematic_walk import BalancedWalk, WalkTargets, balanced_walk, walk_targets
from tarsus.walking.plans.footsteps import Footsteps
from tarsus.walking.posture import stance
from tarsus_lab.reproduce.lola_7_1 import SOURCE
from tarsus_lab.reproduce.result import Curve, Result, judged
from tarsus_lab.scenes import follow, humanoid

STEPS, DURATION = 6, 0.8
ACTIVATION, BLEND = 0.06, 0.5
"""Where arms begin to be pushed away [m], and how the push rises, 0.4 … 0.6 in the thesis."""


class Setting(NamedTuple):
    """How a humanoid stands and steps aside."""

    aside: float
    """By which the body moves in a step [m]."""
    angles: Mapping[str, float]
    """Of arms that hang beside the thighs [rad]."""


SETTINGS = {
    "lola": Setting(
        0.15,
        {
            f"{side}_{joint}": angle
            for side in ("left", "right")
            for joint, angle in (
                ("shoulder_flexion", 0.0),
                ("shoulder_adduction", 0.0),
                ("elbow_flexion", -0.15),
            )
        },
    ),
    "talos": Setting(0.15, {"arm_left_2_joint": 0.16, "arm_right_2_joint": -0.16}),
    "g1": Setting(0.12, {"left_shoulder_roll_joint": 0.15, "right_shoulder_roll_joint": -0.15}),
}

CHOSEN = (
    "the thesis shows pictures, and prints neither volumes nor steps nor how arms hang; these are "
    "chosen here so that arms of Lola that are left alone get into its legs"
)


def run(robot: str = "lola") -> Result:
    """Walk sideways with arms by three schemes, and tell how near they come to the legs."""
    body, setting = humanoid(robot), SETTINGS[robot]
    q, targets = _sideways(body, setting)
    volumes = limb_volumes(body)
    pairs = arms_and_legs(body, volumes)
    near = Distances(body.model, volumes, pairs, activation=ACTIVATION)
    avoid = Avoid(near, margin=0.0, blend=BLEND)
    far = Distances(body.model, volumes, pairs, activation=10.0)
    scale = min(length_ratio(body.arms[0], body.legs[1]), 0.5)

    def walked(arms: Arms, avoid: Avoid | None = None) -> BalancedWalk:
        return balanced_walk(body, q, targets, arms, rounds=0, avoid=avoid)

    walks = {
        "arms swing with the legs": walked(Swinging(scale)),
        "arms hang": walked(Free()),
        "arms avoid the legs": walked(Free(), avoid),
    }
    least = {name: _least(far, walk.motion.q) for name, walk in walks.items()}
    kept = walks["arms avoid the legs"]
    real = follow(body, targets, kept.motion).run()
    touching = float(_least(far, real.q).min())
    errors = max(kept.motion.errors.values())
    rows = (
        *(
            judged(
                f"{name}: least distance [mm]",
                "> 0" if name == "arms avoid the legs" else "≤ 0",
                1e3 * float(values.min()),
                bool((values.min() > 0.0) == (name == "arms avoid the legs")),
                CHOSEN,
                # whether arms that hang are in the way is a matter of the machine
                "unsupported" if name == "arms hang" else "missed",
            )
            for name, values in least.items()
        ),
        judged(
            "arms avoid, on the ground: least distance [mm]", "> 0", 1e3 * touching, touching > 0
        ),
        judged("arms avoid: error of soles and weight [mm]", "", 1e3 * errors, errors < 1e-3),
    )
    return Result(
        "lola-5.4",
        f"Arms that are kept off the legs in steps aside: {robot}",
        f"{SOURCE}, section 5.4, Figure 5.4",
        rows,
        tuple(
            Curve(name, tuple(targets.times.tolist()), tuple((1e3 * values).tolist()))
            for name, values in least.items()
        ),
        ("time [s]", "distance of arms and legs [mm]"),
    )


def limb_volumes(body: Anatomy) -> Volumes:
    """Return volumes around the collision shapes, or capsules with the inertia if it has none."""
    model = body.model
    if any(shape.role == "collision" for shape in model.description.shapes):
        return Volumes.from_model(model)
    links = [name for limb in (*body.legs, *body.arms) for name in limb.bodies]
    return Volumes({name: [_capsule(model, model.body(name).index)] for name in links})


def arms_and_legs(body: Anatomy, volumes: Volumes) -> list[tuple[str, str]]:
    """Return the pairs of upper arm to hand, and hip to thigh, that have volumes."""
    pairs = []
    for arm in body.arms:
        lower = arm.bodies[arm.joints.index(arm.bend) - 1 :]
        for leg in body.legs:
            thigh = leg.bodies[: leg.joints.index(leg.bend)]
            pairs += [(a, b) for a in lower for b in thigh if a in volumes and b in volumes]
    return pairs


def _capsule(model: Model, body: int) -> SweptSphere:
    """Return a capsule along the longest side of the box with the inertia of a body."""
    corners = box_of(model, body)[:, :3]
    sides = corners[[4, 2, 1]] - corners[0]
    lengths = np.linalg.norm(sides, axis=1)
    longest = int(lengths.argmax())
    radius = float(np.delete(lengths, longest).mean()) / 2
    half = max(0.5 - radius / float(lengths[longest]), 0.0) * sides[longest]
    middle = corners.mean(axis=0)
    return SweptSphere([middle - half, middle + half], radius)


def _sideways(body: Anatomy, setting: Setting) -> tuple[Array, WalkTargets]:
    """Return the stance, and steps to the left from soles that are apart by a step more."""
    model = body.model
    hips = [float(model.frame_pose(stance(body), leg.end)[1, 3]) for leg in body.legs]
    width = hips[0] - hips[1] + setting.aside
    q = stance(body, width=width)
    for name, angle in setting.angles.items():
        q[model.joint(name).q_slice] = angle
    steps = Footsteps.steady(steps=STEPS, width=width, sideways=setting.aside)
    planned = walk_targets(steps, float(model.center_of_mass(q)[2]), duration=DURATION)
    return q, balanced_walk(body, q, planned, Still(), rounds=1).targets


def _least(distances: Distances, q: Array) -> Array:
    """Return the least distance of all pairs in configurations (T, nq)."""
    return np.asarray(distances.distance(q).min(axis=-1))
