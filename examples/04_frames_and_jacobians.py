"""Frames, their velocities and Jacobians; and an arm that reaches for a point.

A velocity is six numbers, the linear part first. `reference` says in which axes they are, and
which point's velocity the linear part is:

    local                 axes of the frame, at its origin
    local_world_aligned   axes of the world, at the frame's origin
    world                 axes of the world, at the point that passes the world's origin
"""

import numpy as np

import tarsus as ts

b = ts.Builder("arm")
b.body("upper", mass=2.0, com=(0, 0, 0.2), inertia=(0.03, 0.03, 0.002))
b.body("lower", mass=1.0, com=(0, 0, 0.15), inertia=(0.01, 0.01, 0.001))
b.joint("shoulder", "spherical", "world", "upper")
b.joint("elbow", "revolute", "upper", "lower", position=(0, 0, 0.4), axis="y")
b.frame("hand", "lower", position=(0, 0, 0.3))
arm = b.build()

q = arm.random_configuration(1)
v = np.array([0.3, -0.5, 0.2, 1.0])

for reference in ("local", "local_world_aligned", "world"):
    velocity = arm.frame_velocity(q, v, "hand", reference)
    J = arm.frame_jacobian(q, "hand", reference)
    print(f"{reference:20}", velocity.round(3), "J v equal:", np.allclose(J @ v, velocity))

# the rate of the Jacobian is exact; a central difference of Jacobians comes close to it
h = 1e-6
ahead, behind = (arm.frame_jacobian(arm.integrate(q, step * v), "hand") for step in (h, -h))
error = arm.frame_jacobian_rate(q, v, "hand") - (ahead - behind) / (2 * h)
print(f"rate of the Jacobian, exact less difference quotient: {np.abs(error).max():.1e}")

# reach for a point: steps by damped least squares, taken on the manifold of configurations
target = np.array([0.3, 0.2, 0.35])
q = arm.neutral()
q[arm.joint("elbow").q_slice] = 0.5
for k in range(7):
    error = target - arm.frame_pose(q, "hand")[:3, 3]
    print(f"step {k}: {1e3 * np.linalg.norm(error):10.6f} mm away")
    J = arm.frame_jacobian(q, "hand", "local_world_aligned")[:3]
    q = arm.integrate(q, J.T @ np.linalg.solve(J @ J.T + 1e-4 * np.eye(3), error))
