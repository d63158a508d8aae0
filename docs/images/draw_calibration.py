"""Draw what a calibration finds: the left leg of Lola in thirty poses, one of them disturbed."""

from pathlib import Path

import numpy as np

import tarsus as ts
from tarsus import calibration as cal

LEG = ("hip_rotation", "hip_adduction", "hip_flexion", "knee_flexion")
LEG = (*LEG, "ankle_flexion", "ankle_adduction")

lola = ts.robots.lola()
encoders = cal.Encoders(lola, [f"left_{joint}" for joint in LEG])
sole = cal.Pose("left_sole", "pelvis_ring", sigma=1e-4, angle_sigma=1e-4)
test = cal.Experiment(encoders, sole, cal.chain_parameters(lola, "left_sole", "pelvis_ring"))
rng = np.random.default_rng(0)
readings = rng.uniform(-0.5, 0.5, (30, 6))
test = test.only(cal.observability(test, readings).independent)
truth = 2e-3 * rng.normal(size=len(test.names))
poses = sole.noisy(test.predict(readings, truth)[0], rng)
poses[7, :3, 3] += 0.003
found = cal.identify(test, readings, poses)
found.plot(Path(__file__).with_name("calibration.png"))
