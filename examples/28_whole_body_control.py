"""Let Talos sway over one foot, lift the other, and feel a push: one quadratic programme a step.

Tasks of inverse kinematics ask for accelerations, soles push within their cones of friction, and
torques follow. Needs `pip install example-robot-data`.
"""

import numpy as np

import tarsus as ts
from tarsus.robots.quadrupeds import legged

try:
    robot = legged("talos_reduced")
except ValueError as error:
    raise SystemExit(error) from None

m, q = robot.model, robot.stance
corners = np.array([[x, y, 0.0] for x in (-0.1, 0.1) for y in (-0.06, 0.06)])
soles = {side: m.frame_pose(q, frame) for side, frame in robot.feet.items()}
start, over = m.center_of_mass(q), soles["left"][:3, 3]

tasks = [
    ts.ik.ComTask(start, weight=10.0, gain=6.0),
    ts.ik.OrientationTask("torso_2_link", m.frame_pose(q, "torso_2_link")[:3, :3], gain=8.0),
    ts.ik.FrameTask(robot.feet["right"], soles["right"], gain=15.0, name="right foot"),
    ts.ik.PostureTask(q, weight=1e-3, gain=6.0, level=0),
]
contacts = [
    ts.control.Contact(frame, corners, friction=0.6, margin=0.01, name=side)
    for side, frame in robot.feet.items()
]


def smooth(share):
    """Return a step from 0 to 1 without jumps of velocity and acceleration."""
    x = np.clip(share, 0.0, 1.0)
    return x**3 * (10.0 - 15.0 * x + 6.0 * x**2)


def reference(t):
    """Return targets of tasks and the load of the right sole."""
    foot = soles["right"].copy()
    foot[2, 3] += 0.06 * smooth((t - 1.2) / 0.5)
    aside = smooth(t / 1.0) * np.array([*(over - start)[:2], 0.0])
    return {"com": start + aside, "right foot": foot, "right": np.clip((1.2 - t) / 0.2, 0.0, 1.0)}


law = ts.control.WholeBody(m, tasks, contacts, reference)
sim = ts.Simulation(m, ground=ts.Ground(friction=0.7), dt=1e-3, collision=robot.collision)
run = sim.run(q, duration=1.8, controller=law)

print(f"{law.last.status}: what was planned, and what the ground did")
for side, frame in robot.feet.items():
    planned, done = law.last.wrenches[side][:3], run.contacts.force_on(frame)[-1]
    print(f"  {side:5} {planned.round(1)} N planned, {done.round(1)} N measured")
centre = law.last.pressure_centres["left"]
print(f"centre of pressure of the left sole: {1e3 * centre[0]:.0f}, {1e3 * centre[1]:.0f} mm")
height = m.frame_pose(run.q[-1], robot.feet["right"])[2, 3] - soles["right"][2, 3]
print(f"the right foot is {1e3 * height:.0f} mm up")
print(f"largest torque {np.abs(run.tau).max():.0f} N·m, largest share of a limit", end=" ")
limits = np.where(np.isfinite(law.effort) & (law.effort > 0.0), law.effort, np.inf)
print(f"{(np.abs(run.tau) / limits).max():.2f}")
