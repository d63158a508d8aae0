"""Calibrate the leg of a humanoid: which poses to take, which errors they tell, what is left.

The true leg has a knee that leans, a shank that is too long and an encoder with a wrong offset;
a camera on the pelvis, placed by hand, looks at a mark on the sole.
"""

import numpy as np

import tarsus as ts
from tarsus import calibration as cal
from tarsus.spatial import inverse

LEG = [
    f"left_{name}"
    for name in ("hip_rotation", "hip_adduction", "hip_flexion", "knee_flexion")
    + ("ankle_flexion", "ankle_adduction")
]
rng = np.random.default_rng(0)

# as drawn, and as it is
drawn = ts.Editor(ts.robots.lola()).frame("camera", "pelvis_ring", position=(0.15, 0, 0)).build()
knee, ankle = (drawn.joint(f"left_{name}_flexion").placement for name in ("knee", "ankle"))
true = ts.Editor(drawn)
true.change(
    "joint", "left_knee_flexion", placement=knee @ ts.spatial.pose_from_twist([0, 0, 0, 0.01, 0, 0])
)
true.change(
    "joint",
    "left_ankle_flexion",
    placement=ankle @ ts.spatial.pose_from_twist([0, 0, -0.002, 0, 0, 0]),
)
true.change("frame", "camera", position=(0.153, 0.002, -0.001))
true = true.build()

# what is measured, and what may be wrong
encoders = cal.Encoders(drawn, LEG, sigma=1e-5)
sole = cal.Pose("left_sole", "camera", sigma=2e-4, angle_sigma=3e-4)
parameters = [*cal.chain_parameters(drawn, "left_sole", "camera"), cal.FrameError("camera")]
test = cal.Experiment(encoders, sole, parameters)

# of 100 poses that are easy to reach, the 25 that tell most
candidates = rng.uniform(-0.5, 0.5, (100, 6))
chosen = cal.select_poses(test, candidates, 25)
readings = candidates[chosen.indices]
seen = cal.observability(test, readings)
print(f"{seen.rank} of {len(test.names)} combinations are told, condition {seen.condition:.0f}")
test = test.only(seen.independent)

# the machine itself: its encoders read, the camera sees
own = cal.Encoders(true, LEG, offsets=[0, 0, 0.02, 0, 0, 0])


def look(readings: np.ndarray) -> np.ndarray:
    """Return poses of the sole as the camera sees them."""
    q = own.configuration(readings + 1e-5 * rng.normal(size=readings.shape))
    return sole.noisy(inverse(true.frame_pose(q, "camera")) @ true.frame_pose(q, "left_sole"), rng)


seen_poses = look(readings)
seen_poses[4, :3, 3] += 0.01  # a pose that went wrong
found = cal.identify(test, readings, seen_poses)
print(found)

# on poses that had no say
fresh = rng.uniform(-0.5, 0.5, (50, 6))
poses = look(fresh)
before, after = test.linearised(fresh, [poses]).residuals[0], found.residuals(fresh, [poses])[0]
off = [1e3 * np.sqrt((r[:, :3] ** 2).sum(axis=1).mean()) for r in (before, after)]
print(f"on other poses the sole is off by {off[0]:.2f} mm before and {off[1]:.2f} mm after")
assert off[1] < 0.06 * off[0]
