"""Move a hand on a circle while the elbow goes elsewhere, and pass a stretched position.

An arm with seven hinges has one motion to spare when its hand has a pose to keep. What is spared
goes to a posture, with forces that do not move the hand. With --plot the way of the hand is drawn
to operational_space.png.
"""

import sys

import numpy as np

import tarsus as ts

b = ts.Builder("arm")
parent = "world"
for k, axis in enumerate("zyzyzyz"):
    mass = 3.0 - 0.35 * k
    b.body(f"link_{k}", mass, com=(0, 0, 0.1), inertia=(0.01 * mass, 0.01 * mass, 0.004 * mass))
    b.joint(f"joint_{k}", "revolute", parent, f"link_{k}", position=(0, 0, 0.2), axis=axis)
    parent = f"link_{k}"
b.frame("hand", parent, position=(0, 0, 0.15))
m = b.build()

q0 = np.array([0.3, 0.7, -0.4, 0.9, 0.5, 0.8, -0.2])
start = m.frame_pose(q0, "hand")
radius, w, h = 0.1, 3.0, 2e-3


def circle(t):
    """Return pose, velocity and acceleration of a target, both in its own frame.

    It moves on a circle and does not turn, so its frame's axes are those at the start.
    """
    pose, velocity, acceleration = start.copy(), np.zeros(6), np.zeros(6)
    c, s = np.cos(w * t), np.sin(w * t)
    pose[:3, 3] += start[:3, :3] @ [radius * (1 - c), radius * s, 0]
    velocity[:2] = radius * w * s, radius * w * c
    acceleration[:2] = radius * w**2 * c, -radius * w**2 * s
    return pose, velocity, acceleration


def follow(control, q, v, duration):
    """Return the configurations of a motion, and the errors of the hand."""
    configurations, errors = [], []
    for t in np.arange(0.0, duration, h):
        configurations.append(q)
        errors.append(control.error(t, q))
        a = m.forward_dynamics(q, v, control(t, q, v))
        q, v = m.integrate(q, h * (v + h / 2 * a)), v + h * a
    return np.array(configurations), np.array(errors)


# the hand starts 0.05 rad off at each joint; the elbow is to turn outwards
elbow_out = q0 + [0.8, 0, -0.8, 0, 0, 0, 0]
found = {}
for name, posture in (("no posture", None), ("elbow out", elbow_out)):
    control = ts.control.OperationalSpaceControl(
        m, "hand", 100.0, reference=circle, posture=posture
    )
    found[name] = follow(control, q0 + 0.05, np.zeros(7), 3.0)
    q, e = found[name]
    reached = np.abs(e[len(e) // 2 :]).max()
    print(f"{name:10} error {np.abs(e[0]).max():.3f} to {reached:.5f}, ends at q =", q[-1].round(2))
differ = np.abs(found["no posture"][1] - found["elbow out"][1]).max()
print(f"the hand does not notice the posture: {differ:.1e} m or rad")

# at a stretched arm the hand cannot move outwards: there is no force that tries
control = ts.control.OperationalSpaceControl(m, "hand", 100.0, task="position")
up = m.frame_pose(np.zeros(7), "hand")[:3, 3]
tau = control(0.0, np.zeros(7), np.zeros(7), up + [0, 0, 0.1])
print(f"stretched, with a target out of reach: {np.abs(tau).max():.1e} N·m")

if "--plot" in sys.argv:
    import matplotlib.pyplot as plt

    for name, (q, _) in found.items():
        hand, elbow = (m.frame_pose(q, frame)[:, :3, 3] for frame in ("hand", "link_3"))
        (line,) = plt.plot(hand[:, 0], hand[:, 1], label=f"hand, {name}")
        plt.plot(elbow[:, 0], elbow[:, 1], "--", color=line.get_color(), label=f"elbow, {name}")
    plt.gca().set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
    plt.legend()
    plt.savefig("operational_space.png", dpi=150)
