"""Draw what the short answers on friction and motors are about: paths of feet, and torques."""

from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from PIL import Image

import tarsus as ts

HERE = Path(__file__)
m = ts.load(HERE.parents[2] / "examples" / "quadruped.urdf", base="free")
q0 = m.neutral()
q0[7:] = [0.0, 0.7, -1.4] * 4
q0 = ts.stand(m, q0)
push = ts.Push("trunk", (0, 60, 0), start=0.1, duration=0.2)
ground = ts.Ground(friction=0.7)


def save(figure: plt.Figure, name: str) -> None:
    """Write a small picture."""
    figure.canvas.draw()
    picture = Image.fromarray(np.asarray(figure.canvas.buffer_rgba())[..., :3])
    picture.save(HERE.with_name(name), quality=80)


feet = [name for name in m.frame_names if name.endswith("foot")]
figure, axes = plt.subplots(1, 4, figsize=(8.0, 2.5), dpi=100, layout="constrained", sharey=True)
for friction, color, label in ((None, "0.5", "all feet 0.7"), (0.02, "C3", "front left 0.02")):
    stated = {} if friction is None else {"front_left_foot": friction}
    touching = ts.Collision.from_model(m, friction=stated)
    sim = ts.Simulation(m, ground=ground, collision=touching, dt=2e-3)
    hold = ts.control.ImplicitPD(m, kp=150.0, kd=6.0, reference=q0)
    run = sim.run(q0, duration=0.6, controller=hold, external=push)
    places = m.frame_poses(run.q, feet)[..., :3, 3]
    for axis, foot, path in zip(axes, feet, np.moveaxis(places, -2, 0), strict=True):
        axis.plot(run.t, 100.0 * (path[:, 1] - path[0, 1]), color=color, label=label)
        axis.set_title(foot.replace("_", " "), fontsize=9)
        axis.axvspan(0.1, 0.3, color="0.93", lw=0)
        axis.set_xlabel("s")
        axis.spines[["top", "right"]].set_visible(False)
axes[0].set_ylabel("to the left [cm]")
axes[0].legend(frameon=False, fontsize=8)
save(figure, "how_friction.webp")

editor = ts.Editor(m)
for joint in m.joint_names[1:]:
    editor.actuator(f"{joint}_motor", joint, gear=9.0, control=3.0)
robot = editor.build()
hold = ts.control.ImplicitPD(robot, kp=150.0, kd=6.0, reference=q0)
sim = ts.Simulation(robot, ground=ground, dt=2e-3)
run = sim.run(q0, duration=0.6, controller=hold, external=push)
u = robot.controls(run.q, run.v, run.tau)
figure, axis = plt.subplots(figsize=(8.0, 2.5), dpi=100, layout="constrained")
for k, name in enumerate(robot.actuator_names[:3]):
    axis.plot(run.t[1:], u[1:, k], label=name.replace("_", " "))
axis.axvspan(0.1, 0.3, color="0.93", lw=0)
axis.axhline(3.0, color="0.6", ls="--", lw=0.8)
axis.axhline(-3.0, color="0.6", ls="--", lw=0.8)
axis.set(xlabel="s", ylabel="torque of the motor [N m]")
axis.legend(frameon=False, fontsize=8, ncols=3, loc="lower right")
axis.spines[["top", "right"]].set_visible(False)
save(figure, "how_motors.webp")
