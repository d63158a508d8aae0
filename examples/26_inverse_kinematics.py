"""Lead a robot's trunk while its feet stand, find poses of an arm, and keep out of an obstacle.

The same tasks serve a single pose, a control loop and a batch of thousands of targets.
"""

from pathlib import Path

import numpy as np

import tarsus as ts

# a quadruped whose trunk sways while its feet stay where they are
m = ts.load(Path(__file__).parent / "quadruped.urdf", base="free")
feet = [name for name in m.frame_names if name.endswith("foot")]
q = ts.stand(m, np.r_[m.neutral()[:7], np.tile([0.0, 0.7, -1.4], 4)])
trunk = ts.ik.FrameTask("trunk", m.frame_pose(q, "trunk"), gain=20.0)
hold = [ts.ik.PositionTask(foot, m.frame_pose(q, foot)[:3, 3]) for foot in feet]
solver = ts.ik.Solver(m, [trunk, *hold])
start, dt, slip = trunk.target, 0.01, 0.0
for t in np.arange(0.0, 2.0, dt):
    turn = ts.spatial.rotation_from_vector([0.0, 0.15 * np.sin(3.0 * t), 0.0])
    trunk.target = start @ ts.spatial.pose([0.0, 0.03 * np.sin(2.0 * t), -0.02], turn)
    step = solver.step(q, dt)
    q = step.q
    slip = max(slip, *(np.abs(task.error(q)).max() for task in hold))
print(f"the trunk sways, feet slip by {1e3 * slip:.2f} mm, the last step is {step.status}")

# a thousand poses of an arm with seven joints, one call
b = ts.Builder("arm")
last = "world"
for k, axis in enumerate("zyzyzyz"):
    b.body(f"link_{k}", 2.0, [0.0, 0.0, 0.1], np.diag([0.02, 0.02, 0.01]))
    place = [0.0, 0.0, 0.2 if k else 0.3]
    options = {"position": place, "axis": axis, "lower": -2.6, "upper": 2.6}
    b.joint(f"joint_{k}", "revolute", last, f"link_{k}", **options)
    last = f"link_{k}"
b.frame("hand", last, position=[0.0, 0.0, 0.1])
arm = b.build()
targets = arm.frame_pose(arm.random_configuration(0, 1000), "hand")
found = ts.ik.Solver(arm, [ts.ik.FrameTask("hand", targets)]).solve(np.full((1000, 7), 0.3))
print(f"{np.mean(found.success):.1%} of 1000 poses, {found.iterations.mean():.0f} steps each")

# the elbow stays clear of a ball while the hand goes by
rod = ts.geometry.SweptSphere([[0.0, 0.0, 0.0], [0.0, 0.0, 0.2]], 0.04)
ball = ts.geometry.SweptSphere([[0.35, 0.1, 0.6]], 0.1)
volumes = ts.geometry.Volumes({**{f"link_{k}": [rod] for k in range(7)}, "world": [ball]})
pairs = [(f"link_{k}", "world") for k in range(7)]
apart = ts.geometry.Distances(arm, volumes, pairs, activation=0.2)
hand = ts.ik.PositionTask("hand", gain=5.0)
careful = ts.ik.Solver(arm, [hand], avoid=ts.ik.Avoid(apart, margin=0.02))
q, least = np.array([1.2, 0.9, 0.0, 1.0, 0.0, 0.6, 0.0]), np.inf
begin = arm.frame_pose(q, "hand")[:3, 3]
for t in np.arange(0.0, 3.0, 0.02):
    hand.target = begin + [0.0, -0.5 * min(t, 2.0), 0.0]
    step = careful.step(q, 0.02)
    q = step.q
    least = min(least, apart.distance(q).min())
off = np.abs(hand.error(q)).max()
print(f"nearest to the ball {1e3 * least:.0f} mm, the hand is {1e3 * off:.1f} mm off in the end")
