"""Give an arm motors whose rotors turn, and see what the usual approximation gets wrong.

A rotor is a body that turns with a joint, a ratio times as fast. Its joint has no coordinates of
its own: q and v stay as short as without motors. `approximate="reflected"` is what most models in
files have instead: the rotor is welded, and ratio² times its inertia is added to the joint.
"""

import numpy as np

import tarsus as ts

np.set_printoptions(precision=4, suppress=True)


def arm(approximate):
    """Return an arm with three hinges and a geared motor at each."""
    b = ts.Builder("arm")
    parent = "world"
    for k, (joint, axis, ratio) in enumerate(
        [("waist", "z", 10), ("shoulder", "y", -12), ("wrist", "x", 9)]
    ):
        link, rotor = f"link_{k}", f"{joint}_rotor"
        b.body(link, mass=2.0, com=(0, 0, 0.2), inertia=(0.03, 0.03, 0.004))
        b.joint(joint, "revolute", parent, link, position=(0, 0, 0.4 * (k > 0)), axis=axis)
        # a flat disc, coaxial with its joint; elsewhere it would need a place and an axis
        b.body(rotor, mass=0.5, inertia=2e-4 * (1 + np.eye(3)["xyz".index(axis)]))
        b.gear(joint, ratio, rotor, approximate=approximate)
        parent = link
    b.frame("hand", parent, position=(0, 0, 0.4))
    return b.build()


exact, reflected = arm("exact"), arm("reflected")
print(exact)
for cluster in exact.clusters:
    print(f"  {cluster.kind}: {', '.join(cluster.joints)} on {cluster.parent}")

# the coordinates are those of the joints; the rotors follow
q, v, a = exact.random_configuration(0), np.array([1.0, 3.0, -2.0]), np.full(3, 9.0)
print("velocities of all joints:")
for joint, velocity in zip(exact.joint_names, exact.joint_velocities(q, v), strict=True):
    print(f"  {joint:21} {velocity:6.1f} rad/s")

# torques at the joints, and at the motors behind their gears: both have the same power
tau = exact.inverse_dynamics(q, v, a)
torques = exact.motor_torques(q, tau)
print("torques of the joints", tau, "N m")
print("torques of the motors", torques, "N m")
print("the same power:", np.isclose(torques @ exact.motor_velocities(q, v), tau @ v))

# the wrist's motor spins on a link that turns: it pushes there like a gyroscope
error = reflected.forward_dynamics(q, v, tau) - exact.forward_dynamics(q, v, tau)
print("reflected inertia is wrong by", error, "rad/s²")

# and its spin counts about the axes of the joints before it, too
print("mass matrix, less that of reflected inertia:")
print(exact.mass_matrix(q) - reflected.mass_matrix(q))
