"""Bring states from Pinocchio and MuJoCo, and find the same mass matrix there and here.

The libraries describe the same motion by different numbers: where a quaternion has its scalar
part, whether a base velocity is in its own axes or in those of the world. `ts.convert`
translates; with `peer=`, the other library's model, joints are matched by name.
Needs `pip install pin mujoco`.
"""

from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin

import tarsus as ts

np.set_printoptions(precision=3, suppress=True)
file = Path(__file__).with_name("quadruped.urdf")
robot = ts.load(file, base="free")
rng = np.random.default_rng(0)


def compare(name, q, v, H_other, T):
    """Print how far the mass matrix is from the other library's, where velocities are T v."""
    H = robot.mass_matrix(q)
    difference = np.abs(H - T.T @ H_other @ T).max() / np.abs(H).max()
    print(f"{name:10} kinetic energy {robot.kinetic_energy(q, v):.6f} J", end=", ")
    print(f"mass matrices agree to {difference:.0e}")


# Pinocchio: the same numbers, unless a joint is planar or turns without limits
theirs = pin.buildModelFromUrdf(str(file), pin.JointModelFreeFlyer())
q_pin = pin.integrate(theirs, pin.neutral(theirs), rng.normal(size=theirs.nv))
v_pin = rng.normal(size=theirs.nv)
q, v = ts.convert.from_pinocchio(robot, q_pin, v_pin, peer=theirs)
H_pin = pin.crba(theirs, theirs.createData(), q_pin)
H_pin = np.triu(H_pin) + np.triu(H_pin, 1).T
T = ts.convert.to_pinocchio(robot, q, np.eye(robot.nv), peer=theirs)[1].T
compare("Pinocchio:", q, v, H_pin, T)

# MuJoCo: scalar part first, and the base's linear velocity in axes of the world
spec = mujoco.MjSpec.from_file(str(file))
spec.worldbody.first_body().add_freejoint()
theirs = spec.compile()
data = mujoco.MjData(theirs)
data.qpos[:], data.qvel[:] = ts.convert.to_mujoco(robot, q, v, peer=theirs)
print("base here ", q[:7], v[:3])
print("in MuJoCo ", data.qpos[:7], data.qvel[:3])
mujoco.mj_forward(theirs, data)
H_mujoco = np.zeros((theirs.nv, theirs.nv))
for row, unit in zip(H_mujoco, np.eye(theirs.nv), strict=True):
    mujoco.mj_mulM(theirs, data, row, unit)
T = ts.convert.to_mujoco(robot, q, np.eye(robot.nv), peer=theirs)[1].T
compare("MuJoCo:", q, v, H_mujoco, T)
