"""Load a robot from a URDF file and ask the first questions about it."""

from pathlib import Path

import numpy as np

import tarsus as ts

np.set_printoptions(precision=3, suppress=True)
robot = ts.load(Path(__file__).with_name("quadruped.urdf"), base="free")
print(robot)
print(f"{robot.total_mass:.2f} kg")

# joints know where their coordinates stand, what they may do, and what they can
for name in robot.joint_names:
    joint = robot.joint(name)
    limits = f"{joint.lower} … {joint.upper} rad" if joint.kind == "revolute" else ""
    print(f"  {name:22} {joint.kind:9} on {joint.parent:21} {limits}")

# what the file says and the model does not hold is listed, not lost
for warning in robot.warnings:
    print("  warning:", warning)

# a configuration is a plain array: the pose of the base, then the joint angles
q = robot.neutral()
q[2] = 0.5  # lift the base to half a metre
v = np.zeros(robot.nv)
print("centre of mass:", robot.center_of_mass(q), "m")

# falling freely, the base accelerates with gravity and the joints do not move
a = robot.forward_dynamics(q, v, np.zeros(robot.nv))
print("base acceleration:", a[:6])
print("largest joint acceleration:", np.abs(a[6:]).max())

# to hold the posture in the air, a crane would have to pull at the base with the weight
tau = robot.gravity_forces(q)
print(f"force on the base: {tau[:3]} N, weight: {9.81 * robot.total_mass:.3f} N")
